"""Comparison and arithmetic, as MySQL's rules choose the type in which they are done."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

from .charset import BINARY, compare_key
from .error import error
from .temporal import temporal_of
from .value import (
    Hex,
    Json,
    Temporal,
    Text,
    Unsigned,
    Value,
    to_bytes,
    to_float,
    to_integer,
    to_number,
    to_text,
)

__all__ = ["CONTEXT", "arithmetic", "bitwise", "compare", "like_pattern", "negated", "sort_key"]

_DIVISION_DIGITS = 4
_MAX_DECIMALS = 30
_MASK = (1 << 64) - 1
CONTEXT = Context(prec=140, rounding=ROUND_HALF_UP)
"""The decimal arithmetic of a statement: wide enough for products of the longest DECIMALs."""


def _is_string(value: Value) -> bool:
    return isinstance(value, (str, bytes)) and not isinstance(value, Hex)


def _moment(value: Temporal) -> Any:
    inner = value.value
    if isinstance(inner, date) and not isinstance(inner, datetime):
        return datetime(inner.year, inner.month, inner.day)
    return inner if isinstance(inner, (datetime, timedelta)) else str(inner)


def compare(left: Value, right: Value, connection: int = 255) -> int | None:
    """-1, 0 or 1; None where one is NULL."""
    if left is None or right is None:
        return None
    if isinstance(left, Temporal) or isinstance(right, Temporal):
        result = _compare_temporal(left, right)
        if result is not None:
            return result
    if isinstance(left, Json) or isinstance(right, Json):
        left = left.value if isinstance(left, Json) else left
        right = right.value if isinstance(right, Json) else right
        if isinstance(left, (dict, list)) or isinstance(right, (dict, list)) or left is None or right is None:
            return 0 if left == right else (-1 if str(left) < str(right) else 1)
    if isinstance(left, (str, bytes)) and isinstance(right, (str, bytes)):
        if isinstance(left, bytes) or isinstance(right, bytes):
            return _order(to_bytes(left, connection), to_bytes(right, connection))
        collation = _common_collation(left, right, connection)
        if collation == BINARY:
            return _order(to_bytes(left, connection), to_bytes(right, connection))
        return _order(compare_key(left, collation), compare_key(right, collation))
    if _is_string(left) or _is_string(right) or isinstance(left, float) or isinstance(right, float):
        return _order(to_float(left), to_float(right))
    return _order(to_number(left), to_number(right))


def _order(left: Any, right: Any) -> int:
    return (left > right) - (left < right)


def _common_collation(left: str, right: str, connection: int) -> int:
    """A column's collation goes before that of a literal."""
    if isinstance(left, Text) and left.collation != connection:
        return left.collation
    return right.collation if isinstance(right, Text) else connection


def _compare_temporal(left: Value, right: Value) -> int | None:
    """Dates are compared with text that is a date, too; None where they are to be compared as numbers."""
    kinds = {value.kind for value in (left, right) if isinstance(value, Temporal)}
    kind = "TIME" if kinds == {"TIME"} else "DATETIME"
    sides = []
    for value in (left, right):
        if not isinstance(value, (Temporal, str)):
            return None
        temporal = temporal_of(value, kind)
        if temporal is None:
            return None
        sides.append(_moment(temporal))
    if type(sides[0]) is not type(sides[1]):
        return _order(str(sides[0]), str(sides[1]))
    return _order(*sides)


def sort_key(value: Value, connection: int = 255) -> tuple[Any, ...]:
    """A key that sorts values of one expression; NULL first."""
    if value is None:
        return (0,)
    if isinstance(value, bytes):
        return (1, bytes(value))
    if isinstance(value, str):
        number = getattr(value, "number", None)
        if number is not None:
            return (1, number)
        collation = value.collation if isinstance(value, Text) else connection
        return (1, compare_key(value, collation))
    if isinstance(value, Temporal):
        inner = _moment(value)
        return (1, inner.isoformat(" ") if isinstance(inner, datetime) else inner)
    if isinstance(value, Json):
        return (1, to_text(value))
    return (1, value)


def _decimals(value: int | Decimal) -> int:
    return max(0, -int(value.as_tuple().exponent)) if isinstance(value, Decimal) else 0


