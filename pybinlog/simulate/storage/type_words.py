"""Words of column definitions that sqlglot does not know, put into words that it does."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["GEOMETRY_TYPES", "prepared"]

GEOMETRY_TYPES = {
    "GEOMETRY": 0,
    "POINT": 1,
    "LINESTRING": 2,
    "POLYGON": 3,
    "MULTIPOINT": 4,
    "MULTILINESTRING": 5,
    "MULTIPOLYGON": 6,
    "GEOMETRYCOLLECTION": 7,
    "GEOMCOLLECTION": 7,
}
_GEOMETRY = re.compile(
    r"((?:`[^`]*`|[\w$]+)\s+)("
    + "|".join(GEOMETRY_TYPES)
    + r")\b(?=\s*(?:,|\)|$|NOT\b|NULL\b|DEFAULT\b|SRID\b|COMMENT\b|INVISIBLE\b))",
    re.I,
)
_SRID = re.compile(r"\bSRID\s+\d+", re.I)
_VECTOR = re.compile(r"((?:`[^`]*`|[\w$]+)\s+)VECTOR\b(?:\s*\(\s*(\d+)\s*\))?", re.I)
_UNSIGNED_FLOAT = re.compile(r"((?:`[^`]*`|[\w$]+)\s+)(FLOAT|DOUBLE|REAL)\b(\s*\([^)]*\))?\s+UNSIGNED\b", re.I)
_DEFAULT_DIMENSIONS = 2048


def prepared(sql: str, names: dict[str, Any]) -> str:
    """The statement with spatial types as GEOMETRY and VECTOR as JSON; `names` gets what the columns really are."""

    def geometry(match: re.Match[str]) -> str:
        names[_plain(match[1])] = ("geometry", GEOMETRY_TYPES[match[2].upper()])
        return f"{match[1]}GEOMETRY"

    def vector(match: re.Match[str]) -> str:
        if _plain(match[1]).upper() in ("ADD", "COLUMN", "KEY", "INDEX"):
            return match[0]
        names[_plain(match[1])] = ("vector", int(match[2] or _DEFAULT_DIMENSIONS))
        return f"{match[1]}JSON"

    def unsigned_float(match: re.Match[str]) -> str:
        names[_plain(match[1])] = ("unsigned", True)
        return f"{match[1]}{match[2]}{match[3] or ''}"

    sql = _UNSIGNED_FLOAT.sub(unsigned_float, sql)
    return _VECTOR.sub(vector, _GEOMETRY.sub(geometry, _SRID.sub("", sql)))


def _plain(name: str) -> str:
    return name.strip().strip("`").lower()
