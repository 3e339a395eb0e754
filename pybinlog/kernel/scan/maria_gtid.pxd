# MariaDB's Gtid events: their fields.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format, read_u32, read_u64
from pybinlog.kernel.scan.gtid_fields cimport Gtid

cdef enum:
    MARIA_GTID_HEAD = 13

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
    uint32_t format_identifier       # of the XA transaction, where FL_PREPARED_XA or FL_COMPLETED_XA is set
    const uint8_t* identifier        # its global part, and the branch qualifier behind it
    uint8_t global_length
    uint8_t branch_length
    bint has_extra                   # servers before 10.8 write no second byte of flags
    uint8_t extra
    uint64_t alter_number            # where FL_EXTRA_COMMIT_ALTER or FL_EXTRA_ROLLBACK_ALTER is set
    uint32_t thread_id               # where FL_EXTRA_THREAD_ID is set

# -1 where a length reaches beyond the event.
cdef int maria_gtid_parse(MariaGtid* gtid, const Event* e, const Format* format) noexcept nogil


cdef inline int maria_gtid_head(MariaGtid* gtid, const Event* e, const Format* format) noexcept nogil:
    """The fields that every Gtid has, sequence number, domain and flags; -1 where they reach beyond the event."""
    cdef const uint8_t* at = e.data + format.header_length
    if e.size < format.header_length or e.size - format.header_length < MARIA_GTID_HEAD:
        return -1
    gtid.sequence_number = read_u64(at)
    gtid.domain = read_u32(at + 8)
    gtid.flags = at[12]
    return 0


# The same GTID in the form that a GtidFilter looks it up by; -1 where its head reaches beyond the event.
cdef int maria_gtid_name(Gtid* gtid, const Event* e, const Format* format) noexcept nogil
