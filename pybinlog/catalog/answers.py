"""Compare a Table_map with the definition of its table, and complete its optional metadata from that."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import LOGGED_AS, ColumnType, MetadataType
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
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
    metadata: Any
    nullable: bool


def _logged_column(stored: int, metadata: Any, nullable: bool) -> LoggedColumn:
    """Return a column; a STRING's first metadata byte is its type, less bits of a long length."""
    length = None
    if metadata is not None and stored in (ColumnType.STRING, ColumnType.ENUM, ColumnType.SET):
        first, length = metadata.real_type, metadata.length
        if first and first & _LONG_STRING != _LONG_STRING:
            length |= (first & _LONG_STRING ^ _LONG_STRING) << 4
            first |= _LONG_STRING
        if first in (ColumnType.ENUM, ColumnType.SET):
            stored = first
    elif metadata is not None and stored in _WITH_LENGTH:
        length = metadata.max_length
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
    return stored is None or all(found.metadata[name] == value for name, value in stored.items())


_UTF8MB4 = 45
_UTF8MB4_BIN = 46
ADDRESSES = {"uuid": 0x10001, "inet4": 0x10002, "inet6": 0x10003}
"""The number in place of a collation, so that such a column is more than BINARY (kernel/base/address.pxd)."""
_NAMES_LENGTH = 8
"""The bytes of a Table_map's table id and flags."""
_PAIRS = (
    {MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET},
    {MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET},
    {MetadataType.SIMPLE_PRIMARY_KEY, MetadataType.PRIMARY_KEY_WITH_PREFIX},
)
"""Fields that say the same in two ways."""


class LoggedTable:
    """A Table_map: the `key` of its table, its `columns` and its own `metadata`."""

    def __init__(self, body: Any):
        count = body.column_count
        metadatas = body.column_metadata or [None] * count
        nullable = [bool(body.null_bits and body.null_bits[at // 8] >> at % 8 & 1) for at in range(count)]
        self.key: Key = (body.db, body.table)
        self.columns = [*map(_logged_column, body.column_types, metadatas, nullable)]
        self.metadata = list(body.optional_metadata)

    @property
    def primary_key(self) -> tuple[int, ...]:
        """The places of the primary key's columns; empty if the log does not tell them (binlog_row_metadata=FULL), or
        if the table does not have them.
        """
        key: tuple[int, ...] = ()
        for one in self.metadata:
            if one.type == MetadataType.SIMPLE_PRIMARY_KEY:
                key = tuple(one.value)
            elif one.type == MetadataType.PRIMARY_KEY_WITH_PREFIX:
                key = tuple(part.column for part in one.value)
        return key if all(place < len(self.columns) for place in key) else ()


def names_of_columns(known: Known | Unknown | None, body: bytes) -> list[str]:
    """Return the names of a table's columns in lower case, by its definition or its Table_map; none if they are not
    known."""
    if isinstance(known, Known):
        return [column.name.lower() for column in known.columns]
    logged = logged_table(body)
    found = [] if logged is None else [one.value for one in logged.metadata if one.type == MetadataType.COLUMN_NAME]
    return [name.lower() for name in found[0]] if found else []


@lru_cache(1)
def logged_table(body: bytes) -> LoggedTable | None:
    """Return a Table_map by its body from the database's name on; None if it lies, as its rows will say.

    Names, definition and keys of a table are asked one after the other; an older body is not kept.
    """
    from pybinlog.layout import Format, parse_body

    try:
        return LoggedTable(parse_body(EventType.TABLE_MAP, bytes(_NAMES_LENGTH) + body, Format.default()))
    except BinlogError:
        return None


def metadata_of(known: Known, logged: LoggedTable, *, mariadb: bool) -> bytes:
    """Return the optional metadata of a Table_map with what it lacks added; what the log says wins."""
    from pybinlog.layout.rows import OPTIONAL_METADATA
    from pybinlog.schema.table_map import optional_metadata

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
