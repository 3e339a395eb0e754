# What the views have in common: columns, and batches of events that fill them. See kernel/views/view_columns.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.arrow_column cimport ArrowColumn, ColumnKind
from pybinlog.kernel.views.view_events cimport ViewEvents

cdef class ViewColumns(ViewEvents):
    cdef ArrowColumn** columns        # each stays where it is
    cdef size_t column_count
    cdef ArrowColumn** strings        # those that are wanted and hold bytes
    cdef size_t string_count
    cdef tuple names
    cdef public object spill          # takes the strings of a large value out of memory; see spill_to_file
    cdef readonly object refused      # after VIEW_REFUSED
    cdef object inflated              # the content of the current compressed event
    cdef readonly int status
    cdef readonly size_t count        # rows so far in these columns
    cdef public bint permissive       # an event that cannot be read gives the row without its fields
    cdef public size_t most_rows
    cdef public size_t most_bytes

    cdef ArrowColumn* column(self, str name, ColumnKind kind) except NULL
    cdef size_t bytes_held(self) noexcept nogil
    cdef Py_ssize_t index_of(self, const Text* data) noexcept nogil
    cdef bint failed(self) noexcept nogil
    cdef bint too_large(self) noexcept nogil
    cdef int event(self, Event* e, const Format* format, const char* text, size_t length) except -1 nogil
    cdef void put_damage(self, uint64_t start, uint64_t end, const char* text, size_t length) noexcept nogil

cdef void spill_to_file(void* owner, Text* text) noexcept nogil
