# The view `table`: the C side of kernel/views/table_columns.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.views.table_values cimport TableValues


cdef class TableColumns(TableValues):
    cdef bint has_key
    cdef list kept                    # what the members' names point into
    cdef Text planned                 # the definition that the steps are for
    cdef Text definition              # and the current one
    cdef char part                    # the last character of `_sequence`
    cdef ArrowColumn* sequence
    cdef ArrowColumn* missing
    cdef ArrowColumn* missing_names

    cdef int plan(self, const Event* e, const Format* format, TableMap* map) noexcept nogil
    cdef int take_plan(self, tuple steps, bint mariadb) except -1
    cdef int fill(self, TableMap* map, const uint8_t* at, const uint8_t* end, bint after, bint again) noexcept nogil
    cdef bint key_changed(self, TableMap* map, const uint8_t* at, const uint8_t* after, const uint8_t* end) noexcept nogil
    cdef int one(self, const Event* e, TableMap* map) noexcept nogil
    cdef void cut(self) noexcept nogil
    cdef bint is_element(self, const ArrowColumn* column) noexcept nogil
    cdef void end_missing(self) noexcept nogil
    cdef void put_sequence(self, const Event* e) noexcept nogil
