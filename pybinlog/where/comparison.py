"""How a column compares with a value, or another column: the fields of an instruction that say so.

The rules are those of the servers' own comparisons (the manual, "Type Conversion in Expression Evaluation"). The
servers guess a number from any text; here that is an error.
"""

import math
import re
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any, TypeAlias

from pybinlog.column_types import ColumnType
from pybinlog.kernel.base.charset import encoded
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.kernel.condition import value_order as kernel
from pybinlog.schema.text import UNKNOWN, bytes_per_character, character_set, collation_id, collation_of_number
from pybinlog.values.temporal import date_parts, parse_datetime, parse_time
from pybinlog.values.value import Temporal, decimal_bytes
from pybinlog.where import tree
from pybinlog.where.column import BoundColumn, Kind, Side
from pybinlog.where.tree import WhereError
from pybinlog.where.zone import instant

Fields: TypeAlias = dict[str, Any]
Fails: TypeAlias = Callable[..., WhereError]

_NUMBER = r"(?a)\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
_EXACT = Context(prec=200)
_EXACT_DIGITS = 15
"""Digits up to which a DECIMAL and the DOUBLE that is nearest to it compare alike."""
_MICROSECONDS = 1_000_000
_JSON_TEXT = collation_id("utf8mb4_bin")
_NOTHING: Fields = {"form": kernel.AS_NOTHING}


def comparison(left: Side, right: Side | tree.Value | tree.Bytes, zone: tzinfo, fails: Fails) -> Fields:
    """Return the fields of the comparison of a column with a value or another column.

    `fails(message, hint)` makes the error for what does not fit.
    """
    if isinstance(right, Side):
        return _of_columns(left, right, fails)
    binary = left.binary or isinstance(right, tree.Bytes)
    value = right.operand if isinstance(right, tree.Bytes) else right
    assert not isinstance(value, tree.Column)
    column = left.column
    if left.path:
        return _of_path(value, column, fails)
    if column.kind is Kind.TEXT or (column.kind is Kind.MEMBERS and isinstance(value, (str, bytes))):
        return _of_text(column, value, binary, fails)
    if binary:
        raise fails(f"BINARY is for texts, and `{column.name}` is {column.description}")
    if column.kind is Kind.MOMENT:
        return _of_moment(column, value, zone, fails)
    if column.kind is Kind.OTHER:
        raise fails(f"`{column.name}` is {column.description}, which cannot be compared", _OTHER_HINTS.get(column.type))
    return _of_number(column, value, fails)


_OTHER_HINTS = {ColumnType.JSON.value: "Ask for a value in it: column->>'$.key' = 'x'"}


def like(left: Side, pattern: str, fails: Fails) -> Fields:
    """Return the fields of LIKE."""
    column = left.column
    collation = _JSON_TEXT if left.path else COLLATION_BINARY if left.binary else column.collation
    if not left.path and column.kind not in (Kind.TEXT, Kind.MEMBERS):
        raise fails(f"LIKE is for texts, and `{column.name}` is {column.description}")
    known = COLLATION_BINARY if collation == COLLATION_BINARY else collation_of_number(collation)
    wide = known not in (UNKNOWN, COLLATION_BINARY) and character_set(known) in ("utf8mb4", "utf8mb3")
    if known == UNKNOWN or not (wide or known == COLLATION_BINARY or bytes_per_character(known) == 1):
        return dict(_NOTHING)
    units: list[int] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "%":
            units.append(0xFFFFFFFF)
        elif character == "_":
            units.append(0xFFFFFFFE)
        else:
            if character == "\\" and at + 1 < len(pattern):
                at += 1
                character = pattern[at]
            if wide:
                units.append(ord(character))
            else:
                data = (
                    character.encode() if known == COLLATION_BINARY else encoded(character, collation, column.mariadb)
                )
                if data is None:
                    return dict(_NOTHING)
                units += data
        at += 1
    form = kernel.AS_JSON if left.path else kernel.AS_TEXT
    return {"form": form, "data": struct.pack(f"<{len(units)}I", *units), "collation": collation}


# ---- texts


