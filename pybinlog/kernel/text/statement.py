"""Events of statements as text: Rows_query, Table_map and rows; Intvar, Rand and User_var as SET statements.

Compiled, as most events of a log are of these types, whether its format is ROW or STATEMENT.
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint32_t
from cython.cimports.libc.stdio import snprintf
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.collation import collation_find, p_const_Collation
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy, strlen
from cython.cimports.pybinlog.kernel.base.name import has_control, length_until_null, put_escaped_string, put_identifier
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.text import put_unsigned, put_upper_hex
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.image_route import rows_fit
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.table_metadata import put_table_metadata
from cython.cimports.pybinlog.kernel.scan import event_fields
from cython.cimports.pybinlog.kernel.scan.gtid_fields import UNDEFINED_SERVER_VERSION
from cython.cimports.pybinlog.kernel.text import printer
from cython.cimports.pybinlog.kernel.text.query import change_charsets, put_charsets, put_sql_mode

# The server version from which a table may have a primary key that it made itself.
GENERATED_KEYS_SINCE = cython.declare(cython.uint, 80030)

LARGE_ROWS = cython.declare(cython.size_t, 1 << 20)  # bytes of rows' text of one event that may wait


def put_rows_query(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Append the statement after the rows, each line of it a comment (WL#4033); printed from -vv on."""
    text: p_Text = cython.address(p.out)
    statement: cython.p_const_char = cython.NULL
    length: cython.size_t = 0
    if event_fields.rows_query_parse(cython.address(statement), cython.address(length), e, format) < 0:
        return -1
    if p.options.short_form or p.options.verbose < 2:
        return 0
    printer.put_title(p, e, format, "\tRows_query")
    put_commented(text, "# ", statement, length, p.options.exact)
    if p.options.base64 != printer.BASE64_DECODE_ROWS and not p.postpones:
        printer.put_event_base64(p, e, True)
    return 0


def put_table_map(p: p_Printer, maps: p_TableMaps, e: p_const_Event, format: p_const_Format) -> cython.int:
    text: p_Text = cython.address(p.out)
    fields: table_map.TableMapFields
    status: cython.int = table_map.table_map_parse(cython.address(fields), format, e.data, e.body_end)
    if status < 0:
        return status
    if p.options.short_form:
        return 0
    printer.put_header(p, e, format)
    put_bytes(text, "\tTable_map: `", 13)
    put_name(text, fields.database, fields.database_length, p.options.exact)
    put_bytes(text, "`.`", 3)
    put_name(text, fields.table, fields.table_length, p.options.exact)
    put_bytes(text, "` mapped to number ", 19)
    put_unsigned(text, fields.table_id)
    printer.end_header(p, e)
    if GENERATED_KEYS_SINCE <= p.session.immediate_server_version != UNDEFINED_SERVER_VERSION:
        put_text(
            text,
            "# has_generated_invisible_primary_key=1\n"
            if fields.flags & table_map.GENERATED_INVISIBLE_PRIMARY_KEY
            else "# has_generated_invisible_primary_key=0\n",
        )
    if p.options.print_table_metadata:
        status = put_table_metadata(text, format, e.data, e.body_end, p.options.exact)
        if status < 0:
            return status
    if p.options.verbose:
        status = table_map.table_maps_put(maps, format, e.data, e.body_end)
        if status < 0:
            return status
    if p.options.base64 != printer.BASE64_DECODE_ROWS and not p.postpones:
        printer.put_event_base64(p, e, True)
    return 0


def put_rows_event(
    p: p_Printer,
    maps: p_TableMaps,
    e: p_const_Event,
    format: p_const_Format,
    name: cython.p_const_char,
    rows: p_RowsFields,
    cursor: cython.pointer(RowsCursor),
) -> cython.int:
    """`rows` are the event's own fields."""
    text: p_Text = cython.address(p.out)
    status: cython.int = 0
    if p.options.short_form:
        return 0
    printer.put_header(p, e, format)
    put_char(text, b"\t")
    put_bytes(text, name, strlen(name))
    put_bytes(text, ": table id ", 11)
    put_unsigned(text, rows.table_id)
    put_rows_flags(text, rows.flags)
    printer.end_header(p, e)
    if p.postpones:
        return 0
    if p.options.base64 != printer.BASE64_DECODE_ROWS:
        printer.put_event_base64(p, e, not rows.flags & STMT_END_F)
    if p.options.verbose and not p.postpones:
        status = rows_begin(cython.address(p.footer), maps, rows, p.options.verbose, cursor)
        if status == ROWS_MORE:
            status = rows_more(cython.address(p.footer), maps, cursor, LARGE_ROWS)
            if status == ROWS_MORE:
                return 1
            note_misfit(p, maps, rows, status)
    return status if status < 0 else 0


