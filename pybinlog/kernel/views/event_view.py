"""EventView: the view `events`, a row for every event; compiled, it runs over all of them."""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcpy, strlen
from cython.cimports.pybinlog.kernel.base.utf8 import escape_utf8
from cython.cimports.pybinlog.kernel.scan.classify import boundary_name
from cython.cimports.pybinlog.kernel.scan.query_fields import p_Query
from cython.cimports.pybinlog.kernel.scan.statement_bits import end_name, start_name
from cython.cimports.pybinlog.kernel.views import arrow_column, view_events
from cython.cimports.pybinlog.kernel.views.arrow_column import QUERY_OF_EVENTS
from cython.cimports.pybinlog.kernel.views.event_info import put_info

MICROSECONDS = cython.declare(int64_t, 1000000)
INFERRED = cython.declare(cython.p_const_char, b" (inferred)")
CORRUPT = cython.declare(cython.p_const_char, b"a length in the event reaches beyond its end")


def checksum_is_right(e: p_const_Event) -> cython.bint:
    """Return True if the event's CRC32 is that of its bytes; a Format_description's leaves the in-use flag out."""
    if e.type != event.FORMAT_DESCRIPTION or not (e.flags & event.BINLOG_IN_USE):
        return crc32(e.data, e.body_end) == e.checksum
    copy: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), malloc(e.body_end))
    if copy == cython.NULL:
        return False
    memcpy(copy, e.data, e.body_end)
    copy[17] &= 0xFE
    right: cython.bint = crc32(copy, e.body_end) == e.checksum
    free(copy)
    return right


