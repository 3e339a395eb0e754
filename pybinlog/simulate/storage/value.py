"""The values of expressions, and how one kind becomes another: numbers, text, binary strings, dates and times, JSON.

NULL is None, a number int (BIGINT), Unsigned, Decimal or float, a binary string bytes.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from .charset import BINARY, LATIN1, UTF8MB4_BIN, decode_text, encode_text
from .error import SqlError
from .json_text import json_text

__all__ = [
    "STRICT_NUMBERS",
    "Choice",
    "Geometry",
    "Hex",
    "Json",
    "Single",
    "Temporal",
    "Text",
    "Truth",
    "Unsigned",
    "Value",
    "Year",
    "collation_of",
    "float_text",
    "is_true",
    "leading_number",
    "to_bytes",
    "to_float",
    "to_integer",
    "to_number",
    "to_text",
]

STRICT_NUMBERS: ContextVar[bool] = ContextVar("strict_numbers", default=False)
"""Whether text that is no number is an error where a number is wanted: in what a statement writes, in strict mode."""
Value = Any
"""None, int, Unsigned, Decimal, float, Text or str, bytes, Hex, Temporal, Json."""

NUMBER = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_MAX_UNSIGNED = (1 << 64) - 1
_PLAIN_DIGITS = 15
_SINGLE_DIGITS = 6


class Unsigned(int):
    """A BIGINT UNSIGNED."""


class Year(Unsigned):
    """A YEAR, which is printed with four digits."""


class Single(float):
    """What a FLOAT column holds: a DOUBLE in arithmetic, printed with six digits."""


class Truth(int):
    """The words TRUE and FALSE: 1 and 0, but true and false in JSON."""


class Text(str):
    """Text with its collation; plain str has that of the connection."""

    collation: int

    def __new__(cls, text: str, collation: int) -> Text:
        self = super().__new__(cls, text)
        self.collation = collation
        return self


class Choice(Text):
    """What an ENUM or SET column holds: its text, and the number behind it."""

    number: int

    def __new__(cls, text: str, collation: int, number: int = 0) -> Choice:
        self = super().__new__(cls, text, collation)
        assert isinstance(self, Choice)
        self.number = number
        return self


class Hex(bytes):
    """A binary string that counts as a number where one is wanted: 0xff, b'101', a BIT column."""

    @property
    def number(self) -> int:
        return int.from_bytes(self, "big")


class Geometry(bytes):
    """A geometry as a column holds it: the reference system, then well-known binary."""


@dataclass(frozen=True)
class Temporal:
    """A date, a date with time, or a time, and its digits of a second's fraction.

    `value` is a date, datetime or timedelta; MySQL's text for a date that Python does not have (a month of zero).
    """

    kind: str
    value: date | datetime | timedelta | str
    decimals: int = 0

    def text(self) -> str:
        value = self.value
        if isinstance(value, str):
            return value
        if isinstance(value, timedelta):
            return _time_text(value, self.decimals)
        if isinstance(value, datetime):
            text = f"{value.year:04d}-{value:%m-%d %H:%M:%S}"
            return f"{text}.{value.microsecond:06d}"[: len(text) + 1 + self.decimals] if self.decimals else text
        return f"{value.year:04d}-{value:%m-%d}"

    def number(self) -> int | Decimal:
        """20240229, 20240229123456, -103000; with a fraction a DECIMAL."""
        text = self.text()
        sign = "-" if text.startswith("-") else ""
        digits = re.sub(r"[^0-9.]", "", text)
        return Decimal(sign + digits) if "." in digits else int(sign + digits)


def _time_text(value: timedelta, decimals: int) -> str:
    microseconds = abs(value // timedelta(microseconds=1))
    seconds, microsecond = divmod(microseconds, 1000000)
    text = f"{'-' if value < timedelta(0) else ''}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{microsecond:06d}"[: len(text) + 1 + decimals] if decimals else text


@dataclass(frozen=True)
class Json:
    """A JSON document, as `layout` gives it."""

    value: Any


def float_text(value: float) -> str:
    """A DOUBLE as the server prints it: the fewest digits that tell it from its neighbours."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    if text == "0":
        return "-0" if sign else "0"
    point = len(digits) + int(exponent)
    if -_PLAIN_DIGITS + 1 <= point <= _PLAIN_DIGITS:
        if point <= 0:
            plain = "0." + "0" * -point + text
        elif point >= len(text):
            plain = text.ljust(point, "0")
        else:
            plain = f"{text[:point]}.{text[point:]}"
        return "-" * sign + plain
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{'-' * sign}{mantissa}e{point - 1}"


