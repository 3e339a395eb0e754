"""Query: the text of a statement's event, and of the session variables it was run with."""

import cython
from cython.cimports.pybinlog.kernel.base.collation import character_set_of, collation_find
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.name import put_identifier, put_inside_quotes
from cython.cimports.pybinlog.kernel.base.text import put_signed, put_text, put_unsigned
from cython.cimports.pybinlog.kernel.text.printer import BASE64_AUTO, Name, end_header, put_header

# The bits of flags2.
AUTO_IS_NULL = cython.declare(uint32_t, 1 << 14)
NOT_AUTOCOMMIT = cython.declare(uint32_t, 1 << 19)
NO_FOREIGN_KEY_CHECKS = cython.declare(uint32_t, 1 << 26)
RELAXED_UNIQUE_CHECKS = cython.declare(uint32_t, 1 << 27)
COMMON_FLAGS = cython.declare(uint32_t, 1 << 14 | 1 << 19 | 1 << 26 | 1 << 27)
# Those that only MariaDB has.
NO_CONSTRAINT_CHECKS = cython.declare(uint32_t, 1 << 15)
EXPLICIT_DEFAULTS = cython.declare(uint32_t, 1 << 24)
IF_EXISTS = cython.declare(uint32_t, 1 << 28)
INSERT_HISTORY = cython.declare(uint32_t, 1 << 30)
# Those that mean "on"; the others mean "off".
ON_FLAGS = cython.declare(uint32_t, 1 << 14 | 1 << 24 | 1 << 28 | 1 << 30)


def put_delimiter(text: p_Text):
    put_bytes(text, "/*!*/;\n", 7)


def put_flag(text: p_Text, changed: uint32_t, flags2: uint32_t, bit: uint32_t, name: cython.p_const_char) -> uint32_t:
    """Append a variable of the session, if its bit changed. Return the changed bits without it.

    Most bits mean "off", some mean "on".
    """
    if changed & bit:
        put_bytes(text, "@@session.", 10)
        put_text(text, name)
        put_char(text, b"=")
        put_char(text, 49 if (flags2 & bit != 0) == (bit & ON_FLAGS != 0) else 48)
        put_text(text, ", " if changed & ~bit & COMMON_FLAGS else "")
    return changed & ~bit


def put_maria_flag(text: p_Text, changed: uint32_t, flags2: uint32_t, bit: uint32_t, name: cython.p_const_char):
    """Append one more variable, in a statement of its own, if its bit changed."""
    if changed & bit:
        put_bytes(text, "SET ", 4)
        put_flag(text, bit, flags2, bit, name)
        put_delimiter(text)


def put_maria_flags2(text: p_Text, changed: uint32_t, flags2: uint32_t, format: p_const_Format):
    """Append the session variables of MariaDB after the changed bits, as far as the log's server wrote them."""
    version: uint32_t = format.server_version
    if version >= 100201:
        put_maria_flag(text, changed, flags2, NO_CONSTRAINT_CHECKS, "check_constraint_checks")
    if version >= 100502:
        put_maria_flag(text, changed, flags2, IF_EXISTS, "sql_if_exists")
    if (
        version >= 100902
        or 100804 <= version < 100900
        or 100705 <= version < 100800
        or 100609 <= version < 100700
        or 100517 <= version < 100600
    ):
        put_maria_flag(text, changed, flags2, EXPLICIT_DEFAULTS, "explicit_defaults_for_timestamp")
    if version >= 101100:
        put_maria_flag(text, changed, flags2, INSERT_HISTORY, "system_versioning_insert_history")


def put_flags2(text: p_Text, changed: uint32_t, flags2: uint32_t):
    """Append the session variables after the changed bits."""
    put_bytes(text, "SET ", 4)
    changed = put_flag(text, changed, flags2, NO_FOREIGN_KEY_CHECKS, "foreign_key_checks")
    changed = put_flag(text, changed, flags2, AUTO_IS_NULL, "sql_auto_is_null")
    changed = put_flag(text, changed, flags2, RELAXED_UNIQUE_CHECKS, "unique_checks")
    put_flag(text, changed, flags2, NOT_AUTOCOMMIT, "autocommit")
    put_delimiter(text)


def put_charsets(text: p_Text, client: uint32_t, connection: uint32_t, server: uint32_t):
    """Append the session's character set and collations; the first line is for the mysql client."""
    name: cython.p_const_char = character_set_of(client)
    if name != cython.NULL:
        put_bytes(text, "/*!\\C ", 6)
        put_text(text, name)
        put_bytes(text, " */", 3)
        put_delimiter(text)
    put_text(text, "SET @@session.character_set_client=")
    put_unsigned(text, client)
    put_text(text, ",@@session.collation_connection=")
    put_unsigned(text, connection)
    put_text(text, ",@@session.collation_server=")
    put_unsigned(text, server)
    put_delimiter(text)


