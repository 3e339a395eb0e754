"""Functions of numbers, and those that choose among values."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Decimal

from ..operators import arithmetic, compare
from ..value import Value, to_float, to_integer, to_number
from .call import Call, function, strict

MANY = 1 << 16


@strict("ABS", least=1)
def absolute(call: Call, value: Value) -> Value:
    return abs(to_number(value))


@strict("SIGN", least=1)
def sign(call: Call, value: Value) -> Value:
    number = to_number(value)
    return (number > 0) - (number < 0)


@strict("MOD", least=2)
def mod(call: Call, one: Value, other: Value) -> Value:
    return arithmetic("%", one, other)


def whole(value: Value, rounding: str) -> Value:
    number = to_number(value)
    if isinstance(number, float):
        return float(math.floor(number) if rounding == ROUND_FLOOR else math.ceil(number))
    return int(number.to_integral_value(rounding)) if isinstance(number, Decimal) else number


@strict("FLOOR", least=1)
def floor(call: Call, value: Value) -> Value:
    return whole(value, ROUND_FLOOR)


@strict("CEIL", "CEILING", least=1)
def ceiling(call: Call, value: Value) -> Value:
    return whole(value, ROUND_CEILING)


def rounded(value: Value, decimals: int, rounding: str) -> Value:
    number = to_number(value)
    if isinstance(number, float):
        if decimals == 0 and rounding != ROUND_DOWN:
            return float(round(number))
        exact = Decimal(repr(number)).quantize(Decimal((0, (1,), -decimals)), rounding)
        return float(exact)
    if isinstance(number, int):
        if decimals >= 0:
            return number
        exact = Decimal(number).scaleb(decimals).to_integral_value(rounding).scaleb(-decimals)
        return int(exact)
    digits = min(decimals, max(0, -int(number.as_tuple().exponent)))
    exact = number.quantize(Decimal((0, (1,), -digits)), rounding)
    return exact if digits > 0 else Decimal(int(exact))


@strict("ROUND", least=1, most=2)
def round_(call: Call, value: Value, decimals: Value = 0) -> Value:
    return rounded(value, to_integer(decimals), "ROUND_HALF_UP")


@strict("TRUNCATE", least=2)
def truncate(call: Call, value: Value, decimals: Value) -> Value:
    return rounded(value, to_integer(decimals), ROUND_DOWN)


@strict("POW", "POWER", least=2)
def power(call: Call, base: Value, exponent: Value) -> Value:
    try:
        return math.pow(to_float(base), to_float(exponent))
    except (OverflowError, ValueError):
        return None


@strict("SQRT", least=1)
def sqrt(call: Call, value: Value) -> Value:
    number = to_float(value)
    return math.sqrt(number) if number >= 0 else None


@strict("EXP", least=1)
def exponential(call: Call, value: Value) -> Value:
    return math.exp(to_float(value))


@strict("LN", least=1)
def logarithm(call: Call, value: Value) -> Value:
    number = to_float(value)
    return math.log(number) if number > 0 else None


@strict("LOG", least=1, most=2)
def log(call: Call, one: Value, other: Value = None) -> Value:
    if other is None:
        return logarithm(call, one)
    base, number = to_float(one), to_float(other)
    return math.log(number) / math.log(base) if number > 0 and base > 0 and base != 1 else None


@strict("LOG2", least=1)
def log2(call: Call, value: Value) -> Value:
    number = to_float(value)
    return math.log2(number) if number > 0 else None


@strict("LOG10", least=1)
def log10(call: Call, value: Value) -> Value:
    number = to_float(value)
    return math.log10(number) if number > 0 else None


@strict("PI", least=0)
def pi(call: Call) -> Value:
    return math.pi


@strict("SIN", least=1)
def sine(call: Call, value: Value) -> Value:
    return math.sin(to_float(value))


@strict("COS", least=1)
def cosine(call: Call, value: Value) -> Value:
    return math.cos(to_float(value))


@strict("BIT_COUNT", least=1)
def bit_count(call: Call, value: Value) -> Value:
    return bin(to_integer(value) & (1 << 64) - 1).count("1")


@function("RAND")
def rand(call: Call) -> Value:
    """RAND() goes on in the session's sequence, RAND(seed) in one of its own for each statement."""
    execution = call.evaluator.execution
    if not len(call):
        return execution.random()
    from ..execution import next_random

    argument = call.arguments[0]
    states = execution.random_state
    if id(argument) not in states:
        seed = to_integer(call[0]) & 0xFFFFFFFF
        parts = (seed * 0x10001 + 55555555) & 0xFFFFFFFF, (seed * 0x10000001) & 0xFFFFFFFF
    else:
        _, parts = states[id(argument)]
    number, *seeds = next_random(*(part % 0x3FFFFFFF for part in parts))
    states[id(argument)] = argument, tuple(seeds)  # no other has its id as long as it is kept
    return number


@function("IFNULL")
def ifnull(call: Call) -> Value:
    value = call[0]
    return value if value is not None else call[1]


@function("COALESCE")
def coalesce(call: Call) -> Value:
    for index in range(len(call)):
        value = call[index]
        if value is not None:
            return value
    return None


@function("NULLIF")
def nullif(call: Call) -> Value:
    value = call[0]
    return None if compare(value, call[1], call.connection) == 0 else value


@function("ISNULL")
def isnull(call: Call) -> Value:
    return int(call[0] is None)


@function("IF")
def if_(call: Call) -> Value:
    return call[1] if call.evaluator.holds(call.arguments[0], call.env) else call[2]


@strict("GREATEST", least=2, most=MANY)
def greatest(call: Call, *values: Value) -> Value:
    best = values[0]
    for value in values[1:]:
        if (compare(value, best, call.connection) or 0) > 0:
            best = value
    return best


@strict("LEAST", least=2, most=MANY)
def least(call: Call, *values: Value) -> Value:
    best = values[0]
    for value in values[1:]:
        if (compare(value, best, call.connection) or 0) < 0:
            best = value
    return best


@strict("CONV", least=3)
def conv(call: Call, value: Value, source: Value, target: Value) -> Value:
    digits, base = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", abs(to_integer(target))
    try:
        number = int(str(value), abs(to_integer(source))) & (1 << 64) - 1
    except ValueError:
        return call.text("0")
    text = ""
    while number:
        number, remainder = divmod(number, base)
        text = digits[remainder] + text
    return call.text(text or "0")
