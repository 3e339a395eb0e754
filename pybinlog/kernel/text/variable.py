# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Intvar, Rand and User_var as SET statements; compiled, a statement-format log has one for every few statements."""

import cython

from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t
from cython.cimports.libc.stdio import snprintf
from cython.cimports.pybinlog.kernel.base.collation import Collation, collation_find
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.name import has_control, length_until_null, put_escaped_string, put_identifier
from cython.cimports.pybinlog.kernel.base.text import Text, put_bytes, put_char, put_signed, put_text, put_upper_hex
from cython.cimports.pybinlog.kernel.base.unsigned import put_unsigned
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.scan.event_fields import (
    DECIMAL_VALUE,
    INT_VALUE,
    REAL_VALUE,
    STRING_VALUE,
    UNSIGNED_FLAG,
    Intvar,
    UserVar,
    intvar_parse,
    rand_parse,
    user_var_parse,
)
from cython.cimports.pybinlog.kernel.text.printer import put_title
from cython.cimports.pybinlog.kernel.text.query import change_charsets, put_charsets, put_sql_mode


SYSTEM_COLLATION = cython.declare(uint32_t, 33)  # utf8mb3_general_ci


def put_intvar(p, e, format):
    text: cython.pointer(Text) = cython.address(p.out)
    variable: Intvar
    if intvar_parse(cython.address(variable), e, format) < 0:
        return -1
    put_title(p, e, format, "\tIntvar")
    put_text(
        text,
        "SET LAST_INSERT_ID=" if variable.type == 1 else "SET INSERT_ID=" if variable.type == 2 else "SET INVALID_INT=",
    )
    put_signed(text, variable.value)
    put_bytes(text, "/*!*/;\n", 7)
    return 0


def put_rand(p, e, format):
    text: cython.pointer(Text) = cython.address(p.out)
    seeds: int64_t[2]
    if rand_parse(seeds, e, format) < 0:
        return -1
    put_title(p, e, format, "\tRand")
    put_text(text, "SET @@RAND_SEED1=")
    put_signed(text, seeds[0])
    put_text(text, ", @@RAND_SEED2=")
    put_signed(text, seeds[1])
    put_bytes(text, "/*!*/;\n", 7)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_hexadecimal(
    text: cython.pointer(Text), data: cython.pointer(cython.const[uint8_t]), size: cython.size_t
) -> cython.void:
    """Append a string as 0x..., in capitals; two quotes if it is empty."""
    if size == 0:
        put_bytes(text, '""', 2)
        return
    put_bytes(text, "0x", 2)
    put_upper_hex(text, data, size)


def put_user_var(p, e, format):
    text: cython.pointer(Text) = cython.address(p.out)
    variable: UserVar
    real: cython.double
    digits: cython.char[64]
    if user_var_parse(cython.address(variable), e, format) < 0:
        return -1
    kind: cython.int = variable.kind
    name: cython.pointer(cython.const[uint8_t]) = cython.cast(cython.pointer(cython.const[uint8_t]), variable.name)
    name_length: cython.size_t = variable.name_length
    at: cython.pointer(cython.const[uint8_t]) = variable.value
    put_title(p, e, format, "\tUser_var")
    # The name stands in the system's character set, and a number's text in the collation it was made with: the
    # session is brought there, and back.
    found: cython.pointer(cython.const[Collation]) = collation_find(variable.collation, format.mariadb)
    connection: uint32_t = SYSTEM_COLLATION if variable.is_null or kind == STRING_VALUE else variable.collation
    changes: cython.bint = change_charsets(p, SYSTEM_COLLATION, connection, SYSTEM_COLLATION)
    # A name with control characters cannot stand between backticks: quotes have escapes, in the right sql_mode.
    quoted: cython.bint = has_control(name, name_length) and (
        not p.options.exact or length_until_null(name, name_length) < name_length
    )
    if quoted:
        put_sql_mode(text, 0)
    put_bytes(text, "SET @", 5)
    if quoted:
        put_char(text, 39)
        put_escaped_string(text, name, name_length)
        put_char(text, 39)
    else:
        put_identifier(text, name, name_length, p.options.exact)
    put_bytes(text, ":=", 2)
    if variable.is_null:
        put_bytes(text, "NULL", 4)
    elif kind == REAL_VALUE:
        memcpy(cython.address(real), at, 8)
        put_bytes(text, digits, snprintf(digits, 64, "%.14g", real))
    elif kind == INT_VALUE:
        if variable.flags & UNSIGNED_FLAG:
            put_unsigned(text, read_u64(at))
        else:
            put_signed(text, cython.cast(int64_t, read_u64(at)))
    elif kind == DECIMAL_VALUE:
        put_decimal(text, at + 2, at[0], at[1])
    elif found == cython.NULL:
        put_bytes(text, "???", 3)  # as the reference: better no statement than one with another character set
    else:
        put_char(text, 95)
        put_text(text, found.character_set)
        put_char(text, 32)
        put_hexadecimal(text, at, variable.size)
        put_bytes(text, " COLLATE `", 10)
        put_text(text, found.name)
        put_char(text, 96)
    put_bytes(text, "/*!*/;\n", 7)
    if quoted and p.session.sql_mode_known:
        put_sql_mode(text, p.session.sql_mode)
    if changes and p.session.charset_known:
        put_charsets(text, p.session.character_set_client, p.session.collation_connection, p.session.collation_server)
    return 0