def note_misfit(p: p_Printer, maps: p_TableMaps, rows: p_const_RowsFields, status: cython.int):
    if status == ROWS_UNREADABLE and not rows_fit(rows, maps):
        if not p.misfits:
            p.misfit_position = p.rows_position
            p.misfit_name = p.rows_name
        p.misfits += 1


SYSTEM_COLLATION = cython.declare(uint32_t, 33)  # utf8mb3_general_ci


def put_intvar(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    text: p_Text = cython.address(p.out)
    head: fields.IntvarHead
    if fields.intvar_head(cython.address(head), fields.body_of(e, format), fields.end_of(e)) == cython.NULL:
        return -1
    printer.put_title(p, e, format, "\tIntvar")
    put_text(
        text,
        "SET LAST_INSERT_ID="
        if head.type == fields.INTVAR_LAST_INSERT_ID
        else "SET INSERT_ID="
        if head.type == fields.INTVAR_INSERT_ID
        else "SET INVALID_INT=",
    )
    put_signed(text, cython.cast(int64_t, head.value))
    put_bytes(text, "/*!*/;\n", 7)
    return 0


def put_rand(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    text: p_Text = cython.address(p.out)
    head: fields.RandHead
    if fields.rand_head(cython.address(head), fields.body_of(e, format), fields.end_of(e)) == cython.NULL:
        return -1
    printer.put_title(p, e, format, "\tRand")
    put_text(text, "SET @@RAND_SEED1=")
    put_signed(text, cython.cast(int64_t, head.seed1))
    put_text(text, ", @@RAND_SEED2=")
    put_signed(text, cython.cast(int64_t, head.seed2))
    put_bytes(text, "/*!*/;\n", 7)
    return 0


def put_hexadecimal(text: p_Text, data: octets, size: cython.size_t) -> cython.void:
    """Append a string as 0x..., in capitals; two quotes if it is empty."""
    if size == 0:
        put_bytes(text, '""', 2)
        return
    put_bytes(text, "0x", 2)
    put_upper_hex(text, data, size)


def put_user_var(p: p_Printer, e: p_const_Event, format: p_const_Format) -> cython.int:
    text: p_Text = cython.address(p.out)
    variable: event_fields.UserVar
    real: cython.double
    digits: cython.char[64]
    if event_fields.user_var_parse(cython.address(variable), e, format) < 0:
        return -1
    kind: cython.int = variable.kind
    name: octets = cython.cast(octets, variable.name)
    name_length: cython.size_t = variable.name_length
    at: octets = variable.value
    printer.put_title(p, e, format, "\tUser_var")
    # The name stands in the system's character set, and a number's text in the collation it was made with: the
    # session is brought there, and back.
    found: p_const_Collation = collation_find(variable.collation, format.mariadb)
    connection: uint32_t = (
        SYSTEM_COLLATION if variable.is_null or kind == fields.VARIABLE_STRING else variable.collation
    )
    changes: cython.bint = change_charsets(p, SYSTEM_COLLATION, connection, SYSTEM_COLLATION)
    # A name with control characters cannot stand between backticks: quotes have escapes, in the right sql_mode.
    quoted: cython.bint = has_control(name, name_length) and (
        not p.options.exact or length_until_null(name, name_length) < name_length
    )
    if quoted:
        put_sql_mode(text, 0)
    put_bytes(text, "SET @", 5)
    if quoted:
        put_char(text, b"'")
        put_escaped_string(text, name, name_length)
        put_char(text, b"'")
    else:
        put_identifier(text, name, name_length, p.options.exact)
    put_bytes(text, ":=", 2)
    if variable.is_null:
        put_bytes(text, "NULL", 4)
    elif kind == fields.VARIABLE_REAL:
        memcpy(cython.address(real), at, 8)
        put_bytes(text, digits, snprintf(digits, 64, "%.14g", real))
    elif kind == fields.VARIABLE_INT:
        if variable.flags & event_fields.UNSIGNED_FLAG:
            put_unsigned(text, read_u64(at))
        else:
            put_signed(text, cython.cast(int64_t, read_u64(at)))
    elif kind == fields.VARIABLE_DECIMAL:
        put_decimal(text, at + 2, at[0], at[1])
    elif found == cython.NULL:
        put_bytes(text, "???", 3)  # as the reference: better no statement than one with another character set
    else:
        put_char(text, b"_")
        put_text(text, found.character_set)
        put_char(text, b" ")
        put_hexadecimal(text, at, variable.size)
        put_bytes(text, " COLLATE `", 10)
        put_text(text, found.name)
        put_char(text, b"`")
    put_bytes(text, "/*!*/;\n", 7)
    if quoted and p.session.sql_mode_known:
        put_sql_mode(text, p.session.sql_mode)
    if changes and p.session.charset_known:
        put_charsets(text, p.session.character_set_client, p.session.collation_connection, p.session.collation_server)
    return 0
