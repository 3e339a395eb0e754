# A view's columns in Arrow's layout: the C side of kernel/views/arrow_columns.py.
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.arrow_column cimport ArrowColumn

cdef class ArrowColumns:
    cdef ArrowColumn* all             # in the order of their names; the elements of lists come after all others
    cdef size_t row_columns           # those with a value for each row
    cdef size_t count
    cdef ArrowColumn** strings        # those that are wanted and hold bytes
    cdef size_t string_count
    cdef readonly tuple names
    cdef object spill                 # takes the strings of a large value out of memory; None: they stay

    cdef int begin(self, size_t index, int layout, bint wanted) except -1
    cdef object drained(self, size_t index)
    cdef ArrowColumn* find(self, str name) except NULL
    cdef size_t bytes_held(self) noexcept nogil
    cdef int trouble(self) noexcept nogil
    cdef void cut(self, size_t rows) noexcept nogil
    cdef void fill_up(self, size_t rows) noexcept nogil
    cdef Py_ssize_t index_of(self, const Text* data) noexcept nogil