def change_charsets(p: p_Printer, client: uint32_t, connection: uint32_t, server: uint32_t) -> cython.bint:
    """Append the same if the session has others; True if it had."""
    session: cython.pointer(cython.const[Session]) = p.session
    if (
        session.charset_known
        and session.character_set_client == client
        and session.collation_connection == connection
        and session.collation_server == server
    ):
        return False
    put_charsets(cython.address(p.out), client, connection, server)
    return True


def put_sql_mode(text: p_Text, sql_mode: uint64_t):
    put_text(text, "SET @@session.sql_mode=")
    put_unsigned(text, sql_mode)
    if sql_mode & 0x1003FF00:
        # modes that 8.0.5 took away; the masking comment is for a server without them
        put_text(text, "/*!80005 &~0x1003ff00*/")
    put_delimiter(text)


def session_apply(
    session: cython.pointer(Session),
    names: cython.pointer(SessionNames),
    progress: cython.pointer(Progress),
    query: p_const_Query,
    flags: uint16_t,
):
    """Note the session's state after the query's SET statements, printed or not."""
    if flags & SUPPRESS_USE:
        if not query_is_transaction_keyword(query):
            names.database.length = 0
    else:
        memcpy(names.database.bytes, query.database, query.database_length)
        names.database.length = cython.cast(uint8_t, query.database_length)
    if not progress.thread_id_known or flags & THREAD_SPECIFIC:
        session.thread_id = query.thread_id
        progress.thread_id_known = True
    if query.has_flags2:
        session.flags2 = query.flags2
        session.flags2_known = True
    if query.has_sql_mode:
        session.sql_mode = query.sql_mode
        session.sql_mode_known = True
    session.auto_increment_increment = query.auto_increment_increment
    session.auto_increment_offset = query.auto_increment_offset
    if query.has_charset:
        session.character_set_client = read_u16(query.charset)
        session.collation_connection = read_u16(query.charset + 2)
        session.collation_server = read_u16(query.charset + 4)
        session.charset_known = True
    if query.time_zone_length:
        memcpy(names.time_zone.bytes, query.time_zone, query.time_zone_length)
        names.time_zone.length = query.time_zone_length
    session.lc_time_names = query.lc_time_names
    session.enable_cascade_triggers = query.enable_cascade_triggers
    session.collation_database = query.collation_database
    session.default_collation_for_utf8mb4 = query.default_collation_for_utf8mb4


def put_number(text: p_Text, name: cython.p_const_char, value: int64_t, end: cython.p_const_char):
    put_text(text, name)
    put_signed(text, value)
    put_text(text, end)


def put_collations(text: p_Text, query: p_const_Query):
    """Append the collations that character sets have by default: set with every statement that depends on them."""
    i: cython.int
    for i in range(query.collation_count):
        if (
            character_set_of(read_u16(query.collations + 4 * i)) == cython.NULL
            or collation_find(read_u16(query.collations + 4 * i + 2), True) == cython.NULL
        ):
            put_text(text, "/* SET @@session.character_set_collations='<format not recognized>' */\n")
            return
    put_text(text, "SET @@session.character_set_collations='")
    for i in range(query.collation_count):
        if i:
            put_char(text, b",")
        put_text(text, character_set_of(read_u16(query.collations + 4 * i)))
        put_char(text, b"=")
        put_text(text, collation_find(read_u16(query.collations + 4 * i + 2), True).name)
    put_char(text, b"'")
    put_delimiter(text)


