"""Functions of JSON documents."""

from __future__ import annotations

import copy
import re
import struct
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import ColumnType
from pybinlog.layout.values import JSON_NULL, JsonOpaque, JsonUnsigned

from ..error import SqlError
from ..json_text import json_text, parse_json
from ..value import Geometry, Json, Temporal, Truth, Unsigned, Value, to_text
from .call import Call, function, strict

MISSING = object()
INVALID_ARGUMENT = 3141
_STEP = re.compile(r'\s*(?:\.\s*(?:"((?:[^"\\]|\\.)*)"|([\w$]+))|\[\s*(\d+)\s*\])')


def json_value(value: Value) -> Any:
    """What a document holds of an SQL value."""
    if value is None or isinstance(value, (float, Decimal)):
        return value
    if isinstance(value, Json):
        return None if value.value is JSON_NULL else value.value
    if isinstance(value, Truth):
        return bool(value)
    if isinstance(value, Unsigned):
        return JsonUnsigned(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Temporal):
        inner = value.value
        return inner if isinstance(inner, (date, datetime, timedelta)) else str(inner)
    if isinstance(value, Geometry):
        return _geometry(value)
    if isinstance(value, bytes):
        return JsonOpaque(ColumnType.VARCHAR, bytes(value))
    return str(to_text(value))


def _geometry(value: Geometry) -> Any:
    """A point as GeoJSON."""
    srid, order, kind = struct.unpack_from("<IBI", value)
    if (order, kind) != (1, 1):
        raise UnsupportedStatement("a geometry that is no point is not in the model as JSON", missing="GeoJSON")
    name = {"name": f"urn:ogc:def:crs:{'EPSG' if srid else 'MySQL'}::{srid}"}
    coordinates = list(struct.unpack_from("<dd", value, 9))
    return {"crs": {"type": "name", "properties": name}, "type": "Point", "coordinates": coordinates}


def document(value: Value) -> Any:
    """The document that an argument is, parsed where it is text."""
    if isinstance(value, Json):
        return None if value.value is JSON_NULL else copy.deepcopy(value.value)
    parsed = parse_json(to_text(value))
    return None if parsed is JSON_NULL else parsed


def made(value: Any) -> Json:
    return Json(JSON_NULL if value is None else value)


def steps(path: Value) -> list[str | int]:
    """The members and cells of a path. Raises UnsupportedStatement for wildcards."""
    text = to_text(path)
    position, found = 1, []
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise UnsupportedStatement(f"the JSON path {text!r} is not in the model", missing="JSON path")
        found.append(int(match[3]) if match[3] is not None else match[2] if match[2] is not None else match[1])
        position = match.end()
    return found


def at(value: Any, path: list[str | int]) -> Any:
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list):
                if step:
                    return MISSING
                continue
            if step >= len(value):
                return MISSING
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return MISSING
    return value


@function("JSON_OBJECT")
def json_object(call: Call) -> Value:
    values = call.values()
    return Json({to_text(key): json_value(value) for key, value in zip(values[::2], values[1::2], strict=True)})


@function("JSON_ARRAY")
def json_array(call: Call) -> Value:
    return Json([json_value(value) for value in call.values()])


@strict("JSON_QUOTE", least=1)
def json_quote(call: Call, value: Value) -> Value:
    return call.text(json_text(to_text(value)))


@strict("JSON_UNQUOTE", least=1)
def json_unquote(call: Call, value: Value) -> Value:
    inner = document(value) if isinstance(value, Json) or to_text(value).startswith('"') else to_text(value)
    return call.text(inner if isinstance(inner, str) else json_text(inner))


@function("JSON_EXTRACT")
def json_extract(call: Call) -> Value:
    value = call[0]
    if value is None:
        return None
    found = []
    for index in range(1, len(call)):
        argument = call.arguments[index]
        if isinstance(argument, exp.JSONPath):
            path = _tree_path(argument)
        else:
            given = call[index]
            if given is None:
                return None
            path = steps(given)
        item = at(document(value), path)
        if item is not MISSING:
            found.append(item)
    if not found:
        return None
    return made(found[0]) if len(call) == 2 else Json(found)


def _tree_path(node: Any) -> list[str | int]:
    found: list[str | int] = []
    for part in node.expressions[1:]:
        if not isinstance(part, (exp.JSONPathKey, exp.JSONPathSubscript)):
            raise UnsupportedStatement("this JSON path is not in the model", missing="JSON path")
        found.append(part.this)
    return found


def changed(call: Call, insert: bool, replace: bool) -> Value:
    """JSON_SET, JSON_INSERT and JSON_REPLACE."""
    values = call.values()
    if None in (values[0], *values[1::2]):
        return None
    root = document(values[0])
    for path, value in zip(values[1::2], values[2::2], strict=True):
        way = steps(path)
        if not way:
            root = json_value(value) if replace else root
            continue
        last = way[-1]
        parent = at(root, way[:-1])
        if isinstance(parent, dict) and isinstance(last, str):
            if replace if last in parent else insert:
                parent[last] = json_value(value)
        elif isinstance(parent, list) and isinstance(last, int):
            if last < len(parent) and replace:
                parent[last] = json_value(value)
            elif last >= len(parent) and insert:
                parent.append(json_value(value))
    return made(root)


@function("JSON_SET")
def json_set(call: Call) -> Value:
    return changed(call, True, True)


@function("JSON_INSERT")
def json_insert(call: Call) -> Value:
    return changed(call, True, False)


@function("JSON_REPLACE")
def json_replace(call: Call) -> Value:
    return changed(call, False, True)


@function("JSON_REMOVE")
def json_remove(call: Call) -> Value:
    values = call.values()
    if None in values:
        return None
    root = document(values[0])
    for path in values[1:]:
        *parents, last = steps(path)
        parent = at(root, parents)
        if isinstance(parent, dict) and isinstance(last, str):
            parent.pop(last, None)
        elif isinstance(parent, list) and isinstance(last, int) and last < len(parent):
            del parent[last]
    return made(root)


@function("JSON_ARRAY_APPEND")
def json_array_append(call: Call) -> Value:
    values = call.values()
    if values[0] is None:
        return None
    root = document(values[0])
    for path, value in zip(values[1::2], values[2::2], strict=True):
        target = at(root, steps(path))
        if isinstance(target, list):
            target.append(json_value(value))
        elif target is not MISSING:
            raise UnsupportedStatement("JSON_ARRAY_APPEND to what is no array is not in the model", missing="JSON path")
    return made(root)


@strict("JSON_VALID", least=1)
def json_valid(call: Call, value: Value) -> Value:
    try:
        document(value)
    except SqlError as problem:
        if problem.number != INVALID_ARGUMENT:
            raise
        return 0
    return 1


@strict("JSON_LENGTH", least=1)
def json_length(call: Call, value: Value) -> Value:
    inner = document(value)
    return len(inner) if isinstance(inner, (dict, list)) else 1


@strict("JSON_KEYS", least=1)
def json_keys(call: Call, value: Value) -> Value:
    inner = document(value)
    return Json(sorted(inner, key=lambda key: (len(key.encode()), key))) if isinstance(inner, dict) else None


@strict("JSON_TYPE", least=1)
def json_type(call: Call, value: Value) -> Value:
    inner = document(value)
    names = ((bool, "BOOLEAN"), (dict, "OBJECT"), (list, "ARRAY"), (str, "STRING"), (int, "INTEGER"))
    more = ((float, "DOUBLE"), (Decimal, "DECIMAL"))
    name = next((name for kind, name in names + more if isinstance(inner, kind)), "NULL" if inner is None else "OPAQUE")
    return call.text(name)
