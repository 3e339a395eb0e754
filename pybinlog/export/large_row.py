"""LargeRow: a row whose strings are too large to be copied, as pieces."""

from __future__ import annotations

from pybinlog.kernel.utf8 import whole_characters
from pybinlog.views.arrow import require_pyarrow
from pybinlog.views.spill import give_back_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow

__all__ = ["LargeRow", "Value", "split"]

LARGE = 4 << 20
"""Bytes of a row's strings from which on it is written by itself. Batches end with such a row: they are full then."""
PIECE = 1 << 20


class Value:
    """A string of UTF-8 in a column's data."""

    def __init__(self, data: pyarrow.Buffer, start: int, end: int):
        self._data = data
        self._start = start
        self._end = end

    def __len__(self) -> int:
        return self._end - self._start

    def pieces(self) -> Iterator[memoryview]:
        """Its bytes, some at a time, each of whole characters."""
        view = memoryview(self._data)
        at = self._start
        while at < self._end:
            piece = view[at : min(at + PIECE, self._end)]
            if at + PIECE < self._end:
                piece = piece[: whole_characters(piece)]
            at += len(piece)
            yield piece
            give_back_strings(self._data)


class LargeRow:
    """One row of a batch; `large` are the numbers of the columns whose strings are large."""

    def __init__(self, batch: pyarrow.RecordBatch, index: int, large: Sequence[int]):
        self.batch = batch
        self.large = frozenset(large)
        self._index = index

    def values(self, column: int) -> list[Value | None]:
        """The string of a column, or the values of its map; None for NULL."""
        return values(self.batch.column(column), self._index)

    def keys(self, column: int) -> list[str]:
        """The keys of a map."""
        array = self.batch.column(column)
        first, last = bounds(array, self._index)
        keys: list[str] = array.keys.slice(first, last - first).to_pylist()
        return keys

    def without_strings(self) -> pyarrow.RecordBatch:
        """The row as a batch, with empty strings in the place of the large ones."""
        pa = require_pyarrow()
        columns = []
        for number, array in enumerate(self.batch.columns):
            if number not in self.large:
                columns.append(array.slice(self._index, 1))
                continue
            short = [None if value is None else "" for value in self.values(number)]
            if pa.types.is_map(array.type):
                columns.append(pa.array([list(zip(self.keys(number), short, strict=True))], array.type))
            else:
                columns.append(pa.array(short, array.type))
        return pa.RecordBatch.from_arrays(columns, schema=self.batch.schema)


def split(batch: pyarrow.RecordBatch) -> tuple[pyarrow.RecordBatch, LargeRow | None]:
    """The batch without its last row, and that row, where that is a large one; else the batch."""
    last = batch.num_rows - 1
    if last < 0:
        return batch, None
    sizes = {number: size(column, last) for number, column in enumerate(batch.columns)}
    if sum(sizes.values()) < LARGE:
        return batch, None
    large = [number for number, bytes in sizes.items() if bytes >= LARGE // len(sizes)]
    return batch.slice(0, last), LargeRow(batch, last, large)


def size(array: pyarrow.Array, index: int) -> int:
    """Bytes of the strings in one value of the column."""
    pa = require_pyarrow()
    if pa.types.is_string(array.type) or pa.types.is_map(array.type):
        strings = array.items if pa.types.is_map(array.type) else array
        first, last = bounds(array, index) if strings is not array else (index, index + 1)
        if first == last:
            return 0
        return bounds(strings, last - 1)[1] - bounds(strings, first)[0]
    return 0


def values(array: pyarrow.Array, index: int) -> list[Value | None]:
    pa = require_pyarrow()
    first, last = index, index + 1
    if pa.types.is_map(array.type):
        first, last = bounds(array, index)
        array = array.items
    data = array.buffers()[2]
    valid = array.slice(first, last - first).is_valid().to_pylist()
    return [Value(data, *bounds(array, first + place)) if there else None for place, there in enumerate(valid)]


def bounds(array: pyarrow.Array, index: int) -> tuple[int, int]:
    """Where the value begins in the data or the elements, and where it ends."""
    offsets = memoryview(array.buffers()[1]).cast("B").cast("i")
    return offsets[array.offset + index], offsets[array.offset + index + 1]
