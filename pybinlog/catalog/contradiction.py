"""Contradiction: why a Table_map cannot be of the table that a definition describes."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.column_types import LOGGED_AS, ColumnType
from pybinlog.layout import Column as LoggedColumn
from pybinlog.schema.charset import UNKNOWN
from pybinlog.schema.column import Column
from pybinlog.schema.table_map import stored_metadata

_FLOAT_BYTES = 4
_MOST_BYTES = 5
"""The most bytes that a character takes in any character set, and one more."""


def contradiction(columns: Sequence[Column], logged: Sequence[LoggedColumn]) -> str:
    """Return the contradiction, as the end of a sentence; nothing if the two agree."""
    if len(columns) != len(logged):
        return f"the log has {len(logged)} columns, the definition {len(columns)}"
    for column, found in zip(columns, logged, strict=True):
        said = _of_column(column, found)
        if said:
            return f"column {found.index + 1} ({column.name}, {column.declared}) is {said} in the log"
    return ""


def _of_column(column: Column, found: LoggedColumn) -> str:
    if found.type != column.type and found.type not in LOGGED_AS.get(column.type, ()):
        try:
            return f"of type {ColumnType(found.type).name}"
        except ValueError:
            return f"of type {found.type}"
    if not _metadata_fits(column, found):
        if found.length is not None:
            return f"{found.length} bytes long"
        return "of another length or precision"
    if column.type == ColumnType.TIMESTAMP2 or column.nullable == found.nullable:
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
    stored = stored_metadata(column)
    return stored is None or all(found.metadata[name] == value for name, value in stored.items())
