"""Events of statements as text: Rows_query, Table_map and rows; Intvar, Rand and User_var as SET statements.

Compiled, as most events of a log are of these types, whether its format is ROW or STATEMENT.
"""

import cython

from cython.cimports.libc.stdint import int64_t, uint32_t
from cython.cimports.libc.stdio import snprintf
from cython.cimports.pybinlog.kernel.base.collation import Collation, collation_find
from cython.cimports.pybinlog.kernel.base.event import STMT_END_F, octets
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy, strlen
from cython.cimports.pybinlog.kernel.base.name import (
    has_control,
    length_until_null,
    put_escaped_string,
    put_identifier,
    put_name,
)
from cython.cimports.pybinlog.kernel.base.text import (
    Text,
    put_bytes,
    put_char,
    put_commented,
    put_signed,
    put_text,
    put_unsigned,
    put_upper_hex,
)
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_MORE, put_rows_flags
from cython.cimports.pybinlog.kernel.rows.rows_text import rows_begin, rows_more
from cython.cimports.pybinlog.kernel.rows.table_map import (
    GENERATED_INVISIBLE_PRIMARY_KEY,
    TableMapFields,
    table_map_parse,
    table_maps_put,
)
from cython.cimports.pybinlog.kernel.rows.table_metadata import put_table_metadata
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
    rows_query_parse,
    user_var_parse,
)
from cython.cimports.pybinlog.kernel.scan.gtid_fields import UNDEFINED_SERVER_VERSION
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_DECODE_ROWS,
    end_header,
    put_event_base64,
    put_header,
    put_title,
)
from cython.cimports.pybinlog.kernel.text.query import change_charsets, put_charsets, put_sql_mode

# The server version from which a table may have a primary key that it made itself.
GENERATED_KEYS_SINCE = cython.declare(cython.uint, 80030)

LARGE_ROWS = cython.declare(cython.size_t, 1 << 20)  # bytes of rows' text of one event that may wait


def put_rows_query(p, e, format):
    """Append the statement after the rows, each line of it a comment (WL#4033); printed from -vv on."""
    text: cython.pointer(Text) = cython.address(p.out)
    statement: cython.p_const_char = cython.NULL
    length: cython.size_t = 0
    if rows_query_parse(cython.address(statement), cython.address(length), e, format) < 0:
        return -1
    if p.options.short_form or p.options.verbose < 2:
        return 0
    put_title(p, e, format, "\tRows_query")
    put_commented(text, "# ", statement, length)
    if p.options.base64 != BASE64_DECODE_ROWS and not p.postpones:
        put_event_base64(p, e, True)
    return 0


def put_table_map(p, maps, e, format):
    text: cython.pointer(Text) = cython.address(p.out)
    fields: TableMapFields
    status: cython.int = table_map_parse(cython.address(fields), format, e.data, e.body_end)
    if status < 0:
        return status
    if p.options.short_form:
        return 0
    put_header(p, e, format)
    put_bytes(text, "\tTable_map: `", 13)
    put_name(text, fields.database, fields.database_length, p.options.exact)
    put_bytes(text, "`.`", 3)
    put_name(text, fields.table, fields.table_length, p.options.exact)
    put_bytes(text, "` mapped to number ", 19)
    put_unsigned(text, fields.table_id)
    end_header(p, e)
    if GENERATED_KEYS_SINCE <= p.session.immediate_server_version != UNDEFINED_SERVER_VERSION:
        put_text(
            text,
            "# has_generated_invisible_primary_key=1\n"
            if fields.flags & GENERATED_INVISIBLE_PRIMARY_KEY
            else "# has_generated_invisible_primary_key=0\n",
        )
    if p.options.print_table_metadata:
        status = put_table_metadata(text, format, e.data, e.body_end, p.options.exact)
        if status < 0:
            return status
    if p.options.verbose:
        status = table_maps_put(maps, format, e.data, e.body_end)
        if status < 0:
            return status
    if p.options.base64 != BASE64_DECODE_ROWS and not p.postpones:
        put_event_base64(p, e, True)
    return 0


def put_rows_event(p, maps, e, format, name, rows, cursor):
    """`rows` are the event's own fields."""
    text: cython.pointer(Text) = cython.address(p.out)
    status: cython.int = 0
    if p.options.short_form:
        return 0
    put_header(p, e, format)
    put_char(text, 9)
    put_bytes(text, name, strlen(name))
    put_bytes(text, ": table id ", 11)
    put_unsigned(text, rows.table_id)
    put_rows_flags(text, rows.flags)
    end_header(p, e)
    if p.postpones:
        return 0
    if p.options.base64 != BASE64_DECODE_ROWS:
        put_event_base64(p, e, not rows.flags & STMT_END_F)
    if p.options.verbose and not p.postpones:
        status = rows_begin(cython.address(p.footer), maps, rows, p.options.verbose, cursor)
        if status == ROWS_MORE:
            status = rows_more(cython.address(p.footer), maps, cursor, LARGE_ROWS)
            if status == ROWS_MORE:
                return 1
    return status if status < 0 else 0


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
def put_hexadecimal(text: cython.pointer(Text), data: octets, size: cython.size_t) -> cython.void:
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
    name: octets = cython.cast(octets, variable.name)
    name_length: cython.size_t = variable.name_length
    at: octets = variable.value
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