def put_session_variables(p: p_Printer, query: p_const_Query, format: p_const_Format):
    """Append SET statements for the differences from the session so far."""
    text: p_Text = cython.address(p.out)
    session: cython.pointer(cython.const[Session]) = p.session
    zone: cython.pointer(cython.const[Name]) = cython.address(p.names.time_zone)
    changed: uint32_t
    if query.has_flags2:
        changed = session.flags2 ^ query.flags2 if session.flags2_known else ~cython.cast(uint32_t, 0)
        if changed and (not format.mariadb or changed & COMMON_FLAGS):
            put_flags2(text, changed, query.flags2)
        if format.mariadb:
            put_maria_flags2(text, changed, query.flags2, format)
    if query.has_sql_mode and not (session.sql_mode_known and session.sql_mode == query.sql_mode):
        put_sql_mode(text, query.sql_mode)
    if (
        session.auto_increment_increment != query.auto_increment_increment
        or session.auto_increment_offset != query.auto_increment_offset
    ):
        put_number(text, "SET @@session.auto_increment_increment=", query.auto_increment_increment, "")
        put_number(text, ", @@session.auto_increment_offset=", query.auto_increment_offset, "/*!*/;\n")
    if query.has_charset:
        change_charsets(p, read_u16(query.charset), read_u16(query.charset + 2), read_u16(query.charset + 4))
    if query.collations != cython.NULL:
        put_collations(text, query)
    if query.time_zone_length and not (
        zone.length == query.time_zone_length and memcmp(zone.bytes, query.time_zone, query.time_zone_length) == 0
    ):
        put_text(text, "SET @@session.time_zone='")
        put_inside_quotes(text, cython.cast(octets, query.time_zone), query.time_zone_length, True, p.options.exact)
        put_char(text, b"'")
        put_delimiter(text)
    if session.lc_time_names != query.lc_time_names:
        put_number(text, "SET @@session.lc_time_names=", query.lc_time_names, "/*!*/;\n")
    if session.collation_database != query.collation_database:
        if query.collation_database:
            put_number(text, "SET @@session.collation_database=", query.collation_database, "/*!*/;\n")
        else:
            put_text(text, "SET @@session.collation_database=DEFAULT/*!*/;\n")
    if query.explicit_defaults_for_timestamp != -1:
        changed = query.explicit_defaults_for_timestamp != 0
        put_number(text, "SET @@session.explicit_defaults_for_timestamp=", changed, "/*!*/;\n")
    if (
        query.default_collation_for_utf8mb4 > 0
        and query.default_collation_for_utf8mb4 != session.default_collation_for_utf8mb4
    ):
        put_number(
            text,
            "/*!80011 SET @@session.default_collation_for_utf8mb4=",
            query.default_collation_for_utf8mb4,
            "*//*!*/;\n",
        )
    if query.sql_require_primary_key != 255:
        put_number(text, "/*!80013 SET @@session.sql_require_primary_key=", query.sql_require_primary_key, "*//*!*/;\n")
    if query.default_table_encryption != 255:
        put_number(
            text, "/*!80016 SET @@session.default_table_encryption=", query.default_table_encryption, "*//*!*/;\n"
        )
    if session.enable_cascade_triggers != query.enable_cascade_triggers:
        put_number(text, "/*!90700 SET @@session.enable_cascade_triggers=", query.enable_cascade_triggers, "*//*!*/;\n")


def put_query_header(
    p: p_Printer, query: p_const_Query, e: p_const_Event, format: p_const_Format, name: cython.p_const_char
):
    """Append all before the statement itself: header line, database, time, thread, session variables."""
    text: p_Text = cython.address(p.out)
    if not p.options.short_form:
        put_header(p, e, format)
        put_char(text, b"\t")
        put_text(text, name)
        put_bytes(text, "\tthread_id=", 11)
        put_unsigned(text, query.thread_id)
        put_bytes(text, "\texec_time=", 11)
        put_unsigned(text, query.exec_time)
        put_bytes(text, "\terror_code=", 12)
        put_unsigned(text, query.error_code)
        if query.has_ddl_xid:
            put_bytes(text, "\tXid = ", 7)
            put_unsigned(text, query.ddl_xid)
        end_header(p, e)
    if (
        query.database_length
        and not e.flags & SUPPRESS_USE
        and (
            p.names.database.length != query.database_length
            or memcmp(p.names.database.bytes, query.database, query.database_length)
        )
    ):
        put_bytes(text, "use ", 4)
        put_identifier(text, cython.cast(octets, query.database), query.database_length, p.options.exact)
        put_delimiter(text)
    put_bytes(text, "SET TIMESTAMP=", 14)
    put_unsigned(text, e.timestamp)
    if query.microseconds:
        put_char(text, b".")
        put_padded(text, query.microseconds, 6, b"0")
    put_delimiter(text)
    if not p.options.require_row_format and (
        not p.progress.thread_id_known or (e.flags & THREAD_SPECIFIC and query.thread_id != p.session.thread_id)
    ):
        put_text(text, "SET @@session.pseudo_thread_id=")
        # short form prints what is the same in every run
        put_unsigned(text, 999999999 if p.options.short_form else query.thread_id)
        put_delimiter(text)
    put_session_variables(p, query, format)


def put_alter_phase(p: p_Printer, query: p_const_Query, e: p_const_Event):
    """Append a part of an ALTER TABLE in two phases: only the event tells a server which part, so it stands in a BINLOG
    statement. A server that does not know of them skips all parts but the one that alters the table."""
    text: p_Text = cython.address(p.out)
    if p.options.base64 == BASE64_AUTO and not p.options.short_form:
        if query.alter_may_be_skipped:
            put_bytes(text, "/*!100600 ", 10)
        put_bytes(text, "BINLOG '\n", 9)
        put_base64(text, e.data, e.event_size)
        put_bytes(text, "\n'", 2)
        if query.alter_may_be_skipped:
            put_bytes(text, " */", 3)
        put_delimiter(text)
    if p.options.verbose:
        put_commented(text, "### ", query.text, query.length, p.options.exact)


def put_query(p: p_Printer, query: p_const_Query, e: p_const_Event, format: p_const_Format, name: cython.p_const_char):
    put_query_header(p, query, e, format, name)
    if query.alters_in_phases:
        put_alter_phase(p, query, e)
        return
    put_bytes(cython.address(p.out), query.text, query.length)
    put_bytes(cython.address(p.out), "\n/*!*/;\n", 8)
