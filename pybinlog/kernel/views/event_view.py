"""EventView: the view `events`, a row for every event; compiled, it runs over all of them."""

import cython

from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.event import (
    FORMAT_DESCRIPTION,
    IN_USE,
    MARIA_ANNOTATE_ROWS,
    MARIA_QUERY_COMPRESSED,
    ROWS_QUERY,
    TRANSACTION_PAYLOAD,
    XID,
)
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcpy, strlen
from cython.cimports.pybinlog.kernel.base.text import Text, put_bytes
from cython.cimports.pybinlog.kernel.base.utf8 import escape_utf8
from cython.cimports.pybinlog.kernel.scan.classify import boundary_name
from cython.cimports.pybinlog.kernel.scan.query_fields import Query
from cython.cimports.pybinlog.kernel.scan.statement_bits import end_name, start_name
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    BOUNDARY_INFERRED_OF_EVENTS,
    BOUNDARY_OF_EVENTS,
    CHECKSUM_OK_OF_EVENTS,
    CORRUPT_RECORD_OF_EVENTS,
    DATABASE_OF_EVENTS,
    DIGEST_OF_EVENTS,
    ENDS_OF_EVENTS,
    END_LOG_POS_OF_EVENTS,
    END_POSITION_OF_EVENTS,
    EVENT_TYPE_OF_EVENTS,
    FILE_OF_EVENTS,
    FLAGS_OF_EVENTS,
    GTID_OF_EVENTS,
    INFO_OF_EVENTS,
    IN_PAYLOAD_OF_EVENTS,
    POSITION_OF_EVENTS,
    QUERY_OF_EVENTS,
    SERVER_ID_OF_EVENTS,
    SIZE_OF_EVENTS,
    STARTS_OF_EVENTS,
    TABLE_OF_EVENTS,
    TIMESTAMP_OF_EVENTS,
    TRANSACTION_POSITION_OF_EVENTS,
    XID_OF_EVENTS,
    ArrowColumns,
    add_bit,
    add_bytes_as_text,
    add_int32,
    add_int64,
    add_int64_if,
    add_null,
    add_string,
    add_text_if,
    end_string,
)
from cython.cimports.pybinlog.kernel.views.event_info import put_info
from cython.cimports.pybinlog.kernel.views.view_events import (
    VIEW_COMPRESSED,
    VIEW_CORRUPT,
    VIEW_DONE,
    VIEW_NO_MEMORY,
    VIEW_PAYLOAD,
)

MICROSECONDS = cython.declare(int64_t, 1000000)
INFERRED = cython.declare(cython.p_const_char, b" (inferred)")
CORRUPT = cython.declare(cython.p_const_char, b"a length in the event reaches beyond its end")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def checksum_is_right(e: cython.pointer(cython.const[Event])) -> cython.bint:
    """Return True if the event's CRC32 is that of its bytes; a Format_description's leaves the in-use flag out."""
    copy: cython.pointer(uint8_t)
    right: cython.bint
    if e.type != FORMAT_DESCRIPTION or not (e.flags & IN_USE):
        return crc32(e.data, e.body_end) == e.checksum
    copy = cython.cast(cython.pointer(uint8_t), malloc(e.body_end))
    if copy == cython.NULL:
        return False
    memcpy(copy, e.data, e.body_end)
    copy[17] &= 0xFE
    right = crc32(copy, e.body_end) == e.checksum
    free(copy)
    return right


