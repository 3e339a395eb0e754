"""Comparison and arithmetic, as MySQL's rules choose the type in which they are done."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema import error
from pybinlog.schema.text import compare_key
from pybinlog.values.value import Choice, Hex, Temporal, Text, Unsigned, Value, to_bytes, to_number

_DIVISION_DIGITS = 4
_MAX_DECIMALS = 30
_MAX_DIGITS = 81
_MASK = (1 << 64) - 1
_TOO_HIGH = 1 << 63
CONTEXT = Context(prec=1000, rounding=ROUND_HALF_UP)
"""The decimal arithmetic of a statement: wide enough for any DOUBLE times the longest DECIMAL."""


def compare(left: Value, right: Value, connection: int) -> int | None:
    """-1, 0 or 1; None if one is NULL. Raise UnsupportedStatement for dates and times."""
    if left is None or right is None:
        return None
    if isinstance(left, Temporal) or isinstance(right, Temporal):
        raise UnsupportedStatement("the comparison of dates and times is not in the model", missing="comparison")
    if isinstance(left, str) and isinstance(right, str):
        # A column's collation goes before that of a literal.
        own = left if isinstance(left, Text) and left.collation != connection else right
        collation = own.collation if isinstance(own, Text) else connection
        if collation != COLLATION_BINARY:
            return _order(compare_key(left, collation), compare_key(right, collation))
    if isinstance(left, (str, bytes)) and isinstance(right, (str, bytes)):
        return _order(to_bytes(left, connection), to_bytes(right, connection))
    inexact = [isinstance(value, (str, bytes, float)) and not isinstance(value, Hex) for value in (left, right)]
    a, b = to_number(left), to_number(right)
    return _order(float(a), float(b)) if any(inexact) else _order(a, b)


def _order(left: Any, right: Any) -> int:
    return (left > right) - (left < right)


def sort_key(value: Value, connection: int) -> tuple[Any, ...]:
    """Return a key that sorts values of one expression; NULL first. Raise UnsupportedStatement for dates and times."""
    if value is None:
        return (0,)
    if isinstance(value, str) and not isinstance(value, Choice):
        return (1, compare_key(value, value.collation if isinstance(value, Text) else connection))
    return (1, bytes(value) if isinstance(value, bytes) else to_number(value))


def arithmetic(operator: str, left: Value, right: Value, strict_division: bool = False) -> Value:
    """+, -, *, / and %. Division by zero is NULL, or error 1365 with `strict_division`. Raise error 1690."""
    if left is None or right is None:
        return None
    a, b = to_number(left), to_number(right)
    if operator in ("/", "%") and b == 0:
        if strict_division:
            raise error("DIVISION_BY_ZERO")
        return None
    if isinstance(a, float) or isinstance(b, float):
        return _floating(operator, float(a), float(b))
    if operator == "/":
        decimals = min(_decimals(a) + _DIVISION_DIGITS, _MAX_DECIMALS)
        return _rounded(CONTEXT.divide(Decimal(a), Decimal(b)), decimals)
    if isinstance(a, int) and isinstance(b, int):
        if operator == "%":
            remainder = abs(a) % abs(b)
            return Unsigned(remainder) if isinstance(a, Unsigned) else -remainder if a < 0 else remainder
        result = a + b if operator == "+" else a - b if operator == "-" else a * b
        return _whole(result, isinstance(a, Unsigned) or isinstance(b, Unsigned), f"({a} {operator} {b})")
    operation = {"+": CONTEXT.add, "-": CONTEXT.subtract, "*": CONTEXT.multiply, "%": CONTEXT.remainder}[operator]
    decimals = _decimals(a) + _decimals(b) if operator == "*" else max(_decimals(a), _decimals(b))
    return _rounded(operation(Decimal(a), Decimal(b)), min(decimals, _MAX_DECIMALS))


def _decimals(value: int | Decimal | float) -> int:
    return max(0, -int(value.as_tuple().exponent)) if isinstance(value, Decimal) else 0


def _whole(value: int, unsigned: bool, text: str) -> int:
    """Return an integer result, which must fit into a BIGINT."""
    low, high = (0, _MASK) if unsigned else (-_TOO_HIGH, _TOO_HIGH - 1)
    if not low <= value <= high:
        raise error("DATA_OUT_OF_RANGE", "BIGINT UNSIGNED" if unsigned else "BIGINT", text)
    return Unsigned(value) if unsigned else value


def _floating(operator: str, a: float, b: float) -> float:
    if operator == "%":
        return math.fmod(a, b)
    result = a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
    if math.isinf(result):
        raise error("DATA_OUT_OF_RANGE", "DOUBLE", "an expression")
    return result


def _rounded(value: Decimal, decimals: int) -> Decimal:
    if value.adjusted() >= _MAX_DIGITS:
        raise error("DATA_OUT_OF_RANGE", "DECIMAL", "an expression")
    return value.quantize(Decimal((0, (1,), -decimals)), context=CONTEXT)


def negated(value: Value) -> Value:
    """-value."""
    if value is None:
        return None
    number = to_number(value)
    if isinstance(number, int):
        return -int(number) if -_TOO_HIGH <= -number < _TOO_HIGH else Decimal(-number)
    # Decimal's own minus would round to the digits of Python's context.
    return number.copy_negate() if isinstance(number, Decimal) else -number
