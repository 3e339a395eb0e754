"""Complete a Table_map's optional metadata from the definition of its table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pybinlog.catalog.tables import Key, Known
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.layout import Column as LoggedColumn
from pybinlog.layout import ColumnType, Format, MetadataType, columns_of, parse_body
from pybinlog.layout.table_map import OPTIONAL_METADATA
from pybinlog.schema.column import Column
from pybinlog.schema.table_map import optional_metadata

_UTF8MB4 = 45
_UTF8MB4_BIN = 46
ADDRESSES = {"uuid": 0x10001, "inet4": 0x10002, "inet6": 0x10003}
"""The number in place of a collation, so that such a column is more than BINARY (kernel/rows/address.pxd)."""
_NAMES_LENGTH = 8
"""The bytes of a Table_map's table id and flags."""
_FORMAT = Format.default()
_PAIRS = (
    {MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET},
    {MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET},
    {MetadataType.SIMPLE_PRIMARY_KEY, MetadataType.PRIMARY_KEY_WITH_PREFIX},
)
"""Fields that say the same in two ways."""


class LoggedTable:
    """A Table_map: the `key` of its table, its `columns` and its own `metadata`."""

    def __init__(self, body: Any):
        self.key: Key = (body.db, body.table)
        self.columns: list[LoggedColumn] = columns_of(body)
        self.metadata = list(body.optional_metadata)

    @property
    def primary_key(self) -> tuple[int, ...]:
        """The places of the primary key's columns; empty if the log does not tell them (binlog_row_metadata=FULL)."""
        for one in self.metadata:
            if one.type == MetadataType.SIMPLE_PRIMARY_KEY:
                return tuple(one.value)
            if one.type == MetadataType.PRIMARY_KEY_WITH_PREFIX:
                return tuple(part.column for part in one.value)
        return ()


def logged_table(body: bytes) -> LoggedTable | None:
    """Return a Table_map by its body from the database's name on; None if it lies, as its rows will say."""
    try:
        return LoggedTable(parse_body(EventType.TABLE_MAP, bytes(_NAMES_LENGTH) + body, _FORMAT))
    except BinlogError:
        return None


def metadata_of(known: Known, logged: LoggedTable, *, mariadb: bool) -> bytes:
    """Return the optional metadata of a Table_map with what it lacks added; what the log says wins."""
    columns: tuple[Column, ...] = tuple(
        _as_logged(column, found.type) for column, found in zip(known.columns, logged.columns, strict=True)
    )
    said = {one.type for one in logged.metadata} | {MetadataType.COLUMN_VISIBILITY}
    for pair in _PAIRS:
        said |= pair if said & pair else set()
    fields = optional_metadata(replace(known.table, columns=columns), full=True, mariadb=mariadb)
    built: bytes = OPTIONAL_METADATA.build(logged.metadata + [one for one in fields if one.type not in said])
    return built


def _as_logged(column: Column, kind: int) -> Column:
    """Return the column as its Table_map has it. Members are given in UTF-8, whatever character set the column has."""
    if column.declared in ADDRESSES:
        return replace(column, collation=ADDRESSES[column.declared])
    if column.members:
        return replace(column, collation=_UTF8MB4)
    if column.type == ColumnType.JSON and kind != ColumnType.JSON:
        return replace(column, type=ColumnType(kind), collation=_UTF8MB4_BIN)
    return replace(column, type=ColumnType(kind))
