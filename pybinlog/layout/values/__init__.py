"""The values that events hold, as Python values: rows, JSON, user variables."""

from __future__ import annotations

from .column import Column, columns_of
from .image import Row, decode_rows
from .json import JSON_NULL, JsonDiff, JsonOpaque, JsonOperation, JsonOperationType
from .user_var import user_var_value

__all__ = [
    "JSON_NULL",
    "Column",
    "JsonDiff",
    "JsonOpaque",
    "JsonOperation",
    "JsonOperationType",
    "Row",
    "columns_of",
    "decode_rows",
    "user_var_value",
]
