# The view `events`: the C side of kernel/views/event_view.py.
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.views.view cimport View
from pybinlog.kernel.views.view_events cimport Name

cdef class EventView(View):
    cdef ArrowColumn* of              # the columns, by their numbers, ..._OF_EVENTS
    cdef Name type_names[256]
    cdef list kept_names

    cdef void add_query(self, const Event* e, size_t body) noexcept nogil