def to_text(value: Value, collation: int = 255) -> str:
    """A value that is not NULL as text; the bytes of a binary string are taken as text of a collation."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Year):
        return f"{int(value):04d}"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Single):
        return float_text(float(f"{value:.{_SINGLE_DIGITS}g}"))
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, bytes):
        return decode_text(value, collation)
    if isinstance(value, Temporal):
        return value.text()
    if isinstance(value, Json):
        return json_text(value.value)
    raise TypeError(type(value).__name__)


def collation_of(value: Value, connection: int) -> int:
    """The collation of a value as text."""
    if isinstance(value, Text):
        return value.collation
    if isinstance(value, str):
        return connection
    if isinstance(value, bytes):
        return BINARY
    if isinstance(value, Json):
        return UTF8MB4_BIN
    if isinstance(value, Temporal):
        return LATIN1
    return connection


def to_bytes(value: Value, connection: int) -> bytes:
    """A value that is not NULL as a binary string."""
    if isinstance(value, bytes):
        return bytes(value)
    return encode_text(to_text(value), collation_of(value, connection))


def to_number(value: Value) -> int | Decimal | float:
    """A value that is not NULL as a number; of text, what stands at its front."""
    if isinstance(value, Choice):
        return value.number
    if isinstance(value, (int, Decimal, float)):
        return value
    if isinstance(value, Hex):
        return Unsigned(value.number & _MAX_UNSIGNED)
    if isinstance(value, Temporal):
        return value.number()
    if isinstance(value, Json):
        inner = value.value
        return inner if isinstance(inner, (int, float, Decimal)) else to_float(json_text(inner).strip('"'))
    return to_float(value)


def to_float(value: Value, kind: str = "DOUBLE") -> float:
    """A value that is not NULL as a DOUBLE. Raises error 1292 in strict mode for text that is no number."""
    if isinstance(value, (str, bytes)) and not isinstance(value, (Choice, Hex)):
        text = value if isinstance(value, str) else value.decode("latin-1")
        match = NUMBER.match(text)
        if STRICT_NUMBERS.get() and (match is None or text[match.end() :].strip()):
            raise SqlError(1292, "ER_TRUNCATED_WRONG_VALUE", f"Truncated incorrect {kind} value: '{text}'")
        return float(match[1]) if match else 0.0
    return float(to_number(value))


def leading_number(text: str) -> float:
    """The number at the front of a text, 0 where none is."""
    match = NUMBER.match(text)
    return float(match[1]) if match else 0.0


def to_integer(value: Value) -> int:
    """A value that is not NULL as an integer, rounded half away from zero; of text, the integer at its front."""
    if isinstance(value, (str, bytes)) and not isinstance(value, (Choice, Hex)):
        text = value if isinstance(value, str) else value.decode("latin-1")
        match = re.match(r"\s*([+-]?\d+)", text)
        if STRICT_NUMBERS.get() and (match is None or text[match.end() :].strip()):
            raise SqlError(1292, "ER_TRUNCATED_WRONG_VALUE", f"Truncated incorrect INTEGER value: '{text}'")
        return int(match[1]) if match else 0
    number = to_number(value)
    if isinstance(number, Decimal):
        return int(number.to_integral_value("ROUND_HALF_UP"))
    if isinstance(number, float):
        return round(number) if abs(number) < 1 << 64 else int(number)
    return number


def is_true(value: Value) -> bool | None:
    """Whether a condition holds; None for NULL."""
    return None if value is None else to_number(value) != 0
