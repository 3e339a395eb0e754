# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowColumns: the view `rows`, a row for every changed row of a table, and where they are asked for, for DDL."""

import cython

from cython.cimports.libc.stdint import INT64_MIN, int64_t
from cython.cimports.pybinlog.kernel.base.event import (
    MARIA_ANNOTATE_ROWS,
    MARIA_QUERY_COMPRESSED,
    ROWS_QUERY,
    STMT_END_F,
    TRANSACTION_PAYLOAD,
    octets,
)
from cython.cimports.pybinlog.kernel.base.event_kind import is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.base.memory import memset, strlen
from cython.cimports.pybinlog.kernel.base.text import LARGE_VALUE, put_bytes, text_free, text_init
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_label import metadata_name, table_map_label
from cython.cimports.pybinlog.kernel.rows.row_image import skip_image
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, rows_parse
from cython.cimports.pybinlog.kernel.rows.rows_json import put_json_image
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    INT64,
    STRINGS,
    ArrowColumn,
    ColumnMark,
    add_bytes_as_text,
    add_int64,
    add_null,
    add_string,
    column_go_back,
    column_mark,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.event_group import NO_TIME
from cython.cimports.pybinlog.kernel.views.view_columns import ViewColumns
from cython.cimports.pybinlog.kernel.views.view_events import (
    VALUES,
    VIEW_COMPRESSED,
    VIEW_CORRUPT,
    VIEW_DONE,
    VIEW_FULL,
    VIEW_NO_MEMORY,
    VIEW_NO_TABLE,
    VIEW_PAYLOAD,
    VIEW_UNREADABLE,
)
from cython.cimports.pybinlog.kernel.views.view_filter import Name

