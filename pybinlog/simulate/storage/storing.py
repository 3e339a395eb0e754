"""How values are stored: strictly or not; and numbers as a column stores them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal

from pybinlog.layout import ColumnType

from .column import Column
from .error import SqlError, error
from .value import NUMBER, Choice, Hex, Value, leading_number, to_bytes, to_number

__all__ = ["Storing", "integer_of", "store_bit", "store_decimal", "store_float", "store_integer", "store_year"]

_WIDE = Context(prec=150, rounding=ROUND_HALF_UP)
_MAX_FLOAT = 3.4028234663852886e38


@dataclass
class Storing:
    """How values are stored: strictly or not, the row's number for messages, time zone and SQL mode."""

    strict: bool
    time_zone: str = "+00:00"
    sql_mode: frozenset[str] = frozenset()
    collation: int = 255
    row: int = 1
    warnings: list[SqlError] = field(default_factory=list)

    def refuse(self, problem: SqlError) -> None:
        """Raises in strict mode, else warns."""
        if self.strict:
            raise problem
        self.warnings.append(problem)


def number_of(value: Value, column: Column, storing: Storing, what: str) -> int | Decimal | float:
    """A value as a number; text that is none, or not only one, is refused."""
    if isinstance(value, str) and not isinstance(value, Choice):
        text = value.strip()
        if NUMBER.fullmatch(text):
            return Decimal(text)
        number = leading_number(value)
        if number or text[:1].isdigit():
            storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
        else:
            storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", what, value, column.name, storing.row))
        return number
    if isinstance(value, bytes) and not isinstance(value, Hex):
        return number_of(value.decode("latin-1"), column, storing, what)
    return to_number(value)


def store_integer(value: Value, column: Column, storing: Storing) -> int:
    number = number_of(value, column, storing, "integer")
    if isinstance(number, Decimal):
        number = int(number.to_integral_value(ROUND_HALF_UP))
    elif isinstance(number, float):
        number = round(number)
    low, high = column.integer_range
    if not low <= number <= high:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = min(max(number, low), high)
    return int(number)


def store_decimal(value: Value, column: Column, storing: Storing) -> Decimal:
    number = number_of(value, column, storing, "decimal")
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    unit = Decimal((0, (1,), -column.decimals))
    limit = Decimal((0, (9,) * column.precision, -column.decimals))
    exact = exact.quantize(unit, context=_WIDE)
    if abs(exact) > limit or (column.unsigned and exact < 0):
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        exact = max(min(exact, limit), Decimal(0) if column.unsigned else -limit).quantize(unit, context=_WIDE)
    return exact if exact else abs(exact)


def store_float(value: Value, column: Column, storing: Storing) -> float:
    number = float(number_of(value, column, storing, "FLOAT" if column.type == ColumnType.FLOAT else "DOUBLE"))
    if column.precision:
        limit = 10.0 ** (column.precision - column.decimals) - 10.0**-column.decimals
        if abs(number) > limit:
            storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
            number = limit if number > 0 else -limit
        # The server rounds what is behind the point alone, with the errors that this brings.
        unit = 10.0**column.decimals
        number = math.floor(number) + round((number - math.floor(number)) * unit) / unit
    if column.unsigned and number < 0:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = 0.0
    if column.type == ColumnType.FLOAT:
        if abs(number) > _MAX_FLOAT:
            storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
            number = _MAX_FLOAT if number > 0 else -_MAX_FLOAT
        number = float(struct.unpack("<f", struct.pack("<f", number))[0])
    return number


def store_bit(value: Value, column: Column, storing: Storing) -> int:
    if isinstance(value, (str, bytes)) and not isinstance(value, Choice):
        number = int.from_bytes(to_bytes(value, storing.collation), "big")
    else:
        number = integer_of(value)
    if number >> column.length:
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        number = (1 << column.length) - 1
    return number


def integer_of(value: Value) -> int:
    number = to_number(value)
    return int(number) if isinstance(number, int) else round(number)


def store_year(value: Value, column: Column, storing: Storing) -> int:
    is_text = isinstance(value, str)
    number = int(number_of(value, column, storing, "integer"))
    if 0 < number < 70 or (is_text and number == 0 and len(str(value)) < 4):
        number += 2000
    elif 70 <= number < 100:
        number += 1900
    if number and not 1901 <= number <= 2155:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        return 0
    return number
