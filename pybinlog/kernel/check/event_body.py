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
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    COMMON_HEADER_LENGTH,
    DELETE_FILE,
    EXECUTE_LOAD_QUERY,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    INCIDENT,
    INTVAR,
    MARIA_ANNOTATE_ROWS,
    MARIA_BINLOG_CHECKPOINT,
    MARIA_GTID,
    MARIA_GTID_LIST,
    MARIA_QUERY_COMPRESSED,
    MARIA_START_ENCRYPTION,
    PREVIOUS_GTIDS,
    QUERY,
    RAND,
    ROTATE,
    ROWS_QUERY,
    STOP,
    TABLE_MAP,
    TRANSACTION_PAYLOAD,
    UNKNOWN,
    USER_VAR,
    XA_PREPARE,
    XID,
    is_compressed_rows,
    is_rows,
    octets,
)
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, rows_parse, statement_head
from cython.cimports.pybinlog.kernel.rows.table_map import TableMapFields, table_map_parse
from cython.cimports.pybinlog.kernel.scan.event_fields import (
    Intvar,
    Rotate,
    StartEncryption,
    UserVar,
    XaPrepare,
    checkpoint_parse,
    file_id_parse,
    incident_parse,
    intvar_parse,
    rand_parse,
    rotate_parse,
    rows_query_parse,
    start_encryption_parse,
    user_var_parse,
    xa_prepare_parse,
    xid_parse,
)
from cython.cimports.pybinlog.kernel.scan.classify import query_parts
from cython.cimports.pybinlog.kernel.scan.gtid_fields import (
    PreviousGtids,
    maria_gtid_list_parse,
    previous_gtids_begin,
    previous_gtids_next,
)
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
        elif code == 34 or code == 39 or code == 92 or code == 96:  # the quotes, and the backslash
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

    def read(self, e, format):
        kind: uint8_t = e.type
        status: cython.int = 0
        number: uint64_t = 0
        short: uint32_t = 0
        incident: uint16_t = 0
        seeds: int64_t[2]
        head: StatementHead
        length: cython.size_t = 0
        text: cython.p_const_char = cython.NULL
        rotate: Rotate
        xa: XaPrepare
        gtids: PreviousGtids
        intvar: Intvar
        variable: UserVar
        encryption: StartEncryption
        notes: uint32_t = 0
        if is_rows(kind):
            if not statement_head(cython.address(head), e, format):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.body_end)
        elif kind == TABLE_MAP:
            return self.read_table_map(e, format)
        elif kind == QUERY:
            return self.read_query(e, format)
        elif kind == XID:
            status = xid_parse(cython.address(number), e, format)
            self.xid = number
        elif kind == ROWS_QUERY:
            status = rows_query_parse(cython.address(text), cython.address(length), e, format)
        elif kind == INTVAR:
            status = intvar_parse(cython.address(intvar), e, format)
        elif kind == RAND:
            status = rand_parse(seeds, e, format)
        elif kind == USER_VAR:
            status = user_var_parse(cython.address(variable), e, format)
        elif kind == BEGIN_LOAD_QUERY or kind == APPEND_BLOCK or kind == DELETE_FILE:
            status = file_id_parse(cython.address(short), e, format)
        elif kind == EXECUTE_LOAD_QUERY:
            return self.read_query(e, format)
        elif kind == ROTATE:
            status = rotate_parse(cython.address(rotate), e, format)
        elif kind == XA_PREPARE:
            status = xa_prepare_parse(cython.address(xa), e, format)
        elif kind == INCIDENT:
            status = incident_parse(cython.address(incident), e, format)
        elif kind == PREVIOUS_GTIDS:
            status = previous_gtids_begin(cython.address(gtids), e, format)
            while status == 0 and gtids.left:
                status = previous_gtids_next(cython.address(gtids)) - 1
                if status == 0 and notes == 0:
                    notes = self.read_tag(gtids.tag, gtids.tag_length)
        elif is_compressed_rows(kind):
            if not statement_head(cython.address(head), e, format):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.body_end)
            notes = NOTE_RARE
        elif kind == MARIA_QUERY_COMPRESSED:
            return self.read_query(e, format) | NOTE_RARE
        elif kind == MARIA_BINLOG_CHECKPOINT:
            return self.read_checkpoint(e, format)
        elif kind == MARIA_GTID_LIST:
            status = -1 if maria_gtid_list_parse(e, format, cython.address(short)) == cython.NULL else 0
        elif kind == MARIA_START_ENCRYPTION:
            status = start_encryption_parse(cython.address(encryption), e, format)
        elif not (
            kind == GTID
            or kind == ANONYMOUS_GTID
            or kind == GTID_TAGGED
            or kind == TRANSACTION_PAYLOAD
            or kind == FORMAT_DESCRIPTION
            or kind == STOP
            or kind == IGNORABLE
            or kind == UNKNOWN
            or kind == MARIA_ANNOTATE_ROWS
            or kind == MARIA_GTID
        ):
            notes = NOTE_RARE
        return NOTE_CORRUPT if status < 0 else notes

    def read_query(self, e, format):
        """A Query, or what is like one."""
        parts: cython.pointer(QueryParts) = cython.address(self.query)
        query: Query
        self.xid = 0
        if query_parts(parts, format, e.data, e.body_end) < 0:
            return NOTE_CORRUPT
        variables: cython.p_const_char = cython.cast(cython.p_const_char, parts.status)
        known: cython.pointer(KnownBytes) = cython.address(self.status[parts.status_length & (KNOWN_STATUS - 1)])
        if e.type == EXECUTE_LOAD_QUERY or not is_known(known, variables, parts.status_length):
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

    def read_table_map(self, e, format):
        fields: TableMapFields
        head: StatementHead
        if not statement_head(cython.address(head), e, format):
            return NOTE_CORRUPT
        known: cython.pointer(KnownMap) = cython.address(self.maps[head.table_id & (KNOWN_MAPS - 1)])
        size: cython.size_t = e.body_end - COMMON_HEADER_LENGTH
        if (
            known.size == size
            and known.header_length == format.header_length
            and known.post_header == format.post_header_length[TABLE_MAP]
            and memcmp(known.body, e.data + COMMON_HEADER_LENGTH, size) == 0
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
            memcpy(known.body, e.data + COMMON_HEADER_LENGTH, size)
        return 0

    def read_checkpoint(self, e, format):
        name: octets = cython.NULL
        length: cython.size_t = 0
        if checkpoint_parse(cython.address(name), cython.address(length), e, format) < 0:
            return NOTE_CORRUPT
        text: cython.p_const_char = cython.cast(cython.p_const_char, name)
        return 0 if is_harmless(text, length, HARM_CONTROL) else self.suspicious(NAME_CHECKPOINT, text, length)

    def read_tag(self, tag, length):
        if is_harmless(tag, length, HARM_CONTROL | HARM_QUOTE):
            return 0
        return self.suspicious(NAME_TAG, tag, length)

    def suspicious(self, kind, name, length):
        """Keep a name that could do harm, or as much of it as fits."""
        self.name_kind = kind
        self.name_length = length if length < cython.sizeof(self.name_bytes) else cython.sizeof(self.name_bytes)
        memcpy(self.name_bytes, name, self.name_length)
        return NOTE_NAME

    def inflate(self, e, format):
        at: octets
        if e.type == MARIA_QUERY_COMPRESSED:
            if query_parts(cython.address(self.query), format, e.data, e.body_end) < 0:
                return 0
            at = cython.cast(octets, self.query.text)
        elif is_compressed_rows(e.type):
            if rows_parse(cython.address(self.rows), format, e.data, e.body_end) < 0:
                return 0
            at = self.rows.rows
        else:
            return 0
        self.data_at = at - e.data - COMMON_HEADER_LENGTH
        return at - e.data if self.inflated.read(e, at - e.data, format, False) else 0

    @property
    def name(self) -> bytes:
        """The name that the last NOTE_NAME is about."""
        return self.name_bytes[: self.name_length]
