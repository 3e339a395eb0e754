"""LargeRow: a row whose strings are too large to be copied, as pieces."""

from collections.abc import Iterator, Sequence
from mmap import mmap

from pybinlog.kernel.base.utf8 import whole_characters
from pybinlog.log.large_event import give_back
from pybinlog.views.batch import ViewBatch
from pybinlog.views.column_values import ColumnValues, Strings

LARGE = 4 << 20
"""Bytes of a row's strings from which on it is written by itself. Batches end with such a row: they are full then."""
PIECE = 1 << 20


class Value:
    """A string of UTF-8 in a column's data."""

    def __init__(self, data: bytes | mmap, start: int, end: int):
        self._data = data
        self._start = start
        self._end = end

    def __len__(self) -> int:
        return self._end - self._start

    def pieces(self) -> Iterator[memoryview]:
        """Yield its bytes, some at a time, each of whole characters."""
        view = memoryview(self._data)
        at = self._start
        while at < self._end:
            piece = view[at : min(at + PIECE, self._end)]
            if at + PIECE < self._end:
                piece = piece[: whole_characters(piece)]
            at += len(piece)
            yield piece
            give_back(self._data)


class LargeRow:
    """Row `index` of a batch; `large` are the numbers of the columns whose strings are large."""

    def __init__(self, batch: ViewBatch, index: int, large: Sequence[int]):
        self.batch = batch
        self.index = index
        self.large = frozenset(large)

    def value(self, column: int) -> Value:
        """Return the string of one of the large columns."""
        strings = self.batch.columns[column]
        assert isinstance(strings, Strings)
        return Value(strings.data, *strings.bounds(self.index))


def large_row(batch: ViewBatch) -> LargeRow | None:
    """Return the last row of the batch, if it is a large one."""
    last = batch.count - 1
    if last < 0:
        return None
    sizes = [size(column, last) for column in batch.columns]
    if sum(sizes) < LARGE:
        return None
    return LargeRow(batch, last, [number for number, size in enumerate(sizes) if size >= LARGE // len(sizes)])


def size(column: ColumnValues, index: int) -> int:
    """Return the bytes of the string in one value of the column; 0 for kinds that are not written in pieces."""
    return column.size(index, index + 1) if isinstance(column, Strings) else 0
