"""The building blocks that the events' declarations share: packed integers, texts, bounded and optional parts."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from io import BytesIO
from typing import Any

from construct import (
    Adapter,
    Construct,
    Container,
    FormatFieldError,
    GreedyBytes,
    IntegerError,
    ListContainer,
    Prefixed,
    Struct,
    Subconstruct,
    TerminatedError,
    evaluate,
    stream_read,
    stream_write,
)

__all__ = [
    "Body",
    "Bounded",
    "Coded",
    "FlaggedPair",
    "PackedInteger",
    "PaddedTo",
    "PrefixedText",
    "TableId",
    "Trailing",
    "UntilEnd",
    "Utf8",
    "VarlenSigned",
    "VarlenUnsigned",
    "WideInteger",
    "encoded_length",
    "remaining",
]


class WideInteger(int):
    """An integer that was stored in more bytes than it needs; `width` is how many, so that it is built the same."""

    width: int

    def __new__(cls, value: int, width: int) -> WideInteger:
        self = super().__new__(cls, value)
        self.width = width
        return self


def remaining(stream: Any) -> int:
    """The bytes between the stream's position and its end."""
    return stream.getbuffer().nbytes - stream.tell()


class PackedInteger(Construct):
    """A "packed integer" (length-encoded): 1 byte up to 250, else 252, 253 or 254 and 2, 3 or 8 bytes."""

    PREFIXES = {252: 2, 253: 3, 254: 8}

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        first = stream_read(stream, 1, path)[0]
        if first < 251:
            return first
        if first not in self.PREFIXES:
            raise FormatFieldError(f"{first} does not begin a packed integer", path=path)
        width = self.PREFIXES[first]
        value = int.from_bytes(stream_read(stream, width, path), "little")
        return value if self.width(value) == width else WideInteger(value, width)

    @staticmethod
    def width(value: int) -> int:
        if value < 251:
            return 0
        return 2 if value < 1 << 16 else 3 if value < 1 << 24 else 8

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        if not 0 <= obj < 1 << 64:
            raise IntegerError(f"{obj} cannot be a packed integer", path=path)
        width = obj.width if isinstance(obj, WideInteger) else self.width(obj)
        if width:
            prefix = {2: b"\xfc", 3: b"\xfd", 8: b"\xfe"}[width]
            stream_write(stream, prefix + int(obj).to_bytes(width, "little"), width + 1, path)
        else:
            stream_write(stream, bytes((obj,)), 1, path)
        return obj


class VarlenUnsigned(Construct):
    """A variable-length integer of MySQL's serialization library: as many trailing 1 bits in the first byte as further bytes."""

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        first = stream_read(stream, 1, path)[0]
        extra = 0
        while extra < 8 and first >> extra & 1:
            extra += 1
        raw = bytes((first,)) + stream_read(stream, extra, path)
        number = int.from_bytes(raw, "little")
        value = number >> (extra + 1) if extra < 8 else number >> 8
        return value if self.width(value) == extra + 1 else WideInteger(value, extra + 1)

    @staticmethod
    def width(value: int) -> int:
        for width in range(1, 9):
            if value < 1 << 7 * width:
                return width
        return 9

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        if not 0 <= obj < 1 << 64:
            raise IntegerError(f"{obj} does not fit in 64 bits", path=path)
        width = obj.width if isinstance(obj, WideInteger) else self.width(obj)
        if width == 9:
            raw = b"\xff" + int(obj).to_bytes(8, "little")
        else:
            raw = (int(obj) << width | (1 << width - 1) - 1).to_bytes(width, "little")
        stream_write(stream, raw, len(raw), path)
        return obj


class VarlenSigned(Adapter):
    """A signed variable-length integer: the sign in the lowest bit, the others inverted where it is negative."""

    def __init__(self) -> None:
        super().__init__(VarlenUnsigned())

    def _decode(self, obj: int, context: Any, path: str) -> int:
        value = ~(obj >> 1) if obj & 1 else obj >> 1
        return WideInteger(value, obj.width) if isinstance(obj, WideInteger) else value

    def _encode(self, obj: int, context: Any, path: str) -> int:
        value = (~obj << 1) | 1 if obj < 0 else obj << 1
        return WideInteger(value, obj.width) if isinstance(obj, WideInteger) else value


class Utf8(Adapter):
    """Text in UTF-8 over a construct of bytes; bytes that are no UTF-8 survive as surrogate escapes."""

    def _decode(self, obj: bytes, context: Any, path: str) -> str:
        return obj.decode("utf-8", "surrogateescape")

    def _encode(self, obj: str | bytes, context: Any, path: str) -> bytes:
        return obj if isinstance(obj, bytes) else obj.encode("utf-8", "surrogateescape")


def PrefixedText(length: Construct) -> Construct:
    """A text after its length in bytes."""
    return Utf8(Prefixed(length, GreedyBytes))


def encoded_length(text: str | bytes) -> int:
    """The bytes that `Utf8` writes for a text."""
    return len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