@cython.final
@cython.cclass
class EventView(View):
    """`columns` are those of the view, in its order; `type_names` has, for each type byte, the name that is shown.

    `as_server`: an event inside a payload stands at its end, and a boundary says whether it was inferred.
    """

    def __init__(
        self, events: object, columns: arrow_column.ArrowColumns, type_names: list, as_server: cython.bint = False
    ):
        i: cython.int
        self.as_server = as_server
        self.of = columns.all
        self.scratch = OwnText()
        self.kept_names = [name.encode() for name in type_names]
        for i in range(256):
            self.type_names[i].data = cython.cast(bytes, self.kept_names[i])
            self.type_names[i].length = len(self.kept_names[i])

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        position: uint64_t = self.events.payload_position if self.events.inside else e.position
        end: uint64_t = self.events.payload_end if self.events.inside else event.stored_end(e)
        body: cython.size_t = format.header_length
        if e.type == event.MARIA_QUERY_COMPRESSED and text == cython.NULL:
            text_wanted: cython.bint = (
                self.of[QUERY_OF_EVENTS].wanted
                or self.of[INFO_OF_EVENTS].wanted
                or self.of[DIGEST_OF_EVENTS].wanted
                or self.events.statements is not None
            )
            if text_wanted and not self.events.hidden(e):
                return view_events.VIEW_COMPRESSED
        if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside:
            self.payload_end_log_pos = e.end_log_pos
        status: cython.int = self.events.follow(e, format, text, length)
        if e.type == event.XID and (e.body_end < body or e.body_end - body < 8):
            status = view_events.VIEW_CORRUPT
        if status == view_events.VIEW_NO_MEMORY:
            return status
        if status != view_events.VIEW_DONE:
            if not self.permissive:
                return status
            self.events.has_query = False
            self.events.database.data = cython.NULL
            self.events.table.data = cython.NULL
        if not self.events.chosen(e):
            return (
                view_events.VIEW_PAYLOAD
                if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside
                else view_events.VIEW_DONE
            )
        arrow_column.add_string(self.of + arrow_column.FILE_OF_EVENTS, self.events.file_data, self.events.file_length)
        arrow_column.add_int64(
            self.of + arrow_column.POSITION_OF_EVENTS, end if self.as_server and self.events.inside else position
        )
        arrow_column.add_int64(self.of + arrow_column.END_POSITION_OF_EVENTS, end)
        arrow_column.add_int64_if(
            self.of + arrow_column.TIMESTAMP_OF_EVENTS, e.timestamp != 0, e.timestamp * MICROSECONDS
        )
        arrow_column.add_string(
            self.of + arrow_column.EVENT_TYPE_OF_EVENTS, self.type_names[e.type].data, self.type_names[e.type].length
        )
        arrow_column.add_int64(self.of + arrow_column.SERVER_ID_OF_EVENTS, e.server_id)
        arrow_column.add_int32(self.of + arrow_column.FLAGS_OF_EVENTS, e.flags)
        self.add_boundary(e)
        arrow_column.add_bit(self.of + arrow_column.BOUNDARY_INFERRED_OF_EVENTS, e.inferred)
        name: cython.p_const_char = start_name(e.bits & 15)
        arrow_column.add_string(self.of + arrow_column.STARTS_OF_EVENTS, name, strlen(name))
        name = end_name(e.bits & 15)
        arrow_column.add_string(self.of + arrow_column.ENDS_OF_EVENTS, name, strlen(name))
        has_gtid: cython.bint = self.events.belongs and self.events.group.gtid_length != 0
        arrow_column.add_text_if(
            self.of + arrow_column.GTID_OF_EVENTS, has_gtid, self.events.group.gtid, self.events.group.gtid_length
        )
        if e.type == event.XID and status == view_events.VIEW_DONE:
            arrow_column.add_int64(self.of + arrow_column.XID_OF_EVENTS, cython.cast(int64_t, read_u64(e.data + body)))
        else:
            has_xid: cython.bint = self.events.has_query and self.events.query.has_ddl_xid
            arrow_column.add_int64_if(self.of + arrow_column.XID_OF_EVENTS, has_xid, self.events.query.ddl_xid)
        arrow_column.add_int64_if(
            self.of + arrow_column.TRANSACTION_POSITION_OF_EVENTS, self.events.belongs, self.events.group.position
        )
        name_of = cython.address(self.events.database)
        arrow_column.add_text_if(
            self.of + arrow_column.DATABASE_OF_EVENTS, name_of.data != cython.NULL, name_of.data, name_of.length
        )
        name_of = cython.address(self.events.table)
        arrow_column.add_text_if(
            self.of + arrow_column.TABLE_OF_EVENTS, name_of.data != cython.NULL, name_of.data, name_of.length
        )
        self.add_query(e, body)
        has_mode: cython.bint = self.events.has_query and self.events.query.has_sql_mode
        arrow_column.add_int64_if(self.of + arrow_column.SQL_MODE_OF_EVENTS, has_mode, self.events.query.sql_mode)
        arrow_column.add_int64(
            self.of + arrow_column.SIZE_OF_EVENTS, e.body_end if self.events.inside else event.stored_size(e)
        )
        if e.has_checksum and not self.events.inside:
            if self.of[CHECKSUM_OK_OF_EVENTS].wanted:
                arrow_column.add_bit(self.of + CHECKSUM_OK_OF_EVENTS, checksum_is_right(e))
        else:
            arrow_column.add_null(self.of + CHECKSUM_OK_OF_EVENTS)
        arrow_column.add_bit(self.of + arrow_column.IN_PAYLOAD_OF_EVENTS, self.events.inside)
        arrow_column.add_int64(
            self.of + arrow_column.END_LOG_POS_OF_EVENTS,
            self.payload_end_log_pos if self.events.inside else e.end_log_pos,
        )
        if status == view_events.VIEW_DONE and self.of[INFO_OF_EVENTS].wanted:
            self.add_info(e, format)
        else:
            arrow_column.add_null(self.of + INFO_OF_EVENTS)
        arrow_column.add_text_if(
            self.of + arrow_column.CORRUPT_RECORD_OF_EVENTS, status != view_events.VIEW_DONE, CORRUPT, strlen(CORRUPT)
        )
        self.count += 1
        return (
            view_events.VIEW_PAYLOAD
            if e.type == event.TRANSACTION_PAYLOAD and not self.events.inside
            else view_events.VIEW_DONE
        )

    def add_info(self, e: p_const_Event, format: p_const_Format):
        """Add the Info of SHOW BINLOG EVENTS. A server shows bytes that are no UTF-8 as \\xNN."""
        column: p_ArrowColumn = self.of + INFO_OF_EVENTS
        text: p_Text = cython.address(column.data)
        start: cython.size_t = text.length
        query: p_Query = cython.NULL
        if self.events.has_query:
            query = cython.address(self.events.query)
        if put_info(text, e, format, query, cython.address(self.events.group)):
            escape_utf8(text, start, cython.address(self.scratch.text))
            arrow_column.end_string(column)
        else:
            text.length = start
            arrow_column.add_null(column)

    def add_boundary(self, e: p_const_Event):
        """Add the boundary type, as the dump's TBM field has it if it is shown."""
        column: p_ArrowColumn = self.of + arrow_column.BOUNDARY_OF_EVENTS
        name: cython.p_const_char = boundary_name(e.boundary)
        if not (self.as_server and e.inferred):
            arrow_column.add_string(column, name, strlen(name))
        elif column.wanted:
            put_bytes(cython.address(column.data), name, strlen(name))
            put_bytes(cython.address(column.data), INFERRED, strlen(INFERRED))
            arrow_column.end_string(column)

    def add_query(self, e: p_const_Event, body: cython.size_t) -> cython.int:
        """Add the statement of a Query, or the one that row events come from."""
        data: cython.p_const_char = cython.cast(cython.p_const_char, e.data)
        if self.events.has_query:
            return self.add_statement(self.events.query.text, self.events.query.length)
        if e.type == event.ROWS_QUERY and e.body_end > body:
            body += 1  # a byte of its length comes first
            return self.add_statement(data + body, e.body_end - body)
        if e.type == event.MARIA_ANNOTATE_ROWS and e.body_end >= body:
            return self.add_statement(data + body, e.body_end - body)
        arrow_column.add_null(self.of + QUERY_OF_EVENTS)
        arrow_column.add_null(self.of + DIGEST_OF_EVENTS)
        return 0

    def add_statement(self, statement: cython.p_const_char, length: cython.size_t) -> cython.int:
        arrow_column.add_bytes_as_text(self.of + QUERY_OF_EVENTS, statement, length)
        if not self.of[DIGEST_OF_EVENTS].wanted:
            return 0
        known: cython.bint = self.events.digest_of(statement, length) > 0
        arrow_column.add_text_if(
            self.of + DIGEST_OF_EVENTS, known, self.events.digests.data, self.events.digests.length
        )
        return 0

    def put_damage(
        self, start: uint64_t, end: uint64_t, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        arrow_column.add_string(self.of + arrow_column.FILE_OF_EVENTS, self.events.file_data, self.events.file_length)
        arrow_column.add_int64(self.of + arrow_column.POSITION_OF_EVENTS, start)
        arrow_column.add_int64(self.of + arrow_column.END_POSITION_OF_EVENTS, end)
        arrow_column.add_bytes_as_text(self.of + arrow_column.CORRUPT_RECORD_OF_EVENTS, text, length)
        self.count += 1
        self.columns.fill_up(self.count)
        return 0
