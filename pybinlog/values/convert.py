"""Values as a column stores them: what `Event.rows` gives of the column, ENUM and SET as numbers.

In strict mode a value that does not fit is an error; else the nearest value that does is stored.
"""

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema import Column, SqlError, error
from pybinlog.schema.error import SURROGATE
from pybinlog.schema.text import compare_key, cut_text, decode_text, encode_text, printable
from pybinlog.values.temporal import MAX_TIME, from_utc, round_to, temporal_of, to_utc
from pybinlog.values.value import (
    NUMBER,
    Bits,
    Choice,
    Hex,
    Temporal,
    Text,
    Unsigned,
    Value,
    Year,
    collation_of,
    nearest_float,
    to_bytes,
    to_number,
    to_text,
)

_WIDE = Context(prec=1000, rounding=ROUND_HALF_UP)
_MAX_FLOAT = 3.4028234663852886e38
_MAX_SIGNED = (1 << 63) - 1
_MASK = (1 << 64) - 1


@dataclass
class Storing:
    """How values are stored: strictly or not, the row's number for messages, time zone and SQL mode.

    `collation` is that of the connection, for text without one of its own.
    """

    strict: bool
    time_zone: str
    sql_mode: frozenset[str]
    collation: int
    row: int

    def refuse(self, problem: SqlError) -> None:
        """Refuse a value that does not fit: raise an error in strict mode, otherwise store the nearest value."""
        if self.strict:
            raise problem

    def nothing(self, problem: SqlError) -> Exception:
        """Return the error if the model has no nearest value."""
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
    match = re.match(NUMBER, text)
    if match is None:
        storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", what, value, column.name, storing.row))
        return 0
    if match.end() < len(text):
        wrong = error("TRUNCATED_WRONG_VALUE_FOR_FIELD", what, value, column.name, storing.row)
        storing.refuse(_truncated(column, storing) if what == "integer" else wrong)
    number = Decimal(match[1])
    return number if -400 < number.adjusted() < 400 else nearest_float(match[1])


def store_integer(value: Value, column: Column, storing: Storing) -> int:
    """TINYINT to BIGINT."""
    number = number_of(value, column, storing, "integer")
    low, high = column.integer_range
    if isinstance(number, Decimal):
        # A negative number is refused before it is rounded, unless it is text.
        number = low - 1 if column.unsigned and value is number and number < 0 else _rounded(number)
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
    if not lowest <= exact <= highest or (column.unsigned and number < 0):
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        exact = max(min(exact, highest), lowest)
    return exact if exact else abs(exact)


def store_float(value: Value, column: Column, storing: Storing) -> float:
    """FLOAT and DOUBLE, perhaps with a number of digits."""
    number = float(number_of(value, column, storing, "FLOAT" if column.type == ColumnType.FLOAT else "DOUBLE"))
    limit = _MAX_FLOAT if column.type == ColumnType.FLOAT else math.inf
    negative = number < 0
    if column.precision:
        limit = 10.0 ** (column.precision - column.decimals) - 10.0**-column.decimals
        # The server rounds what is after the point alone, with the errors that this brings.
        unit = 10.0**column.decimals
        number = math.floor(number) + round((number - math.floor(number)) * unit) / unit
    if abs(number) > limit or (column.unsigned and negative):
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = limit if not negative else 0.0 if column.unsigned else -limit
    if column.type == ColumnType.FLOAT:
        number = float(struct.unpack("<f", struct.pack("<f", number))[0])
    return number


def store_bit(value: Value, column: Column, storing: Storing) -> int:
    """BIT: of text, its bytes."""
    if isinstance(value, (str, bytes)) and not isinstance(value, Choice):
        number = int.from_bytes(to_bytes(value, storing.collation), "big")
    elif isinstance(value, Decimal):
        number = _rounded(value)
        if value < 0 or number > _MASK:
            storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
            number = 0 if value < 0 else _MASK
    else:
        number = _cut_off(value) & _MASK
    if number >> column.length:
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        number = (1 << column.length) - 1
    return number


def store_year(value: Value, column: Column, storing: Storing) -> int:
    """YEAR: two digits are those of 1970 to 2069."""
    exact = number_of(value, column, storing, "integer")
    number = _rounded(exact) if isinstance(exact, Decimal) else int(exact)
    if value is exact and exact < 0:
        number = -1
    if 0 < number < 70 or (isinstance(exact, Decimal) and isinstance(value, str) and not number and len(value) != 4):
        number += 2000
    elif 70 <= number < 100:
        number += 1900
    if number and not 1901 <= number <= 2155:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        return 0
    return number


