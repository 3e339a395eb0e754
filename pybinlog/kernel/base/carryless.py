"""CRC32 by carry-less multiplication, sixteen bytes a step; compiled, and a module of its own, as it is built for
processors that have the instruction.

A message is a polynomial, its CRC32 the remainder by another one. Its first sixteen bytes may therefore be replaced by
others that have the same remainder in the place of the sixteen after them: two products of 64 bits by 32. The last
sixteen are folded to eight, and those are divided by the polynomial: two products with its inverse (Barrett).
"""

import cython
from cython.cimports.pybinlog.kernel.base.intrinsics import __m128i, _mm_and_si128, _mm_clmulepi64_si128
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm_cvtsi128_si32, _mm_cvtsi32_si128, _mm_loadu_si128
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm_shuffle_epi8, _mm_srli_si128, _mm_xor_si128
from cython.cimports.pybinlog.kernel.base.intrinsics import instructions_present

POLYNOMIAL = cython.declare(uint32_t, 0xEDB88320)
PRESENT = cython.declare(cython.bint, False)
# The multipliers of the halves of sixteen bytes; of the first half of eight; the polynomial and its inverse.
FACTORS = cython.declare(uint64_t[2])
LAST_FACTOR = cython.declare(uint64_t[2])
DIVISION = cython.declare(uint64_t[2])
LOW_WORDS = cython.declare(uint64_t[2])
# Sixteen entries of this from r on move r bytes to the end of a register, and from 16 + r on all but r to its start.
MOVES = cython.declare(uint8_t[48])


@cython.cfunc
def power(exponent: cython.int) -> uint64_t:
    """Return x to that power, modulo the polynomial, in the bits' order of the products, which leaves one to shift."""
    value: uint32_t = 0x80000000
    i: cython.int
    for i in range(exponent):
        value = (value >> 1) ^ (POLYNOMIAL if value & 1 else 0)
    return cython.cast(uint64_t, value) << 1


@cython.cfunc
def inverse() -> uint64_t:
    """Return x to the power of 64 divided by the polynomial, in that order of bits."""
    divisor: uint64_t = cython.cast(uint64_t, POLYNOMIAL) << 1 | 1
    rest: uint64_t = 1
    quotient: uint64_t = 0
    i: cython.int
    for i in range(33):
        if rest & 1:
            quotient |= cython.cast(uint64_t, 1) << i
            rest ^= divisor
        rest >>= 1
    return quotient


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def load(source: cython.p_const_void) -> __m128i:
    return _mm_loadu_si128(cython.cast(cython.pointer(cython.const[__m128i]), source))


@cython.cfunc
def fill_constants() -> cython.void:
    global PRESENT
    i: cython.int
    FACTORS[0] = power(128 + 32)
    FACTORS[1] = power(128 - 32)
    LAST_FACTOR[0] = power(64)
    DIVISION[0] = cython.cast(uint64_t, POLYNOMIAL) << 1 | 1
    DIVISION[1] = inverse()
    LOW_WORDS[0] = LOW_WORDS[1] = 0xFFFFFFFF
    for i in range(48):
        MOVES[i] = i - 16 if 16 <= i < 32 else 0x80
    PRESENT = instructions_present()


fill_constants()


def crc32_folds() -> cython.bint:
    """Return True if this processor supports it."""
    return PRESENT


def crc32_fold(crc: uint32_t, data: octets, size: cython.size_t) -> uint32_t:
    """Return the CRC32 of `data` from `crc` on; 32 bytes at least."""
    factors: __m128i = load(cython.address(FACTORS[0]))
    division: __m128i = load(cython.address(DIVISION[0]))
    low_words: __m128i = load(cython.address(LOW_WORDS[0]))
    state: __m128i = _mm_cvtsi32_si128(cython.cast(cython.int, crc))
    head: cython.size_t = size & 15
    # the bytes that make no whole step come first, after zeros, which change nothing
    sum: __m128i = _mm_shuffle_epi8(_mm_xor_si128(load(data), state), load(cython.address(MOVES[head])))
    # where they are fewer than four, part of `crc` belongs to the step after them
    state = _mm_shuffle_epi8(state, load(cython.address(MOVES[16 + head])))
    data += head
    size -= head
    while size:
        sum = _mm_xor_si128(
            _mm_xor_si128(_mm_clmulepi64_si128(sum, factors, 0x00), _mm_clmulepi64_si128(sum, factors, 0x11)),
            _mm_xor_si128(load(data), state),
        )
        state = _mm_xor_si128(state, state)
        data += 16
        size -= 16
    sum = _mm_xor_si128(_mm_clmulepi64_si128(sum, factors, 0x10), _mm_srli_si128(sum, 8))
    sum = _mm_xor_si128(
        _mm_clmulepi64_si128(_mm_and_si128(sum, low_words), load(cython.address(LAST_FACTOR[0])), 0x00),
        _mm_srli_si128(sum, 4),
    )
    state = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low_words), division, 0x10), low_words)
    sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(state, division, 0x00))
    return cython.cast(uint32_t, _mm_cvtsi128_si32(_mm_srli_si128(sum, 4)))
