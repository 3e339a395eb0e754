"""CAST, CONVERT, COLLATE, and literals that name their character set."""

from __future__ import annotations

import struct
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout.values import JSON_NULL

from .charset import (
    bytes_per_character,
    character_set,
    decode_text,
    encode_text,
    named_character_set,
    named_collation,
    well_formed,
)
from .error import SqlError, error
from .json_text import parse_json
from .operators import arithmetic
from .temporal import round_to, temporal_of
from .value import (
    Json,
    Temporal,
    Text,
    Unsigned,
    Value,
    to_bytes,
    to_float,
    to_integer,
    to_number,
    to_text,
)

if TYPE_CHECKING:
    from .environment import Environment
    from .expression import Evaluator

__all__ = ["cast", "collated", "introduced"]

_SIGNED = frozenset("BIGINT INT TINYINT SMALLINT MEDIUMINT".split())
_UNSIGNED = frozenset("UBIGINT UINT UTINYINT USMALLINT UMEDIUMINT".split())
_TEXT = frozenset("CHAR VARCHAR NCHAR NVARCHAR TEXT".split())
_DEFAULT_PRECISION = 10


def _numbers(node: Any) -> list[int]:
    return [int(parameter.this.this) for parameter in node.expressions if parameter.this.is_number]


def cast(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    """CAST(x AS type), CONVERT(x, type), CONVERT(x USING charset), and DATE'...', TIME'...', TIMESTAMP'...'."""
    value = evaluator.evaluate(node.this, env)
    kind = node.to.this.name if hasattr(node.to.this, "name") else str(node.to.this)
    if kind == "CHARACTER_SET":
        charset = node.to.args["kind"].name
        return None if value is None else _in_charset(value, charset, evaluator)
    if value is None:
        return None
    parameters = _numbers(node.to)
    if kind in _SIGNED:
        number = to_integer(value) & (1 << 64) - 1
        return number - (1 << 64) if number >> 63 else number
    if kind in _UNSIGNED:
        return Unsigned(to_integer(value) & (1 << 64) - 1)
    if kind in ("DECIMAL", "UDECIMAL"):
        precision, decimals = [*parameters, *(_DEFAULT_PRECISION, 0)[len(parameters) :]]
        return _decimal(value, precision, decimals)
    if kind == "FLOAT":
        return float(struct.unpack("<f", struct.pack("<f", to_float(value)))[0])
    if kind == "DOUBLE":
        return to_float(value)
    if kind in ("BINARY", "VARBINARY"):
        data = to_bytes(value, evaluator.connection)
        return data[: parameters[0]].ljust(parameters[0], b"\0") if parameters else data
    if kind in _TEXT:
        collation = evaluator.connection if not isinstance(value, Text) else value.collation
        text = to_text(value, evaluator.connection)
        return Text(text[: parameters[0]] if parameters else text, collation)
    if kind in ("DATE", "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ"):
        literal = node.this.is_string and evaluator.execution.statement.scanned.is_temporal(node.this.this)
        return _temporal(value, kind, parameters, literal=literal)
    if kind == "YEAR":
        return to_integer(value)
    if kind == "JSON":
        return _json(value)
    raise UnsupportedStatement(f"CAST(... AS {kind}) is not in the model", missing=f"CAST AS {kind}")


def _decimal(value: Value, precision: int, decimals: int) -> Decimal:
    number = to_number(value)
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    rounded = arithmetic("+", exact.quantize(Decimal((0, (1,), -decimals)), "ROUND_HALF_UP"), 0)
    limit = Decimal((0, (9,) * precision, -decimals))
    return max(min(Decimal(rounded), limit), -limit)


def _temporal(value: Value, kind: str, parameters: list[int], *, literal: bool) -> Value:
    wanted = kind if kind in ("DATE", "TIME") else "DATETIME"
    temporal = temporal_of(value, wanted)
    if temporal is None:
        if literal:
            raise SqlError(1525, "ER_WRONG_VALUE", f"Incorrect {wanted} value: '{to_text(value)}'")
        return None
    # A literal keeps the digits that it has; CAST has as many as it says.
    decimals = parameters[0] if parameters else temporal.decimals if literal else 0
    inner = temporal.value
    if isinstance(inner, datetime):
        return Temporal(wanted, round_to(inner, decimals), decimals)
    if isinstance(inner, timedelta):
        return Temporal(wanted, round_to(inner, decimals), decimals)
    return Temporal(temporal.kind, inner, 0 if kind == "DATE" else decimals)


def _json(value: Value) -> Json:
    if isinstance(value, Json):
        return value
    if isinstance(value, str):
        return Json(parse_json(value))
    from .functions.json import json_value

    inner = json_value(value)
    return Json(JSON_NULL if inner is None else inner)


def _in_charset(value: Value, charset: str, evaluator: Evaluator) -> Value:
    if charset.lower() == "binary":
        return to_bytes(value, evaluator.connection)
    collation = named_character_set(charset, evaluator.session.storage.version)
    return Text(decode_text(encode_text(to_text(value, collation), collation), collation), collation)


def collated(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    """x COLLATE collation."""
    value = evaluator.evaluate(node.this, env)
    collation = named_collation(node.expression.name)
    return None if value is None else Text(to_text(value, collation), collation)


def introduced(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    """_charset'text' and _charset X'...': the bytes of the literal, taken as text of that character set."""
    charset = str(node.this if isinstance(node.this, str) else node.this.name).lstrip("_")
    value = evaluator.evaluate(node.expression, env)
    if charset.lower() == "binary":
        return to_bytes(value, evaluator.connection)
    collation = named_character_set(charset, evaluator.session.storage.version)
    data = value if isinstance(value, bytes) else encode_text(value, evaluator.session.character_set_client)
    text = decode_text(data, collation)
    if (bad := well_formed(text)) < len(text) and bytes_per_character(collation) > 1:
        shown = data[len(encode_text(text[:bad], collation)) :][:6].hex().upper()
        raise error("INVALID_CHARACTER_STRING", character_set(collation), shown)
    return Text(text, collation)
