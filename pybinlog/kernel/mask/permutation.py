"""Keyed permutations of numbers: a Feistel network with SipHash-1-3, walked until the number is in its class again.

Equal numbers have equal masks and others have other ones, for each class of numbers is permuted in itself.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt
from cython.cimports.pybinlog.kernel.base.memory import memcpy

MANTISSA = cython.declare(uint64_t, 0xFFFFFFFFFFFFF)
LARGEST_SIDE = cython.declare(uint64_t, 0xFFFFFFFF)
LONGEST = cython.declare(cython.int, 18)
"""Digits that are permuted together."""
POWERS = cython.declare(uint64_t[20])
EXACT = cython.declare(cython.double, 9999999.0)
"""The largest number of all digits that a FLOAT holds exactly, as all below it."""


@cython.cfunc
def fill_powers() -> cython.void:
    i: cython.int
    POWERS[0] = 1
    for i in range(1, 20):
        POWERS[i] = 10 * POWERS[i - 1]


fill_powers()


def permute(key: p_const_MaskKey, value: uint64_t, count: uint64_t, tweak: uint64_t) -> uint64_t:
    return value if count < 2 or value >= count else permute_of(key, value, known_class(key, count, tweak))


def permute_of(key: p_const_MaskKey, value: uint64_t, of: p_const_KnownClass) -> uint64_t:
    """Return the mask of a number of a class, from the known ones if it is there."""
    known: cython.pointer(KnownMask) = known_mask(key, value, of.tweak)
    if not is_of(known, value, of.count, of.tweak):
        known.mask = permuted(value, of)
        known.value = value
        known.tweak = of.tweak
        known.count = of.count
    return known.mask


def known_class(key: p_const_MaskKey, count: uint64_t, tweak: uint64_t) -> p_const_KnownClass:
    """Return the permutation of the numbers below `count`, which is at least 2."""
    slot: uint64_t = ((count ^ tweak) * golden_ratio()) >> 32
    known: cython.pointer(KnownClass) = key.classes + (slot & (KNOWN_CLASSES - 1))
    if known.count == count and known.tweak == tweak:
        return known
    fill_class(key, known, count, tweak)
    return known


def fill_class(key: p_const_MaskKey, known: cython.pointer(KnownClass), count: uint64_t, tweak: uint64_t):
    known.tweak = tweak
    known.count = count
    known.columns = cython.cast(uint64_t, sqrt(cython.cast(cython.double, count)))
    if known.columns < LARGEST_SIDE and known.columns * known.columns < count:
        known.columns += 1
    known.rows = (count - 1) // known.columns + 1
    sponge_begin(cython.address(known.begun), key)
    sponge_add(cython.address(known.begun), tweak)


def permuted(value: uint64_t, known: p_const_KnownClass) -> uint64_t:
    columns: uint64_t = known.columns
    step: cython.int
    while True:
        a: uint64_t = value // columns
        b: uint64_t = value - a * columns
        for step in range(0, ROUNDS, 2):
            sponge: Sponge = known.begun
            sponge_add(cython.address(sponge), (b << 8) | step)
            a += high_product(sponge_end(cython.address(sponge)), known.rows)
            if a >= known.rows:
                a -= known.rows
            sponge = known.begun
            sponge_add(cython.address(sponge), (a << 8) | (step + 1))
            b += high_product(sponge_end(cython.address(sponge)), columns)
            if b >= columns:
                b -= columns
        value = a * columns + b
        if value < known.count:
            return value


def power_of_ten(digits: cython.int) -> uint64_t:
    return POWERS[digits]


def digit_count(value: uint64_t) -> cython.int:
    """Return the decimal digits of a number; 1 of 0."""
    digits: cython.int = bit_length(value) * 1233 >> 12  # the logarithm of 2 is 1233 / 4096: these digits or one more
    return digits + 1 if digits == 0 or value >= POWERS[digits] else digits


def integer_class(key: p_const_MaskKey, value: uint64_t, most: uint64_t) -> p_const_KnownClass:
    """Return the class of a whole number above 0: those of as many digits that are not above `most`."""
    digits: cython.int = digit_count(value)
    low: uint64_t = POWERS[digits - 1]
    bound: uint64_t = most if digits == 20 or most < low * 10 - 1 else 0
    slot: uint64_t = ((bound ^ digits) * golden_ratio()) >> 32
    known: cython.pointer(KnownClass) = key.classes + KNOWN_CLASSES + (slot & (KNOWN_CLASSES - 1))
    tweak: uint64_t = of_family(FAMILY_INTEGER) | digits
    if known.low != low or known.bound != bound:
        if bound:
            fill_class(key, known, bound - low + 1, tweak ^ keyed(key, FAMILY_INTEGER, most))
        else:
            fill_class(key, known, 9 * low, tweak)
        known.low, known.bound = low, bound
    return known


def mask_magnitude(key: p_const_MaskKey, value: uint64_t, most: uint64_t) -> uint64_t:
    small: cython.bint = is_small(value, most)
    if value == 0 or value > most:
        return value
    if small and key.small[value]:
        return key.small[value]
    of: p_const_KnownClass = integer_class(key, value, most)
    if of.count < 2:
        return value
    if not small:
        return of.low + permute_of(key, value - of.low, of)
    key.small[value] = cython.cast(uint32_t, of.low + permuted(value - of.low, of))
    return key.small[value]


def mask_fraction(key: p_const_MaskKey, value: uint64_t, digits: cython.int, tweak: uint64_t) -> uint64_t:
    """Mask the digits after a point, of which the last is not 0; it is not 0 then, either."""
    count: uint64_t = 9 * power_of_ten(digits - 1)
    number: uint64_t = (value // 10) * 9 + value % 10 - 1
    number = permute(key, number, count, of_family(FAMILY_FRACTION) ^ (tweak << 8) ^ digits)
    return number // 9 * 10 + number % 9 + 1


def mask_digits(key: p_const_MaskKey, digits: cython.pointer(uint8_t), whole: cython.size_t, size: cython.size_t):
    start: cython.size_t = 0
    end: cython.size_t
    last: cython.size_t = size
    place: cython.size_t
    value: uint64_t
    before: uint64_t = 0
    while start < whole and digits[start] == 0:
        start += 1
    while last > whole and digits[last - 1] == 0:
        last -= 1
    # The digits before the point, 18 at a time: the first are a number of the family of integers.
    i: cython.size_t = start
    while i < whole:
        end = whole if whole - i <= cython.cast(cython.size_t, LONGEST) else i + LONGEST
        value = 0
        for place in range(i, end):
            value = value * 10 + digits[place]
        if i == start:
            value = mask_magnitude(key, value, 0xFFFFFFFFFFFFFFFF)
        else:
            value = permute(key, value, power_of_ten(cython.cast(cython.int, end - i)), of_family(FAMILY_LONG) ^ before)
        before = keyed(key, before ^ FAMILY_LONG, value) >> 8
        for place in range(end - i):
            digits[end - 1 - place] = value % 10
            value //= 10
        i = end
    i = whole
    while i < last:
        end = last if last - i <= cython.cast(cython.size_t, LONGEST) else i + LONGEST
        value = 0
        for place in range(i, end):
            value = value * 10 + digits[place]
        if end == last:
            value = mask_fraction(key, value, cython.cast(cython.int, end - i), before)
        else:
            value = permute(key, value, power_of_ten(LONGEST), of_family(FAMILY_LONG) ^ before)
        before = keyed(key, before ^ FAMILY_LONG, value) >> 8
        for place in range(end - i):
            digits[end - 1 - place] = value % 10
            value //= 10
        i = end


def mask_real(key: p_const_MaskKey, value: cython.double, single: cython.bint) -> cython.double:
    bits: uint64_t
    size: cython.double = fabs(value)
    masked: cython.double
    if size <= EXACT and size == cython.cast(cython.double, cython.cast(uint64_t, size)):
        masked = cython.cast(cython.double, mask_magnitude(key, cython.cast(uint64_t, size), 0xFFFFFFFFFFFFFFFF))
        return -masked if value < 0 else masked
    memcpy(cython.address(bits), cython.address(value), 8)
    exponent: uint64_t = bits >> 52
    if exponent & 0x7FF == 0x7FF:  # infinite, or not a number
        return value
    # A number that a FLOAT holds stays one: its last 29 bits are 0.
    shift: cython.int = 29 if single or bits & 0x1FFFFFFF == 0 else 0
    mantissa: uint64_t = bits & MANTISSA
    while True:
        mantissa = (
            permute(
                key,
                mantissa >> shift,
                cython.cast(uint64_t, 1) << (52 - shift),
                of_family(FAMILY_REAL) ^ ((exponent & 0x7FF) << 8) ^ shift,
            )
            << shift
        )
        if shift == 0 and mantissa & 0x1FFFFFFF == 0:
            continue
        bits = (exponent << 52) | mantissa
        memcpy(cython.address(masked), cython.address(bits), 8)
        size = fabs(masked)
        if (size > EXACT or size != cython.cast(cython.double, cython.cast(uint64_t, size))) and size != 0:
            return masked
