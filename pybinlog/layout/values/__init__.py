"""The values that events hold, as Python values: rows, JSON, user variables."""

from __future__ import annotations

from pybinlog.layout.values.column import Column, columns_of
from pybinlog.layout.values.image import bitmap, encode_image
from pybinlog.layout.values.json import JSON_NULL, JsonDiff, JsonOpaque, JsonOperation, JsonOperationType, JsonUnsigned
from pybinlog.layout.values.user_var import user_var_fields, user_var_value

__all__ = [
    "JSON_NULL",
    "Column",
    "JsonDiff",
    "JsonOpaque",
    "JsonOperation",
    "JsonOperationType",
    "JsonUnsigned",
    "bitmap",
    "columns_of",
    "encode_image",
    "user_var_fields",
    "user_var_value",
]
