"""BaseLog: the rows that a table has at some moment, as a log that inserts them.

So the reader of the logs reads them, too: their values, keys and conditions are as those of logged rows.
"""

import struct
from collections.abc import Collection, Sequence
from dataclasses import replace
from tempfile import TemporaryFile
from typing import Any

from pybinlog.catalog.answers import ADDRESSES
from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.kernel.base.event import MAGIC, STMT_END_F
from pybinlog.layout import Format, build_body, new_event
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.rows import bitmap
from pybinlog.schema.column import Column
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.table_map import optional_metadata, table_map_body
from pybinlog.schema.text import collation_id
from pybinlog.source import LogObject
from pybinlog.values.row_image import row_image

MOST_BYTES = 1 << 20
"""From here on rows go into another transaction: a judge has one in memory."""
ADDRESS_BYTES = {"uuid": 16, "inet4": 4, "inet6": 16}
VERSIONS = "5.6.51", "5.5.68-MariaDB"
"""The last servers of both kinds in whose logs a transaction needs no GTID."""
BEGIN = bytes(13) + b"\0BEGIN"
"""The body of a Query: no connection, no error, no default database."""
TABLE_ID = 1


class BaseLog:
    """Takes rows by `add`, each a list of the values of all columns (`values.row_image`); `finish` gives the log.

    The log is in an unnamed file. `lacks_generated`: the values of generated columns are not known.
    """

    def __init__(self, table: TableDefinition, *, mariadb: bool, lacks_generated: bool = False):
        version = VERSIONS[mariadb]
        self._format = Format.of(version)
        columns = tuple(logged_column(column, mariadb=self._format.mariadb) for column in table.columns)
        self._table = replace(table, columns=columns)
        self._lacking = frozenset(one.name for one in columns if lacks_generated and one.generated is not None)
        self._present = [column.name not in self._lacking for column in columns]
        self._file = TemporaryFile()  # noqa: SIM115 (it lives as long as the log)
        self._rows = bytearray()
        self.count = 0
        self._file.write(MAGIC)
        self._write(
            EventType.FORMAT_DESCRIPTION,
            {
                "binlog_version": 4,
                "server_version": version,
                "create_timestamp": 0,
                "header_length": self._format.header_length,
                "post_header_lengths": self._format.post_header_lengths,
                "checksum_algorithm": self._format.checksum_algorithm,
            },
        )
        body = table_map_body(self._table, TABLE_ID, version=(9, 7), row_metadata="FULL")
        described = replace(self._table, columns=tuple(map(with_address, columns)))
        body["optional_metadata"] = optional_metadata(described, True, mariadb=self._format.mariadb)
        self._map = build_body(EventType.TABLE_MAP, body, self._format)
        self._head = struct.pack("<IHH", TABLE_ID, 0, STMT_END_F) + LengthEncodedInteger().build(len(columns))

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._table.columns

    def add(self, row: Sequence[Any], lacking: Collection[str] | None = None) -> None:
        """Add a row. `lacking` are names of columns whose values are not known; None: as of the row before it.

        Raise ValueError if a value does not fit its column.
        """
        if lacking is not None:
            self._set_lacking(frozenset(lacking))
        try:
            self._rows += row_image(row, self._table.columns, self._present, filler=False)
        except (ValueError, TypeError, OverflowError, ArithmeticError, struct.error, AttributeError) as error:
            raise ValueError(f"a row of {self._table.database}.{self._table.name} cannot be read: {error}") from None
        self.count += 1
        if len(self._rows) >= MOST_BYTES:
            self._flush()

    def _set_lacking(self, lacking: frozenset[str]) -> None:
        """Let the rows that follow lack these columns."""
        if lacking != self._lacking:
            if self._rows:
                self._flush()
            self._lacking = lacking
            self._present = [column.name not in lacking for column in self._table.columns]

    def _flush(self) -> None:
        self._write(EventType.QUERY, BEGIN)
        self._write(EventType.TABLE_MAP, self._map)
        self._write(EventType.WRITE_ROWS_V1, self._head + bitmap(self._present) + bytes(self._rows))
        self._write(EventType.XID, bytes(8))
        self._rows.clear()

    def _write(self, kind: EventType, body: Any) -> None:
        self._file.write(new_event(kind, body, self._format, position=self._file.tell()))

    def finish(self, name: str = "") -> LogObject:
        """Return the log by that name, or one for messages. Without a row, it has the table alone."""
        if self._rows:
            self._flush()
        elif not self.count:
            self._write(EventType.TABLE_MAP, self._map)
        self._file.flush()
        self._file.seek(0)
        return LogObject(self._file, name or f"<rows of {self._table.database}.{self._table.name}>")


def logged_column(column: Column, *, mariadb: bool) -> Column:
    """Return a column as the logs of its server have it."""
    if column.declared in ADDRESSES:
        return replace(column, length=ADDRESS_BYTES[column.declared])
    if mariadb and column.type == ColumnType.VECTOR:
        return replace(column, type=ColumnType.VARCHAR, length=4 * column.length, collation=COLLATION_BINARY)
    if mariadb and column.type == ColumnType.JSON:
        return replace(column, type=ColumnType.BLOB, collation=collation_id("utf8mb4_bin"))
    return column


def with_address(column: Column) -> Column:
    """Return a column of addresses with what stands in place of their collation."""
    return replace(column, collation=ADDRESSES.get(column.declared, column.collation))
