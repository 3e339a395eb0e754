# Numbers of rows that wait, so that eight are permuted at a time.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.memory cimport memcpy
from pybinlog.kernel.mask.permutation cimport KnownMask, p_const_KnownClass, p_const_MaskKey

cdef enum:
    LANES = 8

# `count` of them wait: where each stands, in how many bytes, and of its class what KnownClass has.
cdef struct Waiting:
    int count
    uint64_t number[8]                 # within its class
    uint8_t* at[8]
    int size[8]
    bint negative[8]
    uint64_t tweak[8]
    uint64_t of_count[8]
    uint64_t rows[8]
    uint64_t columns[8]
    uint64_t begun[32]                 # the four numbers of each sponge
    uint64_t low[8]
    uint64_t bound[8]

# Let a number that is not above `most` wait; False if to mask it at once takes less, or if the processor is too old.
cdef bint add_number(
    Waiting* waiting, p_const_MaskKey key, uint64_t value, uint64_t most, bint negative, uint8_t* at, int size
) noexcept nogil
cdef inline void put_number(uint8_t* at, uint64_t value, int size) noexcept nogil:
    """Write the lowest bytes of a number: 1, 2, 3, 4 or 8."""
    if size == 4:
        memcpy(at, &value, 4)
    elif size == 2:
        memcpy(at, &value, 2)
    elif size == 8:
        memcpy(at, &value, 8)
    elif size == 1:
        at[0] = value & 255
    else:
        memcpy(at, &value, 3)

# Mask those that wait, in their places.
cdef void mask_waiting(Waiting* waiting, p_const_MaskKey key) noexcept nogil

# Used in this module only.
cdef void turn_lanes(Waiting* waiting) noexcept nogil
