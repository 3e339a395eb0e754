# Images of an update, made one: the C side of kernel/undo/merged_image.py.
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

# Put the before image of a row with the values of its after image, whose columns are some of it; False if one cannot be
# read. Only the columns `wanted` are put; their bits of NULL take `null_bytes`.
cdef bint put_merged_image(
    Text* text,
    const RowsFields* fields,
    const TableMap* map,
    octets before,
    octets after,
    octets end,
    octets wanted,
    size_t null_bytes,
) noexcept nogil
