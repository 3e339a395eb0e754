# The view `events`: the C side of kernel/views/event_columns.py.

from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.views.view_columns cimport ViewColumns
from pybinlog.kernel.views.view_filter cimport Name

cdef class EventColumns(ViewColumns):
    cdef Name type_names[256]
    cdef list kept_names
    cdef ArrowColumn* file_column
    cdef ArrowColumn* position
    cdef ArrowColumn* end_position
    cdef ArrowColumn* timestamp
    cdef ArrowColumn* event_type
    cdef ArrowColumn* server_id
    cdef ArrowColumn* flags
    cdef ArrowColumn* boundary
    cdef ArrowColumn* boundary_inferred
    cdef ArrowColumn* starts
    cdef ArrowColumn* ends
    cdef ArrowColumn* gtid
    cdef ArrowColumn* xid
    cdef ArrowColumn* transaction_position
    cdef ArrowColumn* database_column
    cdef ArrowColumn* table_column
    cdef ArrowColumn* query_column
    cdef ArrowColumn* size
    cdef ArrowColumn* checksum_ok
    cdef ArrowColumn* corrupt

    cdef void add_query(self, const Event* e, size_t body) noexcept nogil
    cdef void add_corrupt_mark(self) noexcept nogil
