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
    CHANGE_EVENT = 3

# What becomes of row events. A subclass says it.
cdef class ChangeSink(RowObjects):
    cdef object judge
    cdef dict known            # what a Table_map says, and the number of definitions -> table and forms
    cdef list forms            # of the current table's columns
    cdef object current        # the current row event
    cdef public bint checksums # the events of the log have checksums

    cdef tuple table_of(self, RowView view, const Format* format, const TableMap* map)
    # Make ready for the rows of an event; then take leave of them.
    cdef int prepare(self, RowView view, const Format* format, TableMap* map) except -1
    cdef int leave(self) except -1

cdef class ChangedRows(ChangeSink):
    cdef SqlImage literals

cdef class ChangeView(RowView):
    cdef readonly ChangeSink changes
    cdef bint under_way        # the rows of an event are
    cdef bint touched          # a change of the current transaction was given out
    cdef bint chosen_event     # the filter kept the current event

    cdef bint commits(self) noexcept nogil
    cdef int note(self, Event* e) except -1
