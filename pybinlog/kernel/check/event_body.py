"""EventBody: whether the text of an event can be made, and its names printed without harm; compiled, a check asks it
of every event.

It reads an event with the function that its text is made with (`query_parts`, `rows_parse` ...), so that what ends a
dump is found by a check, and passes its rows as they are counted.

It remembers Table_maps, and the status variables and names that came last, as nearly all of them come again. Events
that a dump reads in Python (rare types, and MariaDB's compressed events in an unusual form) get NOTE_RARE:
check/bodies.py reads them with the functions of a dump.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, fields
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.column import VALUES, table_map_prepare
from cython.cimports.pybinlog.kernel.scan import event_fields, gtid_fields
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_parse
from cython.cimports.pybinlog.kernel.scan.event_fields import SMALL_CORRUPT, SMALL_RARE, small_event

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


def is_harmless(name: cython.p_const_char, length: cython.size_t, harm: uint8_t) -> cython.bint:
    """Return True if no byte of the name can do one of these."""
    found: uint8_t = 0
    i: cython.size_t
    for i in range(length):
        found |= HARM[cython.cast(uint8_t, name[i])]
    return found & harm == 0


def is_known(
    known: cython.pointer(cython.const[KnownBytes]), data: cython.p_const_char, length: cython.size_t
) -> cython.bint:
    return known.length == length and memcmp(known.bytes, data, length) == 0


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
        table_map.table_maps_init(cython.address(self.maps))

    def __dealloc__(self):
        table_map.table_maps_free(cython.address(self.maps))

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
        xid: fields.XidHead
        gtids: gtid_fields.PreviousGtids
        notes: uint32_t = 0
        if event.is_rows(kind):
            return self.read_rows(e, format)
        if kind == TABLE_MAP:
            return self.read_table_map(e, format)
        if kind == event.QUERY or kind == event.EXECUTE_LOAD_QUERY:
            return self.read_query(e, format)
        if kind == event.XID:
            if event_fields.xid_parse(cython.address(xid), e, format) < 0:
                return NOTE_CORRUPT
            self.xid = xid.xid
            return 0
        if event.is_compressed_rows(kind):
            return self.read_rows(e, format) | NOTE_RARE
        if kind == event.MARIA_QUERY_COMPRESSED:
            return self.read_query(e, format) | NOTE_RARE
        status: cython.int = small_event(e, format)
        if status == SMALL_CORRUPT:
            return NOTE_CORRUPT
        if status == SMALL_RARE:
            return NOTE_RARE
        if kind == event.MARIA_BINLOG_CHECKPOINT:
            return self.read_checkpoint(e, format)
        if kind == event.PREVIOUS_GTIDS or kind == event.MARIA_GTID_LIST:
            if not gtid_fields.gtid_set_is_whole(e, format):
                return NOTE_CORRUPT
        if kind == event.PREVIOUS_GTIDS:
            gtid_fields.previous_gtids_begin(cython.address(gtids), e, format)
            while gtids.left and notes == 0:
                gtid_fields.previous_gtids_next(cython.address(gtids))
                notes = self.read_tag(gtids.tag, gtids.tag_length)
        return notes

    def read_rows(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """Read a row event, with its rows."""
        head: StatementHead
        if not statement_head(cython.address(head), e, format):
            return NOTE_CORRUPT
        if rows_parse(cython.address(self.rows), format, e.data, e.body_end) < 0:
            return NOTE_CORRUPT
        if self.content != cython.NULL:
            self.rows.rows = self.content
            self.rows.rows_size = self.content_size
        elif event.is_compressed_rows(e.type):
            return 0
        map: p_TableMap = table_map.table_maps_get(cython.address(self.maps), self.rows.table_id)
        if map == cython.NULL or self.rows.rows_size == 0:
            return 0
        if not table_map_prepare(cython.address(self.maps), map, VALUES):
            return NOTE_NO_MEMORY
        routes = self.routes + map.first_number % ROUTED_TABLES * 4
        return NOTE_UNREADABLE if count_rows(routes, cython.address(self.rows), map, True) < 0 else 0

    def read_query(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """Read a Query, or an event like one."""
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
        fields: table_map.TableMapFields
        head: StatementHead
        if not statement_head(cython.address(head), e, format):
            return NOTE_CORRUPT
        status: cython.int = table_map.table_maps_put(cython.address(self.maps), format, e.data, e.body_end)
        if status != 0:
            return NOTE_CORRUPT if status == -1 else NOTE_NO_MEMORY
        # NULL if headers have a strange length
        map: p_TableMap = table_map.table_maps_get(cython.address(self.maps), head.table_id)
        if map != cython.NULL and map.judged:
            return 0
        if table_map.table_map_parse(cython.address(fields), format, e.data, e.body_end) < 0:
            return NOTE_CORRUPT
        text: cython.p_const_char = cython.cast(cython.p_const_char, fields.database)
        if not is_harmless(text, fields.database_length, HARM_CONTROL):
            return self.suspicious(NAME_DATABASE, text, fields.database_length)
        text = cython.cast(cython.p_const_char, fields.table)
        if not is_harmless(text, fields.table_length, HARM_CONTROL):
            return self.suspicious(NAME_TABLE, text, fields.table_length)
        if map != cython.NULL:
            map.judged = True
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
        if e.type == event.MARIA_QUERY_COMPRESSED:
            if query_parts(cython.address(self.query), format, e.data, e.body_end) < 0:
                return 0
            at: octets = cython.cast(octets, self.query.text)
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
