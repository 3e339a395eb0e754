# EventCipher: what stands around AES in events that MariaDB encrypted.
from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, octets

cdef enum:
    BLOCK = 16
    NONCE_LENGTH = 12
    TEXT_AT = 4                 # of an event: its ciphertext begins here, and its first bytes stand in the length's place
    LENGTH_AT = 9

cdef class EventCipher:
    cdef uint8_t[16] iv         # of an event: the nonce, and its position
    cdef bint counts            # AES-CTR, else AES-CBC

    cdef void begin_event(self, uint64_t position) noexcept nogil
    cdef void write_counters(self, uint8_t* to, size_t blocks) noexcept nogil

# Used in this module only.
cdef void exchange(uint8_t* event) noexcept nogil
cdef size_t blocks_of(size_t text, bint counts) noexcept nogil
cdef void exclusive_or(uint8_t* to, octets left, octets right, size_t size) noexcept nogil
