# Query events: their fields.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport EXECUTE_LOAD_QUERY, octets, p_const_Event, p_const_Format


# The codes of the status variables, named as in layout's StatusVar.
cdef enum:
    STATUS_FLAGS2 = 0
    STATUS_SQL_MODE = 1
    STATUS_CATALOG = 2
    STATUS_AUTO_INCREMENT = 3
    STATUS_CHARSET = 4
    STATUS_TIME_ZONE = 5
    STATUS_CATALOG_NZ = 6
    STATUS_LC_TIME_NAMES = 7
    STATUS_CHARSET_DATABASE = 8
    STATUS_TABLE_MAP_FOR_UPDATE = 9
    STATUS_MASTER_DATA_WRITTEN = 10
    STATUS_INVOKER = 11
    STATUS_UPDATED_DB_NAMES = 12
    STATUS_MICROSECONDS = 13
    STATUS_COMMIT_TS = 14
    STATUS_COMMIT_TS2 = 15
    STATUS_EXPLICIT_DEFAULTS_FOR_TIMESTAMP = 16
    STATUS_DDL_LOGGED_WITH_XID = 17
    STATUS_DEFAULT_COLLATION_FOR_UTF8MB4 = 18
    STATUS_SQL_REQUIRE_PRIMARY_KEY = 19
    STATUS_DEFAULT_TABLE_ENCRYPTION = 20
    STATUS_ENABLE_CASCADE_TRIGGERS = 21
    STATUS_MARIA_HRNOW = 128
    STATUS_MARIA_XID = 129
    STATUS_MARIA_GTID_FLAGS3 = 130
    STATUS_MARIA_CHARACTER_SET_COLLATIONS = 131

cdef struct Query:
    uint32_t thread_id
    uint32_t exec_time
    uint16_t error_code
    const char* database             # followed by a null byte
    size_t database_length
    const char* text
    size_t length
    # an Execute_load_query's own
    uint32_t file_id
    uint32_t file_name_start         # of the part of the text that names the file, from the text's beginning
    uint32_t file_name_end
    uint8_t duplicates               # 2: REPLACE
    # the server that wrote it, as in Format; version 0: unknown
    bint mariadb
    uint32_t server_version
    # status variables; a flag or -1 tells that the event has none
    bint has_flags2
    bint has_sql_mode
    bint has_charset
    uint32_t flags2
    uint64_t sql_mode
    uint16_t auto_increment_increment
    uint16_t auto_increment_offset
    octets charset
    const char* time_zone
    uint8_t time_zone_length
    uint16_t lc_time_names
    uint16_t collation_database
    int explicit_defaults_for_timestamp
    int default_collation_for_utf8mb4
    int sql_require_primary_key
    int default_table_encryption
    uint8_t enable_cascade_triggers
    uint32_t microseconds
    bint has_ddl_xid
    uint64_t ddl_xid
    bint alters_in_phases            # MariaDB's: a part of an ALTER TABLE that is replicated in two phases
    bint alter_may_be_skipped        # all parts but COMMIT ALTER, which older servers take as the whole
    octets collations                # MariaDB's: character sets and their default collations; NULL: none
    uint8_t collation_count
ctypedef Query* p_Query
ctypedef const Query* p_const_Query

# Status variables that came, and are likely to come again. There are four for one stream.
cdef struct LastStatus:
    size_t length                    # 0: nothing is known yet
    uint8_t bytes[128]
    Query query                      # what they say; its pointers lead into `bytes`

# -1 if a length reaches beyond the event, here and below.
cdef int query_parse(p_Query query, p_const_Event e, p_const_Format format) noexcept nogil
# The same with four of what came before; `query` holds until they are used again.
cdef int query_parse_like(p_Query query, LastStatus* last, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint query_is_transaction_keyword(p_const_Query query) noexcept nogil
cdef bint query_starts_group(p_const_Query query) noexcept nogil
cdef bint query_ends_group(p_const_Query query) noexcept nogil

# Used in this module only.
cdef int parse_status_variables(p_Query query, octets at, size_t left) noexcept nogil
cdef int read_status_variables(p_Query query, LastStatus* last, octets at, size_t length) noexcept nogil
cdef bint begins(p_const_Query query, const char* word, size_t length) noexcept nogil
cdef bint is_word(p_const_Query query, const char* word, size_t length) noexcept nogil
