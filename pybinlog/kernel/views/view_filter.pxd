# Which rows of a view are asked for: the C side of kernel/views/view_filter.py.
from libc.stdint cimport int64_t, uint32_t, uint64_t

from pybinlog.kernel.scan.gtid_fields cimport Gtid, GtidFilter
from pybinlog.kernel.filter.name_filter cimport NameFilter

cdef struct Name:
    const char* data
    size_t length

cdef class ViewFilter:
    cdef list kept                    # the objects that the names point into
    cdef GtidFilter gtids             # None: all
    cdef GtidFilter excluded_gtids    # None: none
    cdef NameFilter patterns          # None: all
    cdef int operations               # a sum of INSERTS and so on; 0: all
    cdef frozenset servers            # None: all
    cdef frozenset threads            # None: all
    cdef int64_t start_time           # microseconds since 1970 UTC
    cdef int64_t stop_time
    cdef bint by_time
    cdef uint64_t first_position
    cdef uint64_t stop_position
    cdef bint by_type
    cdef bint types[256]
    cdef Name* databases
    cdef size_t database_count
    cdef Name* tables                 # pairs: database (NULL: any), table
    cdef size_t table_count

    cdef bint has_time(self, int64_t time) noexcept nogil
    cdef bint has_position(self, uint64_t position) noexcept nogil
    cdef bint has_gtid(self, const Gtid* gtid) noexcept nogil
    cdef bint has_ids(self, uint32_t server_id, int64_t thread_id) noexcept nogil
    cdef bint has_names(self, const Name* database, const Name* table) noexcept nogil
