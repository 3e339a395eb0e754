# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""RowColumns: the view `rows`, a row for every changed row of a table, and where they are asked for, for DDL.

Values have the texts that the dump gives them.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.views.row_columns is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t
from cython.cimports.libc.string import memcpy, memmove
from cython.cimports.pybinlog.kernel.base.event import (
    MARIA_ANNOTATE_ROWS,
    MARIA_QUERY_COMPRESSED,
    ROWS_QUERY,
    STMT_END_F,
    TRANSACTION_PAYLOAD,
    is_compressed_rows,
    is_rows,
)
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.base.text import (
    LARGE_VALUE,
    Text,
    put_bytes,
    put_char,
    put_hex,
    put_unsigned,
    text_free,
    text_init,
    text_relieve,
)
from cython.cimports.pybinlog.kernel.base.utf8 import escape_utf8, put_utf8, utf8_whole
from cython.cimports.pybinlog.kernel.rows.column import KIND_UNREADABLE_BLOB, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_value import VALUE_JSON_DIFF, VALUE_NULL, VALUE_OPAQUE, ColumnValue
from cython.cimports.pybinlog.kernel.rows.rows import (
    IMAGE_READ,
    ROWS_DELETE,
    ROWS_UPDATE,
    ROWS_WRITE,
    ImageWalk,
    image_begin,
    image_end,
    image_next,
    rows_parse,
    skip_image,
)
from cython.cimports.pybinlog.kernel.rows.table_map import (
    COLUMN_NAME,
    TableMap,
    find_optional,
    read_block,
    table_maps_get,
)
from cython.cimports.pybinlog.kernel.rows.rows_text import put_value
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED
from cython.cimports.pybinlog.kernel.scan.operation import is_ddl
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    INT64,
    LISTS,
    STRINGS,
    ColumnMark,
    add_bytes_as_text,
    add_int64,
    add_null,
    add_string,
    column_go_back,
    column_mark,
    end_list,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.event_group import NO_TIME
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_as_hex(text: cython.pointer(Text), data: octets, size: cython.size_t) -> cython.void:
    """X'0102': a value that the dump does not show (GEOMETRY), but whose bytes are known."""
    i: cython.size_t
    put_bytes(text, b"X'", 2)
    for i in range(size):
        put_hex(text, data[i], 2)
        text_relieve(text)
    put_char(text, 39)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_end(ends: cython.p_char, number: cython.size_t) -> cython.size_t:
    """Where the name of a column, by its number from 1, ends among the keys."""
    end: cython.size_t
    memcpy(cython.address(end), ends + (number - 1) * cython.sizeof(cython.size_t), cython.sizeof(cython.size_t))
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def join_lines(text: cython.pointer(Text), start: cython.size_t, joining: cython.bint) -> cython.bint:
    """Make one line of a partial update of JSON: in a dump it has several, each a comment ("###" and blanks).

    `joining`, and what is returned: whether the text before a place ended where a line is joined.
    """
    at: cython.size_t = start
    to: cython.size_t = start
    while at < text.length:
        if joining and (text.data[at] == 35 or text.data[at] == 32):
            at += 1
            continue
        joining = text.data[at] == 10
        text.data[to] = 32 if joining else text.data[at]
        at += 1
        to += 1
    text.length = to
    return joining


def pass_on(owner, text):
    """The drain of `wide`: what is there goes into the column, except the beginning of a character."""
    with cython.gil:
        columns: RowColumns = cython.cast(RowColumns, owner)
        columns.pass_on_wide(utf8_whole(cython.cast(octets, text.data), text.length))


