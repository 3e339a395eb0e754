"""Values as a column stores them: what `layout.decode_rows` gives of the column, ENUM and SET as numbers.

In strict mode a value that does not fit is an error; else the nearest value that does is stored.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from pybinlog.layout import ColumnType

from .charset import BINARY, character_set, compare_key, decode_text, encode_text
from .column import INTEGER_BYTES, Column
from .error import SqlError, error
from .json_text import parse_json
from .temporal import MAX_TIME, from_utc, round_to, temporal_of, to_utc
from .value import (
    Choice,
    Hex,
    Json,
    Temporal,
    Text,
    Unsigned,
    Value,
    to_bytes,
    to_float,
    to_number,
    to_text,
)

__all__ = ["Storing", "implicit_default", "load", "store"]

_WIDE = Context(prec=150, rounding=ROUND_HALF_UP)
_MAX_FLOAT = 3.4028234663852886e38
_ZERO_DATE = "0000-00-00"
_ZERO_DATETIME = "0000-00-00 00:00:00"


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


def implicit_default(column: Column) -> Any:
    """What a NOT NULL column without default gets where that is not an error."""
    kind = column.type
    if kind in INTEGER_BYTES or kind in (ColumnType.BIT, ColumnType.YEAR, ColumnType.SET):
        return 0
    if kind == ColumnType.ENUM:
        return 1
    if kind == ColumnType.NEWDECIMAL:
        return Decimal(0).scaleb(-column.decimals)
    if kind in (ColumnType.FLOAT, ColumnType.DOUBLE):
        return 0.0
    if kind == ColumnType.DATE:
        return _ZERO_DATE
    if kind in (ColumnType.DATETIME2, ColumnType.TIMESTAMP2):
        return _ZERO_DATETIME + ("." + "0" * column.decimals if column.decimals else "")
    if kind == ColumnType.TIME2:
        return timedelta(0)
    if kind == ColumnType.STRING and column.collation == BINARY:
        return b""
    return "" if column.is_text else b""


def _number_of(value: Value, column: Column, storing: Storing, what: str) -> int | Decimal | float:
    """A value as a number; text that is none, or not only one, is refused."""
    if isinstance(value, str) and not isinstance(value, Choice):
        text = value.strip()
        try:
            exact = Decimal(text)
            return exact if exact.is_finite() else 0
        except InvalidOperation:
            number = to_float(value)
            if number or text[:1].isdigit():
                storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
            else:
                storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", what, value, column.name, storing.row))
            return number
    if isinstance(value, bytes) and not isinstance(value, Hex):
        return _number_of(value.decode("latin-1"), column, storing, what)
    return to_number(value)


def _integer(value: Value, column: Column, storing: Storing) -> int:
    number = _number_of(value, column, storing, "integer")
    if isinstance(number, Decimal):
        number = int(number.to_integral_value(ROUND_HALF_UP))
    elif isinstance(number, float):
        number = round(number)
    low, high = column.integer_range
    if not low <= number <= high:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        number = min(max(number, low), high)
    return int(number)


def _decimal(value: Value, column: Column, storing: Storing) -> Decimal:
    number = _number_of(value, column, storing, "decimal")
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    unit = Decimal((0, (1,), -column.decimals))
    limit = Decimal((0, (9,) * column.precision, -column.decimals))
    exact = exact.quantize(unit, context=_WIDE)
    if abs(exact) > limit or (column.unsigned and exact < 0):
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        exact = max(min(exact, limit), Decimal(0) if column.unsigned else -limit).quantize(unit, context=_WIDE)
    return abs(exact) if not exact else exact


def _float(value: Value, column: Column, storing: Storing) -> float:
    number = float(_number_of(value, column, storing, "double"))
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


def _bit(value: Value, column: Column, storing: Storing) -> int:
    if isinstance(value, (str, bytes)) and not isinstance(value, Choice):
        number = int.from_bytes(to_bytes(value, storing.collation), "big")
    else:
        number = _integer_of(value)
    if number >> column.length:
        storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        number = (1 << column.length) - 1
    return number


def _integer_of(value: Value) -> int:
    number = to_number(value)
    return int(number) if isinstance(number, int) else int(round(number))


def _year(value: Value, column: Column, storing: Storing) -> int:
    is_text = isinstance(value, str)
    number = int(_number_of(value, column, storing, "integer"))
    if 0 < number < 70 or (is_text and number == 0 and len(str(value)) < 4):
        number += 2000
    elif 70 <= number < 100:
        number += 1900
    if number and not 1901 <= number <= 2155:
        storing.refuse(error("WARN_DATA_OUT_OF_RANGE", column.name, storing.row))
        return 0
    return number


def _string(value: Value, column: Column, storing: Storing) -> str | bytes:
    collation = column.collation if column.collation is not None else BINARY
    if collation == BINARY:
        data = to_bytes(value, storing.collation)
        limit = column.length if column.type != ColumnType.BLOB else (1 << 8 * column.length_bytes) - 1
        if len(data) > limit:
            storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
            data = data[:limit]
        # A BINARY is filled up with zero bytes, which the log leaves out again.
        return data.rstrip(b"\0") if column.type == ColumnType.STRING else data
    text = decode_text(bytes(value), collation) if isinstance(value, bytes) else str(to_text(value))
    if column.type == ColumnType.BLOB:
        text = _representable(text, collation, column, storing)
        data = encode_text(text, collation)
        limit = (1 << 8 * column.length_bytes) - 1
        if len(data) > limit:
            storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
            text = decode_text(data[:limit], collation)
        return text
    if column.type == ColumnType.STRING:
        text = text.rstrip(" ")
    if len(text) > column.length:
        if text[column.length :].strip(" "):
            storing.refuse(error("DATA_TOO_LONG", column.name, storing.row))
        text = text[: column.length]
    return _representable(text, collation, column, storing)


def _representable(text: str, collation: int, column: Column, storing: Storing) -> str:
    """The text with "?" for what the column's character set does not have."""
    if character_set(collation) == "sjis":
        text = text.replace("\\", "\uff3c")  # a backslash is the wide one of two bytes there
    kept = decode_text(encode_text(text, collation), collation)
    if kept != text:
        bad = "".join(f"\\x{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")[:6])
        storing.refuse(error("TRUNCATED_WRONG_VALUE_FOR_FIELD", "string", bad, column.name, storing.row))
    return kept


