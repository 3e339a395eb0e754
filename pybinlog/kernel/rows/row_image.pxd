# Row images passed over without a look at their values: the C side of kernel/rows/row_image.py.
from libc.stdint cimport int64_t, uint8_t, uint64_t

from pybinlog.kernel.rows.column cimport (
    KIND_BYTES,
    KIND_JSON,
    KIND_UNREADABLE,
    KIND_UNREADABLE_BLOB,
    KIND_VECTOR,
)
from pybinlog.kernel.base.packed cimport read_length
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport Column, TableMap


cdef inline const uint8_t* skip_value(const Column* column, const uint8_t* at, const uint8_t* end) noexcept nogil:
    """The place after one value that is not null, or NULL where it does not end before `end`."""
    cdef size_t size = column.size
    cdef uint64_t length
    # how long a value of an unreadable kind is nobody knows
    if size > <size_t>(end - at) or column.kind == KIND_UNREADABLE:
        return NULL
    if (
        column.kind == KIND_BYTES
        or column.kind == KIND_JSON
        or column.kind == KIND_VECTOR
        or column.kind == KIND_UNREADABLE_BLOB
    ):
        length = read_length(at, size)
        at += size
        return at + length if length <= <uint64_t>(end - at) else NULL
    return at + size


# The place after one row image, or NULL where it does not end before `end`. `map` is prepared (table_map_prepare).
cdef const uint8_t* skip_image(
    const RowsFields* fields, const TableMap* map, const uint8_t* at, const uint8_t* end, bint after
) noexcept nogil
# How many rows the event changes; -1 where an image does not end before the event.
cdef int64_t count_rows(const RowsFields* fields, const TableMap* map) noexcept nogil
