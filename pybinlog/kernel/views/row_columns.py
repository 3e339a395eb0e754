# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowColumns: the view `rows`, a row for every changed row of a table."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.views.row_columns is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t
from cython.cimports.libc.string import strlen
from cython.cimports.pybinlog.kernel.base.event import TRANSACTION_PAYLOAD, is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import metadata_name, table_map_label
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, rows_parse, skip_image
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    INT64,
    STRINGS,
    ColumnMark,
    add_bytes_as_text,
    add_int64,
    add_null,
    add_string,
    column_go_back,
    column_mark,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.view_columns import (
    VIEW_COMPRESSED,
    VIEW_CORRUPT,
    VIEW_DONE,
    VIEW_FULL,
    VIEW_NO_MEMORY,
    VIEW_NO_TABLE,
    VIEW_PAYLOAD,
    VIEW_UNREADABLE,
    ViewColumns,
)

MICROSECONDS = cython.declare(int64_t, 1000000)
VALUES = cython.declare(cython.int, 1)  # the verbosity that columns are prepared for: nothing of it shows here


@cython.cclass
class RowColumns(ViewColumns):
    """The images of a row are JSON, made by kernel/rows/rows_json."""

    def __init__(self, wanted, filter):
        self.gtid = self.column("gtid", STRINGS)
        self.file_column = self.column("file", STRINGS)
        self.position = self.column("position", INT64)
        self.transaction_start = self.column("transaction_start", INT64)
        self.timestamp = self.column("timestamp", INT64)
        self.database_column = self.column("database", STRINGS)
        self.table_column = self.column("table", STRINGS)
        self.operation = self.column("operation", STRINGS)
        self.metadata = self.column("metadata", STRINGS)
        self.before = self.column("before", STRINGS)
        self.after = self.column("after", STRINGS)
        self.corrupt = self.column("_corrupt_record", STRINGS)
        self.want(wanted)

    def event(self, e, format, text, length):
        status: cython.int
        map: cython.pointer(TableMap)
        compressed: cython.bint = is_compressed_rows(e.type)
        if self.at == cython.NULL:
            if compressed and text == cython.NULL and not self.hidden(e):
                return VIEW_COMPRESSED
            status = self.follow(e, format, cython.NULL, 0)
            if e.type == TRANSACTION_PAYLOAD and not self.inside:
                return VIEW_PAYLOAD if status == VIEW_DONE else status
            if not compressed and not is_rows(e.type):
                return status
            if status != VIEW_DONE or not self.chosen(e):
                return status
            status = self.begin_rows(e, format, text, length)
            if status != VIEW_DONE or self.at == cython.NULL:
                return status
        map = table_maps_get(cython.address(self.maps), self.fields.table_id)
        while self.at != self.fields.rows + self.fields.rows_size:
            if self.count >= self.most_rows or (self.count and self.bytes_held() >= self.most_bytes):
                return VIEW_FULL
            status = self.row(e, map)
            if status != VIEW_DONE:
                self.at = cython.NULL
                return status
        self.at = cython.NULL
        return VIEW_DONE

    def begin_rows(self, e, format, data, length):
        """Make ready for the event's rows; `at` stays NULL where it has none."""
        map: cython.pointer(TableMap)
        if rows_parse(cython.address(self.fields), format, e.data, e.body_end) != 0:
            return VIEW_CORRUPT
        if data != cython.NULL:
            self.fields.rows = cython.cast(octets, data)
            self.fields.rows_size = length
        map = table_maps_get(cython.address(self.maps), self.fields.table_id)
        if map == cython.NULL:
            # without rows it only ends its statement
            return VIEW_NO_TABLE if self.fields.rows_size else VIEW_DONE
        if not table_map_prepare(cython.address(self.maps), map, VALUES):
            return VIEW_NO_MEMORY
        if not table_map_label(cython.address(self.maps), map):
            return VIEW_NO_MEMORY
        if self.fields.rows_size:
            self.at = self.fields.rows
        elif self.fields.kind == ROWS_WRITE:
            # a row of a table without columns that are logged
            self.put_row_head(e, map)
            add_null(self.before)
            add_string(self.after, b"{}", 2)
        return VIEW_DONE

    def image(self, column, map, at, end, before):
        """Add one row image; the place after it, or NULL where it cannot be read."""
        if not column.wanted:
            return skip_image(cython.address(self.fields), map, at, end, before != cython.NULL)
        at = put_json_image(
            cython.address(column.data),
            cython.address(self.maps),
            map,
            cython.address(self.fields),
            at,
            end,
            before,
        )
        if at != cython.NULL:
            end_string(column)
        return at

    def row(self, e, map):
        """Add the row at `at`, the whole of it or nothing."""
        marks: ColumnMark[2]
        end: octets = self.fields.rows + self.fields.rows_size
        at: octets = self.at
        before: octets = cython.NULL
        if map == cython.NULL:
            return VIEW_NO_MEMORY
        column_mark(self.before, cython.address(marks[0]))
        column_mark(self.after, cython.address(marks[1]))
        if self.fields.kind == ROWS_WRITE:
            add_null(self.before)
        else:
            at = self.image(self.before, map, at, end, cython.NULL)
        if at != cython.NULL:
            if self.fields.kind == ROWS_DELETE:
                add_null(self.after)
            else:
                if self.fields.kind == ROWS_UPDATE:
                    before = self.at
                at = self.image(self.after, map, at, end, before)
        if at == cython.NULL:
            column_go_back(self.before, cython.address(marks[0]))
            column_go_back(self.after, cython.address(marks[1]))
            return VIEW_UNREADABLE
        self.at = at
        self.put_row_head(e, map)
        return VIEW_NO_MEMORY if self.maps.scratch.failed else VIEW_DONE

    def put_row_head(self, e, map):
        """All columns of the row but its images."""
        if self.belongs and self.group.gtid_length:
            add_bytes_as_text(self.gtid, self.group.gtid, self.group.gtid_length)
        else:
            add_null(self.gtid)
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, self.payload_position if self.inside else e.position)
        if self.belongs and self.group.known_start:
            add_int64(self.transaction_start, self.group.start)
        else:
            add_null(self.transaction_start)
        if e.timestamp:
            add_int64(self.timestamp, e.timestamp * MICROSECONDS)
        else:
            add_null(self.timestamp)
        add_bytes_as_text(self.database_column, self.database.data, self.database.length)
        add_bytes_as_text(self.table_column, self.table.data, self.table.length)
        if self.fields.kind == ROWS_UPDATE:
            add_string(self.operation, b"UPDATE", 6)
        elif self.fields.kind == ROWS_DELETE:
            add_string(self.operation, b"DELETE", 6)
        else:
            add_string(self.operation, b"INSERT", 6)
        add_string(self.metadata, metadata_name(map), strlen(metadata_name(map)))
        add_null(self.corrupt)
        self.count += 1

    def put_damage(self, start, end, text, length):
        add_null(self.gtid)
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, start)
        add_null(self.transaction_start)
        add_null(self.timestamp)
        add_null(self.database_column)
        add_null(self.table_column)
        add_null(self.operation)
        add_null(self.metadata)
        add_null(self.before)
        add_null(self.after)
        add_bytes_as_text(self.corrupt, text, length)
        self.count += 1
