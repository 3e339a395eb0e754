"""Comparison and arithmetic, as MySQL's rules choose the type in which they are done."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from pybinlog.schema import BINARY, error
from pybinlog.schema.text import compare_key
from pybinlog.values.temporal import temporal_of
from pybinlog.values.value import Hex, Temporal, Text, Unsigned, Value, to_bytes, to_float, to_number, to_text

_DIVISION_DIGITS = 4
_MAX_DECIMALS = 30
_MAX_DIGITS = 81
_MASK = (1 << 64) - 1
CONTEXT = Context(prec=1000, rounding=ROUND_HALF_UP)
"""The decimal arithmetic of a statement: wide enough for any DOUBLE times the longest DECIMAL."""


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
    if isinstance(left, str) and isinstance(right, str):
        # A column's collation goes before that of a literal.
        own = left if isinstance(left, Text) and left.collation != connection else right
        collation = own.collation if isinstance(own, Text) else connection
        if collation != BINARY:
            return _order(compare_key(left, collation), compare_key(right, collation))
    if isinstance(left, (str, bytes)) and isinstance(right, (str, bytes)):
        return _order(to_bytes(left, connection), to_bytes(right, connection))
    inexact = [isinstance(value, (str, bytes, float)) and not isinstance(value, Hex) for value in (left, right)]
    if any(inexact):
        return _order(to_float(left), to_float(right))
    return _order(to_number(left), to_number(right))


def _order(left: Any, right: Any) -> int:
    return (left > right) - (left < right)


def _compare_temporal(left: Value, right: Value) -> int | None:
    """Dates are compared with text that is a date, too; None where they are to be compared as numbers."""
    kinds = {value.kind for value in (left, right) if isinstance(value, Temporal)}
    kind = "TIME" if kinds == {"TIME"} else "DATETIME"
    sides = []
    for value in (left, right):
        temporal = temporal_of(value, kind) if isinstance(value, (Temporal, str)) else None
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
        return (1, compare_key(value, value.collation if isinstance(value, Text) else connection))
    if isinstance(value, Temporal):
        inner = _moment(value)
        return (1, inner.isoformat(" ") if isinstance(inner, datetime) else inner)
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
    """+, -, *, /, DIV and %. Division by zero is NULL, or error 1365 with `strict_division`. Raises error 1690."""
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
        exact = CONTEXT.divide(Decimal(to_text(a)), Decimal(to_text(b)))
        return _whole(int(exact.to_integral_value(ROUND_DOWN)), unsigned, text)
    if isinstance(a, float) or isinstance(b, float):
        return _floating(operator, float(a), float(b), text)
    if operator == "/":
        decimals = min(_decimals(a) + _DIVISION_DIGITS, _MAX_DECIMALS)
        return _rounded(CONTEXT.divide(Decimal(a), Decimal(b)), decimals)
    if isinstance(a, int) and isinstance(b, int):
        if operator == "%":
            remainder = abs(a) % abs(b)
            return _whole(-remainder if a < 0 else remainder, isinstance(a, Unsigned), text)
        result = a + b if operator == "+" else a - b if operator == "-" else a * b
        return _whole(result, unsigned, text)
    return _exact(operator, Decimal(a), Decimal(b))


def _floating(operator: str, a: float, b: float, text: str) -> float:
    if operator == "%":
        return math.fmod(a, b)
    try:
        result = a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
    except OverflowError as problem:
        raise error("DATA_OUT_OF_RANGE", "DOUBLE", text) from problem
    if math.isinf(result):
        raise error("DATA_OUT_OF_RANGE", "DOUBLE", text)
    return result


def _rounded(value: Decimal, decimals: int) -> Decimal:
    if value.adjusted() >= _MAX_DIGITS:
        raise error("DATA_OUT_OF_RANGE", "DECIMAL", "an expression")
    return value.quantize(Decimal((0, (1,), -decimals)), context=CONTEXT)


def _exact(operator: str, a: Decimal, b: Decimal) -> Decimal:
    decimals = max(_decimals(a), _decimals(b)) if operator != "*" else min(_decimals(a) + _decimals(b), _MAX_DECIMALS)
    operation = {"+": CONTEXT.add, "-": CONTEXT.subtract, "*": CONTEXT.multiply, "%": CONTEXT.remainder}[operator]
    return _rounded(operation(a, b), decimals)


def negated(value: Value) -> Value:
    """-value."""
    if value is None:
        return None
    number = to_number(value)
    if isinstance(number, int):
        return _whole(-int(number), False, f"-{number}") if -number >= -(1 << 63) else Decimal(-number)
    # Decimal's own minus would round to the digits of Python's context.
    return number.copy_negate() if isinstance(number, Decimal) else -number


def like_pattern(pattern: str) -> re.Pattern[str]:
    """A LIKE pattern as a regular expression."""
    parts = [
        re.escape(part[1:]) if len(part) > 1 else {"%": ".*", "_": "."}.get(part, re.escape(part))
        for part in re.findall(r"\\.|.", pattern, re.DOTALL)
    ]
    return re.compile("".join(parts), re.DOTALL)
