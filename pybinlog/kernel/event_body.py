# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""EventBody: whether the text of an event can be made, and its names printed without harm; compiled, a check asks it
of every event.

It reads an event with the function that its text is made with (`query_parse_like`, `rows_parse` ...), so that what
ends a dump is found by a check. What stands in row images is not looked at: the text says of an image that cannot be
read that it cannot, and goes on.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.event_body is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy
from cython.cimports.pybinlog.kernel.check_note import NOTE_CORRUPT, NOTE_NAME, NOTE_RARE
from cython.cimports.pybinlog.kernel.control import (
    Rotate,
    XaPrepare,
    file_id_parse,
    incident_parse,
    rotate_parse,
    xa_prepare_parse,
    xid_parse,
)
from cython.cimports.pybinlog.kernel.event import (
    ANONYMOUS_GTID,
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    DELETE_FILE,
    EXECUTE_LOAD_QUERY,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    INCIDENT,
    INTVAR,
    LAST_MYSQL,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_GTID,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
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
    is_rows,
)
from cython.cimports.pybinlog.kernel.gtid import PreviousGtids, previous_gtids_begin, previous_gtids_next
from cython.cimports.pybinlog.kernel.query import query_parse, query_parse_like
from cython.cimports.pybinlog.kernel.rows import rows_parse
from cython.cimports.pybinlog.kernel.statement import rows_query_parse, statement_head
from cython.cimports.pybinlog.kernel.table_map import TableMapFields, table_map_parse
from cython.cimports.pybinlog.kernel.variable import Intvar, UserVar, intvar_parse, rand_parse, user_var_parse

HEADER = cython.declare(cython.size_t, 19)

# What a byte can do in the text: end a comment or upset a terminal; or end a string.
CONTROL = cython.declare(uint8_t, 1)
QUOTE = cython.declare(uint8_t, 2)
HARM = cython.declare(uint8_t[256])


@cython.cfunc
def fill_harm() -> cython.void:
    code: cython.int
    for code in range(256):
        HARM[code] = 0
        if code < 32 or code == 127:
            HARM[code] = CONTROL
        elif code == 34 or code == 39 or code == 92 or code == 96:  # the quotes, and the backslash
            HARM[code] = QUOTE


fill_harm()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_harmless(name: cython.p_const_char, length: cython.size_t, harm: uint8_t) -> cython.bint:
    """Whether no byte of the name can do one of these."""
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
    known: cython.pointer(cython.const[KnownName]), name: cython.p_const_char, length: cython.size_t
) -> cython.bint:
    return known.length == length and memcmp(known.name, name, length) == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remember(known: cython.pointer(KnownName), name: cython.p_const_char, length: cython.size_t) -> cython.void:
    if length <= cython.sizeof(known.name):
        memcpy(known.name, name, length)
        known.length = length


def has_control_character(name: bytes) -> bool:
    """Whether a byte of the name could end a comment, or upset a terminal."""
    return not is_harmless(name, len(name), CONTROL)


