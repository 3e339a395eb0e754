"""The value of a User_var, read and written."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.base.charset import text_or_bytes
from pybinlog.layout.statement.variable import UserVarFlag, UserVarType
from pybinlog.layout.values.cursor import Cursor, LieError
from pybinlog.layout.values.number import read_decimal, write_decimal


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


def user_var_fields(
    name: str,
    value: int | float | Decimal | bytes | None,
    *,
    charset: int,
    unsigned: bool = False,
    precision: int | None = None,
) -> dict[str, Any]:
    """Return the body of a User_var: `name` and a value whose text is bytes of the collation `charset`.

    A DECIMAL has as many digits as `precision` says, or as it needs. Raise ValueError for a value that has no room.
    """
    if value is None:
        return {"name": name, "is_null": 1}
    body = {"name": name, "is_null": 0, "charset": charset, "flags": None}
    if isinstance(value, float):
        return {**body, "type": UserVarType.REAL, "value": struct.pack("<d", value)}
    if isinstance(value, int):
        try:
            data = value.to_bytes(8, "little", signed=not unsigned)
        except OverflowError as error:
            raise ValueError(f"{value} is not an integer of 64 bits") from error
        return {**body, "type": UserVarType.INT, "value": data, "flags": int(UserVarFlag.UNSIGNED if unsigned else 0)}
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        decimals = max(0, -int(exponent))
        precision = precision or max(len(digits) + max(0, int(exponent)), decimals + 1)
        try:
            data = bytes((precision, decimals)) + write_decimal(value, precision, decimals)
        except LieError as error:
            raise ValueError(str(error)) from error
        return {**body, "type": UserVarType.DECIMAL, "value": data}
    return {**body, "type": UserVarType.STRING, "value": value}
