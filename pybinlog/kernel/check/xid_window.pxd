# The transactions of a log by the server's own numbers: the C side of kernel/check/xid_window.py.
from libc.stdint cimport uint64_t

cdef enum:
    WINDOW = 1048576               # numbers below the highest that are remembered; a power of two
    WINDOW_WORDS = 16384                  # their bits, 64 a word

cdef class XidWindow:
    cdef uint64_t top                   # the highest number so far; 0: none
    cdef uint64_t words[16384]
    cdef bint met                       # the last number was there already
    cdef readonly uint64_t again        # the number that the last run of such numbers began with

    # A log begins.
    cdef void forget(self) noexcept nogil
    # Return True if the number was there already, and the one before it was not.
    cdef bint meets(self, uint64_t xid) noexcept nogil
    cdef void move_to(self, uint64_t xid) noexcept nogil
