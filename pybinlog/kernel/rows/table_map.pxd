from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.charset cimport p_const_Charset
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, octets, p_const_Format, TABLE_MAP
from pybinlog.kernel.base.text cimport Text, text_free


# The column types that a table map names, TYPE_..., and the types of optional metadata; made by setup.py of
# pybinlog/column_types.py.
include "column_types.pxi"

cdef enum:
    TYPE_BOOL = 244                    # of no column: the reference has a name for it

# One Table_map event's fields; the pointers lead into the event.
cdef struct TableMapFields:
    uint64_t table_id
    uint16_t flags
    octets database
    octets table
    octets types                       # a byte for each column
    octets metadata
    octets null_bits                   # NULL in an event that ends with the types
    octets optional                    # the optional metadata: type, length, value
    size_t database_length
    size_t table_length
    size_t column_count
    size_t metadata_size
    size_t optional_size

cdef enum:
    GENERATED_INVISIBLE_PRIMARY_KEY = 1 << 2    # in the flags of a Table_map event

# The sign of a number, if the event says.
cdef enum Signedness:
    SIGN_UNKNOWN = 0
    SIGNED = 1
    UNSIGNED = 2

# Facts about a column, computed once, so that a row costs only its values.
cdef struct Column:
    uint8_t type                       # the type of the values (ENUM and SET are STRING in the event)
    uint8_t kind                       # how to read a value, see column.pxd
    uint8_t value                      # what it is where a length comes before it, see column_value.pxd
    uint8_t decimals                   # DECIMAL's scale
    uint8_t signedness                 # of a number, as Signedness says
    bint nullable
    bint shown                         # GEOMETRY in a log of MariaDB, whose reference shows the bytes
    uint32_t metadata
    uint32_t collation                 # of a string, an ENUM or a SET, by its number; 0 if the event does not say
    uint32_t size                      # bytes of a value, or of its length field
    uint32_t prefix_length             # "###   @1="
    uint32_t suffix_length             # after a value: " /* INT meta=0 nullable=1 is_null=0 */\n"
    uint32_t null_length               # the line of a null, from its start
    size_t prefix                      # where these begin in the map's `texts`
    size_t suffix
    size_t null_line
ctypedef const Column* p_const_Column

cdef inline uint32_t string_length(p_const_Column column) noexcept nogil:
    """Bytes of a CHAR or BINARY. Two bits of a long one's length hide in its type, the metadata's upper byte."""
    cdef uint32_t metadata = column.metadata
    return metadata if metadata < 256 else (((metadata >> 4) & 0x300) ^ 0x300) | (metadata & 255)

# A column in JSON; places are in the map's `label_text` and `member_ends`.
cdef struct ColumnLabel:
    size_t key                         # ',"name":'
    size_t key_length
    size_t first_member                # of an ENUM or a SET, its place among all of the table
    size_t member_count                # 0 if they are not known
    bint binary                        # bytes, not characters
    bint ascii                         # bytes of ASCII are their characters
    p_const_Charset charset            # NULL: UTF-8, or not known
    uint32_t length                    # of a CHAR or BINARY, in bytes
    bint address                       # MariaDB's UUID, INET4 or INET6 (address.pxd), which are `binary`

# How much is known of a table's columns.
cdef enum TableMetadata:
    METADATA_NONE = 0                  # types alone
    METADATA_MINIMAL = 1               # signs and character sets, too
    METADATA_FULL = 2                  # names and members, too (binlog_row_metadata=FULL)
    METADATA_SCHEMA = 3                # the same, from elsewhere than the log

