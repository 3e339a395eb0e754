# Marker: transaction boundary markers written into events, or cleared.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event

cdef class Marker:
    cdef bint clear
    cdef uint64_t changed_by_type[8]      # markers written or cleared
    cdef uint64_t kept_by_type[8]         # events left as they are, by the marker they carry
    cdef bint suspects                    # the Format_description before the next event knows no checksums
    cdef readonly int trouble             # why the last batch was refused, one of the constants of mark.py
    cdef readonly Py_ssize_t trouble_index

    cdef int mark_all(self, const Event* events, Py_ssize_t count, uint8_t* out) noexcept nogil

cdef uint32_t event_checksum(uint8_t* event, size_t whole) noexcept nogil