def _whole(value: int, unsigned: bool, text: str) -> int:
    """An integer result, which must fit into a BIGINT."""
    low, high = (0, _MASK) if unsigned else (-(1 << 63), (1 << 63) - 1)
    if not low <= value <= high:
        raise error("DATA_OUT_OF_RANGE", "BIGINT UNSIGNED" if unsigned else "BIGINT", text)
    return Unsigned(value) if unsigned else value


def arithmetic(operator: str, left: Value, right: Value, strict_division: bool = False) -> Value:
    """+, -, *, /, DIV and %. Division by zero is NULL, or in strict mode an error."""
    if left is None or right is None:
        return None
    a, b = to_number(left), to_number(right)
    if operator in ("/", "DIV", "%") and b == 0:
        if strict_division:
            raise error("DIVISION_BY_ZERO")
        return None
    unsigned = isinstance(a, Unsigned) or isinstance(b, Unsigned)
    text = f"({to_text(a)} {operator} {to_text(b)})"
    if operator == "DIV":
        quotient = int((Decimal(str(a)) / Decimal(str(b))).to_integral_value(ROUND_DOWN))
        if isinstance(a, int) and isinstance(b, int):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _whole(quotient, unsigned, text)
    if isinstance(a, float) or isinstance(b, float):
        return _floating(operator, float(a), float(b), text)
    if operator == "/":
        return _division(a, b)
    if isinstance(a, int) and isinstance(b, int):
        if operator == "%":
            remainder = abs(a) % abs(b)
            return _whole(-remainder if a < 0 else remainder, isinstance(a, Unsigned), text)
        result = a + b if operator == "+" else a - b if operator == "-" else a * b
        return _whole(result, unsigned, text)
    return _exact(operator, Decimal(a), Decimal(b))


def _floating(operator: str, a: float, b: float, text: str) -> float:
    if operator == "%":
        remainder = abs(a) % abs(b)
        return -remainder if a < 0 else remainder
    try:
        result = a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
    except OverflowError as problem:
        raise error("DATA_OUT_OF_RANGE", "DOUBLE", text) from problem
    if result in (float("inf"), float("-inf")):
        raise error("DATA_OUT_OF_RANGE", "DOUBLE", text)
    return result


def _exact(operator: str, a: Decimal, b: Decimal) -> Decimal:
    decimals = max(_decimals(a), _decimals(b)) if operator != "*" else min(_decimals(a) + _decimals(b), _MAX_DECIMALS)
    with localcontext(CONTEXT):
        if operator == "+":
            result = a + b
        elif operator == "-":
            result = a - b
        elif operator == "*":
            result = a * b
        else:
            result = a % b
        return result.quantize(Decimal((0, (1,), -decimals)))


def _division(a: int | Decimal, b: int | Decimal) -> Decimal:
    decimals = min(_decimals(a) + _DIVISION_DIGITS, _MAX_DECIMALS)
    with localcontext(CONTEXT):
        return (Decimal(a) / Decimal(b)).quantize(Decimal((0, (1,), -decimals)))


def negated(value: Value) -> Value:
    """-value."""
    if value is None:
        return None
    number = to_number(value)
    if isinstance(number, int):
        return _whole(-int(number), False, f"-{number}") if -number >= -(1 << 63) else Decimal(-number)
    return -number


def bitwise(operator: str, left: Value, right: Value) -> Value:
    """&, |, ^, << and >> on 64 bits."""
    if left is None or right is None:
        return None
    a, b = to_integer(left) & _MASK, to_integer(right) & _MASK
    if operator in ("<<", ">>"):
        if b > 63:
            return Unsigned(0)
        return Unsigned(a << b & _MASK if operator == "<<" else a >> b)
    return Unsigned(a & b if operator == "&" else a | b if operator == "|" else a ^ b)


def like_pattern(pattern: str, escape: str = "\\") -> re.Pattern[str]:
    """A LIKE pattern as a regular expression."""
    parts, index = [], 0
    while index < len(pattern):
        character = pattern[index]
        if character == escape and index + 1 < len(pattern):
            index += 1
            parts.append(re.escape(pattern[index]))
        else:
            parts.append(".*" if character == "%" else "." if character == "_" else re.escape(character))
        index += 1
    return re.compile("".join(parts), re.S)