def _enum(value: Value, column: Column, storing: Storing) -> int:
    if isinstance(value, (str, bytes)) and not isinstance(value, Hex):
        text = to_text(value)
        number = _member(text, column)
        if number is None and text.isdigit() and int(text) <= len(column.members):
            number = int(text)
        if number is None:
            storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
        return number or 0
    number = _integer_of(value)
    if not 0 < number <= len(column.members):
        storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
        return 0
    return number


def _member(text: str, column: Column) -> int | None:
    """The number of a member, from 1."""
    collation = column.collation or 255
    key = compare_key(text.rstrip(" "), collation)
    return next((i + 1 for i, member in enumerate(column.members) if compare_key(member, collation) == key), None)


def _set(value: Value, column: Column, storing: Storing) -> int:
    if isinstance(value, (str, bytes)) and not isinstance(value, Hex):
        bits = 0
        for part in filter(None, to_text(value).split(",")):
            number = _member(part, column)
            if number is None:
                storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
            else:
                bits |= 1 << number - 1
        return bits
    bits = _integer_of(value)
    if bits >> len(column.members):
        storing.refuse(error("WARN_DATA_TRUNCATED", column.name, storing.row))
        bits &= (1 << len(column.members)) - 1
    return bits


_KINDS = {
    ColumnType.DATE: "DATE",
    ColumnType.DATETIME2: "DATETIME",
    ColumnType.TIMESTAMP2: "DATETIME",
    ColumnType.TIME2: "TIME",
}


