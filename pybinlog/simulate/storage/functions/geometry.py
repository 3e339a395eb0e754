"""Functions that make geometries and vectors: bytes, as the columns hold them."""

from __future__ import annotations

import re
import struct
from typing import Any

from pybinlog.errors import UnsupportedStatement

from ..error import error
from ..json_text import parse_json
from ..value import Geometry, Value, to_float, to_integer, to_text
from .call import Call, strict

_TYPES = {
    "POINT": 1,
    "LINESTRING": 2,
    "POLYGON": 3,
    "MULTIPOINT": 4,
    "MULTILINESTRING": 5,
    "MULTIPOLYGON": 6,
    "GEOMETRYCOLLECTION": 7,
}
_TOKEN = re.compile(r"\s*([A-Za-z]+|[-+]?[\d.]+(?:[eE][-+]?\d+)?|[(),])")
_LATITUDE_FIRST = frozenset({4326})
"""Reference systems whose text gives the latitude first, while the bytes hold the longitude first."""


class _Text:
    """Reads well-known text."""

    def __init__(self, text: str, swapped: bool) -> None:
        self.tokens = _TOKEN.findall(text)
        self.swapped = swapped
        self.place = 0

    def next(self) -> str:
        if self.place >= len(self.tokens):
            raise UnsupportedStatement("this geometry text is not in the model", missing="geometry")
        self.place += 1
        return self.tokens[self.place - 1]

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def point(self) -> bytes:
        x, y = float(self.next()), float(self.next())
        return struct.pack("<dd", *((y, x) if self.swapped else (x, y)))

    def items(self, item: Any) -> list[bytes]:
        if self.peek().upper() == "EMPTY":
            self.next()
            return []
        self.next()
        found = [item()]
        while self.next() == ",":
            found.append(item())
        return found

    def counted(self, item: Any) -> bytes:
        found = self.items(item)
        return struct.pack("<I", len(found)) + b"".join(found)

    def geometry(self) -> bytes:
        name = self.next().upper()
        return self.body({"GEOMCOLLECTION": "GEOMETRYCOLLECTION"}.get(name, name))

    def body(self, name: str) -> bytes:
        if name not in _TYPES:
            raise UnsupportedStatement(f"the geometry {name} is not in the model", missing="geometry")
        head = struct.pack("<BI", 1, _TYPES[name])
        if name == "POINT":
            return head + self.items(self.point)[0]
        if name == "LINESTRING":
            return head + self.counted(self.point)
        if name == "POLYGON":
            return head + self.counted(lambda: self.counted(self.point))
        if name == "MULTIPOINT":
            return head + self.counted(self._single_point)
        if name == "MULTILINESTRING":
            return head + self.counted(lambda: self.body("LINESTRING"))
        if name == "MULTIPOLYGON":
            return head + self.counted(lambda: self.body("POLYGON"))
        return head + self.counted(self.geometry)

    def _single_point(self) -> bytes:
        head = struct.pack("<BI", 1, _TYPES["POINT"])
        return head + (self.items(self.point)[0] if self.peek() == "(" else self.point())


@strict("POINT", least=2)
def point(call: Call, x: Value, y: Value) -> Value:
    return Geometry(struct.pack("<IBIdd", 0, 1, _TYPES["POINT"], to_float(x), to_float(y)))


@strict("ST_GEOMFROMTEXT", "ST_GEOMETRYFROMTEXT", "GEOMFROMTEXT", "ST_POINTFROMTEXT", least=1, most=2)
def from_text(call: Call, text: Value, srid: Value = 0) -> Value:
    number = to_integer(srid)
    swapped = number in _LATITUDE_FIRST and call.session.storage.version >= (8,)
    return Geometry(struct.pack("<I", number) + _Text(to_text(text), swapped).geometry())


@strict("STRING_TO_VECTOR", "TO_VECTOR", least=1)
def string_to_vector(call: Call, text: Value) -> Value:
    numbers = parse_json(to_text(text))
    if not isinstance(numbers, list) or not all(isinstance(number, (int, float)) for number in numbers):
        raise error("TO_VECTOR_CONVERSION", to_text(text))
    return struct.pack(f"<{len(numbers)}f", *numbers)
