"""Base64 by shuffles, twelve bytes a step; compiled, and a module of its own, as it is built for processors that have
the instruction.

A step spreads four groups of three bytes over sixteen, moves their bits to four numbers below 64 each by two
multiplications, and adds to each number the distance to its character, which a shuffle looks up.
"""

import cython
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.intrinsics import __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpgt_epi8
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm_loadu_si128, _mm_mulhi_epu16, _mm_mullo_epi16
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm_or_si128, _mm_shuffle_epi8, _mm_storeu_si128
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm_subs_epu8, instructions_present

LINE = cython.declare(cython.int, 57)  # bytes that make a line of 76 characters
PRESENT = cython.declare(cython.bint, False)
# Sixteen bytes each, in the order of their use.
SPREAD = cython.declare(uint8_t[16])
HIGH_BITS = cython.declare(uint8_t[16])
HIGH_FACTORS = cython.declare(uint8_t[16])
LOW_BITS = cython.declare(uint8_t[16])
LOW_FACTORS = cython.declare(uint8_t[16])
LAST_LETTER = cython.declare(uint8_t[16])
CAPITALS = cython.declare(uint8_t[16])
CAPITAL = cython.declare(uint8_t[16])
DISTANCES = cython.declare(uint8_t[16])


@cython.cfunc
def fill(constant: cython.p_char, pattern: bytes) -> cython.void:
    """Repeat up to four bytes over sixteen."""
    i: cython.int
    for i in range(16):
        constant[i] = cython.cast(cython.char, pattern[i % len(pattern)])


@cython.cfunc
def fill_constants() -> cython.void:
    global PRESENT
    fill(cython.cast(cython.p_char, SPREAD), bytes([1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10]))
    fill(cython.cast(cython.p_char, HIGH_BITS), b"\x00\xfc\xc0\x0f")
    fill(cython.cast(cython.p_char, HIGH_FACTORS), b"\x40\x00\x00\x04")
    fill(cython.cast(cython.p_char, LOW_BITS), b"\xf0\x03\x3f\x00")
    fill(cython.cast(cython.p_char, LOW_FACTORS), b"\x10\x00\x00\x01")
    fill(cython.cast(cython.p_char, LAST_LETTER), bytes([51]))
    fill(cython.cast(cython.p_char, CAPITALS), bytes([26]))
    fill(cython.cast(cython.p_char, CAPITAL), bytes([13]))
    # small letters, ten digits, + and /, capitals
    digits = bytes([256 + ord("0") - 52]) * 10
    rest = bytes([256 + ord("+") - 62, 256 + ord("/") - 63, ord("A"), 0, 0])
    fill(cython.cast(cython.p_char, DISTANCES), bytes([ord("a") - 26]) + digits + rest)
    PRESENT = instructions_present()


fill_constants()


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def load(source: cython.p_const_void) -> __m128i:
    return _mm_loadu_si128(cython.cast(cython.pointer(cython.const[__m128i]), source))


def base64_shuffles() -> cython.bint:
    """Return True if this processor supports it."""
    return PRESENT


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def encoded(data: cython.p_const_char) -> __m128i:
    """Return sixteen characters for twelve bytes; sixteen are read."""
    bits: __m128i = _mm_shuffle_epi8(load(data), load(cython.address(SPREAD)))
    numbers: __m128i = _mm_or_si128(
        _mm_mulhi_epu16(_mm_and_si128(bits, load(cython.address(HIGH_BITS))), load(cython.address(HIGH_FACTORS))),
        _mm_mullo_epi16(_mm_and_si128(bits, load(cython.address(LOW_BITS))), load(cython.address(LOW_FACTORS))),
    )
    capitals: __m128i = _mm_cmpgt_epi8(load(cython.address(CAPITALS)), numbers)
    place: __m128i = _mm_or_si128(
        _mm_subs_epu8(numbers, load(cython.address(LAST_LETTER))),
        _mm_and_si128(capitals, load(cython.address(CAPITAL))),
    )
    return _mm_add_epi8(numbers, _mm_shuffle_epi8(load(cython.address(DISTANCES)), place))


def write_lines(to: cython.p_char, data: octets, size: cython.size_t) -> cython.size_t:
    at: cython.p_const_char = cython.cast(cython.p_const_char, data)
    end: cython.p_const_char = at + size
    step: cython.int
    # the last step of a line reads 7 bytes of the next one, and writes 3 characters that the next one overwrites
    while end - at >= LINE + 7:
        for step in range(5):
            _mm_storeu_si128(cython.cast(cython.pointer(__m128i), to + 16 * step), encoded(at + 12 * step))
        to[76] = b"\n"
        to += 77
        at += LINE
    return size - (end - at)
