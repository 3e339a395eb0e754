# Query events: their fields.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport EXECUTE_LOAD_QUERY, octets, p_const_Event, p_const_Format


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
