"""Compares a value of the library's with the one that an export writes as JSON."""

import json
import math
from base64 import b64decode
from datetime import date, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from pybinlog.json_values import JsonDiff
from tests.views.row_json import plain_json, shortest_single


def disagreement(row: dict[str, Any], exported: dict[str, Any]) -> str:
    """The first column in which a row of Log.rows() or Log.transactions() is another one than a line of an export."""
    if list(row) != list(exported):
        return f"columns {list(row)} and {list(exported)}"
    for name, value in row.items():
        if not agrees(value, exported[name]):
            return f"{name}: {value!r} and {exported[name]!r}"
    return ""


def agrees(value: Any, exported: Any) -> bool:
    """`exported`: as json.loads has it, with Decimals for all numbers but integers."""
    if isinstance(value, JsonDiff):
        return True  # an export has the document
    if isinstance(value, bytes):
        # without a character set, an export takes for text what may be text
        return value == bytes_of(exported).rstrip(b"\0") or value == bytes_of(exported)
    if isinstance(value, dict) and isinstance(exported, dict) and list(value) == list(exported):
        return all(agrees(value[name], exported[name]) for name in value)
    if isinstance(value, (list, tuple)) and isinstance(exported, list) and len(value) == len(exported):
        return all(map(agrees, value, exported))
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(exported).lower().removesuffix("inity") == str(value)
        return exported in (Decimal(repr(value)), Decimal(shortest(value)))
    if isinstance(value, datetime):
        return datetime.fromisoformat(padded(exported)) == value
    if isinstance(value, date | Decimal | int | str):
        return (type(exported) is not bool and str(value) == str(exported)) or value == exported
    if isinstance(value, timedelta):
        return duration(exported) == value
    if isinstance(value, UUID | IPv4Address | IPv6Address):
        return str(value) == exported
    return bool(plain_json(value) == exported)


def shortest(value: float) -> str:
    try:
        return shortest_single(value)
    except StopIteration:
        return repr(value)


def bytes_of(exported: Any) -> bytes:
    if isinstance(exported, dict):
        return b64decode(exported["base64"])
    if isinstance(exported, str) and exported.startswith("base64:type"):
        return b64decode(exported.partition(":type")[2].partition(":")[2])
    return str(exported).encode("utf-8", "surrogateescape")


def padded(text: str) -> str:
    """A time as Python 3.10 reads it: with no digits of seconds, or six."""
    whole, dot, rest = text.removesuffix("Z").partition(".")
    zone = "+00:00" if text.endswith("Z") else ""
    return f"{whole}{dot}{rest.ljust(6, '0') if dot else ''}{zone}"


def duration(text: str) -> timedelta:
    hours, minutes, seconds = text.removeprefix("-").split(":")
    whole, _, fraction = seconds.partition(".")
    found = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(whole))
    found += timedelta(microseconds=int(fraction.ljust(6, "0") or "0"))
    return -found if text.startswith("-") else found


def lines(text: bytes) -> list[dict[str, Any]]:
    """Lines of JSON."""
    return [json.loads(line, parse_float=Decimal) for line in text.splitlines()]