def _of_text(column: BoundColumn, value: tree.Value, binary: bool, fails: Fails) -> Fields:
    if not isinstance(value, (str, bytes)):
        raise fails(f"`{column.name}` is text, and {_shown(value)} is not", f"Put it in quotes: '{_shown(value)}'")
    if column.kind is Kind.MEMBERS and column.members is None:
        return dict(_NOTHING)
    if binary or column.collation == COLLATION_BINARY:
        data: bytes | None = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
        collation = COLLATION_BINARY
    else:
        collation = column.collation
        data = value if isinstance(value, bytes) else _encoded(value, column)
    if data is None:
        return dict(_NOTHING)
    return {"form": kernel.AS_TEXT, "data": data, "collation": collation}


def _encoded(text: str, column: BoundColumn) -> bytes | None:
    """Return a text in the column's character set; None if that does not have it."""
    try:
        return encoded(text, column.collation, column.mariadb) if column.collation else text.encode()
    except LookupError:
        return text.encode()


def _of_path(value: tree.Value, column: BoundColumn, fails: Fails) -> Fields:
    if isinstance(value, str):
        return {"form": kernel.AS_JSON, "data": value.encode(), "collation": _JSON_TEXT}
    if isinstance(value, (int, float, Decimal)):
        return {"form": kernel.AS_JSON_REAL, "real": float(value)}
    raise fails(f"a value of `{column.name}` by ->> is text, and {_shown(value)} is not", "Put it in quotes")


# ---- numbers


def _of_number(column: BoundColumn, value: tree.Value, fails: Fails) -> Fields:
    number = _number_of(column, value, fails)
    if column.type == ColumnType.YEAR and number and -100 < number < 100:
        raise fails(f"a year in `{column.name}` has four digits, and {_shown(value)} does not")
    if column.kind is Kind.REAL or (isinstance(number, float) and column.kind is not Kind.DECIMAL):
        return {"form": kernel.AS_REAL, "real": float(number)}
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if column.kind is Kind.DECIMAL:
        if isinstance(number, float) and (not math.isfinite(number) or column.metadata >> 8 > _EXACT_DIGITS):
            raise fails(
                f"`{column.name}` is a DECIMAL of many digits", "Write the number without an exponent or quotes"
            )
        return _of_decimal(column, exact)
    floor = int(exact.to_integral_value(ROUND_FLOOR, _EXACT))
    if not -(1 << 63) <= floor < 1 << 64:
        return {"form": kernel.AS_INTEGER, "extreme": 1 if floor > 0 else -1}
    return {"form": kernel.AS_INTEGER, "number": floor, "fraction": floor != exact}


def _number_of(column: BoundColumn, value: tree.Value, fails: Fails) -> int | Decimal | float:
    if isinstance(value, str) and re.fullmatch(_NUMBER, value):
        if sum(map(str.isdigit, value)) > _EXACT_DIGITS:
            raise fails(f"`{column.name}` is a number, and a quoted number is rounded", "Write it without quotes")
        return float(value) if "e" in value.lower() else Decimal(value.strip())
    if isinstance(value, bytes) and column.type == ColumnType.BIT and not column.mariadb:  # there it is a text, so 0
        return int.from_bytes(value, "big")
    if not isinstance(value, (int, Decimal, float)):
        what = "members" if column.kind is Kind.MEMBERS else "a number"
        raise fails(f"`{column.name}` is {what}, and {_shown(value)} is not", "A number stands without quotes: id = 5")
    return value


def _of_decimal(column: BoundColumn, value: Decimal) -> Fields:
    """Return the value in the column's own binary form, which is in the order of the numbers."""
    precision, scale = column.metadata >> 8, column.decimals
    scaled = _EXACT.scaleb(value, scale)
    floor = int(scaled.to_integral_value(ROUND_FLOOR, _EXACT))
    if abs(floor) >= 10**precision:
        return {"form": kernel.AS_DECIMAL, "extreme": 1 if floor > 0 else -1}
    data = decimal_bytes(floor, precision, scale)
    return {"form": kernel.AS_DECIMAL, "data": data, "fraction": floor != scaled}


