# Numbers of rows that wait, so that eight are permuted at a time.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.mask.permutation cimport KnownClass, KnownMask, p_const_KnownClass, p_const_MaskKey

cdef enum:
    LANES = 8

# `count` of them wait: where each stands, in how many bytes, and its class.
cdef struct Waiting:
    int count
    uint64_t number[8]                 # within its class
    uint8_t* at[8]
    int size[8]
    bint negative[8]
    KnownClass of[8]

# Let a number that is not above `most` wait; False if to mask it at once takes less, or if the processor is too old.
cdef bint add_number(
    Waiting* waiting, p_const_MaskKey key, uint64_t value, uint64_t most, bint negative, uint8_t* at, int size
) noexcept nogil
# Mask those that wait, in their places.
cdef void mask_waiting(Waiting* waiting, p_const_MaskKey key) noexcept nogil

# Used in this module only.
cdef void turn_lanes(Waiting* waiting) noexcept nogil
