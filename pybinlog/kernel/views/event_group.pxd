from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format
from pybinlog.kernel.scan.event_fields cimport LONGEST_XID, write_xid, xa_prepare_parse, XaPrepare
from pybinlog.kernel.scan.gtid_fields cimport Gtid, maria_gtid_parse, MariaGtid


cdef enum GroupEnd:
    END_UNKNOWN = 0
    END_COMMIT = 1
    END_ROLLBACK = 2
    END_XA_PREPARE = 3
    END_XA_COMMIT = 4
    END_XA_ROLLBACK = 5
    END_STATEMENT = 6         # a statement that is a transaction by itself, mostly DDL
    END_INCIDENT = 7

cdef enum:
    NO_TIME = -1

cdef struct EventGroup:
    bint open
    bint known_start
    bint anonymous
    bint commit_is_exact      # its Gtid tells the microsecond
    bint lag_known
    uint64_t start            # position of its first event, and of the end of its last so far
    uint64_t end
    int file_number           # the file of the span that it begins in, from 0
    bint placed
    uint64_t position         # of its first event in the current file, if `placed`
    size_t gtid_length        # 0 if it has none
    int64_t begin_time        # microseconds since 1970 UTC, or NO_TIME
    int64_t commit_time       # where its Gtid does not tell it, that of its last event
    int64_t gtid_commit_time  # the Gtid's immediate_commit_timestamp, else the timestamp of its header
    int64_t last_committed    # logical timestamps of the log, if sequence_number is not 0
    int64_t sequence_number
    int64_t commit_lag        # microseconds between the first commit and that on this server, if `lag_known`
    uint64_t events
    uint64_t rows
    bint rows_known
    uint64_t bytes
    GroupEnd ended
    bint commits_by_query     # it ends with the statement COMMIT, as changes of tables without transactions do
    size_t xid_length         # of an XA transaction; else 0
    # these stay from group to group
    char xid[LONGEST_XID]     # as XA statements have it in a log
    char gtid[96]
    uint8_t uuid[16]          # that `gtid` begins with, if `uuid_known`
    bint uuid_known
ctypedef EventGroup* p_EventGroup

cdef void group_begin(p_EventGroup group) noexcept nogil
# Note the GTID of a MySQL event whose fields are parsed, and of a MariaDB event, which brings its xid; return -1 if a
# length is wrong.
cdef void group_gtid(p_EventGroup group, const Gtid* gtid, uint32_t timestamp) noexcept nogil
cdef int group_maria_gtid(p_EventGroup group, p_const_Event e, p_const_Format format) noexcept nogil
# Note the group's end by the text of a Query (END_STATEMENT for any other), and its xid.
cdef GroupEnd group_statement(p_EventGroup group, const char* text, size_t length) noexcept nogil
# Note an XA_prepare; return -1 if a length is wrong.
cdef int group_xa_prepare(p_EventGroup group, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef bint begins(const char* text, size_t length, const char* word) noexcept nogil
cdef void cut_format_id(p_EventGroup group) noexcept nogil
cdef void set_xid_text(p_EventGroup group, const char* text, size_t length) noexcept nogil
