"""Changed rows as the bodies of row events."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cached_property
from typing import Any

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.layout.rows import bitmap
from pybinlog.schema import Column
from pybinlog.schema.table_map import pack_length
from pybinlog.schema.text import encode_text
from pybinlog.simulate.tables.table import Row, RowChange, Table
from pybinlog.values.temporal import date_parts
from pybinlog.values.value import decimal_bytes

_DATETIME_OFFSET = 0x8000000000
_TIME_OFFSET = 0x800000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _fraction(microsecond: int, column: Column) -> bytes:
    size = (column.decimals + 1) // 2
    return (microsecond // 10 ** (6 - 2 * size)).to_bytes(size, "big")


def _date(value: date | str, column: Column) -> bytes:
    year, month, day = date_parts(value)[:3]
    return (year << 9 | month << 5 | day).to_bytes(3, "little")


def _datetime(value: datetime | str, column: Column) -> bytes:
    year, month, day, hour, minute, second, microsecond = date_parts(value)
    packed = (year * 13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second
    return (packed + _DATETIME_OFFSET).to_bytes(5, "big") + _fraction(microsecond, column)


def _timestamp(value: datetime | str, column: Column) -> bytes:
    """TIMESTAMP; the zero timestamp is a text."""
    span = timedelta(0) if isinstance(value, str) else value - _EPOCH
    return (span // timedelta(seconds=1)).to_bytes(4, "big") + _fraction(span.microseconds, column)


def _time(value: timedelta, column: Column) -> bytes:
    magnitude = abs(value)
    minutes, second = divmod(magnitude // timedelta(seconds=1), 60)
    packed = (minutes // 60 << 12 | minutes % 60 << 6 | second).to_bytes(3, "big")
    data = packed + _fraction(magnitude.microseconds, column)
    number = int.from_bytes(data, "big")
    offset = _TIME_OFFSET << 8 * (len(data) - 3)
    return (offset - number if value < timedelta(0) else offset + number).to_bytes(len(data), "big")


def _decimal(value: Decimal, column: Column) -> bytes:
    sign, digits, _ = value.as_tuple()
    units = int("".join(map(str, digits)))
    return decimal_bytes(-units if sign else units, column.precision, column.decimals)


def _bytes(value: str | bytes, column: Column, size: int) -> bytes:
    data = encode_text(value, column.charset) if isinstance(value, str) else value
    return len(data).to_bytes(size, "little") + data


def _string(value: str | bytes, column: Column) -> bytes:
    return _bytes(value, column, 2 if column.byte_length > 255 else 1)


def _integer(value: int, column: Column) -> bytes:
    return value.to_bytes(INTEGER_BYTES[column.type], "little", signed=not column.unsigned)


def _members(value: int, column: Column) -> bytes:
    return value.to_bytes(pack_length(column), "little")


_WRITERS: dict[int, Callable[[Any, Column], bytes]] = {
    **dict.fromkeys(INTEGER_BYTES, _integer),
    ColumnType.FLOAT: lambda value, column: struct.pack("<f", value),
    ColumnType.DOUBLE: lambda value, column: struct.pack("<d", value),
    ColumnType.NEWDECIMAL: _decimal,
    ColumnType.BIT: lambda value, column: value.to_bytes((column.length + 7) // 8, "big"),
    ColumnType.YEAR: lambda value, column: bytes((value - 1900 if value else 0,)),
    ColumnType.DATE: _date,
    ColumnType.TIME2: _time,
    ColumnType.DATETIME2: _datetime,
    ColumnType.TIMESTAMP2: _timestamp,
    ColumnType.VARCHAR: _string,
    ColumnType.STRING: _string,
    ColumnType.BLOB: lambda value, column: _bytes(value, column, column.length_bytes),
    ColumnType.ENUM: _members,
    ColumnType.SET: _members,
}
"""The types of `values.convert.STORED_TYPES`."""


def row_image(row: Sequence[Any], columns: Sequence[Column], present: Sequence[bool], *, filler: bool) -> bytes:
    """Return the values of the columns that `present` names, in order; None is NULL.

    `filler`: the null bits that stand for no column, which servers before 8.0 set.
    """
    held = [(value, column) for value, column, is_held in zip(row, columns, present, strict=True) if is_held]
    nulls = bitmap([*(value is None for value, _ in held), *([filler] * (-len(held) % 8))])
    return nulls + b"".join(_WRITERS[column.type](value, column) for value, column in held if value is not None)


MOST_BYTES = 8192
"""From here on rows go into another event, as with binlog_row_event_max_size."""


class _Encoder:
    """Row images of one table; `row_image` is binlog_row_image."""

    def __init__(self, table: Table, row_image: str, *, modern: bool) -> None:
        self.table = table
        self.row_image = row_image
        self.modern = modern

    @cached_property
    def identifying(self) -> set[int]:
        """The columns that tell a row: those of the primary key, or of a unique key without NULL; else all."""
        for key in self.table.unique_keys:
            places = [self.table.position(part.column) or 0 for part in key.parts]
            if not any(self.table.columns[place].nullable for place in places):
                return set(places)
        return set(range(len(self.table.columns)))

    def present(self, change: RowChange) -> tuple[list[bool] | None, list[bool] | None]:
        """Return the columns of the before and of the after image; None if the rule gives it all columns.

        An insert has those that the statement names, an update the changed ones as the statement names them.
        """
        if self.row_image == "FULL":
            return None, None
        count = len(self.table.columns)
        keyless = len(self.identifying) == count
        written = change.written if change.written is not None else frozenset(range(count))
        if self.row_image == "NOBLOB":
            plain = {index for index, column in enumerate(self.table.columns) if column.type != ColumnType.BLOB}
            before, after = plain | self.identifying, plain | written
        else:
            before, after = self.identifying, set(written)
        if change.before is None:
            return None, None if change.written is None else [index in after for index in range(count)]
        named = None if keyless else [index in before for index in range(count)]
        return named, [index in after for index in range(count)]

    def bits(self, present: list[bool] | None) -> bytes:
        """Return the columns of an image as bits; a full one has those set that stand for no column, too."""
        return b"\xff" * ((len(self.table.columns) + 7) // 8) if present is None else bitmap(present)

    def image(self, row: Row, present: list[bool] | None) -> bytes:
        """Return the bytes of a row."""
        return row_image(row, self.table.columns, present or [True] * len(row), filler=not self.modern)


@dataclass
class RowGroup:
    """Rows for one event: of one table, changed in one way ("write", "update", "delete"), with the same columns."""

    table: Table
    kind: str
    before: bytes
    after: bytes
    images: list[bytes] = field(default_factory=list)
    changes: list[RowChange] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of its rows."""
        return sum(map(len, self.images))

    def body(self, table_id: int, flags: int) -> dict[str, Any]:
        """Return the body of its event, for `layout.new_event`."""
        return {
            "table_id": table_id,
            "flags": flags,
            "extra_row_info": [],
            "column_count": len(self.table.columns),
            "columns_before_image": self.before if self.kind != "write" else self.after,
            "columns_after_image": self.after if self.kind == "update" else None,
            "rows": b"".join(self.images),
        }


def row_groups(
    changes: Iterable[RowChange], *, row_image: str = "FULL", modern: bool = True, max_size: int = MOST_BYTES
) -> list[RowGroup]:
    """Return changes as the rows of events, in order. Another table, kind or columns begin a new one."""
    groups: list[RowGroup] = []
    encoders: dict[Table, _Encoder] = {}
    for change in changes:
        encoder = encoders.setdefault(change.table, _Encoder(change.table, row_image, modern=modern))
        kind = "write" if change.before is None else "delete" if change.after is None else "update"
        before, after = encoder.present(change)
        image = encoder.image(change.before, before) if change.before is not None else b""
        image += encoder.image(change.after, after) if change.after is not None else b""
        bits = encoder.bits(before), encoder.bits(after)
        last = groups[-1] if groups else None
        if (
            last is None
            or (last.table, last.kind, last.before, last.after) != (change.table, kind, *bits)
            or last.size + len(image) > max_size
        ):
            last = RowGroup(change.table, kind, *bits)
            groups.append(last)
        last.images.append(image)
        last.changes.append(change)
    return groups