# ---- dates and times


def _of_moment(column: BoundColumn, value: tree.Value, zone: tzinfo, fails: Fails) -> Fields:
    text = value.text if isinstance(value, tree.Moment) else value
    example = {"TIME": "17:30:00", "DATE": "2026-11-24"}.get(column.moment, "2026-11-24 17:30:00")
    hint = f"Write it as '{example}'"
    if not isinstance(text, str):
        raise fails(f"`{column.name}` is {column.description}, and {_shown(value)} is not", hint)
    time = column.moment == "TIME"
    moment = parse_time(text) if time else parse_datetime(text)
    if moment is None or (isinstance(value, tree.Moment) and (value.kind == "TIME") != time):
        raise fails(f"`{column.name}` is {column.description}, and {text!r} is not", hint)
    if column.moment == "TIMESTAMP":
        return _of_instant(column, moment, text, zone, fails)
    return {"form": kernel.AS_MOMENT, "number": _order_of(moment)}


def _of_instant(column: BoundColumn, moment: Temporal, text: str, zone: tzinfo, fails: Fails) -> Fields:
    """Return an instant; a zero TIMESTAMP is before all others."""
    inner = moment.value
    if isinstance(inner, str):
        if set(inner) <= set("0-: ."):
            return {"form": kernel.AS_MOMENT, "number": 0}
        raise fails(f"`{column.name}` is a TIMESTAMP, and {text!r} is in no calendar")
    assert isinstance(inner, date)
    local = inner if isinstance(inner, datetime) else datetime(inner.year, inner.month, inner.day)
    try:
        number = instant(local, zone)
    except OverflowError:
        number = -1 if local.year < 1970 else 1 << 60
    except WhereError as error:
        raise fails(error.message, error.hint) from None
    # between the zero and the first instant there is
    return {"form": kernel.AS_MOMENT, "number": max(number, 0), "fraction": number <= 0}


def _order_of(moment: Temporal) -> int:
    """Return the number that the kernel makes from a date, a moment or a time."""
    inner = moment.value
    if isinstance(inner, timedelta):
        return inner // timedelta(microseconds=1)
    year, month, day, hour, minute, second, microsecond = date_parts(inner)
    days = (year * 13 + month) * 32 + day
    return (days * 86400 + hour * 3600 + minute * 60 + second) * _MICROSECONDS + microsecond


# ---- columns


def _of_columns(left: Side, right: Side, fails: Fails) -> Fields:
    one, other = left.column, right.column
    if left.path or right.path:
        if left.path and right.path == left.path:
            return {"form": kernel.AS_JSON, "collation": _JSON_TEXT}
    elif one.kind is Kind.INTEGER and other.kind is Kind.INTEGER:
        return {"form": kernel.AS_INTEGER}
    elif {one.kind, other.kind} <= {Kind.INTEGER, Kind.REAL}:
        return {"form": kernel.AS_REAL}
    elif one.kind is Kind.DECIMAL and other.kind is Kind.DECIMAL and one.metadata == other.metadata:
        return {"form": kernel.AS_DECIMAL}
    elif one.kind is Kind.MOMENT and (one.moment == other.moment or {one.moment, other.moment} == {"DATE", "DATETIME"}):
        return {"form": kernel.AS_MOMENT}
    elif (
        one.kind in (Kind.TEXT, Kind.MEMBERS)
        and other.kind in (Kind.TEXT, Kind.MEMBERS)
        and (one.collation == other.collation or left.binary or right.binary)
    ):
        if any(each.kind is Kind.MEMBERS and each.members is None for each in (one, other)):
            return {"form": kernel.AS_INTEGER} if one == other else dict(_NOTHING)
        return {"form": kernel.AS_TEXT, "collation": COLLATION_BINARY if left.binary or right.binary else one.collation}
    raise fails(
        f"`{one.name}` is {one.description} and `{other.name}` is {other.description}: they cannot be compared",
        "Compare each with a value, or two columns of one type",
    )


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, tree.Moment):
        return f"{value.kind}'{value.text}'"
    return f"'{value}'" if isinstance(value, str) else str(value)
