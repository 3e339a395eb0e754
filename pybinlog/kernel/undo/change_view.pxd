# The changes of logs, in their order: the C side of kernel/undo/change_view.py.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.undo.sql_image cimport SqlImage
from pybinlog.kernel.views.row_objects cimport RowObjects
from pybinlog.kernel.views.row_view cimport RowView

# The first element of each change that is taken.
cpdef enum:
    CHANGE_ROW = 0
    CHANGE_STATEMENT = 1
    CHANGE_END = 2

cdef class ChangedRows(RowObjects):
    cdef object judge
    cdef dict known            # what a Table_map says, and the number of definitions -> table and forms
    cdef SqlImage literals
    cdef list forms            # of the current table's columns
    cdef object current        # the current row event

    cdef tuple table_of(self, RowView view, const Format* format, const TableMap* map)

cdef class ChangeView(RowView):
    cdef ChangedRows changes
    cdef bint touched          # a change of the current transaction was given out
    cdef bint chosen_event     # the filter kept the current event

    cdef bint commits(self) noexcept nogil
    cdef int note(self, Event* e) except -1
