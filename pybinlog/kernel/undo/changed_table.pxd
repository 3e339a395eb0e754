# Tables whose rows change: the C side of kernel/undo/changed_table.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.undo.key_columns cimport KeyColumns
from pybinlog.kernel.undo.row_keys cimport RowKeys

cdef enum:
    CHANGED_TABLES = 64

cdef class ChangedTable:
    cdef object told           # what the judge says of it
    cdef list forms            # of its columns
    cdef bytes key_columns     # as bits
    cdef KeyColumns key
    cdef bint by_whole_row     # it has no key
    cdef RowKeys row_keys      # if it has more than a primary key
    cdef bint looks            # its later changes matter

# A table by the number of its Table_map and that of the definitions then.
cdef struct TableSlot:
    uint64_t map_number
    uint64_t definitions
    size_t place               # in `tables`
    bint looks

cdef class ChangedTables:
    cdef object judge
    cdef dict known            # what a Table_map says, and the number of definitions -> its place
    cdef list tables
    cdef TableSlot slots[CHANGED_TABLES]

    # The slot of a table that was found; NULL if it was not, or is forgotten.
    cdef TableSlot* find(self, const TableMap* map, uint64_t definitions) noexcept nogil
    # Ask the judge for the table, if it must be.
    cdef TableSlot* learn(
        self, const TableMap* map, uint64_t definitions, size_t names, bytes file, object position
    ) except NULL