@cython.final
@cython.cclass
class EventView(View):
    """`columns` are those of the view, in its order; `type_names` has, for each type byte, the name that is shown.

    `as_server`: an event inside a payload stands at its end, and a boundary says whether it was inferred.
    """

    def __init__(self, events, columns: ArrowColumns, type_names: list, as_server: cython.bint = False):
        i: cython.int
        self.as_server = as_server
        self.of = columns.all
        self.scratch = OwnText()
        self.kept_names = [name.encode() for name in type_names]
        for i in range(256):
            self.type_names[i].data = cython.cast(bytes, self.kept_names[i])
            self.type_names[i].length = len(self.kept_names[i])

    def event(self, e, format, text, length):
        status: cython.int
        position: uint64_t = self.events.payload_position if self.events.inside else e.position
        end: uint64_t = self.events.payload_end if self.events.inside else e.position + e.event_size
        name: cython.p_const_char
        body: cython.size_t = format.header_length
        if e.type == MARIA_QUERY_COMPRESSED and text == cython.NULL:
            text_wanted: cython.bint = (
                self.of[QUERY_OF_EVENTS].wanted or self.of[INFO_OF_EVENTS].wanted or self.of[DIGEST_OF_EVENTS].wanted
            )
            if text_wanted and not self.events.hidden(e):
                return VIEW_COMPRESSED
        if e.type == TRANSACTION_PAYLOAD and not self.events.inside:
            self.payload_end_log_pos = e.end_log_pos
        status = self.events.follow(e, format, text, length)
        if e.type == XID and (e.body_end < body or e.body_end - body < 8):
            status = VIEW_CORRUPT
        if status == VIEW_NO_MEMORY:
            return status
        if status != VIEW_DONE:
            if not self.permissive:
                return status
            self.events.has_query = False
            self.events.database.data = cython.NULL
            self.events.table.data = cython.NULL
        if not self.events.chosen(e):
            return VIEW_PAYLOAD if e.type == TRANSACTION_PAYLOAD and not self.events.inside else VIEW_DONE
        add_string(self.of + FILE_OF_EVENTS, self.events.file_data, self.events.file_length)
        add_int64(self.of + POSITION_OF_EVENTS, end if self.as_server and self.events.inside else position)
        add_int64(self.of + END_POSITION_OF_EVENTS, end)
        add_int64_if(self.of + TIMESTAMP_OF_EVENTS, e.timestamp != 0, e.timestamp * MICROSECONDS)
        add_string(self.of + EVENT_TYPE_OF_EVENTS, self.type_names[e.type].data, self.type_names[e.type].length)
        add_int64(self.of + SERVER_ID_OF_EVENTS, e.server_id)
        add_int32(self.of + FLAGS_OF_EVENTS, e.flags)
        self.add_boundary(e)
        add_bit(self.of + BOUNDARY_INFERRED_OF_EVENTS, e.inferred)
        name = start_name(e.bits & 15)
        add_string(self.of + STARTS_OF_EVENTS, name, strlen(name))
        name = end_name(e.bits & 15)
        add_string(self.of + ENDS_OF_EVENTS, name, strlen(name))
        has_gtid: cython.bint = self.events.belongs and self.events.group.gtid_length != 0
        add_text_if(self.of + GTID_OF_EVENTS, has_gtid, self.events.group.gtid, self.events.group.gtid_length)
        if e.type == XID and status == VIEW_DONE:
            add_int64(self.of + XID_OF_EVENTS, cython.cast(int64_t, read_u64(e.data + body)))
        else:
            has_xid: cython.bint = self.events.has_query and self.events.query.has_ddl_xid
            add_int64_if(self.of + XID_OF_EVENTS, has_xid, self.events.query.ddl_xid)
        add_int64_if(self.of + TRANSACTION_POSITION_OF_EVENTS, self.events.belongs, self.events.group.position)
        name_of = cython.address(self.events.database)
        add_text_if(self.of + DATABASE_OF_EVENTS, name_of.data != cython.NULL, name_of.data, name_of.length)
        name_of = cython.address(self.events.table)
        add_text_if(self.of + TABLE_OF_EVENTS, name_of.data != cython.NULL, name_of.data, name_of.length)
        self.add_query(e, body)
        add_int64(self.of + SIZE_OF_EVENTS, e.body_end if self.events.inside else e.event_size)
        if e.has_checksum and not self.events.inside:
            if self.of[CHECKSUM_OK_OF_EVENTS].wanted:
                add_bit(self.of + CHECKSUM_OK_OF_EVENTS, checksum_is_right(e))
        else:
            add_null(self.of + CHECKSUM_OK_OF_EVENTS)
        add_bit(self.of + IN_PAYLOAD_OF_EVENTS, self.events.inside)
        add_int64(self.of + END_LOG_POS_OF_EVENTS, self.payload_end_log_pos if self.events.inside else e.end_log_pos)
        if status == VIEW_DONE and self.of[INFO_OF_EVENTS].wanted:
            self.add_info(e, format)
        else:
            add_null(self.of + INFO_OF_EVENTS)
        add_text_if(self.of + CORRUPT_RECORD_OF_EVENTS, status != VIEW_DONE, CORRUPT, strlen(CORRUPT))
        self.count += 1
        return VIEW_PAYLOAD if e.type == TRANSACTION_PAYLOAD and not self.events.inside else VIEW_DONE

    def add_info(self, e, format):
        """Add the Info of SHOW BINLOG EVENTS. A server shows bytes that are no UTF-8 as \\xNN."""
        column: cython.pointer(ArrowColumn) = self.of + INFO_OF_EVENTS
        text: cython.pointer(Text) = cython.address(column.data)
        start: cython.size_t = text.length
        query: cython.pointer(Query) = cython.NULL
        if self.events.has_query:
            query = cython.address(self.events.query)
        if put_info(text, e, format, query, cython.address(self.events.group)):
            escape_utf8(text, start, cython.address(self.scratch.text))
            end_string(column)
        else:
            text.length = start
            add_null(column)

    def add_boundary(self, e):
        """Add the boundary type, as the dump's TBM field has it if it is shown."""
        column: cython.pointer(ArrowColumn) = self.of + BOUNDARY_OF_EVENTS
        name: cython.p_const_char = boundary_name(e.boundary)
        if not (self.as_server and e.inferred):
            add_string(column, name, strlen(name))
        elif column.wanted:
            put_bytes(cython.address(column.data), name, strlen(name))
            put_bytes(cython.address(column.data), INFERRED, strlen(INFERRED))
            end_string(column)

    def add_query(self, e, body):
        """Add the statement of a Query, or the one that row events come from."""
        data: cython.p_const_char = cython.cast(cython.p_const_char, e.data)
        if self.events.has_query:
            return self.add_statement(self.events.query.text, self.events.query.length)
        if e.type == ROWS_QUERY and e.body_end > body:
            body += 1  # a byte of its length comes first
            return self.add_statement(data + body, e.body_end - body)
        if e.type == MARIA_ANNOTATE_ROWS and e.body_end >= body:
            return self.add_statement(data + body, e.body_end - body)
        add_null(self.of + QUERY_OF_EVENTS)
        add_null(self.of + DIGEST_OF_EVENTS)
        return 0

    def add_statement(self, statement, length):
        add_bytes_as_text(self.of + QUERY_OF_EVENTS, statement, length)
        if not self.of[DIGEST_OF_EVENTS].wanted:
            return 0
        known: cython.bint = self.events.digest_of(statement, length) > 0
        add_text_if(self.of + DIGEST_OF_EVENTS, known, self.events.digests.data, self.events.digests.length)
        return 0

    def put_damage(self, start, end, text, length):
        add_string(self.of + FILE_OF_EVENTS, self.events.file_data, self.events.file_length)
        add_int64(self.of + POSITION_OF_EVENTS, start)
        add_int64(self.of + END_POSITION_OF_EVENTS, end)
        add_bytes_as_text(self.of + CORRUPT_RECORD_OF_EVENTS, text, length)
        self.count += 1
        self.columns.fill_up(self.count)
        return 0
