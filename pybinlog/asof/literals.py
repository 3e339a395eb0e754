"""SQL literals, and values as servers print them, as row images have them."""

import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from ipaddress import ip_address
from typing import Any, NamedTuple
from uuid import UUID

from pybinlog.catalog.answers import ADDRESSES
from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.schema.column import STRING_TYPES, Column
from pybinlog.schema.text import UNKNOWN, encode_text
from pybinlog.values.temporal import date_parts

LITERAL = re.compile(
    rb"""\s*(?:(?P<null>NULL)|(?P<cast>CAST\s*\()?\s*(?:_(?P<charset>\w+)\s*)?
    (?:'(?P<text>(?:[^'\\]|\\.|'')*)'|[xX]'(?P<hex>[0-9A-Fa-f]*)'|0x(?P<zero_x>[0-9A-Fa-f]+)|[bB]'(?P<bits>[01]*)'
    |(?P<number>[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?))(?(cast)\s*AS\s+\w+\s*\)))\s*""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPES = {b"0": b"\0", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"Z": b"\x1a"}
_TIME = re.compile(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?")


class Literal(NamedTuple):
    """A value of an INSERT: bytes of a string with the character set before it, or a number's text."""

    data: bytes
    charset: str = ""
    is_number: bool = False


def literal_of(found: re.Match[bytes]) -> Literal | None:
    if found["null"]:
        return None
    charset = (found["charset"] or b"").decode().lower()
    if found["text"] is not None:
        text = found["text"]
        if b"\\" in text or b"''" in text:
            text = _ESCAPED.sub(lambda one: b"'" if one[1] is None else _ESCAPES.get(one[1], one[1]), text)
        return Literal(text, charset)
    digits = found["hex"] if found["hex"] is not None else found["zero_x"]
    if digits is not None:
        return Literal(bytes.fromhex(digits.decode()), charset or "binary")
    if found["bits"] is not None:
        return Literal(str(int(found["bits"] or b"0", 2)).encode(), is_number=True)
    return Literal(found["number"], is_number=True)


def value_of_literal(text: bytes, column: Column) -> Any:
    """Return the value of an SQL literal, as `values.row_image` takes it."""
    found = LITERAL.fullmatch(text)
    if found is None:
        raise ValueError(f"a value of {column.name} is not understood: {text[:40].decode('utf-8', 'replace')}")
    literal = literal_of(found)
    return None if literal is None else stored(literal, column)


def stored(literal: Literal, column: Column) -> Any:
    """Return a value as `values.row_image` takes it. Raise ValueError if it is not one of the column."""
    kind, data = column.type, literal.data
    if column.declared in ADDRESSES:
        return UUID(data.decode()).bytes if column.declared == "uuid" else ip_address(data.decode()).packed
    if kind in STRING_TYPES:
        if not column.is_text or literal.charset not in ("", "utf8mb4", "utf8mb3", "utf8"):
            return data
        if column.charset == UNKNOWN:
            if not data.isascii():
                raise ValueError(
                    f"the character set of {column.name} is not known: {data[:40].decode('utf-8', 'replace')}"
                )
            return data
        return encode_text(data.decode("utf-8", "surrogateescape"), column.charset)
    if kind in (ColumnType.GEOMETRY, ColumnType.VECTOR):
        return data
    if kind == ColumnType.BIT:
        return int(data) if literal.is_number else int.from_bytes(data, "big")
    text = data.decode("utf-8", "surrogateescape")
    if kind in (ColumnType.ENUM, ColumnType.SET):
        return int(text) if literal.is_number else number_of_members(text, column)
    if kind in INTEGER_BYTES or kind == ColumnType.YEAR:
        return int(text)
    if kind == ColumnType.NEWDECIMAL:
        return Decimal(text)
    if kind in (ColumnType.FLOAT, ColumnType.DOUBLE):
        return float(text)
    if kind == ColumnType.TIME2:
        return time_of(text)
    if kind == ColumnType.TIMESTAMP2 and not text.startswith("0000"):
        return datetime(*date_parts(text), tzinfo=timezone.utc)  # type: ignore[misc, arg-type]
    return text


def number_of_members(text: str, column: Column) -> int:
    if column.type == ColumnType.ENUM:
        return column.members.index(text) + 1 if text or "" in column.members else 0
    return sum(1 << column.members.index(member) for member in text.split(",") if text)


def time_of(text: str) -> timedelta:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time")
    hours, minutes, seconds = map(int, found.groups()[1:4])
    time = timedelta(
        hours=hours, minutes=minutes, seconds=seconds, microseconds=int((found[5] or "0").ljust(6, "0")[:6])
    )
    return -time if found[1] else time
