"""EventBody: whether the text of an event can be made, and its names printed without harm; compiled, a check asks it
of every event.

It reads an event with the function that its text is made with (`query_parts`, `rows_parse` ...), so that what ends a
dump is found by a check. It does not read row images: the text marks an unreadable image as such, and continues.

It remembers the Table_maps, status variables and names that came last, as nearly all of them come again. Events that a
dump reads in Python (rare types, and MariaDB's compressed events in an unusual form) get NOTE_RARE: check/bodies.py
reads them with the functions of a dump.
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint16_t
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.event import TABLE_MAP, octets
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, rows_parse, statement_head
from cython.cimports.pybinlog.kernel.rows.table_map import TableMapFields, table_map_parse
from cython.cimports.pybinlog.kernel.scan import event_fields, gtid_fields
from cython.cimports.pybinlog.kernel.scan.classify import query_parts
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_parse

# The harm that a byte can do in the text: end a comment or upset a terminal; or end a string.
HARM_CONTROL = cython.declare(uint8_t, 1)
HARM_QUOTE = cython.declare(uint8_t, 2)
HARM = cython.declare(uint8_t[256])


@cython.cfunc
def fill_harm() -> cython.void:
    code: cython.int
    for code in range(256):
        HARM[code] = 0
        if code < 32 or code == 127:
            HARM[code] = HARM_CONTROL
        elif code == b'"' or code == b"'" or code == b"\\" or code == b"`":  # the quotes, and the backslash
            HARM[code] = HARM_QUOTE


fill_harm()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_harmless(name: cython.p_const_char, length: cython.size_t, harm: uint8_t) -> cython.bint:
    """Return True if no byte of the name can do one of these."""
    found: uint8_t = 0
    i: cython.size_t
    for i in range(length):
        found |= HARM[cython.cast(uint8_t, name[i])]
    return found & harm == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def is_known(
    known: cython.pointer(cython.const[KnownBytes]), data: cython.p_const_char, length: cython.size_t
) -> cython.bint:
    return known.length == length and memcmp(known.bytes, data, length) == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remember(known: cython.pointer(KnownBytes), data: cython.p_const_char, length: cython.size_t) -> cython.void:
    if length <= cython.sizeof(known.bytes):
        memcpy(known.bytes, data, length)
        known.length = length


def has_control_character(name: bytes) -> bool:
    """Return True if a byte of the name could end a comment, or upset a terminal."""
    return not is_harmless(name, len(name), HARM_CONTROL)


@cython.final
@cython.cclass
class EventBody:
    """`read` returns NOTE_CORRUPT if the event has no text, NOTE_RARE if pybinlog.check.bodies must read the event, and
    NOTE_NAME if a name in it could do harm in the text.
    """

    def __cinit__(self):
        self.inflated = InflatedEvent()

    def watch(self, codes: bytes) -> None:
        """Note events of these type codes, and of no others."""
        memset(self.watched, 0, 256)
        for code in codes:
            self.watched[cython.cast(uint8_t, code)] = 1

    def unwatch(self, code: uint8_t) -> None:
        """Note events of this type code no more."""
        self.watched[code] = 0

    def read(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        kind: uint8_t = e.type
        status: cython.int = 0
        number: uint64_t = 0
        short: uint32_t = 0
        incident: uint16_t = 0
        seeds: int64_t[2]
        head: StatementHead
        length: cython.size_t = 0
        text: cython.p_const_char = cython.NULL
        rotate: event_fields.Rotate
        xa: event_fields.XaPrepare
        gtids: gtid_fields.PreviousGtids
        intvar: event_fields.Intvar
        variable: event_fields.UserVar
        encryption: event_fields.StartEncryption
        notes: uint32_t = 0
        if event.is_rows(kind):
            if not statement_head(cython.address(head), e, format):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.body_end)
        elif kind == TABLE_MAP:
            return self.read_table_map(e, format)
        elif kind == event.QUERY:
            return self.read_query(e, format)
        elif kind == event.XID:
            status = event_fields.xid_parse(cython.address(number), e, format)
            self.xid = number
        elif kind == event.ROWS_QUERY:
            status = event_fields.rows_query_parse(cython.address(text), cython.address(length), e, format)
        elif kind == event.INTVAR:
            status = event_fields.intvar_parse(cython.address(intvar), e, format)
        elif kind == event.RAND:
            status = event_fields.rand_parse(seeds, e, format)
        elif kind == event.USER_VAR:
            status = event_fields.user_var_parse(cython.address(variable), e, format)
        elif kind == event.BEGIN_LOAD_QUERY or kind == event.APPEND_BLOCK or kind == event.DELETE_FILE:
            status = event_fields.file_id_parse(cython.address(short), e, format)
        elif kind == event.EXECUTE_LOAD_QUERY:
            return self.read_query(e, format)
        elif kind == event.ROTATE:
            status = event_fields.rotate_parse(cython.address(rotate), e, format)
        elif kind == event.XA_PREPARE:
            status = event_fields.xa_prepare_parse(cython.address(xa), e, format)
        elif kind == event.INCIDENT:
            status = event_fields.incident_parse(cython.address(incident), e, format)
        elif kind == event.PREVIOUS_GTIDS:
            status = gtid_fields.previous_gtids_begin(cython.address(gtids), e, format)
            while status == 0 and gtids.left:
                status = gtid_fields.previous_gtids_next(cython.address(gtids)) - 1
                if status == 0 and notes == 0:
                    notes = self.read_tag(gtids.tag, gtids.tag_length)
        elif event.is_compressed_rows(kind):
            if not statement_head(cython.address(head), e, format):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.body_end)
            notes = NOTE_RARE
        elif kind == event.MARIA_QUERY_COMPRESSED:
            return self.read_query(e, format) | NOTE_RARE
        elif kind == event.MARIA_BINLOG_CHECKPOINT:
            return self.read_checkpoint(e, format)
        elif kind == event.MARIA_GTID_LIST:
            status = -1 if gtid_fields.maria_gtid_list_parse(e, format, cython.address(short)) == cython.NULL else 0
        elif kind == event.MARIA_START_ENCRYPTION:
            status = event_fields.start_encryption_parse(cython.address(encryption), e, format)
        elif not (
            kind == event.GTID
            or kind == event.ANONYMOUS_GTID
            or kind == event.GTID_TAGGED
            or kind == event.TRANSACTION_PAYLOAD
            or kind == event.FORMAT_DESCRIPTION
            or kind == event.STOP
            or kind == event.IGNORABLE
            or kind == event.UNKNOWN
            or kind == event.MARIA_ANNOTATE_ROWS
            or kind == event.MARIA_GTID
        ):
            notes = NOTE_RARE
        return NOTE_CORRUPT if status < 0 else notes

    def read_query(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """A Query, or what is like one."""
        parts: cython.pointer(QueryParts) = cython.address(self.query)
        query: Query
        self.xid = 0
        if query_parts(parts, format, e.data, e.body_end) < 0:
            return NOTE_CORRUPT
        variables: cython.p_const_char = cython.cast(cython.p_const_char, parts.status)
        known: cython.pointer(KnownBytes) = cython.address(self.status[parts.status_length & (KNOWN_STATUS - 1)])
        if e.type == event.EXECUTE_LOAD_QUERY or not is_known(known, variables, parts.status_length):
            if query_parse(cython.address(query), e, format) < 0:
                return NOTE_CORRUPT
            if not is_harmless(query.time_zone, query.time_zone_length, HARM_CONTROL | HARM_QUOTE):
                return self.suspicious(NAME_TIME_ZONE, query.time_zone, query.time_zone_length)
            if query.has_ddl_xid:
                self.xid = query.ddl_xid  # (it does not come again)
            else:
                remember(known, variables, parts.status_length)
        if not is_known(cython.address(self.database), parts.database, parts.database_length):
            if not is_harmless(parts.database, parts.database_length, HARM_CONTROL):
                return self.suspicious(NAME_DATABASE, parts.database, parts.database_length)
            remember(cython.address(self.database), parts.database, parts.database_length)
        return 0

    def read_table_map(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        fields: TableMapFields
        head: StatementHead
        if not statement_head(cython.address(head), e, format):
            return NOTE_CORRUPT
        known: cython.pointer(KnownMap) = cython.address(self.maps[head.table_id & (KNOWN_MAPS - 1)])
        size: cython.size_t = e.body_end - event.COMMON_HEADER_LENGTH
        if (
            known.size == size
            and known.header_length == format.header_length
            and known.post_header == format.post_header_length[TABLE_MAP]
            and memcmp(known.body, e.data + event.COMMON_HEADER_LENGTH, size) == 0
        ):
            return 0
        if table_map_parse(cython.address(fields), format, e.data, e.body_end) < 0:
            return NOTE_CORRUPT
        text: cython.p_const_char = cython.cast(cython.p_const_char, fields.database)
        if not is_harmless(text, fields.database_length, HARM_CONTROL):
            return self.suspicious(NAME_DATABASE, text, fields.database_length)
        text = cython.cast(cython.p_const_char, fields.table)
        if not is_harmless(text, fields.table_length, HARM_CONTROL):
            return self.suspicious(NAME_TABLE, text, fields.table_length)
        if size <= LONGEST_MAP:
            known.size = cython.cast(uint32_t, size)
            known.header_length = format.header_length
            known.post_header = format.post_header_length[TABLE_MAP]
            memcpy(known.body, e.data + event.COMMON_HEADER_LENGTH, size)
        return 0

    def read_checkpoint(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        name: octets = cython.NULL
        length: cython.size_t = 0
        if event_fields.checkpoint_parse(cython.address(name), cython.address(length), e, format) < 0:
            return NOTE_CORRUPT
        text: cython.p_const_char = cython.cast(cython.p_const_char, name)
        return 0 if is_harmless(text, length, HARM_CONTROL) else self.suspicious(NAME_CHECKPOINT, text, length)

    def read_tag(self, tag: cython.p_const_char, length: cython.size_t) -> uint32_t:
        if is_harmless(tag, length, HARM_CONTROL | HARM_QUOTE):
            return 0
        return self.suspicious(NAME_TAG, tag, length)

    def suspicious(self, kind: cython.int, name: cython.p_const_char, length: cython.size_t) -> uint32_t:
        """Keep a name that could do harm, or as much of it as fits."""
        self.name_kind = kind
        self.name_length = length if length < cython.sizeof(self.name_bytes) else cython.sizeof(self.name_bytes)
        memcpy(self.name_bytes, name, self.name_length)
        return NOTE_NAME

    def inflate(self, e: p_const_Event, format: p_const_Format) -> cython.size_t:
        at: octets
        if e.type == event.MARIA_QUERY_COMPRESSED:
            if query_parts(cython.address(self.query), format, e.data, e.body_end) < 0:
                return 0
            at = cython.cast(octets, self.query.text)
        elif event.is_compressed_rows(e.type):
            if rows_parse(cython.address(self.rows), format, e.data, e.body_end) < 0:
                return 0
            at = self.rows.rows
        else:
            return 0
        self.data_at = at - e.data - event.COMMON_HEADER_LENGTH
        return at - e.data if self.inflated.read(e, at - e.data, format, False) else 0

    @property
    def name(self) -> bytes:
        """The name that the last NOTE_NAME is about."""
        return self.name_bytes[: self.name_length]
