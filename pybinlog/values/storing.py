"""Storing: how the values of one row are stored; and numbers as a column stores them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import Column, SqlError, error
from pybinlog.values.value import NUMBER, Choice, Hex, Value, nearest_float, to_bytes, to_integer, to_number

_WIDE = Context(prec=1000, rounding=ROUND_HALF_UP)
_MAX_FLOAT = 3.4028234663852886e38


@dataclass
class Storing:
    """How values are stored: strictly or not, the row's number for messages, time zone and SQL mode.

    `collation` is that of the connection, for text without one of its own.
    """

    strict: bool
    time_zone: str = "+00:00"
    sql_mode: frozenset[str] = frozenset()
    collation: int = 255
    row: int = 1

    def refuse(self, problem: SqlError) -> None:
        """Refuse a value that does not fit: raise an error in strict mode, otherwise store the nearest value."""
        if self.strict:
            raise problem

    def nothing(self, problem: SqlError) -> Exception:
        """Return the error if there is no nearest value in the model."""
        if self.strict:
            return problem
        return UnsupportedStatement(
            f"{problem.message}: what is stored in its place without strict mode is not in the model",
            missing="sql_mode",
        )


def number_of(value: Value, column: Column, storing: Storing, what: str) -> int | Decimal | float:
    """Return a value as a number; text that is none, or not only one, is refused."""
    if isinstance(value, bytes) and not isinstance(value, Hex):
        value = value.decode("latin-1")
    if not isinstance(value, str) or isinstance(value, Choice):
        return to_number(value)
    text = value.strip()
    match = NUMBER.match(text)
    if match is None:
        storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", what, value, column.name, storing.row))
        return 0
    if match.end() < len(text):
        storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
    number = Decimal(match[1])
    return number if -400 < number.adjusted() < 400 else nearest_float(match[1])


def store_integer(value: Value, column: Column, storing: Storing) -> int:
    """TINYINT to BIGINT."""
    number = number_of(value, column, storing, "integer")
    low, high = column.integer_range
    if isinstance(number, Decimal):
        number = int(number.to_integral_value(ROUND_HALF_UP))
    elif isinstance(number, float):
        number = round(number)
    if not low <= number <= high:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = min(max(number, low), high)
    return int(number)


def store_decimal(value: Value, column: Column, storing: Storing) -> Decimal:
    """DECIMAL, rounded half away from zero."""
    number = number_of(value, column, storing, "decimal")
    unit = Decimal((0, (1,), -column.decimals))
    exact = _WIDE.quantize(Decimal(repr(number)) if isinstance(number, float) else Decimal(number), unit)
    highest = Decimal((0, (9,) * column.precision, -column.decimals))
    lowest = Decimal(0).quantize(unit) if column.unsigned else highest.copy_negate()
    if not lowest <= exact <= highest:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        exact = max(min(exact, highest), lowest)
    return exact if exact else abs(exact)


def store_float(value: Value, column: Column, storing: Storing) -> float:
    """FLOAT and DOUBLE, perhaps with a number of digits."""
    number = float(number_of(value, column, storing, "FLOAT" if column.type == ColumnType.FLOAT else "DOUBLE"))
    limit = _MAX_FLOAT if column.type == ColumnType.FLOAT else math.inf
    if column.precision:
        limit = 10.0 ** (column.precision - column.decimals) - 10.0**-column.decimals
    if abs(number) > limit or (column.unsigned and number < 0):
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = limit if number > 0 else 0.0 if column.unsigned else -limit
    if column.precision:
        # The server rounds what is after the point alone, with the errors that this brings.
        unit = 10.0**column.decimals
        number = math.floor(number) + round((number - math.floor(number)) * unit) / unit
    if column.type == ColumnType.FLOAT:
        number = float(struct.unpack("<f", struct.pack("<f", number))[0])
    return number


def store_bit(value: Value, column: Column, storing: Storing) -> int:
    """BIT: of text, its bytes."""
    if isinstance(value, (str, bytes)) and not isinstance(value, Choice):
        number = int.from_bytes(to_bytes(value, storing.collation), "big")
    else:
        number = to_integer(value) & (1 << 64) - 1
    if number >> column.length:
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        number = (1 << column.length) - 1
    return number


def store_year(value: Value, column: Column, storing: Storing) -> int:
    """YEAR: two digits are those of 1970 to 2069."""
    number = int(number_of(value, column, storing, "integer"))
    if 0 < number < 70 or (isinstance(value, str) and number == 0 and len(value) < 4):
        number += 2000
    elif 70 <= number < 100:
        number += 1900
    if number and not 1901 <= number <= 2155:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        return 0
    return number
