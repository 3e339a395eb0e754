"""ColumnValues: a column of the kernel's, in Arrow's layout, as values of Python (arrow.apache.org, "Columnar").

A Spill has the strings of a batch's large values, in files that have no name.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from itertools import chain, pairwise
from mmap import mmap
from typing import Any, BinaryIO

from pybinlog.log.large_event import give_back, mapped, write_all
from pybinlog.views.view import Column, Form, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

Buffers = tuple[int, int, "bytes | None", bytes, "bytes | mmap | None"]
"""Count, nulls, validity bits, values or offsets, bytes of strings."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
BITS = tuple(tuple(bool(byte >> place & 1) for place in range(8)) for byte in range(256))
"""The bits of each byte, from the lowest on."""


class ColumnValues:
    """A column of one kind. `values(first, last)` are those of a range of rows, None for null."""

    def __init__(self, kind: Kind, buffers: Buffers):
        self.kind = kind
        _, _, self._valid, self._values, _ = buffers

    def values(self, first: int, last: int) -> list[Any]:
        values = self.plain_values(first, last)
        if self._valid is None:
            return values
        return [value if there else None for value, there in zip(values, self.there(first, last), strict=True)]

    def there(self, first: int, last: int) -> list[bool]:
        """Return which of the rows are not null."""
        return [True] * (last - first) if self._valid is None else bits(self._valid, first, last)

    def plain_values(self, first: int, last: int) -> list[Any]:
        """Return the values; a null may be any value."""
        raise NotImplementedError

    def size(self, first: int, last: int) -> int:
        """Return the bytes of the strings in the rows; 0 if the kind has none."""
        return 0


class Numbers(ColumnValues):
    """Numbers, times as microseconds, and dates as days since 1970."""

    def __init__(self, kind: Kind, buffers: Buffers):
        super().__init__(kind, buffers)
        self._numbers: memoryview[Any] = memoryview(self._values).cast(kind.number)  # type: ignore[call-overload]

    def plain_values(self, first: int, last: int) -> list[Any]:
        return self._numbers[first:last].tolist()


class Decimals(ColumnValues):
    """Integers of 128 or 256 bits, which the scale of the column makes decimals."""

    def __init__(self, column: Column, buffers: Buffers):
        super().__init__(column.kind, buffers)
        self._scale = column.scale or 0
        self._width = int(column.layout)

    def plain_values(self, first: int, last: int) -> list[Decimal]:
        from decimal import Decimal

        width = self._width
        pieces = [self._values[at : at + width] for at in range(first * width, last * width, width)]
        return [
            Decimal((number < 0, tuple(map(int, str(abs(number)))), -self._scale))
            for number in (int.from_bytes(piece, "little", signed=True) for piece in pieces)
        ]


class Members(ColumnValues):
    """Members of an ENUM, by their places among those of the column."""

    def __init__(self, column: Column, buffers: Buffers):
        super().__init__(column.kind, buffers)
        self._members = column.members
        self._places = memoryview(self._values).cast("i")

    def plain_values(self, first: int, last: int) -> list[str]:
        return [self._members[place] for place in self._places[first:last].tolist()]


class Floats(ColumnValues):
    """Lists of floats, whose elements are in a column of their own."""

    def __init__(self, kind: Kind, buffers: Buffers, elements: Buffers):
        super().__init__(kind, buffers)
        self._offsets = memoryview(self._values).cast("i")
        self._floats = memoryview(elements[3]).cast("f")

    def plain_values(self, first: int, last: int) -> list[Any]:
        return [self._floats[a:b].tolist() for a, b in pairwise(self._offsets[first : last + 1].tolist())]


class Booleans(ColumnValues):
    def plain_values(self, first: int, last: int) -> list[bool]:
        return bits(self._values, first, last)


