# GTID events, and Previous_gtids: their fields.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.scan.event_fields cimport LONGEST_XID_PART, XaIdentifier


cdef enum:
    UNDEFINED_SERVER_VERSION = 999999
    LAST_NUMBER = 0x7FFFFFFFFFFFFFFF  # is not given to a transaction any more

# The numbers of a Gtid_tagged event's fields.
cdef enum:
    TAGGED_FLAGS = 0
    TAGGED_UUID = 1
    TAGGED_NUMBER = 2
    TAGGED_TAG = 3
    TAGGED_LAST_COMMITTED = 4
    TAGGED_SEQUENCE_NUMBER = 5
    TAGGED_IMMEDIATE_COMMIT = 6
    TAGGED_ORIGINAL_COMMIT = 7
    TAGGED_LENGTH = 8
    TAGGED_IMMEDIATE_VERSION = 9
    TAGGED_ORIGINAL_VERSION = 10
    TAGGED_COMMIT_GROUP = 11

cdef struct Gtid:
    bint anonymous
    bint may_have_statements         # not only row events
    octets uuid                      # 16 bytes
    uint8_t uuid_bytes[16]           # (where uuid points for a tagged event)
    uint8_t tag_length
    const char* tag
    int64_t number
    int64_t last_committed
    int64_t sequence_number
    uint64_t immediate_commit_timestamp
    uint64_t original_commit_timestamp
    uint64_t transaction_length
    uint32_t immediate_server_version
    uint32_t original_server_version

# A Previous_gtids event, source by source.
cdef struct PreviousGtids:
    bint tagged
    uint64_t left                    # sources that are still to come
    octets at
    octets end
    # of the current source
    octets uuid
    const char* tag
    size_t tag_length
    octets intervals                 # start and end, 8 bytes each; the end is exclusive
    uint64_t interval_count

cdef int gtid_parse(Gtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
cdef int previous_gtids_begin(PreviousGtids* gtids, p_const_Event e, p_const_Format format) noexcept nogil
# 1 if there is another source, 0 if there is none, -1 if it reaches beyond the event.
cdef int previous_gtids_next(PreviousGtids* gtids) noexcept nogil

cdef struct Interval:
    uint8_t uuid[16]
    uint8_t tag_length
    char tag[32]
    int64_t start
    int64_t end

cdef class GtidFilter:
    cdef Interval* intervals
    cdef Py_ssize_t count
    cdef bint contains(self, const Gtid* gtid) noexcept nogil

cdef enum:
    MARIA_GTID_HEAD = 13             # bytes of the fields that every Gtid has
    LISTED_GTID = 16                 # bytes of a GTID in a Gtid_list

# The flags of a Gtid, and those of the second byte, which a part of an ALTER TABLE repeats in its status variables. Named
# as in layout's MariaGtidFlag and MariaGtidExtraFlag.
cpdef enum:
    FL_STANDALONE = 1
    FL_GROUP_COMMIT_ID = 2
    FL_TRANSACTIONAL = 4
    FL_ALLOW_PARALLEL = 8
    FL_WAITED = 16
    FL_DDL = 32
    FL_PREPARED_XA = 64
    FL_COMPLETED_XA = 128

cpdef enum:
    FL_EXTRA_MULTI_ENGINE = 1
    FL_EXTRA_START_ALTER = 2
    FL_EXTRA_COMMIT_ALTER = 4
    FL_EXTRA_ROLLBACK_ALTER = 8
    FL_EXTRA_THREAD_ID = 16

cdef struct MariaGtid:
    uint64_t sequence_number
    uint32_t domain
    uint8_t flags
    uint64_t commit_id               # where FL_GROUP_COMMIT_ID is set
    XaIdentifier xid                 # where FL_PREPARED_XA or FL_COMPLETED_XA is set; else its data are NULL
    bint has_extra                   # servers before 10.8 write no second byte of flags
    uint8_t extra
    uint64_t alter_number            # where FL_EXTRA_COMMIT_ALTER or FL_EXTRA_ROLLBACK_ALTER is set
    uint32_t thread_id               # where FL_EXTRA_THREAD_ID is set

# -1 if a length reaches beyond the event.
cdef int maria_gtid_parse(MariaGtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil

# The same in steps, for those who need less than all of it.
#
# The fields that every Gtid has: sequence number, domain and flags. -1 if they reach beyond the event.
cdef int maria_gtid_head(MariaGtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
# After its head: the commit id and the XA transaction. The place after them, NULL if it is beyond the event.
cdef octets maria_gtid_groups(MariaGtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
# Domain and server in the first eight bytes of what stands for a UUID; see pybinlog.gtid_set.
cdef void maria_gtid_source(uint8_t* source, const MariaGtid* gtid, p_const_Event e) noexcept nogil
# The GTID in the form that a GtidFilter looks it up by; -1 if its head reaches beyond the event.
cdef int maria_gtid_name(Gtid* name, p_const_Event e, p_const_Format format) noexcept nogil

# The first of the GTIDs in a Gtid_list, LISTED_GTID bytes each: domain, server, sequence number (4, 4 and 8 bytes).
# NULL if they reach beyond the event.
cdef octets maria_gtid_list_parse(p_const_Event e, p_const_Format format, uint32_t* count) noexcept nogil
# False if the GTIDs of a Previous_gtids or Gtid_list reach beyond the event.
cdef bint gtid_set_is_whole(p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef bint read_variable(octets* at, octets end, uint64_t* value) noexcept nogil
cdef int64_t signed_of(uint64_t value) noexcept nogil
cdef int parse_tagged(Gtid* gtid, octets at, octets end) noexcept nogil
cdef octets listed_gtids(octets body, size_t size, uint32_t* count) noexcept nogil
