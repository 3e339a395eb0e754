"""The building blocks that the events' declarations share: texts, lists, bounded and optional parts.

The names with an underscore are construct's documented interfaces: `_parse`, `_build` (and `_decode`, `_encode`) for
those who write constructs, and `_params`, `_parsing` and `_io` as entries of the context.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from io import BytesIO
from typing import Any

import construct as cs

from pybinlog.event_types import EventType


def remaining(stream: Any) -> int:
    """Return the bytes between the stream's position and its end."""
    return stream.getbuffer().nbytes - stream.tell()


LONGEST_XID_PART = 64
"""Bytes of an XID's global part, and of its branch qualifier (MySQL manual, "XA Transaction SQL Statements")."""


def XidPartLength(number: cs.Construct, part: str) -> cs.Construct:
    """Declare the length of a part of an XID; a longer one than an XID can have is refused."""
    checked = cs.ExprValidator(number, lambda length, _: length <= LONGEST_XID_PART)
    return cs.Rebuild(checked, lambda context: len(context[part]))


class Utf8(cs.Adapter):
    """Text in UTF-8 over a construct of bytes; bytes that are no UTF-8 survive as surrogate escapes."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return obj.decode("utf-8", "surrogateescape")

    def _encode(self, obj: str | bytes, context: Any, path: str) -> bytes:
        return obj if isinstance(obj, bytes) else obj.encode("utf-8", "surrogateescape")


def Tagged(
    tag: Any, kinds: dict[Any, cs.Construct], within: Callable[[cs.Construct], cs.Construct] = lambda value: value
) -> cs.Struct:
    """Make a Struct of a number, such as "type" / Int8ul, and the `value` that it announces; bytes for an unknown one.

    `within` puts the value into its bounds.
    """
    return cs.Struct(tag, "value" / within(cs.Switch(lambda context: context[tag.name], kinds, default=cs.GreedyBytes)))


class NulAfter(cs.Subconstruct):
    """A text of known length with a NUL byte after it."""

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        value = self.subcon._parse(stream, context, path)
        if (end := cs.stream_read(stream, 1, path)) != b"\0":
            raise cs.FormatFieldError(f"byte {end[0]} in place of the NUL after it", path=path)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        value = self.subcon._build(obj, stream, context, path)
        cs.stream_write(stream, b"\0", 1, path)
        return value


def PrefixedText(length: cs.Construct) -> cs.Construct:
    """Return a text after its length in bytes."""
    return Utf8(cs.Prefixed(length, cs.GreedyBytes))


def encoded_length(text: str | bytes) -> int:
    """Return the bytes that `Utf8` writes for a text."""
    return len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


class Coded(cs.Adapter):
    """An integer that is a member of `names` if it is known there, and a plain integer if it is not."""

    def __init__(self, subcon: cs.Construct, names: type[IntEnum]) -> None:
        super().__init__(subcon)
        self.names = names
        self.members = {int(member): member for member in names}

    def _decode(self, obj: int, context: Any, path: str) -> int:
        return self.members.get(obj, obj)

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return int(obj)


class Trailing(cs.Subconstruct):
    """A field that older servers did not write: None if fewer than `minimum` bytes are left."""

    def __init__(self, subcon: cs.Construct, minimum: int = 1) -> None:
        super().__init__(subcon)
        self.minimum = minimum
        self.flagbuildnone = True

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if remaining(stream) < self.minimum:
            return None
        return self.subcon._parse(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return None if obj is None else self.subcon._build(obj, stream, context, path)


class When(cs.IfThenElse):
    """A field that is there under a condition, None (and need not be given) otherwise."""

    def __init__(self, condition: Any, subcon: cs.Construct) -> None:
        super().__init__(condition, subcon, cs.Pass)
        self.flagbuildnone = True


class Times(cs.Subconstruct):
    """A construct so many times, as construct's Array, but an error names the place in the list."""

    def __init__(self, count: int | Callable[[Any], int], subcon: cs.Construct) -> None:
        super().__init__(subcon)
        self.count = count

    def _parse(self, stream: Any, context: Any, path: str) -> cs.ListContainer:
        items = cs.ListContainer()
        for index in range(cs.evaluate(self.count, context)):
            items.append(self.subcon._parse(stream, context, f"{path} -> {index}"))
        return items

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if len(obj) != (count := cs.evaluate(self.count, context)):
            raise cs.RangeError(f"{len(obj)} items in place of {count}", path=path)
        for index, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {index}")
        return obj


class UntilEnd(cs.Subconstruct):
    """As many of a construct as there are up to the end of the stream. (construct's GreedyRange hides errors.)"""

    def _parse(self, stream: Any, context: Any, path: str) -> cs.ListContainer:
        items = cs.ListContainer()
        end = stream.getbuffer().nbytes
        while stream.tell() < end:
            items.append(self.subcon._parse(stream, context, f"{path} -> {len(items)}"))
        return items

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for index, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {index}")
        return obj


class Bounded(cs.Subconstruct):
    """A construct in exactly `length` bytes: an integer, a function of the context, or a construct that precedes it."""

    def __init__(self, length: int | Callable[[Any], int] | cs.Construct, subcon: cs.Construct) -> None:
        super().__init__(subcon)
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if isinstance(self.length, cs.Construct):
            length = self.length._parse(stream, context, path)
        else:
            length = cs.evaluate(self.length, context)
        inner = BytesIO(cs.stream_read(stream, length, path))
        value = self.subcon._parse(inner, context, path)
        if remaining(inner):
            raise cs.TerminatedError(f"{remaining(inner)} of {length} bytes are left over", path=path)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        inner = BytesIO()
        value = self.subcon._build(obj, inner, context, path)
        data = inner.getvalue()
        if isinstance(self.length, cs.Construct):
            self.length._build(len(data), stream, context, path)
        cs.stream_write(stream, data, len(data), path)
        return value


class PaddedTo(cs.Construct):
    """Zeros that fill a body up to `size` bytes; nothing if it is that long already."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.flagbuildnone = True

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        return cs.stream_read(stream, min(remaining(stream), max(0, self.size - stream.tell())), path)

    def _build(self, obj: bytes | None, stream: Any, context: Any, path: str) -> bytes:
        data = bytes(max(0, self.size - stream.tell())) if obj is None else obj
        cs.stream_write(stream, data, len(data), path)
        return data


class Body(cs.Struct):
    """The body of an event. Bytes after the last declared field (a newer server's) are kept as `trailing`."""

    def _parse(self, stream: Any, context: Any, path: str) -> cs.Container:
        container = super()._parse(stream, context, path)
        rest = stream.read()
        if rest:
            container["trailing"] = rest
        return container

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        built = super()._build(obj, stream, context, path)
        rest = (obj or {}).get("trailing", b"")
        cs.stream_write(stream, rest, len(rest), path)
        return built


UNKNOWN = Body("data" / cs.GreedyBytes)
"""The body of a type that is not known."""

DECLARATIONS: dict[int, cs.Construct] = {}
"""Event type -> the declaration of its body; each is parsed with `format` and `event_type` as context."""


def declare(types: EventType | Iterable[EventType], *fields: Any) -> Body:
    """Give events of these types a body of these fields. Raise ValueError if one has another already."""
    body = Body(*fields)
    for event_type in (types,) if isinstance(types, EventType) else types:
        if DECLARATIONS.setdefault(event_type, body) is not body:
            raise ValueError(f"{event_type.name} is declared already")
    return body