cdef struct TableMap:
    TableMapFields fields              # the pointers lead into `body`
    uint8_t* body                      # the event without its header
    size_t body_size
    size_t memory                      # bytes held by this map
    uint64_t first_number              # of the event that put it first, counted over all
    uint64_t put_number                # of the event that put it last
    uint8_t* lent                      # optional metadata from elsewhere, to which `fields` point; NULL: the event's
    uint64_t lent_in                   # what the borrower counts: when it asked last; 0: never
    Column* columns                    # NULL until a row event needs them
    bint mariadb                       # the log is MariaDB's, which gives more columns a character set
    uint8_t header_length              # of the format that it was read with
    uint8_t post_header
    int verbosity                      # what `columns` and `texts` are made for
    size_t json_columns
    size_t name_length                 # `database`.`table`, the beginning of `texts`
    Text texts
    ColumnLabel* labels                # NULL until JSON needs them
    Text label_text                    # the keys and the members of ENUM and SET
    size_t key_names                   # the key's columns in `label_text`, a JSON array; nothing if the key is not known
    size_t key_names_length
    Text member_ends                   # where the members end, each a size_t; before the first of a column where it begins
    TableMetadata metadata             # set with `labels`
    uint64_t cascades_in               # `ViewEvents.definitions` when the next two were set; 0: never
    bint cascades_deletes              # a DELETE of its rows changes rows of other tables, by foreign keys
    uint64_t cascades_columns          # and so does an UPDATE of these, of the first 64
    bint judged                        # a filter has asked if the names match, or a check has read them
    bint matches                       # and they do
ctypedef TableMap* p_TableMap
ctypedef const TableMap* p_const_TableMap

cdef struct TableMaps:
    p_TableMap* slots                  # open addressing by table id, a power of two of them
    size_t slot_count
    size_t count
    size_t memory
    uint64_t put_number
    Text scratch                       # for JSON on its way into quotes
    bint named                         # rows are printed with the names of their columns, if they are known
    bint exact                         # names are printed as the reference prints them, whatever they are
ctypedef TableMaps* p_TableMaps

cdef int table_map_parse(TableMapFields* fields, p_const_Format format, octets event, size_t size) noexcept nogil
cdef int table_map_parse_names(TableMapFields* fields, octets at, octets end) noexcept nogil

cdef void table_maps_init(p_TableMaps maps) noexcept nogil
cdef void table_maps_free(p_TableMaps maps) noexcept nogil
cdef void table_maps_clear(p_TableMaps maps) noexcept nogil
# `event` points at the 19-byte header; `size` is without the checksum. 0, or -1 if the event is corrupt, or -2 if there
# is no memory.
cdef int table_maps_put(p_TableMaps maps, p_const_Format format, octets event, size_t size) noexcept nogil
# True if another table has the number of this Table_map.
cdef bint table_maps_differ(p_TableMaps maps, p_const_Format format, octets event, size_t size) noexcept nogil
# Have the maps of another one alone, which are of logs of this format, with what they are lent. False if there is no
# memory.
cdef bint table_maps_copy(p_TableMaps maps, const TableMaps* other, p_const_Format format) noexcept nogil
# NULL if the table is not known. Holds until the next put, remove or clear.
cdef p_TableMap table_maps_get(p_TableMaps maps, uint64_t table_id) noexcept nogil
# Give the map a copy of optional metadata that its event lacks; size 0 gives it back the event's own. False if there is
# no memory.
cdef bint table_maps_lend(p_TableMaps maps, p_TableMap map, octets optional, size_t size) noexcept nogil
# Bytes of the labels, and of their texts.
cdef size_t label_memory(p_const_TableMap map) noexcept nogil
# Forget the labels.
cdef void table_map_unlabel(p_TableMaps maps, p_TableMap map) noexcept nogil
cdef void table_maps_remove(p_TableMaps maps, uint64_t table_id) noexcept nogil
# A field of a table map or of its optional metadata whose length is a length-encoded integer.
cdef bint read_block(octets* at, octets end, octets* data, size_t* size) noexcept nogil
# The value of the optional metadata field of this type; at[0] == end[0] where there is none.
cdef void find_optional(const TableMapFields* fields, int type, octets* value, octets* value_end) noexcept nogil

# Used in this module only.
cdef bint read_name(octets* at, octets end, octets* name, size_t* length) noexcept nogil
cdef void table_map_free(p_TableMap map) noexcept nogil
cdef bint rebuild(p_TableMaps maps, size_t slot_count, uint64_t oldest) noexcept nogil
cdef size_t find_slot(p_TableMaps maps, uint64_t table_id) noexcept nogil
