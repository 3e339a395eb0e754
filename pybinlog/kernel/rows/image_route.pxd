# The way through row images from one value that its reader needs to the next: the C side of
# kernel/rows/image_route.py.
from libc.stdint cimport int16_t, int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_length
from pybinlog.kernel.rows.column_value cimport ColumnValue, VALUE_NULL, VALUE_TRUNCATED, VALUE_UNREADABLE
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, ROWS_UPDATE
from pybinlog.kernel.rows.table_map cimport p_const_Column, p_const_TableMap, p_TableMaps, SIGN_UNKNOWN, table_maps_get

cdef enum:
    COUNT_INTERRUPTED = -2
    MOST_STOPS = 64
    ROUTED_TABLES = 16         # tables of which a counter of rows keeps the routes, four each: any number

# A value at which the way has to stop.
cdef struct Stop:
    uint32_t lead              # bytes since the value of the stop before: values that are never NULL
    uint32_t size              # bytes of the value, or of its length
    int16_t slot               # of a value that the condition needs, else -1
    uint8_t bit                # in the bitmap of nulls
    bint prefixed
    size_t column

cdef struct ImageRoute:
    uint64_t map_number        # of the Table_map for which it was made; 0: for none
    p_const_Column columns     # of that
    uint64_t present           # those of them that its images have, as bits
    bint usable                # False: such an image has to be walked over column by column
    size_t null_bytes
    uint64_t never_null        # the bits of values that are in a lead
    uint32_t tail              # bytes after the last stop
    int count
    int tested                 # which stop is that of the value of a SureTest; -1: none
    uint64_t tested_bits       # of that value if it is an integer, else 0
    uint64_t doubtful_bit      # of them: its sign, if it is not known that it has one
    Stop stops[MOST_STOPS]
ctypedef const ImageRoute* p_const_ImageRoute

# The state of a value in an image.
cdef enum:
    NO_IMAGE = 0
    ABSENT = 1
    PRESENT = 2

cdef enum:
    MOST_SLOTS = 64

# The values of an image that a condition needs, each in its slot.
cdef struct ImageValues:
    int states[MOST_SLOTS]
    ColumnValue values[MOST_SLOTS]

# Return the route through the images of an event that have the columns in the bitmap; NULL if there is none. `slots`: for
# each of `slot_count` columns, that of its value, or -1; NULL: none is needed. `tested` is the slot of a SureTest.
cdef p_const_ImageRoute route_of(
    ImageRoute* route,
    p_const_RowsFields fields,
    p_const_TableMap map,
    octets bitmap,
    const int16_t* slots,
    size_t slot_count,
    int tested,
) noexcept nogil
# Read the values that are needed of an image, whose route may be NULL; return the place after it, or NULL if it cannot
# be read. `slots` are those of the first `slot_count` columns, `after` says that it is the after image of an update.
cdef octets load_image(
    p_const_ImageRoute route,
    p_const_RowsFields fields,
    p_const_TableMap map,
    const int16_t* slots,
    size_t slot_count,
    octets at,
    octets end,
    bint after,
    ImageValues* values,
) noexcept nogil
# Return the number of rows that an event changes, or -1 if an image does not end before the event, or COUNT_INTERRUPTED if
# it `looks` for signals, and a handler has raised an error. `routes` are four, by RowsKind, and the last is for the after images of updates.
cdef int64_t count_rows(
    ImageRoute* routes, p_const_RowsFields fields, p_const_TableMap map, bint looks
) noexcept nogil
# Return False if an image does not end before the event, by its Table_map; the text may end before for other reasons.
cdef bint rows_fit(p_const_RowsFields fields, p_TableMaps maps) noexcept nogil


cdef inline uint64_t bits_at(octets bitmap, size_t size) noexcept nogil:
    """Up to eight bytes of a bitmap."""
    cdef uint64_t bits = bitmap[0]
    cdef size_t i
    for i in range(1, size):
        bits |= <uint64_t>bitmap[i] << 8 * i
    return bits


cdef inline octets route_begin(p_const_ImageRoute route, octets at, octets end, uint64_t* nulls) noexcept nogil:
    """Read the bitmap of nulls of an image, and return the place after it; NULL if the image does not fit the route."""
    if route.null_bytes > <size_t>(end - at):
        return NULL
    nulls[0] = bits_at(at, route.null_bytes)
    return NULL if nulls[0] & route.never_null else at + route.null_bytes


cdef inline int64_t skip_stop(const Stop* stop, uint64_t nulls, octets end, int64_t left) noexcept nogil:
    """Return how many bytes are left after a stop's lead and its value; negative if that does not end before `end`."""
    cdef int64_t present = ~(nulls >> stop.bit) & 1
    cdef int64_t size = stop.size
    left -= stop.lead
    if stop.prefixed:
        if left < size:
            return -1 if present else left
        size += read_length(end - left, size)
    return left - (size & -present)

# Used in this module only.
cdef void find_route(ImageRoute* route, p_const_Column columns, octets bitmap, size_t count, const int16_t* slots, int tested) noexcept nogil
cdef octets follow_route(p_const_ImageRoute route, octets at, octets end, ImageValues* values) noexcept nogil
cdef octets pass_image(p_const_ImageRoute route, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after) noexcept nogil
