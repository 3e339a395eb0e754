"""Query: the fields of a statement's event; compiled, a busy server writes one or two a transaction.

Layout: MySQL's source documentation, "Query_event"; status variables come in any order the server wrote them,
and one that is not known ends their list.
"""

import cython
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u24, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memchr, memcmp, memcpy, set_bytes, strncmp
from cython.cimports.pybinlog.kernel.scan.classify import QueryParts, query_parts, starts_with

# Status variables: code -> bytes of its value, if that is fixed; the others are told apart in query_parse.
FIXED = cython.declare(uint8_t[256])


@cython.cfunc
def fill_fixed() -> cython.void:
    code: cython.int
    for code in range(256):
        FIXED[code] = fields.fixed_status_size(code)


fill_fixed()


def parse_status_variables(query: p_Query, at: octets, left: cython.size_t) -> cython.int:
    """Read the list; return -1 if a variable reaches beyond its end."""
    while left:
        code: cython.int = at[0]
        at += 1
        left -= 1
        size: cython.size_t = FIXED[code]
        if code == fields.STATUS_TIME_ZONE or code == fields.STATUS_CATALOG_NZ or code == fields.STATUS_CATALOG:
            if left < 1:
                return -1
            size = 1 + at[0] + (1 if code == fields.STATUS_CATALOG and at[0] else 0)
        elif code == fields.STATUS_INVOKER:
            if left < 1 or left - 1 < at[0] + cython.cast(cython.size_t, 1):
                return -1
            size = 1 + at[0]
            size += 1 + at[size]
        elif code == fields.STATUS_UPDATED_DB_NAMES:
            if left < 1:
                return -1
            size = 1
            names: cython.size_t = 0 if at[0] == 254 else at[0]
            while names:
                ended: octets = cython.cast(octets, memchr(at + size, 0, left - size))
                if ended == cython.NULL:
                    return -1
                size = ended - at + 1
                names -= 1
        elif size == 0:
            if code != fields.STATUS_MARIA_GTID_FLAGS3 and code != fields.STATUS_MARIA_CHARACTER_SET_COLLATIONS:
                return 0
            if left < 1:
                return -1
            if code == fields.STATUS_MARIA_CHARACTER_SET_COLLATIONS:
                size = 1 + 4 * cython.cast(cython.size_t, at[0])
            else:
                size = 9 if at[0] & (fields.FL_EXTRA_COMMIT_ALTER | fields.FL_EXTRA_ROLLBACK_ALTER) else 1
        if size > left:
            return -1

        if code == fields.STATUS_FLAGS2:
            query.has_flags2 = True
            query.flags2 = read_u32(at)
        elif code == fields.STATUS_SQL_MODE:
            query.has_sql_mode = True
            query.sql_mode = read_u64(at)
        elif code == fields.STATUS_AUTO_INCREMENT:
            query.auto_increment_increment = read_u16(at)
            query.auto_increment_offset = read_u16(at + 2)
        elif code == fields.STATUS_CHARSET:
            query.has_charset = True
            query.charset = at
        elif code == fields.STATUS_TIME_ZONE:
            query.time_zone_length = at[0]
            query.time_zone = cython.cast(cython.p_const_char, at + 1)
        elif code == fields.STATUS_LC_TIME_NAMES:
            query.lc_time_names = read_u16(at)
        elif code == fields.STATUS_CHARSET_DATABASE:
            query.collation_database = read_u16(at)
        elif code == fields.STATUS_MICROSECONDS or code == fields.STATUS_MARIA_HRNOW:
            query.microseconds = read_u24(at)
        elif code == fields.STATUS_EXPLICIT_DEFAULTS_FOR_TIMESTAMP:
            query.explicit_defaults_for_timestamp = at[0]
        elif code == fields.STATUS_DDL_LOGGED_WITH_XID:
            query.has_ddl_xid = True
            query.ddl_xid = read_u64(at)
        elif code == fields.STATUS_DEFAULT_COLLATION_FOR_UTF8MB4:
            query.default_collation_for_utf8mb4 = read_u16(at)
        elif code == fields.STATUS_SQL_REQUIRE_PRIMARY_KEY:
            query.sql_require_primary_key = at[0]
        elif code == fields.STATUS_DEFAULT_TABLE_ENCRYPTION:
            query.default_table_encryption = at[0]
        elif code == fields.STATUS_ENABLE_CASCADE_TRIGGERS:
            query.enable_cascade_triggers = at[0]
        elif code == fields.STATUS_MARIA_GTID_FLAGS3:
            query.alters_in_phases = (
                at[0] & (fields.FL_EXTRA_START_ALTER | fields.FL_EXTRA_COMMIT_ALTER | fields.FL_EXTRA_ROLLBACK_ALTER)
                != 0
            )
            query.alter_may_be_skipped = at[0] & (fields.FL_EXTRA_START_ALTER | fields.FL_EXTRA_ROLLBACK_ALTER) != 0
        elif code == fields.STATUS_MARIA_CHARACTER_SET_COLLATIONS:
            query.collation_count = at[0]
            query.collations = at + 1
        at += size
        left -= size
    return 0


