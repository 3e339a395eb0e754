"""Numbers of rows, permuted eight at a time: `permutation` for values that are not known yet.

The loops over lanes are made instructions on 32 bytes by the C compiler.
"""

import cython
from cython.cimports.pybinlog.kernel.base.intrinsics import instructions_present
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.mask import permutation

LOW_HALF = cython.declare(uint64_t, 0xFFFFFFFF)
NO_BOUND = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
HAS_INSTRUCTIONS = cython.declare(cython.bint, instructions_present())


def add_number(
    waiting: cython.pointer(Waiting),
    key: p_const_MaskKey,
    value: uint64_t,
    most: uint64_t,
    negative: cython.bint,
    at: cython.pointer(uint8_t),
    size: cython.int,
) -> cython.bint:
    i: cython.int = waiting.count
    if not HAS_INSTRUCTIONS or value == 0 or value > most:
        return False
    small: cython.bint = permutation.is_small(value, most)
    if small and key.small[value]:
        return False
    of: p_const_KnownClass = permutation.integer_class(key, value, most)
    value -= of.low
    if of.count < 2 or of.rows > LOW_HALF or of.columns > LOW_HALF:
        return False
    if not small and permutation.is_of(permutation.known_mask(key, value, of.tweak), value, of.count, of.tweak):
        return False
    waiting.number[i] = value
    waiting.at[i] = at
    waiting.size[i] = size
    waiting.negative[i] = negative
    waiting.tweak[i] = of.tweak
    waiting.of_count[i] = of.count
    waiting.rows[i] = of.rows
    waiting.columns[i] = of.columns
    waiting.begun[i] = of.begun.a
    waiting.begun[i + 8] = of.begun.b
    waiting.begun[i + 16] = of.begun.c
    waiting.begun[i + 24] = of.begun.d
    waiting.low[i] = of.low
    waiting.bound[i] = of.bound
    waiting.count = i + 1
    if waiting.count == LANES:
        mask_waiting(waiting, key)
    return True


def mask_waiting(waiting: cython.pointer(Waiting), key: p_const_MaskKey):
    i: cython.int
    before: uint64_t[8]
    count: cython.int = waiting.count
    if count == 0:
        return
    waiting.count = 0
    for i in range(count, LANES):
        waiting.number[i] = 0
        waiting.rows[i] = waiting.columns[i] = 1
    memcpy(before, waiting.number, cython.sizeof(before))
    turn_lanes(waiting)
    for i in range(count):
        number: uint64_t = waiting.number[i]
        value: uint64_t = before[i] + waiting.low[i]
        if number >= waiting.of_count[i]:
            number = permutation.permuted(
                number, permutation.integer_class(key, value, waiting.bound[i] if waiting.bound[i] else NO_BOUND)
            )
        if waiting.bound[i] == 0 and value < permutation.SMALL_NUMBERS:
            key.small[value] = cython.cast(uint32_t, number + waiting.low[i])
        else:
            known: cython.pointer(KnownMask) = permutation.known_mask(key, before[i], waiting.tweak[i])
            known.value = before[i]
            known.tweak = waiting.tweak[i]
            known.count = waiting.of_count[i]
            known.mask = number
        number += waiting.low[i]
        put_number(waiting.at[i], 0 - number if waiting.negative[i] else number, waiting.size[i])


def turn_lanes(waiting: cython.pointer(Waiting)):
    """Permute each number once: the result may be beyond its class."""
    a: uint64_t[8]
    b: uint64_t[8]
    i: cython.int
    step: uint64_t
    for i in range(LANES):
        a[i] = waiting.number[i] // waiting.columns[i]
        b[i] = waiting.number[i] - a[i] * waiting.columns[i]
    for step in range(0, permutation.ROUNDS, 2):
        turn_side(a, b, waiting.rows, waiting.begun, step)
        turn_side(b, a, waiting.columns, waiting.begun, step + 1)
    for i in range(LANES):
        waiting.number[i] = a[i] * waiting.columns[i] + b[i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def turn_side(
    side: cython.pointer(uint64_t),
    other: cython.pointer(cython.const[uint64_t]),
    bound: cython.pointer(cython.const[uint64_t]),
    begun: cython.pointer(cython.const[uint64_t]),
    step: uint64_t,
) -> cython.void:
    """Add to one side of each number the hash of the other side: what sponge_add and sponge_end make of it."""
    i: cython.int
    round: cython.int
    for i in range(LANES):
        word: uint64_t = (other[i] << 8) | step
        a: uint64_t = begun[i]
        b: uint64_t = begun[i + 8]
        c: uint64_t = begun[i + 16]
        d: uint64_t = begun[i + 24] ^ word
        for round in range(4):
            a += b
            b = ((b << 13) | (b >> 51)) ^ a
            a = (a << 32) | (a >> 32)
            c += d
            d = ((d << 16) | (d >> 48)) ^ c
            a += d
            d = ((d << 21) | (d >> 43)) ^ a
            c += b
            b = ((b << 17) | (b >> 47)) ^ c
            c = (c << 32) | (c >> 32)
            if round == 0:
                a ^= word
                c ^= 0xFF
        word = a ^ b ^ c ^ d
        # The high half of a product of two factors, below 2**64 and 2**32.
        word = side[i] + (((word >> 32) * bound[i] + (((word & LOW_HALF) * bound[i]) >> 32)) >> 32)
        side[i] = word - bound[i] if word >= bound[i] else word
