# The key of a row image: the C side of kernel/undo/key_columns.py.
from libc.stdint cimport int16_t, uint64_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.image_route cimport MOST_STOPS, ImageRoute
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

# Which columns of a table's images are its key, as bits, and how many they are; `seed` is the table's.
cdef struct KeyColumns:
    octets columns
    size_t count
    size_t column_count        # of the table
    uint64_t seed
    int16_t slots[MOST_STOPS]  # of the first columns: 0 in the key, else -1
    ImageRoute routes[2]       # through before images, and through after images of updates

cdef void key_columns_init(KeyColumns* image, octets columns, size_t column_count, uint64_t seed) noexcept nogil
# The place after an image, or NULL if it cannot be read; and the key of its row: 0 if the image lacks one of its columns.
cdef octets walk_key(
    uint64_t* key, KeyColumns* image, const RowsFields* fields, const TableMap* map, octets at, octets end, bint after
) noexcept nogil
