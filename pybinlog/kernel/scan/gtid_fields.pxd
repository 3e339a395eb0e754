# GTID events, and Previous_gtids: their fields.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.fields cimport LONGEST_XID_PART
from pybinlog.kernel.base.text cimport p_Text, put_char, put_signed
from pybinlog.kernel.scan.event_fields cimport XaIdentifier


cdef enum:
    UNDEFINED_SERVER_VERSION = 999999
    LAST_NUMBER = 0x7FFFFFFFFFFFFFFF  # is not given to a transaction any more

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
# The intervals of the current source, each as :first or :first-last.
cdef void put_intervals(p_Text text, const PreviousGtids* gtids) noexcept nogil

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
    LISTED_GTID = 16                 # bytes of a GTID in a Gtid_list

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
# The fields that every Gtid has: sequence number, domain and flags. The place after them, NULL if it is beyond the event.
cdef octets maria_gtid_begin(MariaGtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
# From that place on: the commit id and the XA transaction. The place after them, NULL if it is beyond the event.
cdef octets maria_gtid_groups(MariaGtid* gtid, octets at, octets end) noexcept nogil
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
