"""The integers of the format that construct does not have: length-encoded, of variable length, paired by a flag."""

from __future__ import annotations

from typing import Any

from construct import Adapter, Construct, FormatFieldError, IntegerError, stream_read, stream_write


class WideInteger(int):
    """An integer that was stored in more bytes than it needs; `width` is how many, so that it is built the same."""

    width: int

    def __new__(cls, value: int, width: int) -> WideInteger:
        self = super().__new__(cls, value)
        self.width = width
        return self


class LengthEncodedInteger(Construct):
    """A length-encoded integer: 1 byte up to 250, else 252, 253 or 254 and 2, 3 or 8 bytes."""

    PREFIXES = {252: 2, 253: 3, 254: 8}

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        first = stream_read(stream, 1, path)[0]
        if first < 251:
            return first
        if first not in self.PREFIXES:
            raise FormatFieldError(f"{first} does not begin a length-encoded integer", path=path)
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
            raise IntegerError(f"{obj} cannot be a length-encoded integer", path=path)
        width = obj.width if isinstance(obj, WideInteger) else self.width(obj)
        if width:
            prefix = {2: b"\xfc", 3: b"\xfd", 8: b"\xfe"}[width]
            stream_write(stream, prefix + int(obj).to_bytes(width, "little"), width + 1, path)
        else:
            stream_write(stream, bytes((obj,)), 1, path)
        return obj


class VarlenUnsigned(Construct):
    """An integer of MySQL's serialization library: as many trailing 1 bits in its first byte as bytes follow."""

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
    """A signed variable-length integer: the sign in the lowest bit, the others inverted if it is negative."""

    def __init__(self) -> None:
        super().__init__(VarlenUnsigned())

    def _decode(self, obj: int, context: Any, path: str) -> int:
        value = ~(obj >> 1) if obj & 1 else obj >> 1
        return WideInteger(value, obj.width) if isinstance(obj, WideInteger) else value

    def _encode(self, obj: int, context: Any, path: str) -> int:
        value = (~obj << 1) | 1 if obj < 0 else obj << 1
        return WideInteger(value, obj.width) if isinstance(obj, WideInteger) else value


class FlaggedPair(Construct):
    """A value whose top bit says that another one follows, as GTID events store (immediate, original).

    Parses to a tuple of the two; they are equal if the second is not stored, and a second that equals the first is
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


class TableId(Construct):
    """The number of a table map: 6 bytes, or 4 if the post-header has 6 bytes in all (5.1 before 5.1.4)."""

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
