# The places from which a damaged log can be read on: the C side of kernel/scan/resync.py.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.scan.scan cimport Scanner

cdef class Resync:
    cdef Scanner scanner
    cdef bint check_positions
    cdef uint64_t base
    cdef uint64_t budget        # bytes whose checksum may still be worked out in this search
    cdef readonly bint zeros    # all bytes skipped so far were zero
    cdef readonly size_t wanted

    cdef bint known(self, uint8_t kind) noexcept nogil
    cdef bint no_event(self, const uint8_t* data, uint64_t position) noexcept nogil
    cdef int event_at(self, const uint8_t* data, size_t left, uint64_t position, bint final, uint32_t* size, int* proofs)
    cdef int shifted(self, const uint8_t* data, size_t left, uint32_t length, bint final, int* proofs) noexcept nogil
    cdef bint lacks_position(self, const uint8_t* data) noexcept nogil
    cdef int chain_at(self, const uint8_t* data, size_t left, uint64_t position, bint final)
    cdef int log_at(self, const uint8_t* data, size_t left, bint final)