class Coded(Adapter):
    """An integer that is a member of `names` where it is known there, and a plain integer where it is not."""

    def __init__(self, subcon: Construct, names: type[IntEnum]) -> None:
        super().__init__(subcon)
        self.names = names
        self.members = {int(member): member for member in names}

    def _decode(self, obj: int, context: Any, path: str) -> int:
        return self.members.get(obj, obj)

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return int(obj)


class Trailing(Subconstruct):
    """A field that older servers did not write: None where fewer than `minimum` bytes are left."""

    def __init__(self, subcon: Construct, minimum: int = 1) -> None:
        super().__init__(subcon)
        self.minimum = minimum
        self.flagbuildnone = True

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if remaining(stream) < self.minimum:
            return None
        return self.subcon._parsereport(stream, context, path)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return None if obj is None else self.subcon._build(obj, stream, context, path)


class UntilEnd(Subconstruct):
    """As many of a construct as there are up to the end of the stream. (construct's GreedyRange hides errors.)"""

    def _parse(self, stream: Any, context: Any, path: str) -> ListContainer:
        items = ListContainer()
        end = stream.getbuffer().nbytes
        while stream.tell() < end:
            items.append(self.subcon._parsereport(stream, context, f"{path} -> {len(items)}"))
        return items

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for index, item in enumerate(obj):
            self.subcon._build(item, stream, context, f"{path} -> {index}")
        return obj


class Bounded(Subconstruct):
    """A construct in exactly `length` bytes: an integer, a function of the context, or a construct that precedes it."""

    def __init__(self, length: int | Callable[[Any], int] | Construct, subcon: Construct) -> None:
        super().__init__(subcon)
        self.length = length

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if isinstance(self.length, Construct):
            length = self.length._parsereport(stream, context, path)
        else:
            length = evaluate(self.length, context)
        inner = BytesIO(stream_read(stream, length, path))
        value = self.subcon._parsereport(inner, context, path)
        if remaining(inner):
            raise TerminatedError(f"{remaining(inner)} of {length} bytes are left over", path=path)
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        inner = BytesIO()
        value = self.subcon._build(obj, inner, context, path)
        data = inner.getvalue()
        if isinstance(self.length, Construct):
            self.length._build(len(data), stream, context, path)
        stream_write(stream, data, len(data), path)
        return value


class FlaggedPair(Construct):
    """A value whose top bit says that another one follows, as GTID events store (immediate, original).

    Parses to a tuple of the two; they are equal where the second is not stored, and a second that equals the first is
    not written.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.flag = 1 << 8 * width - 1

    def _parse(self, stream: Any, context: Any, path: str) -> tuple[int, int]:
        immediate = int.from_bytes(stream_read(stream, self.width, path), "little")
        if not immediate & self.flag:
            return immediate, immediate
        return immediate ^ self.flag, int.from_bytes(stream_read(stream, self.width, path), "little")

    def _build(self, obj: tuple[int, int], stream: Any, context: Any, path: str) -> tuple[int, int]:
        immediate, original = obj
        if not 0 <= immediate < self.flag or not 0 <= original < self.flag << 1:
            raise IntegerError(f"{obj} does not fit in {8 * self.width - 1} bits", path=path)
        if immediate == original:
            stream_write(stream, immediate.to_bytes(self.width, "little"), self.width, path)
        else:
            both = (immediate | self.flag).to_bytes(self.width, "little") + original.to_bytes(self.width, "little")
            stream_write(stream, both, len(both), path)
        return obj


class PaddedTo(Construct):
    """Zeros that fill a body up to `size` bytes; nothing where it is that long already."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.flagbuildnone = True

    def _parse(self, stream: Any, context: Any, path: str) -> bytes:
        return stream_read(stream, min(remaining(stream), max(0, self.size - stream.tell())), path)

    def _build(self, obj: bytes | None, stream: Any, context: Any, path: str) -> bytes:
        data = bytes(max(0, self.size - stream.tell())) if obj is None else obj
        stream_write(stream, data, len(data), path)
        return data


class TableId(Construct):
    """The number of a table map: 6 bytes, or 4 where the post-header has 6 bytes in all (5.1 before 5.1.4)."""

    def _width(self, context: Any) -> int:
        return 4 if context._params.format.post_header_length(context._params.event_type) == 6 else 6

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        return int.from_bytes(stream_read(stream, self._width(context), path), "little")

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        width = self._width(context)
        if not 0 <= obj < 1 << 8 * width:
            raise IntegerError(f"table id {obj} does not fit in {width} bytes", path=path)
        stream_write(stream, obj.to_bytes(width, "little"), width, path)
        return obj


class Body(Struct):
    """The body of an event. Bytes after the last declared field (a newer server's) are kept as `trailing`."""

    def _parse(self, stream: Any, context: Any, path: str) -> Container:
        container = super()._parse(stream, context, path)
        rest = stream.read()
        if rest:
            container["trailing"] = rest
        return container

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        built = super()._build(obj, stream, context, path)
        rest = (obj or {}).get("trailing", b"")
        stream_write(stream, rest, len(rest), path)
        return built
