from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.scan.scan cimport MAXIMUM_SIZE, Scanner


cdef class Resync:
    cdef Scanner scanner
    cdef bint check_positions
    cdef uint64_t base
    cdef uint64_t budget        # bytes whose checksum may still be worked out in this search
    cdef readonly bint zeros    # all bytes skipped so far were zero
    cdef readonly size_t wanted

    cdef bint known(self, uint8_t kind) noexcept nogil
    cdef bint no_event(self, octets data, uint64_t position) noexcept nogil
    cdef int event_at(self, octets data, size_t left, uint64_t position, bint final, uint32_t* size, int* proofs)
    cdef int shifted(self, octets data, size_t left, uint32_t length, bint final, int* proofs) noexcept nogil
    cdef bint lacks_position(self, octets data) noexcept nogil
    cdef int chain_at(self, octets data, size_t left, uint64_t position, bint final)
    cdef int log_at(self, octets data, size_t left, bint final)