def read_status_variables(
    query: p_Query, last: cython.pointer(LastStatus), at: octets, length: cython.size_t
) -> cython.int:
    """Fill `query` from its status variables; -1 if one reaches beyond their end."""
    if last != cython.NULL:
        last += length & 3  # those of BEGIN and of a statement differ, as a rule in their length
        if length and last.length == length and memcmp(last.bytes, at, length) == 0:
            query[0] = last.query
            return 0
    set_bytes(query, 0, cython.sizeof(Query))
    query.auto_increment_increment = 1
    query.auto_increment_offset = 1
    query.explicit_defaults_for_timestamp = -1
    query.default_collation_for_utf8mb4 = -1
    query.sql_require_primary_key = 255
    query.default_table_encryption = 255
    if last == cython.NULL or length > cython.sizeof(last.bytes):
        return parse_status_variables(query, at, length)
    last.length = 0
    memcpy(last.bytes, at, length)
    if parse_status_variables(query, last.bytes, length) < 0:
        return -1
    last.query = query[0]
    last.length = length
    return 0


def query_parse(query: p_Query, e: p_const_Event, format: p_const_Format) -> cython.int:
    """Fill `query` from a Query or Execute_load_query event; -1 if a length reaches beyond the event."""
    return query_parse_like(query, cython.NULL, e, format)


def query_parse_like(
    query: p_Query, last: cython.pointer(LastStatus), e: p_const_Event, format: p_const_Format
) -> cython.int:
    parts: QueryParts
    if query_parts(cython.address(parts), format, e.data, e.body_end) < 0:
        return -1
    if read_status_variables(query, last, parts.status, parts.status_length) < 0:
        return -1
    query.thread_id = fields.query_thread_id(parts.fields)
    query.exec_time = fields.query_exec_time(parts.fields)
    query.error_code = fields.query_error_code(parts.fields)
    query.database = parts.database
    query.database_length = parts.database_length
    query.text = parts.text
    query.length = parts.length
    query.mariadb = format.mariadb
    query.server_version = format.server_version
    if e.type == EXECUTE_LOAD_QUERY:
        query.file_id = fields.execute_load_query_file_id(parts.fields)
        query.file_name_start = fields.execute_load_query_fn_pos_start(parts.fields)
        query.file_name_end = fields.execute_load_query_fn_pos_end(parts.fields)
        query.duplicates = fields.execute_load_query_dup_handling(parts.fields)
        if not (query.file_name_start < query.file_name_end <= query.length):
            return -1
    return 0


def begins(query: p_const_Query, word: cython.p_const_char, length: cython.size_t) -> cython.bint:
    return query.length >= length and query.text[0] == word[0] and strncmp(query.text, word, length) == 0


def is_word(query: p_const_Query, word: cython.p_const_char, length: cython.size_t) -> cython.bint:
    """Compare as many characters as the statement has, as the reference does: a beginning of the word will do."""
    if query.length > length or (query.length and query.text[0] != word[0]):
        return False
    if query.length == length:
        return memcmp(query.text, word, length) == 0
    return strncmp(query.text, word, query.length) == 0


def query_is_transaction_keyword(query: p_const_Query) -> cython.bint:
    """Return True for a statement that --database never drops (as in the reference)."""
    return (
        is_word(query, "BEGIN", 5)
        or is_word(query, "COMMIT", 6)
        or starts_with(query.text, query.length, "SAVEPOINT")
        or starts_with(query.text, query.length, "ROLLBACK")
        or starts_with(query.text, query.length, "XA START")
        or starts_with(query.text, query.length, "XA END")
        or starts_with(query.text, query.length, "XA PREPARE")
        or starts_with(query.text, query.length, "XA COMMIT")
        or starts_with(query.text, query.length, "XA ROLLBACK")
    )


def query_starts_group(query: p_const_Query) -> cython.bint:
    return is_word(query, "BEGIN", 5) or begins(query, "XA START", 8)


def query_ends_group(query: p_const_Query) -> cython.bint:
    if query.length and query.text[0] | 0x20 == 114:  # (most statements: no call)
        return starts_with(query.text, query.length, "ROLLBACK") and not starts_with(
            query.text, query.length, "ROLLBACK TO "
        )
    return is_word(query, "COMMIT", 6) or begins(query, "XA ROLLBACK", 11)
