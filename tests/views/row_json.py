"""The expected `before` and `after`, from the library's rows: slow and plain."""

import ctypes
import json
import math
from base64 import b64encode
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pybinlog
from pybinlog.column_types import ColumnType
from pybinlog.event_types import ROW_TYPES
from pybinlog.json_values import JSON_NULL, JsonDiff, JsonOpaque
from pybinlog.kernel.base.charset import decoded
from tests.layout.columns import Column, columns_of

BINARY = 63
CHARACTERS = (ColumnType.STRING, ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.BLOB)


def loads(text: str | None) -> Any:
    """JSON, with numbers that are not integers as they are written."""
    return None if text is None else json.loads(text, parse_float=Decimal)


def expected_images(paths: Iterable[Path | str]) -> list[tuple[Any, Any]]:
    """Before and after of each row, as `loads` has them."""
    rows = []
    for path in paths:
        with pybinlog.open(path) as log:
            for outer in log:
                for event in [outer, *outer.events()]:
                    if event.type_code in ROW_TYPES and event.table_map is not None:
                        columns = {column.key: column for column in columns_of(event.table_map.body)}
                        for row in event.rows:
                            rows.append(expected_row(row, columns))
    return rows


def expected_row(row: Any, columns: dict[str, Column]) -> tuple[Any, Any]:
    images: list[Any] = []
    for image in row:
        if image is None:
            images.append(None)
            continue
        wanted: dict[str, Any] = {}
        for key, value in image.items():
            if isinstance(value, JsonDiff) and row.before is not None and key in row.before:
                wanted[key] = updated(plain_json(row.before[key]), value)
            else:
                wanted[key] = expected_value(value, columns[key])
        images.append(wanted)
    return images[0], images[1]


def updated(document: Any, operations: JsonDiff) -> Any:
    """The document after these operations, each on a path of members and cells."""
    root = [document]
    for operation in operations:
        at: Any = root
        step: Any = 0
        for leg in legs(operation.path):
            at, step = at[step], leg
        name = operation.operation.name
        if name == "REMOVE":
            del at[step]
        elif name == "INSERT" and isinstance(at, list):
            at.insert(step, plain_json(operation.value))
        else:
            assert isinstance(at, list) or (step in at) == (name == "REPLACE")
            at[step] = plain_json(operation.value)
    return root[0]


def legs(path: str) -> Iterable[Any]:
    at = 1
    while at < len(path):
        if path[at] == "[":
            end = path.index("]", at)
            yield int(path[at + 1 : end])
            at = end + 1
        elif path[at + 1] == '"':
            name, end = json.JSONDecoder().raw_decode(path, at + 1)
            yield name
            at = end
        else:
            end = min(place for place in (path.find(".", at + 1), path.find("[", at + 1), len(path)) if place > 0)
            yield path[at + 1 : end]
            at = end


def expected_value(value: Any, column: Column) -> Any:
    kind = column.type
    if value is None:
        return None
    if isinstance(value, JsonDiff):
        found = []
        for operation in value:
            one: dict[str, Any] = {"op": operation.operation.name.lower(), "path": operation.path}
            if one["op"] != "remove":
                one["value"] = plain_json(operation.value)
            found.append(one)
        return {"partial": found}
    if kind == ColumnType.JSON:
        return plain_json(value)
    if kind == ColumnType.SET and isinstance(value, tuple):
        return list(value)
    if isinstance(value, list):
        return [real(number, single=True) for number in value]
    if isinstance(value, bytes):
        if kind in CHARACTERS and column.collation not in (None, BINARY):
            text = decoded(value, column.collation, True)  # of sjis, the library has the bytes of some backslashes
            if text is not None:
                return text
        if kind in CHARACTERS and column.collation is None:
            try:
                return value.decode()
            except UnicodeDecodeError:
                pass
        if kind == ColumnType.STRING and column.collation == BINARY:
            value = value.ljust(column.length or 0, b"\0")
        return {"base64": b64encode(value).decode()}
    if isinstance(value, float):
        return real(value, single=kind == ColumnType.FLOAT)
    if isinstance(value, Decimal):
        return value if value.as_tuple().exponent else int(value)
    if isinstance(value, int):
        return value
    return moment(value, column.metadata.decimals if "decimals" in (column.metadata or {}) else 0, kind)


def moment(value: Any, decimals: int, kind: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat(" ", "microseconds")
        zone = "Z" if kind in (ColumnType.TIMESTAMP, ColumnType.TIMESTAMP2) else ""
        return cut(text, decimals) + zone
    if isinstance(value, date):
        return value.isoformat()
    assert isinstance(value, timedelta)
    seconds, microsecond = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    sign = "-" if value < timedelta(0) else ""
    text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{microsecond:06}"
    return cut(text, decimals)


def cut(text: str, decimals: int) -> str:
    return text[: len(text) - 6 + decimals] if decimals else text[:-7]


def real(value: float, *, single: bool) -> Any:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return Decimal(shortest_single(value) if single else repr(value))


def shortest_single(value: float) -> str:
    """The shortest decimal that reads as the same float of four bytes."""
    return next(
        text
        for text in (f"{value:.{digits}g}" for digits in range(1, 10))
        if ctypes.c_float(float(text)).value == value
    )


def plain_json(value: Any) -> Any:
    """A document of the library's as `loads` has it."""
    if value is None or value is JSON_NULL:
        return None
    if isinstance(value, dict):
        return {key: plain_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain_json(one) for one in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Decimal):
        return value if value.as_tuple().exponent else int(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, JsonOpaque):
        return f"base64:type{value[0]}:" + encoded_lines(value[1])
    if isinstance(value, bytes):
        return "base64:type15:" + encoded_lines(value)
    if isinstance(value, date | timedelta):
        return moment(value, 6, ColumnType.DATETIME2)
    raise TypeError(type(value))


def encoded_lines(data: bytes) -> str:
    text = b64encode(data).decode()
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76))