class Strings(ColumnValues):
    """Strings: `data` has the bytes of all of them, UTF-8."""

    def __init__(self, kind: Kind, buffers: Buffers):
        super().__init__(kind, buffers)
        assert buffers[4] is not None
        self.data: bytes | mmap = buffers[4]
        self._offsets = memoryview(self._values).cast("i")

    def plain_values(self, first: int, last: int) -> list[Any]:
        offsets = self._offsets[first : last + 1].tolist()
        start = offsets[0]
        data = bytes(self.data[start : offsets[-1]])
        if data.isascii():
            text = data.decode("ascii")
            return [text[a - start : b - start] for a, b in pairwise(offsets)]
        return [data[a - start : b - start].decode() for a, b in pairwise(offsets)]

    def size(self, first: int, last: int) -> int:
        return self._offsets[last] - self._offsets[first]

    def value(self, row: int) -> str | None:
        """Return the string of one row, None for null."""
        if self._valid is not None and not self._valid[row >> 3] >> (row & 7) & 1:
            return None
        start, end = self.bounds(row)
        return bytes(self.data[start:end]).decode()

    def bounds(self, row: int) -> tuple[int, int]:
        """Return the beginning and the end of the string in `data`."""
        return self._offsets[row], self._offsets[row + 1]


class Binaries(Strings):
    """Strings of bytes."""

    def plain_values(self, first: int, last: int) -> list[Any]:
        return [bytes(self.data[a:b]) for a, b in pairwise(self._offsets[first : last + 1].tolist())]


class Lists(ColumnValues):
    """Lists of strings, whose elements are in a column of their own."""

    def __init__(self, kind: Kind, buffers: Buffers, elements: Strings):
        super().__init__(kind, buffers)
        self.elements = elements
        self._offsets = memoryview(self._values).cast("i")

    def plain_values(self, first: int, last: int) -> list[Any]:
        offsets = self._offsets[first : last + 1].tolist()
        start = offsets[0]
        elements = self.elements.values(start, offsets[-1])
        return [elements[a - start : b - start] for a, b in pairwise(offsets)]

    def size(self, first: int, last: int) -> int:
        return self.elements.size(self._offsets[first], self._offsets[last])


def column_values(taken: Mapping[str, Buffers], column: Column) -> ColumnValues:
    """Return the column among what ViewColumns.pop() gave."""
    name, kind = column.source_name, column.kind
    if kind.number:
        return Numbers(kind, taken[name])
    if kind.form is Form.DECIMAL:
        return Decimals(column, taken[name])
    if kind.form is Form.MEMBER:
        return Members(column, taken[name])
    if kind.form is Form.FLOATS:
        return Floats(kind, taken[name], taken[f"{name}.element"])
    if kind.form is Form.STRINGS:
        return Lists(kind, taken[name], Strings(Kind.STRING, taken[f"{name}.element"]))
    if kind.form is Form.BOOLEAN:
        return Booleans(kind, taken[name])
    return (Binaries if kind.form is Form.BYTES else Strings)(kind, taken[name])


def bits(data: bytes, first: int, last: int) -> list[bool]:
    """Return the bits of a range, as bitmaps of Arrow's have them: from the lowest of each byte on."""
    begin = first >> 3
    found = list(chain.from_iterable([BITS[byte] for byte in data[begin : (last + 7) >> 3]]))
    return found[first - 8 * begin : last - 8 * begin]


def moment(microseconds: int) -> str:
    """Return a time in microseconds since 1970 as export writes it."""
    return f"{EPOCH + timedelta(microseconds=microseconds):%Y-%m-%dT%H:%M:%S.%fZ}"


class Spill:
    """A file for each column that needs one, by the column's number; `write` raises OSError if it fails."""

    def __init__(self) -> None:
        self._files: dict[int, BinaryIO] = {}
        self.event: object = None
        """The event whose values are read, to give back what was read of one that lies in a file itself."""

    def write(self, column: int, at: int, data: memoryview | bytes) -> None:
        """Put the data at that offset; what was there before goes."""
        file = self._files.get(column)
        if file is None:
            from tempfile import TemporaryFile

            file = self._files[column] = TemporaryFile(buffering=0)  # noqa: SIM115 (whole() closes it)
        file.seek(at)
        write_all(file, data)
        give_back(self.event)

    def whole(self, column: int, size: int, rest: memoryview | bytes) -> mmap | bytes:
        """Return the first `size` bytes of the column and the rest.

        The next strings of the column go to another file.
        """
        with self._files.pop(column) as file:
            try:
                file.seek(size)
                write_all(file, rest)
            except OSError:
                file.seek(0)
                return file.read(size) + bytes(rest)
            file.truncate(size + len(rest))
            return mapped(file)
