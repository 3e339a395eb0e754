# Query events: their fields.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format

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
    # status variables; a flag or -1 tells that the event has none
    bint has_flags2
    bint has_sql_mode
    bint has_charset
    uint32_t flags2
    uint64_t sql_mode
    uint16_t auto_increment_increment
    uint16_t auto_increment_offset
    const uint8_t* charset
    const char* time_zone
    uint8_t time_zone_length
    uint16_t lc_time_names
    uint16_t collation_database
    int explicit_defaults_for_timestamp
    int default_collation_for_utf8mb4
    int sql_require_primary_key
    int default_table_encryption
    uint32_t microseconds
    bint has_ddl_xid
    uint64_t ddl_xid
    bint alters_in_phases            # MariaDB's: a part of an ALTER TABLE that is replicated in two phases
    bint alter_may_be_skipped        # all parts but COMMIT ALTER, which older servers take as the whole
    const uint8_t* collations        # MariaDB's: character sets and their default collations; NULL: none
    uint8_t collation_count

# Where the parts of such an event stand; the lengths are right.
cdef struct QueryParts:
    const uint8_t* fields            # the post-header
    size_t post_header
    const uint8_t* status
    size_t status_length
    const char* database
    size_t database_length
    const char* text
    size_t length

# Status variables that came, and are likely to come again. There are four for one stream.
cdef struct LastStatus:
    size_t length                    # 0: nothing is known yet
    uint8_t bytes[128]
    Query query                      # what they say; its pointers lead into `bytes`

# -1 where a length reaches beyond the event, here and below.
cdef int query_parts(QueryParts* parts, const Event* e, const Format* format) noexcept nogil
cdef int query_parse(Query* query, const Event* e, const Format* format) noexcept nogil
# The same with four of what came before; `query` holds until they are used again.
cdef int query_parse_like(Query* query, LastStatus* last, const Event* e, const Format* format) noexcept nogil
cdef bint query_is_transaction_keyword(const Query* query) noexcept nogil
cdef bint query_starts_group(const Query* query) noexcept nogil
cdef bint query_ends_group(const Query* query) noexcept nogil
