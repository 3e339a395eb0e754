# Marker: markers written into events, boundary types or statement bits, or cleared.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport encrypts, FORMAT_DESCRIPTION, BINLOG_IN_USE, p_const_Event, p_const_Format


# Why a batch was refused.
cpdef enum:
    MARK_ACCEPTED = 0
    MARK_BAD_CHECKSUM = 1      # of a Format_description in a log without checksums: the scanner does not look at it
    MARK_ENCRYPTED = 2         # MariaDB's Start_encryption: the events after it cannot be read
    MARK_HIDDEN_CHECKSUM = 3   # a Format_description that knows no checksums, and then an event with a right one
    MARK_OTHER_FORM = 4        # the event carries a marker of the other form

cdef class Marker:
    cdef bint clear
    cdef bint bits                        # statement bits are written, not boundary types
    cdef readonly uint64_t changed[8]     # boundary types written or cleared
    cdef readonly uint64_t changed_bits[16] # statement bits written or cleared
    cdef readonly uint64_t kept[8]        # events left as they are, by the boundary type they carry
    cdef readonly uint64_t kept_bits[16]  # or by their statement bits
    cdef bint suspects                    # the Format_description before the next event knows no checksums
    cdef readonly int error_code          # why the last batch was refused: MARK_*
    cdef readonly Py_ssize_t error_index  # of the event that it is about

    cdef int mark_all(self, p_const_Format format, p_const_Event events, Py_ssize_t count, uint8_t* out) noexcept nogil
    cdef int new_marker(self, p_const_Event event, bint has_bits, uint8_t old) noexcept nogil

cdef uint32_t event_checksum(uint8_t* event, size_t whole) noexcept nogil
