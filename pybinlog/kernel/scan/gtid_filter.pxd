# Sets of GTIDs to filter by.
from libc.stdint cimport int64_t, uint8_t

from pybinlog.kernel.scan.gtid_fields cimport Gtid

# Intervals of one (uuid, tag), sorted; end is exclusive.
cdef struct Interval:
    uint8_t uuid[16]
    uint8_t tag_length
    char tag[32]
    int64_t start
    int64_t end

cdef class GtidFilter:
    cdef Interval* intervals
    cdef Py_ssize_t count
    cdef bint contains(self, const Gtid* gtid) noexcept nogil
