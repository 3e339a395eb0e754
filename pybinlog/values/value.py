"""The kinds of values, and how one becomes another: numbers, text, binary strings, dates and times.

NULL is None, a number int (BIGINT), Unsigned, Decimal or float, a binary string bytes.
"""

from __future__ import annotations

import re
import sys
from contextvars import ContextVar
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.record import Record
from pybinlog.schema.text import decode_text, encode_text

Value = Any
"""None, int, Unsigned, Decimal, float, Text or str, bytes, Hex, Temporal."""
LATIN1 = 8
NUMBER = r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_MAX_UNSIGNED = (1 << 64) - 1
_MAX_DOUBLE = sys.float_info.max


class Unsigned(int):
    """A BIGINT UNSIGNED."""


class Year(Unsigned):
    """A YEAR, which is printed with four digits."""


class Text(str):
    """Text with its collation; plain str has that of the connection."""

    collation: int

    def __new__(cls, text: str, collation: int) -> Text:
        self = super().__new__(cls, text)
        self.collation = collation
        return self


class Choice(Text):
    """A value of an ENUM or SET column: its text, and its stored number."""

    number: int

    def __new__(cls, text: str, collation: int, number: int) -> Choice:
        self = super().__new__(cls, text, collation)
        assert isinstance(self, Choice)
        self.number = number
        return self


class Hex(bytes):
    """A binary string that counts as a number if one is wanted: 0xff, b'101', a BIT column."""


class Bits(Hex):
    """A value of a BIT column, which is a number for an ENUM or SET, too."""


class Temporal(Record):
    """A date, a date with time, or a time, and its digits of a second's fraction.

    `value` is a date, datetime or timedelta; MySQL's text for a date that Python does not have (a month of zero).
    """

    kind: str
    value: date | datetime | timedelta | str
    decimals: int = 0

    def text(self) -> str:
        """Return the value as the server prints it."""
        value = self.value
        if isinstance(value, str):
            return value
        if isinstance(value, timedelta):
            microseconds = abs(value // timedelta(microseconds=1))
            seconds, microsecond = divmod(microseconds, 1_000_000)
            sign = "-" if value < timedelta(0) else ""
            text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        elif isinstance(value, datetime):
            microsecond = value.microsecond
            text = f"{value.year:04d}-{value:%m-%d %H:%M:%S}"
        else:
            return f"{value.year:04d}-{value:%m-%d}"
        return f"{text}.{microsecond:06d}"[: len(text) + 1 + self.decimals] if self.decimals else text


def to_text(value: Value, collation: int = 255) -> str:
    """Return a value that is not NULL as text; the bytes of a binary string are taken as text of a collation."""
    if isinstance(value, str):
        return value
    if isinstance(value, Year):
        return f"{int(value):04d}"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float):
        raise UnsupportedStatement("a floating-point number as text is not in the model", missing="DOUBLE")
    if isinstance(value, bytes):
        return decode_text(value, collation)
    assert isinstance(value, Temporal)
    return value.text()


def collation_of(value: Value, connection: int) -> int:
    """Return the collation of a value as text."""
    if isinstance(value, Text):
        return value.collation
    if isinstance(value, bytes):
        return COLLATION_BINARY
    return LATIN1 if isinstance(value, Temporal) else connection


def to_bytes(value: Value, connection: int) -> bytes:
    """Return a value that is not NULL as a binary string."""
    if isinstance(value, bytes):
        return bytes(value)
    return encode_text(to_text(value), collation_of(value, connection))


def to_number(value: Value) -> int | Decimal | float:
    """Return a value that is not NULL as a number.

    Raise UnsupportedStatement for a date, a time, and text that is none.
    """
    if isinstance(value, Choice):
        return value.number
    if isinstance(value, (int, Decimal, float)):
        return value
    if isinstance(value, Hex):
        return Unsigned(int.from_bytes(value, "big") & _MAX_UNSIGNED)
    if isinstance(value, Temporal):
        raise UnsupportedStatement("a date or a time as a number is not in the model", missing="number")
    text = value if isinstance(value, str) else value.decode("latin-1")
    match = re.match(NUMBER, text)
    if match is None or text[match.end() :].strip():
        raise UnsupportedStatement(f"the text {text[:40]!r} as a number is not in the model", missing="number")
    return nearest_float(match[1])


def nearest_float(text: str) -> float:
    """Return the DOUBLE of a number's text; the largest there is for one that is larger."""
    return min(max(float(text), -_MAX_DOUBLE), _MAX_DOUBLE)


def to_integer(value: Value) -> int:
    """Return a value that is not NULL as an integer of 64 bits, rounded half away from zero."""
    number = to_number(value)
    if isinstance(number, int):
        return number
    # A value that is too large, or not a number, becomes the nearest that fits.
    exact = Decimal(number)
    if not exact.copy_abs() < 1 << 64:
        exact = Decimal(1 << 64).copy_sign(exact)
    return int(exact.to_integral_value(ROUND_HALF_UP))


_GROUP_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
"""The bytes of a group of 0 to 9 digits of a DECIMAL."""


def decimal_bytes(units: int, precision: int, decimals: int) -> bytes:
    """Return the bytes of a DECIMAL, which are in the order of the numbers; `units` counts its last digit."""
    digits = f"{abs(units):0{precision}d}"
    whole, part = digits[: precision - decimals], digits[precision - decimals :]
    first, last = len(whole) % 9, len(part) // 9 * 9
    groups = [whole[:first], *(whole[at : at + 9] for at in range(first, len(whole), 9))]
    groups += [part[at : at + 9] for at in range(0, last, 9)] + [part[last:]]
    data = bytearray(b"".join(int(group or "0").to_bytes(_GROUP_BYTES[len(group)], "big") for group in groups))
    data[0] ^= 0x80
    return bytes(byte ^ 0xFF for byte in data) if units < 0 else bytes(data)


def is_true(value: Value) -> bool | None:
    """Return whether a condition holds; None for NULL."""
    return None if value is None else to_number(value) != 0


class Context:
    """The used parts of the context: the log has the statement's time zone or fraction of a second if it counts."""

    def __init__(self) -> None:
        self.time_zone_used = False
        self.date_parsed = False
        self.microseconds_used = False


CONTEXT: ContextVar[Context] = ContextVar("context")
"""That of the statement that runs."""


def context() -> Context:
    """Return the context to look at; one that is thrown away if no statement runs."""
    return CONTEXT.get(None) or Context()
