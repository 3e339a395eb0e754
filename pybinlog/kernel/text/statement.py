# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows_query, Table_map and row events as text; compiled, as most events of a row-format log are of these types."""

import cython

from cython.cimports.libc.stdint import uint16_t
from cython.cimports.pybinlog.kernel.base.event import STMT_END_F
from cython.cimports.pybinlog.kernel.base.memory import strlen
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.text import Text, put_bytes, put_char, put_commented, put_hex, put_text
from cython.cimports.pybinlog.kernel.base.unsigned import put_unsigned
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_MORE
from cython.cimports.pybinlog.kernel.rows.rows_text import rows_begin, rows_more
from cython.cimports.pybinlog.kernel.rows.table_map import (
    GENERATED_INVISIBLE_PRIMARY_KEY,
    TableMapFields,
    table_map_parse,
    table_maps_put,
)
from cython.cimports.pybinlog.kernel.rows.table_metadata import put_table_metadata
from cython.cimports.pybinlog.kernel.scan.event_fields import rows_query_parse
from cython.cimports.pybinlog.kernel.scan.gtid_fields import UNDEFINED_SERVER_VERSION
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_DECODE_ROWS,
    end_header,
    put_event_base64,
    put_header,
    put_title,
)

# The server version from which a table may have a primary key that it made itself.
GENERATED_KEYS_SINCE = cython.declare(cython.uint, 80030)

PORTION = cython.declare(cython.size_t, 4 << 20)  # bytes of rows' text that are written at once


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
    if p.options.base64 != BASE64_DECODE_ROWS:
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
    if p.options.base64 != BASE64_DECODE_ROWS:
        put_event_base64(p, e, True)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_flags(text: cython.pointer(Text), flags: uint16_t) -> cython.void:
    if flags == 0:
        return
    put_bytes(text, " flags:", 7)
    if flags & STMT_END_F:
        put_bytes(text, " STMT_END_F", 11)
    if flags & 2:
        put_bytes(text, " NO_FOREIGN_KEY_CHECKS_F", 24)
    if flags & 4:
        put_bytes(text, " RELAXED_UNIQUE_CHECKS_F", 24)
    if flags & 16:
        put_bytes(text, " USE_SQL_FOREIGN_KEY_F", 22)
    if flags & 8:
        put_bytes(text, " COMPLETE_ROWS_F", 16)
    unknown: cython.int = flags & 0xFFE0
    if unknown:
        put_bytes(text, " UNKNOWN_FLAG(0x", 16)
        put_hex(text, unknown, 4 if unknown > 0xFFF else 3 if unknown > 0xFF else 2)
        put_char(text, 41)


def put_rows_event(p, maps, e, format, name, rows, cursor):
    """`rows` are the event's own fields. 1 where some of its rows are still to be written, from `cursor` on."""
    text: cython.pointer(Text) = cython.address(p.out)
    status: cython.int = 0
    if p.options.short_form:
        return 0
    put_header(p, e, format)
    put_char(text, 9)
    put_bytes(text, name, strlen(name))
    put_bytes(text, ": table id ", 11)
    put_unsigned(text, rows.table_id)
    put_flags(text, rows.flags)
    end_header(p, e)
    if p.options.base64 != BASE64_DECODE_ROWS:
        put_event_base64(p, e, not rows.flags & STMT_END_F)
    if p.options.verbose:
        status = rows_begin(cython.address(p.footer), maps, rows, p.options.verbose, cursor)
        if status == 0:
            return put_more_rows(p, maps, cursor)
    return status if status < 0 else 0


def put_more_rows(p, maps, cursor):
    """Append rows until the event's end or a bound; return 1 for the bound."""
    status: cython.int = rows_more(cython.address(p.footer), maps, cursor, PORTION)
    return status if status < 0 else status == ROWS_MORE
