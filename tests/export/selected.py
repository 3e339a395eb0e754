"""The rows of SELECT for every table, in the form of an export's JSON lines, and tables rebuilt from such lines."""

import json
import re
import struct
from base64 import b64encode
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from uuid import UUID

Row = dict[str, Any]

INTEGERS = {"tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit"}
TEXTS = {"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum"}
OCTETS = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}
SHAPES = {
    "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geomcollection",
    "geometrycollection",
}  # fmt: skip


@dataclass(frozen=True)
class Number:
    """A number as it is written, since 1.0 is not 1 and a DECIMAL has more digits than a double."""

    text: str


def exact(text: str) -> Any:
    """JSON with every digit of its numbers, and objects with their keys in order."""
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=lambda pairs: ("object", pairs))


def image(text: str | None) -> Row | None:
    """The text of a row: columns to values, each exact."""
    return dict(exact(text)[1]) if text else None


def line(text: str) -> dict[str, Any]:
    """A line of an export; `before` and `after` are as `image` has them."""
    found = dict(exact(text)[1])
    for name in ("before", "after"):
        if found[name] is not None:
            found[name] = dict(found[name][1])
    return found


@dataclass(frozen=True)
class SelectedColumn:
    """`select` is an expression whose text holds the value exactly; `read` makes of it what an export has."""

    name: str
    type: str
    select: str
    read: Callable[[str], Any]

    def value(self, text: str | None) -> Any:
        return None if text is None else self.read(text)


def unhex(text: str) -> str:
    return bytes.fromhex(text).decode()


def base64(data: bytes) -> Any:
    return "object", [("base64", b64encode(data).decode())]


def single(number: float) -> float:
    found: float = struct.unpack("f", struct.pack("f", number))[0]
    return found


def vector(text: str) -> list[float]:
    return [single(element) for (element,) in struct.iter_unpack("<f", bytes.fromhex(text))]


def double_of_point(text: str) -> str:
    """A double by its bits, since the text that the server has for one may lack its last digit, and -0 equals 0."""
    (found,) = struct.unpack_from("<d", bytes.fromhex(text), 5)
    return repr(found)


def timestamp(text: str) -> str:
    return text if text.startswith("0000-00-00") else f"{text}Z"


def normal(column: SelectedColumn, value: Any) -> Any:
    """An exported value, to be compared with what `column` reads: floating-point numbers as such."""
    if column.type == "float" and isinstance(value, Number):
        return repr(single(float(value.text)))
    if column.type == "double" and isinstance(value, Number):
        return repr(float(value.text))
    if column.type == "vector" and isinstance(value, list):
        return [single(float(element.text)) for element in value]
    return value


def selected_columns(described: Iterable[tuple[str, str]], *, addresses: bool) -> list[SelectedColumn]:
    """The columns of a table, of COLUMN_NAME and DATA_TYPE in information_schema.columns.

    `addresses`: an export has MariaDB's UUID, INET4 and INET6 as text, since it knows them of a definition.
    """
    return [_selected(name, type, addresses) for name, type in described]


def _selected(name: str, type: str, addresses: bool) -> SelectedColumn:
    quoted = "`" + name.replace("`", "``") + "`"
    as_text = f"HEX(CONVERT({quoted} USING utf8mb4))"
    as_bytes = f"HEX({quoted})"
    forms: dict[str, tuple[str, Callable[[str], Any]]] = {
        "decimal": (quoted, Number),
        **dict.fromkeys(("float", "double"), (f"HEX(ST_AsBinary(POINT({quoted}, 0)))", double_of_point)),
        "set": (as_text, lambda text: [member for member in unhex(text).split(",") if member]),
        "json": (as_text, lambda text: exact(unhex(text))),
        "vector": (as_bytes, vector),
        "timestamp": (quoted, timestamp),
        **dict.fromkeys(INTEGERS, (f"{quoted} + 0", Number)),
        **dict.fromkeys(TEXTS, (as_text, unhex)),
        **dict.fromkeys(OCTETS | SHAPES, (as_bytes, lambda text: base64(bytes.fromhex(text)))),
        **dict.fromkeys(("date", "datetime", "time"), (quoted, str)),
        "uuid": (quoted, str if addresses else lambda text: base64(UUID(text).bytes)),
        **dict.fromkeys(("inet4", "inet6"), (quoted, str if addresses else packed)),
    }
    select, read = forms[type.lower()]
    return SelectedColumn(name, type.lower(), f"CAST({select} AS CHAR)", read)


def updated(document: Any, operations: list[Any]) -> Any:
    """A JSON document after the operations of a partial update; objects and arrays are changed in place."""
    for _, pairs in operations:
        operation = dict(pairs)
        *steps, last = [name or int(index) for name, index in STEP.findall(operation["path"])]
        parent = document
        for step in steps:
            parent = parent[step] if isinstance(step, int) else dict(parent[1])[step]
        if isinstance(last, int):
            if operation["op"] == "insert":
                parent.insert(last, operation["value"])
            else:
                parent[last : last + 1] = [operation["value"]] if operation["op"] == "replace" else []
            continue
        members = {name: value for name, value in parent[1] if name != last}
        if operation["op"] != "remove":
            members[last] = operation["value"]
        parent[1][:] = sorted(members.items(), key=lambda member: (len(member[0].encode()), member[0].encode()))
    return document


STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
"""A step of a path, as the corpus has them."""


def packed(text: str) -> Any:
    return base64(ip_address(text).packed)


class Rebuilt:
    """The tables as the lines of an export make them, change after change."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], list[Row]] = {}

    def take(self, line: dict[str, Any]) -> None:
        """Apply a line: find the row that is as `before` says, in the columns that it has."""
        rows = self.tables.setdefault((line["database"], line["table"]), [])
        before, after = line["before"], line["after"]
        if before is None:
            rows.append(dict(after))
            return
        places = [
            place for place, row in enumerate(rows) if all(row.get(name) == value for name, value in before.items())
        ]
        assert places, f"no row is as the log says it was: {before}"
        if after is None:
            del rows[places[0]]
        else:
            row = rows[places[0]]
            for name, value in after.items():
                if isinstance(value, tuple) and value[1] and value[1][0][0] == "partial":
                    value = updated(deepcopy(row[name]), value[1][0][1])
                row = row | {name: value}
            rows[places[0]] = row


def comparable(rows: Iterable[Row]) -> list[str]:
    """Rows in an order that is theirs."""
    return sorted(repr(sorted(row.items())) for row in rows)