def _temporal(value: Value, column: Column, storing: Storing) -> Any:
    kind = _KINDS[column.type]
    temporal = temporal_of(value, kind)
    named = "date" if kind == "DATE" else kind.lower()
    if temporal is None:
        problem = error("TRUNCATED_WRONG_VALUE", named, to_text(value), column.name, storing.row)
        storing.refuse(problem)
        return implicit_default(column)
    inner = temporal.value
    if isinstance(inner, str):
        return _zero_date(inner, column, storing, named)
    truncate = "TIME_TRUNCATE_FRACTIONAL" in storing.sql_mode
    if isinstance(inner, timedelta):
        rounded = round_to(inner, column.decimals, truncate)
        if abs(rounded) > MAX_TIME:
            storing.refuse(error("TRUNCATED_WRONG_VALUE", named, to_text(value), column.name, storing.row))
            return MAX_TIME if rounded > timedelta(0) else -MAX_TIME
        return rounded
    if not isinstance(inner, datetime):
        return inner
    moment = round_to(inner, column.decimals, truncate)
    if column.type != ColumnType.TIMESTAMP2:
        return moment
    utc = to_utc(moment, storing.time_zone)
    if not 0 < utc.timestamp() < 1 << 31:
        storing.refuse(error("TRUNCATED_WRONG_VALUE", named, to_text(value), column.name, storing.row))
        return implicit_default(column)
    return utc


def _zero_date(text: str, column: Column, storing: Storing, named: str) -> str:
    is_zero = not text[:10].strip("0-")
    mode = "NO_ZERO_DATE" if is_zero else "NO_ZERO_IN_DATE"
    if mode in storing.sql_mode or (column.type == ColumnType.TIMESTAMP2 and not is_zero):
        storing.refuse(error("TRUNCATED_WRONG_VALUE", named, text, column.name, storing.row))
        text = str(implicit_default(column))
    if column.type == ColumnType.DATE:
        return text[:10]
    whole, _, fraction = text.partition(".")
    return whole + ("." + fraction.ljust(column.decimals, "0")[: column.decimals] if column.decimals else "")


def _json(value: Value, column: Column, storing: Storing) -> Any:
    if isinstance(value, Json):
        return value.value
    try:
        return parse_json(to_text(value))
    except ValueError as problem:
        position = getattr(problem, "pos", 0)
        raise error("INVALID_JSON_TEXT", "Invalid value.", position, column.name) from problem


def _binary(value: Value, column: Column, storing: Storing) -> bytes:
    return to_bytes(value, storing.collation)


_STORERS = {
    **dict.fromkeys(INTEGER_BYTES, _integer),
    **dict.fromkeys(_KINDS, _temporal),
    **dict.fromkeys((ColumnType.VARCHAR, ColumnType.STRING, ColumnType.BLOB), _string),
    ColumnType.NEWDECIMAL: _decimal,
    ColumnType.FLOAT: _float,
    ColumnType.DOUBLE: _float,
    ColumnType.BIT: _bit,
    ColumnType.YEAR: _year,
    ColumnType.ENUM: _enum,
    ColumnType.SET: _set,
    ColumnType.JSON: _json,
    ColumnType.GEOMETRY: _binary,
    ColumnType.VECTOR: _binary,
}


def store(value: Value, column: Column, storing: Storing) -> Any:
    """What the column stores of a value; None stays None. Raises SqlError in strict mode."""
    return None if value is None else _STORERS[column.type](value, column, storing)


def load(stored: Any, column: Column, time_zone: str = "+00:00") -> Value:
    """The value that an expression sees of what a column stores."""
    if stored is None:
        return None
    kind = column.type
    if kind in INTEGER_BYTES:
        return Unsigned(stored) if column.unsigned else stored
    if kind == ColumnType.BIT:
        return Hex(stored.to_bytes((column.length + 7) // 8, "big"))
    if kind == ColumnType.STRING and column.collation == BINARY:
        return stored.ljust(column.length, b"\0")
    if column.is_text:
        return Text(stored, column.collation or 255)
    if kind == ColumnType.ENUM:
        return Choice(column.members[stored - 1] if stored else "", column.collation or 255, stored)
    if kind == ColumnType.SET:
        chosen = ",".join(member for index, member in enumerate(column.members) if stored >> index & 1)
        return Choice(chosen, column.collation or 255, stored)
    if kind == ColumnType.TIMESTAMP2 and isinstance(stored, datetime):
        return Temporal("DATETIME", from_utc(stored, time_zone), column.decimals)
    if kind in _KINDS:
        return Temporal(_KINDS[kind], stored, column.decimals)
    if kind == ColumnType.JSON:
        return Json(stored)
    return stored
