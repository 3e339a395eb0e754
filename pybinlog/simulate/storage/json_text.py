"""JSON documents as text, and text as JSON documents."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from pybinlog.layout.values import JSON_NULL, JsonOpaque
from pybinlog.layout.values.json import MAX_DEPTH

from .error import SURROGATE, error

__all__ = ["json_text", "parse_json"]

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def json_text(value: Any) -> str:
    """A document as the server prints it: a space behind colons and commas, keys by length."""
    if value is None or value is JSON_NULL:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return "{" + ", ".join(f"{json_text(key)}: {json_text(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, float):
        text = repr(value).replace("e+", "e")
        return text[:-2] + ".0" if text.endswith(".0") else text
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return f'"{value:%Y-%m-%d %H:%M:%S.%f}"'
    if isinstance(value, date):
        return f'"{value:%Y-%m-%d}"'
    if isinstance(value, timedelta):
        microseconds = value // timedelta(microseconds=1)
        seconds, fraction = divmod(abs(microseconds), 1000000)
        sign = "-" if microseconds < 0 else ""
        return f'"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:06d}"'
    if isinstance(value, JsonOpaque):
        import base64

        return json.dumps(f"base64:type{int(value.type)}:{base64.b64encode(value.data).decode()}")
    return str(int(value))


def _integer(text: str) -> int | float:
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 64 else float(text)


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _check_depth(text: str) -> None:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > MAX_DEPTH:
            raise error("JSON_DOCUMENT_TOO_DEEP")


def parse_json(text: str, column: str | None = None) -> Any:
    """The document that a text says; JSON_NULL for `null`.

    Raises error 3140, which names the column, or 3141 where it is an argument; 3157 for more than 100 levels.
    """
    _check_depth(text)
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_refuse)
        if SURROGATE.search(text) or ("\\u" in text and SURROGATE.search(json.dumps(value, ensure_ascii=False))):
            raise ValueError("text that is no UTF-8")
    except ValueError as problem:
        position = getattr(problem, "pos", 0)
        if column is None:
            raise error("INVALID_JSON_TEXT_IN_PARAM", "Invalid value.", position) from problem
        raise error("INVALID_JSON_TEXT", "Invalid value.", position, column) from problem
    return JSON_NULL if value is None else value
