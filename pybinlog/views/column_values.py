"""ColumnValues: a column of the kernel's, in Arrow's layout, as values of Python (arrow.apache.org, "Columnar")."""

from __future__ import annotations

from itertools import chain, pairwise

from pybinlog.views.schema import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from mmap import mmap
    from typing import Any

    Buffers = tuple[int, int, "bytes | None", bytes, "bytes | mmap | None"]
    """Count, nulls, validity bits, values or offsets, bytes of strings."""

BITS = tuple(tuple(bool(byte >> place & 1) for place in range(8)) for byte in range(256))
"""The bits of each byte, from the lowest on."""
NUMBERS = (Kind.LONG, Kind.INTEGER, Kind.TIMESTAMP)


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
        """Which of the rows are not null."""
        return [True] * (last - first) if self._valid is None else bits(self._valid, first, last)

    def plain_values(self, first: int, last: int) -> list[Any]:
        """The values, with anything where there is null."""
        raise NotImplementedError

    def size(self, first: int, last: int) -> int:
        """Bytes of the strings in the rows; 0 where the kind has none."""
        return 0


class Numbers(ColumnValues):
    """Integers, and times as microseconds since 1970 in UTC."""

    def __init__(self, kind: Kind, buffers: Buffers):
        super().__init__(kind, buffers)
        self._numbers = memoryview(self._values).cast("i" if kind is Kind.INTEGER else "q")

    def plain_values(self, first: int, last: int) -> list[int]:
        return self._numbers[first:last].tolist()


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

    def plain_values(self, first: int, last: int) -> list[str]:
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
        """The string of one row, None for null."""
        if self._valid is not None and not self._valid[row >> 3] >> (row & 7) & 1:
            return None
        start, end = self.bounds(row)
        return bytes(self.data[start:end]).decode()

    def bounds(self, row: int) -> tuple[int, int]:
        """Where the string begins in `data`, and where it ends."""
        return self._offsets[row], self._offsets[row + 1]


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


def column_values(taken: Mapping[str, Buffers], name: str, kind: Kind) -> ColumnValues:
    """The column of that name among what ViewColumns.take() gave."""
    if kind is Kind.STRINGS:
        return Lists(kind, taken[name], Strings(Kind.STRING, taken[f"{name}.element"]))
    if kind is Kind.BOOLEAN:
        return Booleans(kind, taken[name])
    return (Numbers if kind in NUMBERS else Strings)(kind, taken[name])


def bits(data: bytes, first: int, last: int) -> list[bool]:
    """The bits of a range, as bitmaps of Arrow's have them: from the lowest of each byte on."""
    begin = first >> 3
    found = list(chain.from_iterable([BITS[byte] for byte in data[begin : (last + 7) >> 3]]))
    return found[first - 8 * begin : last - 8 * begin]