_TEMPORALS = {
    ColumnType.DATE: "DATE",
    ColumnType.DATETIME2: "DATETIME",
    ColumnType.TIMESTAMP2: "DATETIME",
    ColumnType.TIME2: "TIME",
}


def _string(value: Value, column: Column, storing: Storing) -> str | bytes:
    if column.charset != COLLATION_BINARY:
        return _text(value, column.charset, column, storing)
    data = to_bytes(value, storing.collation)
    limit = column.length if column.type != ColumnType.BLOB else (1 << 8 * column.length_bytes) - 1
    if len(data) > limit:
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        data = data[:limit]
    # A BINARY is filled up with zero bytes, which the log omits again.
    return data.rstrip(b"\0") if column.type == ColumnType.STRING else data


def _text(value: Value, collation: int, column: Column, storing: Storing) -> str:
    """Return text as far as there is room, "?" for what the column's character set does not have.

    Room is counted in characters, that of a TEXT in bytes.
    """
    text = str(to_text(value, collation))
    if re.search(SURROGATE, text):
        raise UnsupportedStatement(
            f"{column.name}: bytes that are not valid text, in a text column, are not in the model", missing="text"
        )
    if column.type == ColumnType.STRING:
        text = text.rstrip(" ")
    kept = decode_text(encode_text(text, collation), collation)
    bad = next((at for at, (old, new) in enumerate(zip(text, kept, strict=False)) if old != new), None)
    if column.type == ColumnType.BLOB:
        kept = cut_text(encode_text(kept, collation), (1 << 8 * column.length_bytes) - 1, collation)
    else:
        kept = kept[: column.length]
    if bad is not None and bad < len(kept):
        shown = printable(text[bad:], collation_of(value, storing.collation))
        storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", "string", shown, column.name, storing.row))
    elif text[len(kept) :].strip(" "):
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
    return kept


def _truncated(column: Column, storing: Storing) -> SqlError:
    return error("WARN_DATA_TRUNCATED", column.name, storing.row)


def _rounded(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_HALF_UP))


def _cut_off(value: Value) -> int:
    """Return a value as an integer, without what is after its point: the nearest BIGINT of a DOUBLE."""
    number = to_number(value)
    return min(max(int(number), -_MAX_SIGNED - 1), _MAX_SIGNED) if isinstance(number, float) else int(number)


def _number_of_text(text: str, digits: int) -> int | None:
    """Return the number of an ENUM or SET that a text of so many characters at most has; None if it has none."""
    return int(text) if len(text) <= digits and re.fullmatch(r"(?a)\s*\+?\d+", text) else None


def _enum(value: Value, column: Column, storing: Storing) -> int:
    number: int | None
    if isinstance(value, (str, bytes)) and not isinstance(value, Bits):
        text = to_text(value).rstrip(" ")
        number = _member(text, column)
        if number is None:
            number = _number_of_text(text, 5)
            if number == 0:
                return 0
    else:
        number = _cut_off(value)
    if number is None or not 0 < number <= len(column.members):
        storing.refuse(_truncated(column, storing))
        return 0
    return number


def _member(text: str, column: Column) -> int | None:
    """Return the number of a member, from 1."""
    key = compare_key(text, column.charset)
    members = enumerate(column.members, 1)
    return next((number for number, member in members if compare_key(member, column.charset) == key), None)


def _set(value: Value, column: Column, storing: Storing) -> int:
    everything = (1 << len(column.members)) - 1
    if not isinstance(value, (str, bytes)) or isinstance(value, Bits):
        bits = _cut_off(value)
        if not 0 <= bits <= everything:
            storing.refuse(_truncated(column, storing))
        return bits & everything
    text = to_text(value)
    if not text:
        return 0
    members = [_member(part, column) for part in text.rstrip(" ").split(",")]
    bits = sum({1 << number - 1 for number in members if number is not None})
    written = None if bits else _number_of_text(text, 21)
    if written is not None and written <= everything:
        return written
    if None in members:
        storing.refuse(_truncated(column, storing))
    return bits


