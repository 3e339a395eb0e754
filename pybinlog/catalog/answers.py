"""Compare a Table_map with the definition of its table, and complete its optional metadata from that."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import LOGGED_AS, ColumnType, MetadataType
from pybinlog.kernel.rows.table_description import read_table_map
from pybinlog.schema.column import Column
from pybinlog.schema.text import UNKNOWN
from pybinlog.statement import Key

_LONG_STRING = 0x30
_WITH_LENGTH = (ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.MARIA_VARCHAR_COMPRESSED)
_FLOAT_BYTES = 4
_MOST_BYTES = 5
"""The most bytes that a character takes in any character set, and one more."""


class LoggedColumn(NamedTuple):
    """A column of a Table_map: its real type, the bytes of a string, ENUM or SET, and the type's metadata."""

    type: int
    length: int | None
    metadata: int
    nullable: bool


def _logged_column(stored: int, metadata: int, nullable: bool) -> LoggedColumn:
    """Return a column; a STRING's first metadata byte is its type, less bits of a long length."""
    length = None
    if stored in (ColumnType.STRING, ColumnType.ENUM, ColumnType.SET):
        first, length = metadata >> 8, metadata & 0xFF
        if first and first & _LONG_STRING != _LONG_STRING:
            length |= (first & _LONG_STRING ^ _LONG_STRING) << 4
            first |= _LONG_STRING
        if first in (ColumnType.ENUM, ColumnType.SET):
            stored = first
    elif stored in _WITH_LENGTH:
        length = metadata
    return LoggedColumn(stored, length, metadata, nullable)


def contradiction(columns: Sequence[Column], logged: Sequence[LoggedColumn], *, mariadb: bool = False) -> str:
    """Return the contradiction, as the end of a sentence; nothing if the two agree.

    If an UPDATE or DELETE reads a table through an outer join, MariaDB logs that all its columns may be NULL.
    """
    if len(columns) != len(logged):
        return f"the log has {len(logged)} columns, the definition {len(columns)}"
    says_null = not mariadb or not all(found.nullable for found in logged)
    for number, (column, found) in enumerate(zip(columns, logged, strict=True), 1):
        said = _of_column(column, found, says_null=says_null)
        if said:
            return f"column {number} ({column.name}, {column.declared}) is {said} in the log"
    return ""


def _of_column(column: Column, found: LoggedColumn, *, says_null: bool) -> str:
    if found.type != column.type and found.type not in LOGGED_AS.get(column.type, ()):
        try:
            return f"of type {ColumnType(found.type).name}"
        except ValueError:
            return f"of type {found.type}"
    if not _metadata_fits(column, found):
        if found.length is not None:
            return f"{found.length} bytes long"
        return "of another length or precision"
    if column.type == ColumnType.TIMESTAMP2 or column.nullable == found.nullable or not says_null:
        return ""  # whether a TIMESTAMP is NULL depends on settings that not every log has
    return "one that may be NULL" if found.nullable else "one that is never NULL"


def _metadata_fits(column: Column, found: LoggedColumn) -> bool:
    if column.type in (ColumnType.VARCHAR, ColumnType.STRING):
        # a compressed column has a byte more
        length = (found.length or 0) - (found.type == ColumnType.MARIA_VARCHAR_COMPRESSED)
        if column.charset != UNKNOWN:
            return length == column.byte_length
        return length in [column.length * width for width in range(1, _MOST_BYTES + 1)]
    if found.type == ColumnType.VARCHAR:
        return found.length == column.length * _FLOAT_BYTES
    if column.type == ColumnType.BLOB and (column.length_bytes == 0 or column.charset == UNKNOWN):
        return True
    if found.type != column.type and column.type != ColumnType.JSON:
        return True
    from pybinlog.schema.table_map import stored_metadata

    stored = stored_metadata(column)
    if stored is None:
        return True
    fields = bytes(stored.values())
    return found.metadata == int.from_bytes(fields, "big" if column.type.stored.number == "pair" else "little")


_UTF8MB4 = 45
_UTF8MB4_BIN = 46
ADDRESSES = {"uuid": 0x10001, "inet4": 0x10002, "inet6": 0x10003}
"""The number in place of a collation, so that such a column is more than BINARY (kernel/base/address.pxd)."""
_PAIRS = (
    {MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET},
    {MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET},
    {MetadataType.SIMPLE_PRIMARY_KEY, MetadataType.PRIMARY_KEY_WITH_PREFIX},
)
"""Fields that say the same in two ways."""


class LoggedTable:
    """A Table_map: the `key` of its table, its `columns`, their `names`, the places of the columns of its primary key,
    and its own optional `metadata`, of fields of the types `said`.

    A log has names and primary keys if its server ran with binlog_row_metadata=FULL.
    """

    def __init__(self, parts: tuple[Any, ...]):
        database, table, self._columns, self._names, key, self.metadata, self.said = parts
        self.key: Key = (_decoded(database), _decoded(table))
        self.primary_key: tuple[int, ...] = key or ()

    @cached_property
    def columns(self) -> list[LoggedColumn]:
        return [_logged_column(*column) for column in self._columns]

    @property
    def names(self) -> list[str]:
        return [_decoded(name) for name in self._names]


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def names_of_columns(known: Known | Unknown | None, body: bytes) -> list[str]:
    """Return the names of a table's columns in lower case, by its definition or its Table_map; none if they are not
    known."""
    if isinstance(known, Known):
        return [column.name.lower() for column in known.columns]
    logged = logged_table(body)
    return [] if logged is None else [name.lower() for name in logged.names]


@lru_cache(1)
def logged_table(body: bytes) -> LoggedTable | None:
    """Return a Table_map by its body from the database's name on; None if it lies, as its rows will say.

    Names, definition and keys of a table are asked one after the other; an older body is not kept.
    """
    parts = read_table_map(body)
    return None if parts is None else LoggedTable(parts)


def metadata_of(known: Known, logged: LoggedTable, *, mariadb: bool) -> bytes:
    """Return the optional metadata of a Table_map with what it lacks added; what the log says wins."""
    from pybinlog.layout.rows import OPTIONAL_METADATA
    from pybinlog.schema.table_map import optional_metadata

    columns: tuple[Column, ...] = tuple(
        _as_logged(column, found.type) for column, found in zip(known.columns, logged.columns, strict=True)
    )
    said = {*logged.said, MetadataType.COLUMN_VISIBILITY}
    for pair in _PAIRS:
        said |= pair if said & pair else set()
    fields = optional_metadata(replace(known.table, columns=columns), full=True, mariadb=mariadb)
    added: bytes = OPTIONAL_METADATA.build([one for one in fields if one.type not in said])
    return logged.metadata + added


def _as_logged(column: Column, kind: int) -> Column:
    """Return the column as its Table_map has it. Members are given in UTF-8, whatever character set the column has."""
    if column.declared in ADDRESSES:
        return replace(column, collation=ADDRESSES[column.declared])
    if column.members:
        return replace(column, collation=_UTF8MB4)
    if column.type == ColumnType.JSON and kind != ColumnType.JSON:
        return replace(column, type=ColumnType(kind), collation=_UTF8MB4_BIN)
    return replace(column, type=ColumnType(kind))