MICROSECONDS = cython.declare(int64_t, 1000000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_number(column: cython.pointer(ArrowColumn), value: int64_t) -> cython.void:
    if value == INT64_MIN:
        add_null(column)
    else:
        add_int64(column, value)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_text(column: cython.pointer(ArrowColumn), name: cython.pointer(cython.const[Name])) -> cython.void:
    if name.data == cython.NULL:
        add_null(column)
    else:
        add_bytes_as_text(column, name.data, name.length)


@cython.cclass
class RowColumns(ViewColumns):
    """The images of rows are JSON, which kernel/rows/rows_json makes.

    `ddl`: statements that are DDL come as rows, too. They count in the transaction's rows in any case.
    """

    def __init__(self, wanted, filter, ddl: cython.bint = False):
        self.ddl = ddl
        text_init(cython.address(self.statement))
        self.gtid = self.column("gtid", STRINGS)
        self.file_column = self.column("file", STRINGS)
        self.position = self.column("position", INT64)
        self.end_position = self.column("end_position", INT64)
        self.transaction_position = self.column("transaction_position", INT64)
        self.event_number = self.column("event", INT64)
        self.row_number = self.column("row", INT64)
        self.timestamp = self.column("timestamp", INT64)
        self.commit_time = self.column("commit_time", INT64)
        self.server_id = self.column("server_id", INT64)
        self.thread_id = self.column("thread_id", INT64)
        self.xa_xid = self.column("xa_xid", STRINGS)
        self.database_column = self.column("database", STRINGS)
        self.table_column = self.column("table", STRINGS)
        self.operation = self.column("operation", STRINGS)
        self.metadata = self.column("metadata", STRINGS)
        self.before = self.column("before", STRINGS)
        self.after = self.column("after", STRINGS)
        self.query_column = self.column("query", STRINGS)
        self.corrupt = self.column("_corrupt_record", STRINGS)
        self.want(wanted)
        self.numbered = self.row_number.wanted
        self.thread_wanted = self.thread_wanted or self.thread_id.wanted

    def __dealloc__(self):
        text_free(cython.address(self.statement))

    def event(self, e, format, text, length):
        status: cython.int
        map: cython.pointer(TableMap)
        compressed: cython.bint = is_compressed_rows(e.type)
        if self.at == cython.NULL:
            if text == cython.NULL:
                if compressed and (self.numbered or not self.hidden(e)):
                    return VIEW_COMPRESSED
                if e.type == MARIA_QUERY_COMPRESSED and (self.catalog is not None or self.needs_statement(e)):
                    return VIEW_COMPRESSED
            status = self.follow(e, format, text, length)
            self.note_statement(e, format)
            if e.type == TRANSACTION_PAYLOAD and not self.inside:
                return VIEW_PAYLOAD if status == VIEW_DONE else status
            if status != VIEW_DONE:
                return status
            if not compressed and not is_rows(e.type):
                if self.defines and self.belongs:
                    self.group.rows += 1
                    if self.ddl and self.chosen(e):
                        self.put_ddl(e)
                return VIEW_NO_MEMORY if self.statement.failed else VIEW_DONE
            if not self.chosen(e) or self.left_out():
                if self.numbered and self.belongs and self.group_chosen:
                    return self.count_rows_of(e, format, text, length)
                return VIEW_DONE
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
        if not table_map_label(cython.address(self.maps), map, format.mariadb):
            return VIEW_NO_MEMORY
        if self.fields.rows_size:
            self.at = self.fields.rows
        elif self.fields.kind == ROWS_WRITE:
            # a row of a table without columns that are logged
            self.group.rows += 1
            self.no_images(True)
            self.put_row_head(e, map)
        return VIEW_DONE

    def left_out(self):
        """Whether the current event is of a transaction that was rolled back."""
        if self.rolled_back is None or not self.belongs:
            return False
        with cython.gil:
            return (self.group.file_number, self.group.start) in self.rolled_back

    def needs_statement(self, e):
        """Whether it matters if a compressed statement is DDL: it is a row, or rows of its transaction may follow."""
        ends: cython.bint = e.boundary == END_TRANSACTION or e.boundary == SELF_CONTAINED
        return (self.ddl and not self.hidden(e)) or (self.numbered and not ends)

    def note_statement(self, e, format):
        """Keep the statement that row events come from until their last; other statements end it, and transactions."""
        body: cython.size_t = format.header_length
        if e.type == ROWS_QUERY:
            body += 1  # a byte of its length comes first
        if self.statement_over or self.has_query or (self.belongs and self.group.events == 1):
            self.end_statement()
        if e.type == ROWS_QUERY or e.type == MARIA_ANNOTATE_ROWS:
            self.end_statement()
            if self.query_column.wanted and e.body_end >= body:
                self.has_statement = True
                put_bytes(
                    cython.address(self.statement),
                    cython.cast(cython.p_const_char, e.data) + body,
                    e.body_end - body,
                )
        elif is_rows(e.type) or is_compressed_rows(e.type):
            self.statement_over = self.rows_flags & STMT_END_F != 0

    def end_statement(self):
        self.has_statement = False
        self.statement_over = False
        self.statement.length = 0
        if self.statement.capacity > LARGE_VALUE:
            text_free(cython.address(self.statement))
            text_init(cython.address(self.statement))

    def image(self, column, map, at, end, before):
        """Add one row image; the place after it, or NULL where it cannot be read."""
        if not column.wanted:
            return skip_image(cython.address(self.fields), map, at, end, before != cython.NULL)
        at = put_json_image(
            cython.address(column.data), cython.address(self.maps), map, cython.address(self.fields), at, end, before
        )
        if at != cython.NULL:
            end_string(column)
        return at

    def images(self, map):
        """Add the images of the row at `at`, or none; the place after them, or NULL where they cannot be read."""
        marks: ColumnMark[2]
        end: octets = self.fields.rows + self.fields.rows_size
        at: octets = self.at
        before: octets = cython.NULL
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
        return at

    def no_images(self, logged):
        """Images of a row that has none, or, where it was `logged`, one without any column."""
        add_null(self.before)
        if logged:
            add_string(self.after, b"{}", 2)
        else:
            add_null(self.after)

    def row(self, e, map):
        """Add the row at `at`, the whole of it or nothing."""
        at: octets
        if map == cython.NULL:
            return VIEW_NO_MEMORY
        at = self.images(map)
        if at == cython.NULL:
            return VIEW_UNREADABLE
        self.at = at
        self.group.rows += 1
        self.put_row_head(e, map)
        return VIEW_NO_MEMORY if self.maps.scratch.failed else VIEW_DONE

    def note_place(self, e):
        """Where and in which transaction the current event's rows are: what `head` has from `gtid` to `xa_xid`."""
        head = cython.declare(cython.pointer(RowHead), cython.address(self.head))
        thread_id: int64_t = self.thread_of()
        memset(head, 0, cython.sizeof(RowHead))
        head.position = self.payload_position if self.inside else e.position
        head.end_position = self.payload_end if self.inside else e.position + e.event_size
        head.transaction_position = INT64_MIN
        head.event_number = INT64_MIN
        head.row_number = INT64_MIN
        head.commit_time = INT64_MIN
        if self.belongs:
            head.transaction_position = self.group.position
            head.event_number = self.group.events
            if self.group.rows_known:
                head.row_number = self.group.rows
            if self.group.gtid_commit_time != NO_TIME:
                head.commit_time = self.group.gtid_commit_time
            if self.group.gtid_length:
                head.gtid.data = self.group.gtid
                head.gtid.length = self.group.gtid_length
            if self.group.xid_length:
                head.xa_xid.data = self.group.xid
                head.xa_xid.length = self.group.xid_length
        head.timestamp = e.timestamp * MICROSECONDS if e.timestamp else INT64_MIN
        head.server_id = e.server_id
        head.thread_id = thread_id if thread_id >= 0 else INT64_MIN
        head.database = self.database

    def put_row_head(self, e, map):
        """All of the row but its images."""
        head = cython.declare(cython.pointer(RowHead), cython.address(self.head))
        self.note_place(e)
        head.table = self.table
        if head.table.data == cython.NULL:  # its name is not known
            head.database.data = b""
            head.table.data = b""
        head.operation.length = 6
        if self.fields.kind == ROWS_UPDATE:
            head.operation.data = b"UPDATE"
        elif self.fields.kind == ROWS_DELETE:
            head.operation.data = b"DELETE"
        else:
            head.operation.data = b"INSERT"
        head.metadata.data = metadata_name(map)
        head.metadata.length = strlen(head.metadata.data)
        if self.has_statement:
            head.query.data = b""
            if self.statement.length:
                head.query.data = self.statement.data
            head.query.length = self.statement.length
        self.put_head()

    def put_ddl(self, e):
        """The row of a statement."""
        head = cython.declare(cython.pointer(RowHead), cython.address(self.head))
        self.no_images(False)
        self.note_place(e)
        head.operation.data = b"DDL"
        head.operation.length = 3
        head.query.data = self.query.text
        head.query.length = self.query.length
        self.put_head()

    def put_damage(self, start, end, text, length):
        head = cython.declare(cython.pointer(RowHead), cython.address(self.head))
        self.no_images(False)
        memset(head, 0, cython.sizeof(RowHead))
        head.position = start
        head.end_position = end
        head.transaction_position = INT64_MIN
        head.event_number = INT64_MIN
        head.row_number = INT64_MIN
        head.timestamp = INT64_MIN
        head.commit_time = INT64_MIN
        head.server_id = INT64_MIN
        head.thread_id = INT64_MIN
        head.corrupt.data = text
        head.corrupt.length = length
        self.put_head()

    def put_head(self):
        """Add `head` to the columns."""
        head = cython.declare(cython.pointer(cython.const[RowHead]), cython.address(self.head))
        add_text(self.gtid, cython.address(head.gtid))
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, head.position)
        add_int64(self.end_position, head.end_position)
        add_number(self.transaction_position, head.transaction_position)
        add_number(self.event_number, head.event_number)
        add_number(self.row_number, head.row_number)
        add_number(self.timestamp, head.timestamp)
        add_number(self.commit_time, head.commit_time)
        add_number(self.server_id, head.server_id)
        add_number(self.thread_id, head.thread_id)
        add_text(self.xa_xid, cython.address(head.xa_xid))
        add_text(self.database_column, cython.address(head.database))
        add_text(self.table_column, cython.address(head.table))
        add_text(self.operation, cython.address(head.operation))
        add_text(self.metadata, cython.address(head.metadata))
        add_text(self.query_column, cython.address(head.query))
        add_text(self.corrupt, cython.address(head.corrupt))
        self.count += 1
