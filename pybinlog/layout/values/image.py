"""Row images: the columns that a row event holds of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, EventType
from pybinlog.layout.mariadb import uncompress
from pybinlog.layout.rows.table_map import ColumnType
from pybinlog.layout.values.column import Column, columns_of
from pybinlog.layout.values.cursor import Cursor, LieError
from pybinlog.layout.values.json import read_json_diff
from pybinlog.layout.values.scalar import blob_bytes, read_value
from pybinlog.layout.values.scalar_writer import write_value

_PARTIAL_JSON = 1


class Row(NamedTuple):
    """One row: its columns before the change and after it, each by name (or "@1", "@2" ...).

    `before` is None for an insert, `after` for a delete. Columns that the image leaves out (binlog_row_image) are not
    in the dict; None is NULL.
    """

    before: dict[str, Any] | None
    after: dict[str, Any] | None


def _bits(bitmap: bytes, count: int) -> list[bool]:
    return [bool(bitmap[index // 8] >> index % 8 & 1) for index in range(count)]


class _Images:
    """Reads the images of one event."""

    def __init__(self, data: bytes, columns: list[Column]) -> None:
        self.cursor = Cursor(data)
        self.columns = columns
        self.json_count = sum(column.type == ColumnType.JSON for column in columns)

    def read(self, present: list[bool], path: str, partial: bool = False) -> dict[str, Any]:
        """The next image, whose columns `present` names; `partial`: it may hold partial JSON updates."""
        cursor = self.cursor
        field = "null bits"
        try:
            diffs: list[bool] = []
            if partial and cursor.lenenc() & _PARTIAL_JSON:
                field = "partial bits"
                diffs = _bits(cursor.take((self.json_count + 7) // 8), self.json_count)
            count = sum(present)
            nulls = iter(_bits(cursor.take((count + 7) // 8), count))
            is_diff = iter(diffs)
            image: dict[str, Any] = {}
            for column in self.columns:
                has_diff = column.type == ColumnType.JSON and next(is_diff, False)
                if not present[column.index]:
                    continue
                field = column.key
                if next(nulls):
                    image[field] = None
                elif has_diff:
                    image[field] = read_json_diff(blob_bytes(cursor, column))
                else:
                    image[field] = read_value(cursor, column)
            return image
        except LieError as error:
            raise CorruptEventError(f"row event: {error} (in {path}.{field})") from error


def decode_rows(rows_body: Any, table_map_body: Any, resolve: bool = True) -> list[Row]:
    """The rows of a parsed row event, with the parsed Table_map that its table id names.

    Values are int, float, Decimal, str (where the Table_map names the character set, else bytes), date, datetime,
    timedelta, list of float (VECTOR), JSON values as `read_json` gives them, and JsonDiff for a partial update. An ENUM
    is its text and a SET a tuple of texts where the Table_map holds them, else numbers.
    With `resolve` False strings stay bytes, ENUM and SET numbers, integers signed, and names "@1", "@2" ..., as with a
    Table_map without optional metadata. Raises CorruptEventError, which names the row and the column.
    """
    columns = columns_of(table_map_body)
    if len(columns) != rows_body.column_count:
        raise CorruptEventError(
            f"row event of {rows_body.column_count} columns for a Table_map of {len(columns)} (in column_count)"
        )
    if not resolve:
        columns = [replace(column, name=None, unsigned=None, collation=None, values=None) for column in columns]
    data = rows_body.rows if isinstance(rows_body.rows, bytes) else uncompress(rows_body.rows)
    before = _bits(rows_body.columns_before_image, len(columns))
    is_update = rows_body.event_type in UPDATE_TYPES
    after = before if rows_body.columns_after_image is None else _bits(rows_body.columns_after_image, len(columns))
    images = _Images(data, columns)
    rows: list[Row] = []
    while images.cursor.left:
        start, path = images.cursor.position, f"rows[{len(rows)}]"
        if is_update:
            first = images.read(before, f"{path}.before")
            second = images.read(after, f"{path}.after", rows_body.event_type == EventType.PARTIAL_UPDATE_ROWS)
            rows.append(Row(first, second))
        elif rows_body.event_type in DELETE_TYPES:
            rows.append(Row(images.read(before, f"{path}.before"), None))
        else:
            rows.append(Row(None, images.read(before, f"{path}.after")))
        if images.cursor.position == start:
            raise CorruptEventError(f"row event: a row without any byte (in {path})")
    return rows


def bitmap(bits: Sequence[bool]) -> bytes:
    """Bits as the format holds them, the first in the lowest bit of the first byte."""
    raw = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        raw[index // 8] |= bit << index % 8
    return bytes(raw)


def encode_image(
    values: Sequence[Any], columns: Sequence[Column], present: Sequence[bool], *, filler: bool = False
) -> bytes:
    """One row image: the values of the columns that `present` names, in order; None is NULL.

    The values are those that `decode_rows` gives. `filler`: the null bits that stand for no column, which servers
    before 8.0 set. Raises ValueError where a column cannot hold its value.
    """
    held = [(value, column) for value, column, is_held in zip(values, columns, present, strict=True) if is_held]
    nulls = bitmap([*(value is None for value, _ in held), *([filler] * (-len(held) % 8))])
    return nulls + b"".join(write_value(value, column) for value, column in held if value is not None)
