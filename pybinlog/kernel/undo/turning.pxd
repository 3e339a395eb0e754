from libc.stdint cimport uint16_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Format, TABLE_MAP, WRITE_ROWS
from pybinlog.kernel.base.text cimport p_Text, text_grow
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE, RowsKind
from pybinlog.kernel.rows.table_map cimport p_const_TableMap, p_TableMap, TYPE_JSON


cdef enum:
    MOST_TURNINGS = 1024
    TURNING_SLOTS = 2048

# How the row events of one table, kind, flags and columns are turned, and how many rows they had.
cdef struct Turning:
    uint64_t map_number            # TableMap.first_number, and the number of definitions then
    uint64_t definitions
    uint16_t flags
    bint partial
    size_t bitmap_size
    octets columns                 # of the source events
    octets columns_after
    uint8_t* data                  # holds what the pointers lead to
    octets table_map               # its body
    size_t table_map_size
    octets head                    # of the turned event, from its table id to its bitmaps
    size_t head_size
    octets wanted                  # the columns by which a row of an update is found, as bits
    size_t null_bytes              # of the images with them
    int type
    RowsKind kind
    bint same_columns              # both images of an update have the same
    bint one_by_one                # each row of an event becomes an event of its own
    bint sound                     # nothing is wrong in such events
    bint left_out
    bint begun                     # rows of such an event were taken
    uint64_t now                   # rows of the current transaction
    uint64_t done                  # and of those before

# All kinds that came, by their numbers.
cdef struct Turnings:
    size_t count
    Turning of[MOST_TURNINGS]
    uint16_t slots[TURNING_SLOTS]      # numbers from 1; 0: empty

cdef void turnings_clear(Turnings* turnings) noexcept nogil
# The kind of an event; NULL if none such came.
cdef Turning* turnings_find(
    Turnings* turnings, p_const_RowsFields fields, p_const_TableMap map, uint64_t definitions
) noexcept nogil
# Add it; there is room.
cdef Turning* turnings_add(
    Turnings* turnings, p_const_RowsFields fields, p_TableMap map, p_const_Format format, uint64_t definitions
) except NULL

# Put the before image of a row with the values of its after image, whose columns are some of it; False if one cannot be
# read. Only the columns `wanted` are put; their bits of NULL take `null_bytes`.
cdef bint put_merged_image(
    p_Text text,
    p_const_RowsFields fields,
    p_const_TableMap map,
    octets before,
    octets after,
    octets end,
    octets wanted,
    size_t null_bytes,
) noexcept nogil

# Used in this module only.
cdef size_t first_slot(p_const_TableMap map, int kind) noexcept nogil
