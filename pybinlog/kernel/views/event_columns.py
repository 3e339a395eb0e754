# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""EventColumns: the view `events`, a row for every event; compiled, it runs over all of them."""

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
    Event,
)
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcpy, strlen
from cython.cimports.pybinlog.kernel.scan.classify import boundary_name
from cython.cimports.pybinlog.kernel.scan.statement_bits import end_name, start_name
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    BITS,
    INT32,
    INT64,
    STRINGS,
    add_bit,
    add_bytes_as_text,
    add_int32,
    add_int64,
    add_null,
    add_string,
)
from cython.cimports.pybinlog.kernel.views.view_columns import ViewColumns
from cython.cimports.pybinlog.kernel.views.view_events import (
    VIEW_COMPRESSED,
    VIEW_CORRUPT,
    VIEW_DONE,
    VIEW_NO_MEMORY,
    VIEW_PAYLOAD,
)

MICROSECONDS = cython.declare(int64_t, 1000000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def checksum_is_right(e: cython.pointer(cython.const[Event])) -> cython.bint:
    """Whether the event's CRC32 is that of its bytes; a Format_description's leaves the in-use flag out."""
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


@cython.cclass
class EventColumns(ViewColumns):
    """`type_names`: for each of the 256 type bytes the name that its column shows."""

    def __init__(self, wanted, filter, type_names: list):
        i: cython.int
        self.kept_names = [name.encode() for name in type_names]
        for i in range(256):
            self.type_names[i].data = cython.cast(bytes, self.kept_names[i])
            self.type_names[i].length = len(self.kept_names[i])
        self.file_column = self.column("file", STRINGS)
        self.position = self.column("position", INT64)
        self.end_position = self.column("end_position", INT64)
        self.timestamp = self.column("timestamp", INT64)
        self.event_type = self.column("event_type", STRINGS)
        self.server_id = self.column("server_id", INT64)
        self.flags = self.column("flags", INT32)
        self.boundary = self.column("boundary", STRINGS)
        self.boundary_inferred = self.column("boundary_inferred", BITS)
        self.starts = self.column("starts", STRINGS)
        self.ends = self.column("ends", STRINGS)
        self.gtid = self.column("gtid", STRINGS)
        self.xid = self.column("xid", INT64)
        self.transaction_position = self.column("transaction_position", INT64)
        self.database_column = self.column("database", STRINGS)
        self.table_column = self.column("table", STRINGS)
        self.query_column = self.column("query", STRINGS)
        self.size = self.column("size", INT64)
        self.checksum_ok = self.column("checksum_ok", BITS)
        self.corrupt = self.column("_corrupt_record", STRINGS)
        self.want(wanted)

    def event(self, e, format, text, length):
        status: cython.int
        position: uint64_t = self.payload_position if self.inside else e.position
        end: uint64_t = self.payload_end if self.inside else e.position + e.event_size
        name: cython.p_const_char
        body: cython.size_t = format.header_length
        if e.type == MARIA_QUERY_COMPRESSED and text == cython.NULL and self.query_column.wanted and not self.hidden(e):
            return VIEW_COMPRESSED
        status = self.follow(e, format, text, length)
        if e.type == XID and (e.body_end < body or e.body_end - body < 8):
            status = VIEW_CORRUPT
        if status == VIEW_NO_MEMORY:
            return status
        if status != VIEW_DONE:
            if not self.permissive:
                return status
            self.has_query = False
            self.database.data = cython.NULL
            self.table.data = cython.NULL
        if not self.chosen(e):
            return VIEW_PAYLOAD if e.type == TRANSACTION_PAYLOAD and not self.inside else VIEW_DONE
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, position)
        add_int64(self.end_position, end)
        if e.timestamp:
            add_int64(self.timestamp, e.timestamp * MICROSECONDS)
        else:
            add_null(self.timestamp)
        add_string(self.event_type, self.type_names[e.type].data, self.type_names[e.type].length)
        add_int64(self.server_id, e.server_id)
        add_int32(self.flags, e.flags)
        name = boundary_name(e.boundary)
        add_string(self.boundary, name, strlen(name))
        add_bit(self.boundary_inferred, e.inferred)
        name = start_name(e.bits & 15)
        add_string(self.starts, name, strlen(name))
        name = end_name(e.bits & 15)
        add_string(self.ends, name, strlen(name))
        if self.belongs and self.group.gtid_length:
            add_bytes_as_text(self.gtid, self.group.gtid, self.group.gtid_length)
        else:
            add_null(self.gtid)
        if e.type == XID and status == VIEW_DONE:
            add_int64(self.xid, cython.cast(int64_t, read_u64(e.data + body)))
        elif self.has_query and self.query.has_ddl_xid:
            add_int64(self.xid, cython.cast(int64_t, self.query.ddl_xid))
        else:
            add_null(self.xid)
        if self.belongs:
            add_int64(self.transaction_position, self.group.position)
        else:
            add_null(self.transaction_position)
        if self.database.data != cython.NULL:
            add_bytes_as_text(self.database_column, self.database.data, self.database.length)
        else:
            add_null(self.database_column)
        if self.table.data != cython.NULL:
            add_bytes_as_text(self.table_column, self.table.data, self.table.length)
        else:
            add_null(self.table_column)
        self.add_query(e, body)
        add_int64(self.size, e.body_end if self.inside else e.event_size)
        if e.has_checksum and not self.inside:
            if self.checksum_ok.wanted:
                add_bit(self.checksum_ok, checksum_is_right(e))
        else:
            add_null(self.checksum_ok)
        if status != VIEW_DONE:
            self.add_corrupt_mark()
        else:
            add_null(self.corrupt)
        self.count += 1
        return VIEW_PAYLOAD if e.type == TRANSACTION_PAYLOAD and not self.inside else VIEW_DONE

    def add_query(self, e, body):
        """The statement of a Query, or the one that row events come from."""
        data: cython.p_const_char = cython.cast(cython.p_const_char, e.data)
        if self.has_query:
            add_bytes_as_text(self.query_column, self.query.text, self.query.length)
        elif e.type == ROWS_QUERY and e.body_end > body:
            body += 1  # a byte of its length comes first
            add_bytes_as_text(self.query_column, data + body, e.body_end - body)
        elif e.type == MARIA_ANNOTATE_ROWS and e.body_end >= body:
            add_bytes_as_text(self.query_column, data + body, e.body_end - body)
        else:
            add_null(self.query_column)

    def add_corrupt_mark(self):
        mark: cython.p_const_char = b"a length in the event reaches beyond its end"
        add_string(self.corrupt, mark, strlen(mark))

    def put_damage(self, start, end, text, length):
        i: cython.size_t
        add_string(self.file_column, self.file_data, self.file_length)
        add_int64(self.position, start)
        add_int64(self.end_position, end)
        for i in range(3, 19):
            add_null(self.columns[i])
        add_bytes_as_text(self.corrupt, text, length)
        self.count += 1
