from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, TABLE_MAP
from pybinlog.kernel.rows.image_route cimport count_rows, ImageRoute, ROUTED_TABLES
from pybinlog.kernel.rows.rows cimport rows_parse, RowsFields, statement_head, StatementHead
from pybinlog.kernel.rows.table_map cimport p_TableMap, TableMaps
from pybinlog.kernel.scan.classify cimport query_parts, QueryParts
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent


# Bits of CheckScan.notes; names of the module for Python code, too.
cpdef enum:
    # Types to look into.
    NOTE_FORMAT_DESCRIPTION = 0x1
    NOTE_ROTATE = 0x2
    NOTE_PREVIOUS_GTIDS = 0x4
    NOTE_XA_PREPARE = 0x8
    NOTE_XA_END = 0x10              # XA COMMIT or XA ROLLBACK
    NOTE_PAYLOAD = 0x20
    NOTE_STREAM = 0x40              # a fake Rotate: another stream begins
    NOTE_ENCRYPTED = 0x80           # MariaDB's: the events after this one are encrypted
    # Rules that are broken.
    NOTE_REFUSED = 0x100            # the first of a run of refusals
    NOTE_STARTS_INSIDE = 0x200      # ... before any transaction began
    NOTE_GTID_ALONE = 0x400         # the GTID before this event has no statement
    NOTE_IN_STEP = 0x800            # the run of refusals is over
    NOTE_CONTRADICTION = 0x1000
    NOTE_RESERVED = 0x2000
    NOTE_UNKNOWN_TYPE = 0x4000
    NOTE_END_LOG_POS = 0x8000
    NOTE_CORRUPT = 0x10000
    NOTE_NO_TABLE_MAP = 0x20000
    NOTE_NO_STATEMENT_END = 0x40000
    NOTE_CLOCK = 0x80000            # last_committed is not below sequence_number
    NOTE_GTID = 0x100000            # `finished_gtid` must be added to the set
    NOTE_ROLLBACK = 0x200000
    NOTE_RARE = 0x400000            # of a type whose body is not read here
    NOTE_NAME = 0x800000            # a name that could do harm in the text
    NOTE_NO_FORMAT = 0x1000000      # rows before any Format_description of the server that wrote them
    NOTE_NO_END = 0x2000000         # a statement that began is not ended
    NOTE_EMPTY = 0x4000000          # a transaction without a statement is over
    NOTE_WATCHED = 0x10000000       # of a type code that `watch` was asked about
    NOTE_XID_TWICE = 0x8000000      # `xid_twice` committed another transaction of this log
    NOTE_UNREADABLE = 0x20000000    # a row does not fit its Table_map
    NOTE_NO_MEMORY = 0x40000000

cdef enum:
    KNOWN_STATUS = 16         # slots, by the last bits of the length; a power of two
    LONGEST_KNOWN = 255       # bytes of a name, or of status variables

# The owner of a name with suspicious characters; names of the module for Python code, too.
cpdef enum:
    NAME_DATABASE = 0
    NAME_TABLE = 1
    NAME_TIME_ZONE = 2
    NAME_TAG = 3
    NAME_CHECKPOINT = 4

# Things that were checked and are likely to come again: an ordinary name, and status variables that can be read, with an
# ordinary time zone.
cdef struct KnownBytes:
    size_t length
    char bytes[LONGEST_KNOWN]

cdef class EventBody:
    cdef QueryParts query               # of the Query event that was read last
    cdef RowsFields rows
    cdef uint64_t xid                   # of the Xid or Query event that was read last; 0: none
    cdef TableMaps maps
    cdef ImageRoute routes[4 * ROUTED_TABLES]
    cdef octets content                 # the inflated rows of the next compressed event; NULL: there are none
    cdef size_t content_size
    cdef KnownBytes database
    cdef KnownBytes[KNOWN_STATUS] status
    cdef InflatedEvent inflated
    cdef readonly size_t data_at        # in the body of the last compressed event: where its data begin
    cdef uint8_t watched[256]           # by type code, whatever it means in this log
    cdef readonly int name_kind         # what the name that NOTE_NAME is about names
    cdef size_t name_length
    cdef char name_bytes[LONGEST_KNOWN]

    cdef uint32_t read(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t read_rows(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t read_query(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t read_table_map(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t read_checkpoint(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef uint32_t read_tag(self, const char* tag, size_t length) noexcept nogil
    cdef uint32_t suspicious(self, int kind, const char* name, size_t length) noexcept nogil
    # Inflate a compressed event of MariaDB; the offset at which its inflated data begin. 0 if it is not ordinary: then
    # pybinlog.log.large_event inflates it, or says what is wrong.
    cdef size_t inflate(self, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef bint is_harmless(const char* name, size_t length, uint8_t harm) noexcept nogil
cdef void remember(KnownBytes* known, const char* data, size_t length) noexcept nogil
cdef bint is_known(const KnownBytes* known, const char* data, size_t length) noexcept nogil