def _temporal(value: Value, column: Column, storing: Storing) -> Any:
    kind = _TEMPORALS[column.type]
    named = "date" if kind == "DATE" else kind.lower()
    wrong = error("WRONG_VALUE_FOR_COLUMN", named, to_text(value), column.name, storing.row)
    truncate = "TIME_TRUNCATE_FRACTIONAL" in storing.sql_mode
    temporal = temporal_of(value, kind, truncate)
    if temporal is None:
        raise storing.nothing(wrong)
    inner = temporal.value
    if isinstance(inner, str):
        return _zero_date(inner, column, storing, wrong)
    if isinstance(inner, timedelta):
        if abs(inner) > MAX_TIME:
            raise storing.nothing(wrong)
        return round_to(inner, column.decimals, truncate)
    if not isinstance(inner, datetime):
        return inner
    moment = round_to(inner, column.decimals, truncate)
    if column.type != ColumnType.TIMESTAMP2:
        return moment
    utc = to_utc(moment, storing.time_zone)
    if utc is None or not 1 <= utc.timestamp() < 1 << 31:
        raise storing.nothing(wrong)
    return utc


def _zero_date(text: str, column: Column, storing: Storing, wrong: SqlError) -> str:
    """Return a date with a part that is zero, which sql_mode may forbid."""
    is_zero = not text.strip("0-:. ")
    refused = ("NO_ZERO_DATE" if is_zero else "NO_ZERO_IN_DATE") in storing.sql_mode
    if (refused and (is_zero or "-00" in text)) or (column.type == ColumnType.TIMESTAMP2 and not is_zero):
        raise storing.nothing(wrong)
    if column.type == ColumnType.DATE:
        return text[:10]
    whole, _, fraction = text.partition(".")
    truncate = "TIME_TRUNCATE_FRACTIONAL" in storing.sql_mode
    part = round_to(timedelta(microseconds=int(fraction.ljust(6, "0"))), column.decimals, truncate)
    if part == timedelta(seconds=1):
        raise storing.nothing(wrong)
    return whole + (f".{part.microseconds:06d}"[: column.decimals + 1] if column.decimals else "")


_STORERS: dict[int, Callable[[Value, Column, Storing], Any]] = {
    **dict.fromkeys(INTEGER_BYTES, store_integer),
    **dict.fromkeys(_TEMPORALS, _temporal),
    **dict.fromkeys((ColumnType.VARCHAR, ColumnType.STRING, ColumnType.BLOB), _string),
    ColumnType.NEWDECIMAL: store_decimal,
    ColumnType.FLOAT: store_float,
    ColumnType.DOUBLE: store_float,
    ColumnType.BIT: store_bit,
    ColumnType.YEAR: store_year,
    ColumnType.ENUM: _enum,
    ColumnType.SET: _set,
}
STORED_TYPES = frozenset(_STORERS)
"""The types of columns that the model's tables have."""


def store(value: Value, column: Column, storing: Storing) -> Any:
    """Return the column's stored form of a value; None stays None. Raise SqlError in strict mode."""
    return None if value is None else _STORERS[column.type](value, column, storing)


def load(stored: Any, column: Column, time_zone: str = "+00:00") -> Value:
    """Return the value that an expression sees of what a column stores."""
    if stored is None:
        return None
    kind = column.type
    if kind in INTEGER_BYTES:
        return Unsigned(stored) if column.unsigned else stored
    if kind == ColumnType.YEAR:
        return Year(stored)
    if kind == ColumnType.BIT:
        return Bits(stored.to_bytes((column.length + 7) // 8, "big"))
    if kind == ColumnType.STRING and column.collation == COLLATION_BINARY:
        return stored.ljust(column.length, b"\0")
    if column.is_text:
        return Text(stored, column.charset)
    if kind == ColumnType.ENUM:
        return Choice(column.members[stored - 1] if stored else "", column.charset, stored)
    if kind == ColumnType.SET:
        chosen = ",".join(member for index, member in enumerate(column.members) if stored >> index & 1)
        return Choice(chosen, column.charset, stored)
    if kind == ColumnType.TIMESTAMP2 and isinstance(stored, datetime):
        return Temporal("DATETIME", from_utc(stored, time_zone), column.decimals)
    if kind in _TEMPORALS:
        return Temporal(_TEMPORALS[kind], stored, column.decimals)
    return stored