@cython.final
@cython.cclass
class EventBody:
    """`read` gives NOTE_CORRUPT where the text of the event could not be made, NOTE_RARE where the event is one that
    pybinlog.check.bodies has to read, and NOTE_NAME where a name in it could do harm in the text."""

    def read(self, e, format):
        kind: uint8_t = e.type
        status: cython.int = 0
        number: uint64_t = 0
        short: uint32_t = 0
        incident: uint16_t = 0
        seeds: int64_t[2]
        flags: uint16_t = 0
        length: cython.size_t = 0
        text: cython.p_const_char = cython.NULL
        rotate: Rotate
        xa: XaPrepare
        gtids: PreviousGtids
        intvar: Intvar
        variable: UserVar
        notes: uint32_t = 0
        if is_rows(kind):
            if not statement_head(e, format, cython.address(number), cython.address(flags), cython.address(length)):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.size)
        elif kind == TABLE_MAP:
            return self.read_table_map(e, format)
        elif kind == QUERY:
            return self.read_query(e, format)
        elif kind == XID:
            status = xid_parse(cython.address(number), e, format)
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
        elif MARIA_WRITE_ROWS_COMPRESSED_V1 <= kind <= MARIA_DELETE_ROWS_COMPRESSED and format.mariadb:
            if not statement_head(e, format, cython.address(number), cython.address(flags), cython.address(length)):
                return NOTE_CORRUPT
            status = rows_parse(cython.address(self.rows), format, e.data, e.size)
            notes = NOTE_RARE
        elif kind <= LAST_MYSQL:
            if not (
                kind == GTID
                or kind == ANONYMOUS_GTID
                or kind == GTID_TAGGED
                or kind == TRANSACTION_PAYLOAD
                or kind == FORMAT_DESCRIPTION
                or kind == STOP
                or kind == IGNORABLE
                or kind == UNKNOWN
            ):
                notes = NOTE_RARE
        elif format.mariadb and MARIA_ANNOTATE_ROWS < kind <= MARIA_DELETE_ROWS_COMPRESSED and kind != MARIA_GTID:
            notes = NOTE_RARE
        return NOTE_CORRUPT if status < 0 else notes

    def read_query(self, e, format):
        """A Query, or an Execute_load_query, which has fields of its own."""
        query: cython.pointer(Query) = cython.address(self.query)
        if e.type == EXECUTE_LOAD_QUERY:
            if query_parse(query, e, format) < 0:
                return NOTE_CORRUPT
        elif query_parse_like(query, cython.address(self.last_status[0]), e, format) < 0:
            return NOTE_CORRUPT
        if query.time_zone_length and not is_known(
            cython.address(self.time_zone), query.time_zone, query.time_zone_length
        ):
            if not is_harmless(query.time_zone, query.time_zone_length, CONTROL | QUOTE):
                return self.suspicious(NAME_TIME_ZONE, query.time_zone, query.time_zone_length)
            remember(cython.address(self.time_zone), query.time_zone, query.time_zone_length)
        if query.database_length and not is_known(cython.address(self.database), query.database, query.database_length):
            if not is_harmless(query.database, query.database_length, CONTROL):
                return self.suspicious(NAME_DATABASE, query.database, query.database_length)
            remember(cython.address(self.database), query.database, query.database_length)
        return 0

    def read_table_map(self, e, format):
        fields: TableMapFields
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        if not statement_head(e, format, cython.address(table_id), cython.address(flags), cython.address(behind)):
            return NOTE_CORRUPT
        known: cython.pointer(KnownMap) = cython.address(self.maps[table_id & (KNOWN_MAPS - 1)])
        size: cython.size_t = e.size - HEADER
        if (
            known.size == size
            and known.header_length == format.header_length
            and known.post_header == format.post_header_length[TABLE_MAP]
            and memcmp(known.body, e.data + HEADER, size) == 0
        ):
            return 0
        if table_map_parse(cython.address(fields), format, e.data, e.size) < 0:
            return NOTE_CORRUPT
        text: cython.p_const_char = cython.cast(cython.p_const_char, fields.database)
        if not is_harmless(text, fields.database_length, CONTROL):
            return self.suspicious(NAME_DATABASE, text, fields.database_length)
        text = cython.cast(cython.p_const_char, fields.table)
        if not is_harmless(text, fields.table_length, CONTROL):
            return self.suspicious(NAME_TABLE, text, fields.table_length)
        if size <= LONGEST_MAP:
            known.size = cython.cast(uint32_t, size)
            known.header_length = format.header_length
            known.post_header = format.post_header_length[TABLE_MAP]
            memcpy(known.body, e.data + HEADER, size)
        return 0

    def read_tag(self, tag, length):
        if is_harmless(tag, length, CONTROL | QUOTE):
            return 0
        return self.suspicious(NAME_TAG, tag, length)

    def suspicious(self, kind, name, length):
        """Keep a name that could do harm, or as much of it as fits."""
        self.name_kind = kind
        self.name_length = length if length < cython.sizeof(self.name_bytes) else cython.sizeof(self.name_bytes)
        memcpy(self.name_bytes, name, self.name_length)
        return NOTE_NAME

    @property
    def name(self) -> bytes:
        """The name that the last NOTE_NAME is about."""
        return self.name_bytes[: self.name_length]