@cython.cclass
class RowColumns(ViewColumns):
    """A map's keys are the columns' names where the Table_map has them (binlog_row_metadata=FULL), else "@1", "@2".

    `ddl`: statements that are DDL come as rows, too. They count in the transaction's rows in any case.
    """

    def __init__(self, wanted, filter, ddl: cython.bint = False):
        self.ddl = ddl
        text_init(cython.address(self.statement))
        text_init(cython.address(self.scratch))
        text_init(cython.address(self.wide))
        self.wide.drain = pass_on
        self.wide.owner = cython.cast(cython.p_void, self)
        text_init(cython.address(self.keys))
        text_init(cython.address(self.key_ends))
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
        self.before.maps = self.column("before", LISTS)
        self.before.keys = self.column("before.key", STRINGS)
        self.before.values = self.column("before.value", STRINGS)
        self.after.maps = self.column("after", LISTS)
        self.after.keys = self.column("after.key", STRINGS)
        self.after.values = self.column("after.value", STRINGS)
        self.query_column = self.column("query", STRINGS)
        self.corrupt = self.column("_corrupt_record", STRINGS)
        self.want(wanted)
        self.numbered = self.row_number.wanted
        self.thread_wanted = self.thread_wanted or self.thread_id.wanted

    def __dealloc__(self):
        text_free(cython.address(self.statement))
        text_free(cython.address(self.scratch))
        text_free(cython.address(self.wide))
        text_free(cython.address(self.keys))
        text_free(cython.address(self.key_ends))

    def event(self, e, format, text, length):
        status: cython.int
        map: cython.pointer(TableMap)
        compressed: cython.bint = is_compressed_rows(e.type)
        if self.at == cython.NULL:
            if text == cython.NULL:
                if compressed and (self.numbered or not self.hidden(e)):
                    return VIEW_COMPRESSED
                if e.type == MARIA_QUERY_COMPRESSED and self.needs_statement(e):
                    return VIEW_COMPRESSED
            status = self.follow(e, format, text, length)
            self.note_statement(e, format)
            if e.type == TRANSACTION_PAYLOAD and not self.inside:
                return VIEW_PAYLOAD if status == VIEW_DONE else status
            if status != VIEW_DONE:
                return status
            if not compressed and not is_rows(e.type):
                if self.has_query and self.belongs and is_ddl(self.query.text, self.query.length):
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
        self.make_keys(map)
        if self.fields.rows_size:
            self.at = self.fields.rows
        elif self.fields.kind == ROWS_WRITE:
            # a row of a table without columns that are logged
            self.group.rows += 1
            self.put_row_head(e)
            end_list(self.before.maps, self.before.keys.count, False)
            end_list(self.after.maps, self.after.keys.count, True)
        return VIEW_DONE

    def left_out(self):
        """Whether the current event is of an XA transaction that was rolled back."""
        if self.rolled_back is None or not self.belongs or not self.group.xid_length:
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

    def make_keys(self, map):
        """The keys of the table's columns, for all rows of the event."""
        at: octets = cython.NULL
        end: octets = cython.NULL
        name: octets = cython.NULL
        length: cython.size_t = 0
        i: cython.size_t
        self.keys.length = 0
        self.key_ends.length = 0
        find_optional(cython.address(map.fields), COLUMN_NAME, cython.address(at), cython.address(end))
        for i in range(map.fields.column_count):
            if at != end and read_block(cython.address(at), end, cython.address(name), cython.address(length)):
                put_utf8(cython.address(self.keys), name, length)
            else:
                at = end  # after a length that cannot be nothing is read
                put_char(cython.address(self.keys), 64)
                put_unsigned(cython.address(self.keys), i + 1)
            put_bytes(
                cython.address(self.key_ends),
                cython.cast(cython.p_const_char, cython.address(self.keys.length)),
                cython.sizeof(cython.size_t),
            )

    def image(self, column, map, at, end, after):
        """Add one row image as a map; the place after it, or NULL where it cannot be read."""
        walk: ImageWalk
        value: ColumnValue
        key_start: cython.size_t
        value_start: cython.size_t
        if not column.maps.wanted:
            return skip_image(cython.address(self.fields), map, at, end, after)
        if image_begin(cython.address(walk), cython.address(self.fields), map, at, end, after) != IMAGE_READ:
            return cython.NULL
        at = walk.at
        while image_next(cython.address(walk), cython.address(value)):
            key_start = key_end(self.key_ends.data, value.number - 1) if value.number > 1 else 0
            add_string(column.keys, self.keys.data + key_start, key_end(self.key_ends.data, value.number) - key_start)
            if value.kind == VALUE_NULL:
                if not value.column.null_length and value.column.kind != KIND_UNREADABLE_BLOB:
                    return cython.NULL
                add_null(column.values)
            else:
                if value.kind == VALUE_OPAQUE:
                    put_as_hex(cython.address(column.values.data), value.data, value.size)
                elif cython.cast(cython.size_t, end - at) > LARGE_VALUE:
                    if not self.put_wide(column.values, cython.address(value)):
                        return cython.NULL
                else:
                    value_start = column.values.data.length
                    if not put_value(
                        cython.address(column.values.data), cython.address(self.maps.scratch), cython.address(value)
                    ):
                        return cython.NULL
                    if value.kind == VALUE_JSON_DIFF:
                        join_lines(cython.address(column.values.data), value_start, False)
                    escape_utf8(cython.address(column.values.data), value_start, cython.address(self.scratch))
                end_string(column.values)
            at = walk.at
        end_list(column.maps, column.keys.count, True)
        return image_end(cython.address(walk))

    def put_wide(self, values, value):
        """Add the text of a value, which may be much, in pieces; False where it has none."""
        written: cython.bint
        self.wide_target = cython.address(values.data)
        self.wide.length = 0
        self.wide.drained = 0
        self.joins = value.kind == VALUE_JSON_DIFF
        self.joining = False
        written = put_value(cython.address(self.wide), cython.address(self.maps.scratch), value)
        self.pass_on_wide(self.wide.length)
        if self.wide.failed:
            self.wide.failed = False
            values.data.failed = True
        return written

    def pass_on_wide(self, size):
        """Let the first bytes of `wide` move on into the column."""
        left: cython.size_t = self.wide.length - size
        target: cython.pointer(Text) = self.wide_target
        start: cython.size_t = target.length
        put_bytes(target, self.wide.data, size)
        if left:
            memmove(self.wide.data, self.wide.data + size, left)
        self.wide.length = left
        self.wide.drained += size
        if target.failed:
            return
        if self.joins:
            self.joining = join_lines(target, start, self.joining)
        escape_utf8(target, start, cython.address(self.scratch))
        text_relieve(target)

    def row(self, e, map):
        """Add the row at `at`, the whole of it or nothing."""
        marks: ColumnMark[6]
        end: octets = self.fields.rows + self.fields.rows_size
        at: octets = self.at
        if map == cython.NULL or self.keys.failed or self.key_ends.failed:
            return VIEW_NO_MEMORY
        column_mark(self.before.maps, cython.address(marks[0]))
        column_mark(self.before.keys, cython.address(marks[1]))
        column_mark(self.before.values, cython.address(marks[2]))
        column_mark(self.after.maps, cython.address(marks[3]))
        column_mark(self.after.keys, cython.address(marks[4]))
        column_mark(self.after.values, cython.address(marks[5]))
        if self.fields.kind == ROWS_WRITE:
            end_list(self.before.maps, self.before.keys.count, False)
        else:
            at = self.image(cython.address(self.before), map, at, end, False)
        if at != cython.NULL:
            if self.fields.kind == ROWS_DELETE:
                end_list(self.after.maps, self.after.keys.count, False)
            else:
                at = self.image(cython.address(self.after), map, at, end, self.fields.kind == ROWS_UPDATE)
        if at == cython.NULL:
            column_go_back(self.before.maps, cython.address(marks[0]))
            column_go_back(self.before.keys, cython.address(marks[1]))
            column_go_back(self.before.values, cython.address(marks[2]))
            column_go_back(self.after.maps, cython.address(marks[3]))
            column_go_back(self.after.keys, cython.address(marks[4]))
            column_go_back(self.after.values, cython.address(marks[5]))
            return VIEW_UNREADABLE
        self.at = at
        self.group.rows += 1
        self.put_row_head(e)
        return VIEW_NO_MEMORY if self.maps.scratch.failed else VIEW_DONE

    def put_place(self, e):
        """The columns of a row from the first to `xa_xid`: where and in which transaction it is."""
        thread_id: int64_t = self.thread_of()
        if self.belongs and self.group.gtid_length:
            add_bytes_as_text(self.gtid, self.group.gtid, self.group.gtid_length)
        else:
            add_null(self.gtid)
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, self.payload_position if self.inside else e.position)
        add_int64(self.end_position, self.payload_end if self.inside else e.position + e.event_size)
        if self.belongs:
            add_int64(self.transaction_position, self.group.position)
            add_int64(self.event_number, self.group.events)
        else:
            add_null(self.transaction_position)
            add_null(self.event_number)
        if self.belongs and self.group.rows_known:
            add_int64(self.row_number, self.group.rows)
        else:
            add_null(self.row_number)
        if e.timestamp:
            add_int64(self.timestamp, e.timestamp * MICROSECONDS)
        else:
            add_null(self.timestamp)
        if self.belongs and self.group.gtid_commit_time != NO_TIME:
            add_int64(self.commit_time, self.group.gtid_commit_time)
        else:
            add_null(self.commit_time)
        add_int64(self.server_id, e.server_id)
        if thread_id >= 0:
            add_int64(self.thread_id, thread_id)
        else:
            add_null(self.thread_id)
        if self.belongs and self.group.xid_length:
            add_bytes_as_text(self.xa_xid, self.group.xid, self.group.xid_length)
        else:
            add_null(self.xa_xid)

    def put_row_head(self, e):
        """All columns of the row but its images."""
        self.put_place(e)
        add_bytes_as_text(self.database_column, self.database.data, self.database.length)
        add_bytes_as_text(self.table_column, self.table.data, self.table.length)
        if self.fields.kind == ROWS_UPDATE:
            add_string(self.operation, b"UPDATE", 6)
        elif self.fields.kind == ROWS_DELETE:
            add_string(self.operation, b"DELETE", 6)
        else:
            add_string(self.operation, b"INSERT", 6)
        if self.has_statement:
            add_bytes_as_text(self.query_column, self.statement.data, self.statement.length)
        else:
            add_null(self.query_column)
        add_null(self.corrupt)
        self.count += 1

    def put_ddl(self, e):
        """The row of a statement."""
        self.put_place(e)
        if self.database.data != cython.NULL:
            add_bytes_as_text(self.database_column, self.database.data, self.database.length)
        else:
            add_null(self.database_column)
        add_null(self.table_column)
        add_string(self.operation, b"DDL", 3)
        end_list(self.before.maps, self.before.keys.count, False)
        end_list(self.after.maps, self.after.keys.count, False)
        add_bytes_as_text(self.query_column, self.query.text, self.query.length)
        add_null(self.corrupt)
        self.count += 1

    def put_damage(self, start, end, text, length):
        add_null(self.gtid)
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, start)
        add_int64(self.end_position, end)
        add_null(self.transaction_position)
        add_null(self.event_number)
        add_null(self.row_number)
        add_null(self.timestamp)
        add_null(self.commit_time)
        add_null(self.server_id)
        add_null(self.thread_id)
        add_null(self.xa_xid)
        add_null(self.database_column)
        add_null(self.table_column)
        add_null(self.operation)
        end_list(self.before.maps, self.before.keys.count, False)
        end_list(self.after.maps, self.after.keys.count, False)
        add_null(self.query_column)
        add_bytes_as_text(self.corrupt, text, length)
        self.count += 1
