"""The values of User_var events."""

import struct
from decimal import Decimal
from typing import Any

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.base.charset import text_or_bytes
from pybinlog.layout.statement import UserVarFlag, UserVarType
from tests.layout.cursor import Cursor, LieError, read_decimal


def user_var_value(body: Any) -> int | float | Decimal | str | bytes | None:
    """Return the value of a parsed User_var; text as str if its character set is known. Raise CorruptEventError."""
    if body.is_null:
        return None
    cursor = Cursor(body.value)
    try:
        if body.type == UserVarType.REAL:
            return float(struct.unpack("<d", cursor.read(8))[0])
        if body.type == UserVarType.INT:
            return cursor.unsigned(8) if (body.flags or 0) & UserVarFlag.UNSIGNED else cursor.signed(8)
        if body.type == UserVarType.DECIMAL:
            return read_decimal(cursor, cursor.unsigned(1), cursor.unsigned(1))
    except LieError as error:
        raise CorruptEventError(f"User_var: {error} (in value)") from error
    return text_or_bytes(body.value, body.charset if body.type == UserVarType.STRING else None)
