# RowCondition: a condition on rows of any table: the C side of kernel/condition/row_condition.py.
from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.condition.row_program cimport RowProgram
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

cdef enum Binding:
    BOUND = 0
    NOT_BOUND = 1              # the table lacks a column: none of its rows match
    BINDING_FAILED = 2         # `raised` says why

cdef class RowCondition:
    cdef readonly object bind
    cdef bint drops_unknown
    cdef dict programs         # what a Table_map says of a table's columns -> its RowProgram, or None
    cdef RowProgram program    # of the current table
    cdef bytes last            # the key of the current table
    cdef tuple counted         # what programs that are forgotten counted
    cdef object raised
    cdef uint64_t kept
    cdef uint64_t dropped
    cdef uint64_t unknown

    # Make ready for the rows of a table, whose map is prepared (table_map_prepare). Takes the GIL.
    cdef Binding begin(self, const TableMap* map) noexcept nogil
    cdef Binding find(self, const TableMap* map)
    # ROW_MATCHES, ROW_DROPPED or ROW_UNREADABLE; `after` is the place after the row's images.
    cdef int judge(self, const RowsFields* fields, const TableMap* map, octets at, octets end, octets* after) noexcept nogil
    cdef bint keeps_unknown(self) noexcept nogil
    cdef object pop_error(self)

# A table as its Table_map describes it: as one key, and column by column (see row_condition.py).
cdef bytes bytes_from(octets data, size_t size)
cdef bytes key_of(const TableMap* map)
cdef list described(const TableMap* map)
