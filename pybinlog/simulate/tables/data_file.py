"""The places of rows of varying length in a MyISAM data file, which decide the order in which they are found.

A row lies in one block or in several: one that grows continues in another block, one that shrinks gives blocks back.
New rows take the block that was given back last, and only then the file's end.
"""

from collections.abc import Sequence

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.schema import Column
from pybinlog.schema.text import encode_text

_ALIGNMENT = 4
_LEAST_BLOCK = 20
_LEAST_REST = 48
"""A block that is this much longer than its data is split."""
_KEPT = 20
"""Bytes that remain with the data when a block is split."""
_EXACT_HEADER = 3
_HEADER = 4
"""Bytes of the header of a block with unused bytes at its end."""
_FIRST_HEADER = 13
_NEXT_HEADER = 11
"""Of blocks that another one follows: the row's first, and the others."""
_FIXED_BYTES = {
    ColumnType.FLOAT: 4,
    ColumnType.DOUBLE: 8,
    ColumnType.YEAR: 1,
    ColumnType.DATE: 3,
    ColumnType.TIME2: 3,
    ColumnType.DATETIME2: 5,
    ColumnType.TIMESTAMP2: 4,
}


def varies(columns: Sequence[Column]) -> bool:
    """Return True if rows with these columns have varying lengths."""
    return any(column.type in (ColumnType.VARCHAR, ColumnType.BLOB) for column in columns)


def _data(value: object, column: Column) -> bytes:
    if isinstance(value, str):
        return encode_text(value, column.charset)
    return value if isinstance(value, bytes) else b""


def packed_length(row: Sequence[object], columns: Sequence[Column]) -> int:
    """Return the bytes of a row as MyISAM packs it: text without padding, numbers that are 0 not at all."""
    flags = nulls = size = 0
    for value, column in zip(row, columns, strict=True):
        nulls += column.nullable
        if column.type == ColumnType.VARCHAR:
            size += (1 if column.byte_length < 256 else 2) + len(_data(value, column))
            continue
        flags += 1
        if column.type == ColumnType.BLOB:
            data = _data(value, column)
            size += column.length_bytes + len(data) if data else 0
        elif column.type == ColumnType.STRING:
            size += min(column.byte_length, 1 + len(_data(value, column)))
        elif value:
            size += INTEGER_BYTES.get(column.type, _FIXED_BYTES.get(column.type, 8))
    return size + (flags + 7) // 8 + (nulls + 7) // 8


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


class DataFile:
    """The blocks of a data file: those of each row as (place, length), and those given back, the last at the end."""

    def __init__(self) -> None:
        self.end = 0
        self.free: list[tuple[int, int]] = []
        self.rows: dict[int, list[tuple[int, int]]] = {}

    def place(self, slot: int) -> int:
        """Return the beginning of a row."""
        return self.rows[slot][0][0]

    def write(self, slot: int, size: int) -> None:
        """Write a row of `size` bytes: a new one, or another length of one that is there."""
        old, new = self.rows.get(slot, []), list[tuple[int, int]]()
        used = 0
        while size > 0:
            if used < len(old):
                place, length = self._extended(*old[used], size)
                used += 1
            else:
                place, length = self._room(size)
            length, size = self._fill(place, length, size, first=not new)
            new.append((place, length))
        self.rows[slot] = new
        self._give_back(old[used:])

    def delete(self, slot: int) -> None:
        self._give_back(self.rows.pop(slot))

    def _room(self, size: int) -> tuple[int, int]:
        """Return a block for what is left of a row: one that was given back, else a new one that holds it."""
        if self.free:
            return self.free.pop()
        place, length = self.end, max(_LEAST_BLOCK, _aligned(size + _EXACT_HEADER))
        self.end += length
        return place, length

    def _extended(self, place: int, length: int, size: int) -> tuple[int, int]:
        """Return a row's block, made longer if it is too short and there is room after it."""
        if length >= size:
            return place, length
        if place + length == self.end:
            more = _aligned(size - length + _EXACT_HEADER)
            self.end += more
            return place, length + more
        return place, length + self._taken(place + length)

    def _taken(self, place: int) -> int:
        """Take the free block at a place, and return its length; 0 if there is none."""
        for index, (start, length) in enumerate(self.free):
            if start == place:
                del self.free[index]
                return length
        return 0

    def _fill(self, place: int, length: int, size: int, *, first: bool) -> tuple[int, int]:
        """Puts data into a block; gives the block's length and how many bytes did not go in."""
        rest = 0
        if length > size + _LEAST_REST:
            rest = _aligned(length - size - _KEPT)
            length -= rest
        left = 0
        if length != size + _EXACT_HEADER and length < size + _HEADER:
            left = size - (length - (_FIRST_HEADER if first else _NEXT_HEADER))
        if rest:
            self.free.append((place + length, rest))
        return length, left

    def _give_back(self, blocks: list[tuple[int, int]]) -> None:
        """Free blocks, each together with a free one after it."""
        for place, length in blocks:
            after = self._taken(place + length)
            self.free.append((place, length + after))
