"""Text from blocks of 32 bytes: Base64, and the bytes of strings that need no escape; compiled.

It is a module of its own because it is built for processors that have the instructions.

A step of Base64 encodes 24 bytes. It spreads four groups of three bytes over each sixteen, moves their bits to four
numbers below 64 each by two multiplications, and adds to each number the distance to its character, which a shuffle
looks up.
"""

import cython
from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.pybinlog.kernel.base.intrinsics import __m256i, _mm256_add_epi8, _mm256_and_si256
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm256_min_epu8, _mm256_movemask_epi8, _mm256_mulhi_epu16
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm256_mullo_epi16, _mm256_or_si256, _mm256_set1_epi8
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm256_shuffle_epi8, _mm256_storeu_si256
from cython.cimports.pybinlog.kernel.base.intrinsics import _mm256_subs_epu8, _tzcnt_u32, instructions_present
from cython.cimports.pybinlog.kernel.base.intrinsics import load_halves
from cython.cimports.pybinlog.kernel.base.memory import memcpy

LINE = cython.declare(cython.int, 57)  # bytes that make a line of 76 characters
PRESENT = cython.declare(cython.bint, False)
# 32 bytes each, in the order of their use.
SPREAD = cython.declare(uint8_t[32])
HIGH_BITS = cython.declare(uint8_t[32])
HIGH_FACTORS = cython.declare(uint8_t[32])
LOW_BITS = cython.declare(uint8_t[32])
LOW_FACTORS = cython.declare(uint8_t[32])
LAST_LETTER = cython.declare(uint8_t[32])
CAPITALS = cython.declare(uint8_t[32])
CAPITAL = cython.declare(uint8_t[32])
DISTANCES = cython.declare(uint8_t[32])


@cython.cfunc
def fill(constant: cython.p_char, pattern: bytes) -> cython.void:
    """Repeat up to sixteen bytes over 32."""
    i: cython.int
    for i in range(32):
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
def load(source: cython.p_const_void) -> __m256i:
    return _mm256_loadu_si256(cython.cast(cython.pointer(cython.const[__m256i]), source))


def uses_blocks() -> cython.bint:
    """Return True if this processor has the instructions."""
    return PRESENT


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def encoded(data: cython.p_const_char) -> __m256i:
    """Return 32 characters for 24 bytes; 28 are read."""
    bits: __m256i = _mm256_shuffle_epi8(load_halves(data, data + 12), load(cython.address(SPREAD)))
    numbers: __m256i = _mm256_or_si256(
        _mm256_mulhi_epu16(_mm256_and_si256(bits, load(cython.address(HIGH_BITS))), load(cython.address(HIGH_FACTORS))),
        _mm256_mullo_epi16(_mm256_and_si256(bits, load(cython.address(LOW_BITS))), load(cython.address(LOW_FACTORS))),
    )
    capitals: __m256i = _mm256_cmpgt_epi8(load(cython.address(CAPITALS)), numbers)
    place: __m256i = _mm256_or_si256(
        _mm256_subs_epu8(numbers, load(cython.address(LAST_LETTER))),
        _mm256_and_si256(capitals, load(cython.address(CAPITAL))),
    )
    return _mm256_add_epi8(numbers, _mm256_shuffle_epi8(load(cython.address(DISTANCES)), place))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def write_steps(to: cython.p_char, data: cython.p_const_char, steps: cython.int) -> cython.void:
    """Write up to 32 characters a step, of a line at most."""
    step: cython.int
    for step in range(steps):
        _mm256_storeu_si256(cython.cast(cython.pointer(__m256i), to + 32 * step), encoded(data + 24 * step))


def write_lines(to: cython.p_char, data: octets, groups: cython.size_t) -> cython.p_char:
    at: cython.p_const_char = cython.cast(cython.p_const_char, data)
    last: cython.char[128]
    # the last step of a line reads 19 bytes of the next one, and writes 19 characters that the next one overwrites
    while groups >= 26:
        write_steps(to, at, 3)
        to[76] = b"\n"
        to += 77
        at += LINE
        groups -= 19
    memcpy(last, at, 3 * groups)
    at = last
    if groups > 19:
        write_steps(to, at, 3)
        to[76] = b"\n"
        to += 77
        at += LINE
        groups -= 19
    write_steps(to, at, cython.cast(cython.int, (groups + 7) // 8))
    return to + 4 * groups


def copy_plain_bytes(to: cython.p_char, data: octets, size: cython.size_t) -> cython.size_t:
    controls: __m256i = _mm256_set1_epi8(31)
    quotes: __m256i = _mm256_set1_epi8(b"'")
    backslashes: __m256i = _mm256_set1_epi8(b"\\")
    at: cython.size_t = 0
    while True:
        block: __m256i = load(data + at)
        _mm256_storeu_si256(cython.cast(cython.pointer(__m256i), to + at), block)
        hits: uint32_t = _mm256_movemask_epi8(
            _mm256_or_si256(
                _mm256_cmpeq_epi8(_mm256_min_epu8(block, controls), block),
                _mm256_or_si256(_mm256_cmpeq_epi8(block, quotes), _mm256_cmpeq_epi8(block, backslashes)),
            )
        )
        if hits:
            return at + _tzcnt_u32(hits)
        at += 32
        if at == size:
            return size
        if at > size - 32:
            at = size - 32  # the last block begins inside the one before, where no byte needs an escape
