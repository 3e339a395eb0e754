"""The value of a User_var."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from ...errors import CorruptEventError
from ..variable import UserVarFlag, UserVarType
from .collation import codec
from .cursor import Cursor, LieError
from .number import read_decimal

__all__ = ["user_var_value"]


def user_var_value(body: Any) -> int | float | Decimal | str | bytes | None:
    """The value of a parsed User_var; text as str where its character set is known. Raises CorruptEventError."""
    if body.is_null:
        return None
    cursor = Cursor(body.value)
    try:
        if body.type == UserVarType.REAL:
            return float(struct.unpack("<d", cursor.take(8))[0])
        if body.type == UserVarType.INT:
            return cursor.unsigned(8) if (body.flags or 0) & UserVarFlag.UNSIGNED else cursor.signed(8)
        if body.type == UserVarType.DECIMAL:
            return read_decimal(cursor, cursor.unsigned(1), cursor.unsigned(1))
    except LieError as error:
        raise CorruptEventError(f"User_var: {error} (in value)") from error
    name = codec(body.charset)
    try:
        return body.value.decode(name) if name and body.type == UserVarType.STRING else body.value
    except UnicodeDecodeError:
        return bytes(body.value)
