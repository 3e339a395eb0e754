# RowMask: the rows of a batch's events, masked.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport ANONYMOUS_GTID, COMMON_HEADER_LENGTH, GTID, is_gtid, is_rows
from pybinlog.kernel.base.event cimport MARIA_ANNOTATE_ROWS, MARIA_GTID, octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.event cimport QUERY, ROWS_QUERY, TABLE_MAP, XID
from pybinlog.kernel.mask.lanes cimport Waiting
from pybinlog.kernel.mask.statement_literals cimport ReadSession, StatementLiterals
from pybinlog.kernel.mask.text_mask cimport TextMask
from pybinlog.kernel.rows.rows cimport rows_parse, ROWS_UPDATE, RowsFields
from pybinlog.kernel.rows.table_map cimport TableMaps, p_TableMap, p_const_Column

# The result for a row event.
cpdef enum:
    ROWS_MASKED = 0
    ROWS_WRONG = 1                     # a length leads out of it, or bytes are left
    ROWS_WITHOUT_TABLE = 2
    ROWS_OF_UNKNOWN_TYPE = 3           # or a value of which the size is not known
    ROWS_WITH_UNKNOWN_PART = 4         # in its extra row information
    EVENT_WRONG = 5                    # a length leads out of it

# The remarks for the report, about the values that were met.
cpdef enum:
    REMARK_ENUM = 1                    # an ENUM whose members are unknown became its first
    REMARK_SET = 2                     # a SET whose members are unknown got its first members
    REMARK_BYTES = 4                   # a text of unknown character set
    REMARK_COMPRESSED = 8              # a compressed value was replaced
    REMARK_SIGN = 16                   # integers of which no sign is known
    REMARK_COLLATIONS = 32             # text_mask.pxd's REMARK_COLLATION
    REMARK_CODES = 64                  # text_mask.pxd's REMARK_CODE

cdef enum:
    MOST_MASKED_COLUMNS = 4096                # of a table of any server
# The members of each ENUM and SET of the table map that was seen last.
cdef struct Members:
    uint64_t put_first                 # the map's `first_number`
    uint64_t table_id
    uint32_t count[MOST_MASKED_COLUMNS]
    bint known

cdef class RowMask(TextMask):
    cdef TableMaps maps
    cdef Members members
    cdef Waiting waiting
    cdef public bint keeps_names       # names and UUIDs of servers are not masked
    cdef readonly StatementLiterals literals
    cdef readonly dict table_maps      # body -> its mask
    cdef readonly dict queries         # body from its ninth byte on -> ReadSession and mask, if the statement stays
    cdef readonly dict uuids           # UUID of a server -> its mask
    cdef readonly dict heads           # bytes between the first eight of a Query and its statement -> the same
    cdef readonly uint64_t statements  # that had literals, of those that were masked here
    cdef readonly object error_index   # of the event that was refused, and why
    cdef readonly int error_code
    cdef readonly uint64_t rows
    cdef readonly uint64_t values

    cdef int mask_rows(self, p_const_Format format, uint8_t* event, size_t size) except -1 nogil
    cdef int mask_image(
        self, const RowsFields* fields, p_TableMap map, uint8_t** at, uint8_t* end, bint after
    ) except -1 nogil
    cdef bint mask_value(self, p_TableMap map, p_const_Column column, uint8_t* at, uint8_t* end, bint partial) except -1 nogil
    cdef uint8_t masked_year(self, uint8_t year) noexcept nogil
    cdef void mask_member(self, bint is_set, uint8_t* at, size_t size, uint32_t count) noexcept nogil
    cdef int mask_compressed(self, uint8_t* data, size_t size) except -1 nogil
    cdef int masks_at_a_glance(self, p_const_Format format, p_const_Event event, uint8_t* out) except -1
    cdef void make_checksum(self, p_const_Event event, uint8_t* out) noexcept nogil
    cdef int masks_statement(self, p_const_Format format, int type, uint8_t* body, size_t size) except -1
    cdef void find_members(self, p_TableMap map) noexcept nogil

# Used in this module only.
cdef bint is_corrupt(p_const_Event e, p_const_Format format) noexcept nogil
cdef bint mask_geometry(TextMask mask, uint8_t* data, size_t size) noexcept nogil
cdef bint is_change(const uint8_t* text, size_t size) noexcept nogil
cdef uint8_t* mask_shape(TextMask mask, uint8_t* at, uint8_t* end, double bound, int depth) noexcept nogil
cdef int mask_extra(uint8_t* at, uint8_t* end, bint is_update) noexcept nogil
cdef uint64_t read_length_of(const uint8_t* at, size_t size) noexcept nogil
cdef size_t mysql_gtid_size(const uint8_t* body, size_t size) noexcept nogil
