"""Gtid: the fields of GTID, anonymous and tagged GTID events and of Previous_gtids, of MySQL and of MariaDB.

Compiled, as every transaction opens with one. Layouts: MySQL's source documentation, "Gtid_event"; a tagged event
is written with MySQL's serialization library (variable-length integers, numbered fields).

GtidFilter is a set of GTIDs to look events up in. MariaGtid has the fields of MariaDB's Gtid event. Layout: MariaDB's
documentation, "Gtid_event" and "Gtid_list_event". The fields are those of `pybinlog.layout.mariadb`.
"""

import cython
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.event import ANONYMOUS_GTID, GTID_TAGGED, MARIA_GTID_LIST, Event, Format
from cython.cimports.pybinlog.kernel.base.little_endian import read_lenenc, read_u32, read_u48, read_u64
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcmp, memcpy, memset, set_bytes

HIGH_BIT_7 = cython.declare(uint64_t, 1 << 55)  # of the seven bytes of a timestamp: another one follows


def read_variable(at: cython.pointer(octets), end: octets, value: cython.pointer(uint64_t)) -> cython.bint:
    """Read an integer of the serialization library: the one-bits at its first byte's low end count the later bytes."""
    p: octets = at[0]
    if p >= end:
        return False
    more: cython.int = 0
    while more < 8 and (p[0] >> more) & 1:
        more += 1
    if end - p < 1 + more:
        return False
    if more == 8:
        value[0] = read_u64(p + 1)
    else:
        value[0] = 0
        i: cython.int
        for i in range(more + 1):
            value[0] |= cython.cast(uint64_t, p[i]) << (8 * i)
        value[0] >>= more + 1
    at[0] = p + 1 + more
    return True


def signed_of(value: uint64_t) -> int64_t:
    """Return the signed number whose lowest bit is the sign."""
    if value & 1:
        return -cython.cast(int64_t, value >> 1) - 1
    return cython.cast(int64_t, value >> 1)


def parse_tagged(gtid: cython.pointer(Gtid), at: octets, end: octets) -> cython.int:
    """Read the numbered fields of a Gtid_tagged event."""
    value: uint64_t = 0
    field: uint64_t = 0
    last_needed: uint64_t = 0
    i: cython.int
    start: octets = at
    has_original: cython.bint = False
    has_original_version: cython.bint = False
    if not read_variable(cython.address(at), end, cython.address(value)):  # version of the serialization
        return -1
    if not read_variable(cython.address(at), end, cython.address(value)):  # bytes of the whole message
        return -1
    if value < cython.cast(uint64_t, at - start) or value > cython.cast(uint64_t, end - start):
        return -1
    end = start + value
    if not read_variable(cython.address(at), end, cython.address(last_needed)):
        return -1
    while at < end:
        if not read_variable(cython.address(at), end, cython.address(field)):
            return -1
        if field > fields.TAGGED_COMMIT_GROUP_TICKET:
            break  # a later server's; what follows cannot be separated
        if field == fields.TAGGED_SID:
            for i in range(16):
                if not read_variable(cython.address(at), end, cython.address(value)) or value > 255:
                    return -1
                gtid.uuid_bytes[i] = cython.cast(uint8_t, value)
            continue
        if not read_variable(cython.address(at), end, cython.address(value)):
            return -1
        if field == fields.TAGGED_GTID_FLAGS:
            gtid.may_have_statements = value & 1
        elif field == fields.TAGGED_GNO:
            gtid.number = signed_of(value)
        elif field == fields.TAGGED_TAG:
            if value > 32 or cython.cast(uint64_t, end - at) < value:
                return -1
            gtid.tag = cython.cast(cython.p_const_char, at)
            gtid.tag_length = cython.cast(uint8_t, value)
            at += value
        elif field == fields.TAGGED_LAST_COMMITTED:
            gtid.last_committed = signed_of(value)
        elif field == fields.TAGGED_SEQUENCE_NUMBER:
            gtid.sequence_number = signed_of(value)
        elif field == fields.TAGGED_IMMEDIATE_COMMIT_TIMESTAMP:
            gtid.immediate_commit_timestamp = value
        elif field == fields.TAGGED_ORIGINAL_COMMIT_TIMESTAMP:
            gtid.original_commit_timestamp = value
            has_original = True
        elif field == fields.TAGGED_TRANSACTION_LENGTH:
            gtid.transaction_length = value
        elif field == fields.TAGGED_IMMEDIATE_SERVER_VERSION:
            gtid.immediate_server_version = cython.cast(uint32_t, value)
        elif field == fields.TAGGED_ORIGINAL_SERVER_VERSION:
            gtid.original_server_version = cython.cast(uint32_t, value)
            has_original_version = True
    gtid.uuid = gtid.uuid_bytes
    if not 0 < gtid.number < cython.cast(int64_t, LAST_NUMBER):
        return -1
    if not has_original:
        gtid.original_commit_timestamp = gtid.immediate_commit_timestamp
    if not has_original_version:
        gtid.original_server_version = gtid.immediate_server_version
    return 0


def gtid_parse(gtid: cython.pointer(Gtid), e: p_const_Event, format: p_const_Format) -> cython.int:
    """Fill `gtid` from a Gtid, Anonymous_gtid or Gtid_tagged event; -1 if a length reaches beyond the event."""
    set_bytes(gtid, 0, cython.sizeof(Gtid))
    head: fields.GtidHead
    at: octets = fields.body_of(e, format)
    end: octets = fields.end_of(e)
    if at > end:
        return -1
    if e.type == GTID_TAGGED:
        return parse_tagged(gtid, at, end)
    at = fields.gtid_head(cython.address(head), at, end)
    if at == cython.NULL:
        return -1
    gtid.anonymous = e.type == ANONYMOUS_GTID
    gtid.may_have_statements = head.gtid_flags & 1
    gtid.uuid = head.sid
    gtid.number = head.gno
    if (gtid.number != 0) if gtid.anonymous else not 0 < gtid.number < cython.cast(int64_t, LAST_NUMBER):
        return -1
    # what comes now was added version by version; an event ends where its server knew no more
    if end - at < 17 or at[0] != 2:
        return 0
    gtid.last_committed = cython.cast(int64_t, read_u64(at + 1))
    gtid.sequence_number = cython.cast(int64_t, read_u64(at + 9))
    at += 17
    if end - at < 7:
        return 0
    gtid.immediate_commit_timestamp = read_u48(at) | (cython.cast(uint64_t, at[6]) << 48)
    at += 7
    if gtid.immediate_commit_timestamp & HIGH_BIT_7:
        gtid.immediate_commit_timestamp &= ~HIGH_BIT_7
        if end - at < 7:
            return -1
        gtid.original_commit_timestamp = read_u48(at) | (cython.cast(uint64_t, at[6]) << 48)
        at += 7
    else:
        gtid.original_commit_timestamp = gtid.immediate_commit_timestamp
    gtid.immediate_server_version = UNDEFINED_SERVER_VERSION
    gtid.original_server_version = UNDEFINED_SERVER_VERSION
    if at == end:
        return 0
    if not read_lenenc(cython.address(at), end, cython.address(gtid.transaction_length)):
        return -1
    if end - at < 4:
        return 0
    gtid.immediate_server_version = read_u32(at)
    at += 4
    if gtid.immediate_server_version >> 31:
        gtid.immediate_server_version &= 0x7FFFFFFF
        if end - at < 4:
            return -1
        gtid.original_server_version = read_u32(at)
    else:
        gtid.original_server_version = gtid.immediate_server_version
    return 0


def previous_gtids_begin(gtids: cython.pointer(PreviousGtids), e: p_const_Event, format: p_const_Format) -> cython.int:
    at: octets = fields.body_of(e, format)
    memset(gtids, 0, cython.sizeof(PreviousGtids))
    if fields.end_of(e) - at < 8:
        return -1
    # the eighth byte says which form: 0 without tags, 1 with them (then the count is in the six between)
    gtids.tagged = at[7] == 1
    gtids.left = read_u48(at + 1) if gtids.tagged else read_u64(at)
    gtids.at = at + 8
    gtids.end = fields.end_of(e)
    return 0


def previous_gtids_next(gtids: cython.pointer(PreviousGtids)) -> cython.int:
    at: octets = gtids.at
    end: octets = gtids.end
    length: uint64_t = 0
    if gtids.left == 0:
        return 0
    gtids.left -= 1
    if end - at < 16:
        return -1
    gtids.uuid = at
    at += 16
    if gtids.tagged:
        if not read_variable(cython.address(at), end, cython.address(length)):
            return -1
        if length > 32 or cython.cast(uint64_t, end - at) < length:
            return -1
        gtids.tag = cython.cast(cython.p_const_char, at)
        gtids.tag_length = length
        at += length
    if end - at < 8:
        return -1
    gtids.interval_count = read_u64(at)
    gtids.intervals = at + 8
    if gtids.interval_count > cython.cast(uint64_t, end - gtids.intervals) // 16:
        return -1
    gtids.at = gtids.intervals + 16 * gtids.interval_count
    return 1


def put_intervals(text: p_Text, gtids: cython.pointer(cython.const[PreviousGtids])):
    at: octets = gtids.intervals
    i: uint64_t
    for i in range(gtids.interval_count):
        put_char(text, b":")
        put_signed(text, cython.cast(int64_t, read_u64(at)))
        if read_u64(at + 8) != read_u64(at) + 1:
            put_char(text, b"-")
            put_signed(text, cython.cast(int64_t, read_u64(at + 8) - 1))
        at += 16


def gtid_set_is_whole(e: p_const_Event, format: p_const_Format) -> cython.bint:
    gtids: PreviousGtids
    count: uint32_t = 0
    if e.type == MARIA_GTID_LIST:
        return maria_gtid_list_parse(e, format, cython.address(count)) != cython.NULL
    if previous_gtids_begin(cython.address(gtids), e, format) < 0:
        return False
    while gtids.left:
        if previous_gtids_next(cython.address(gtids)) < 0:
            return False
    return True


def previous_gtids(body: bytes) -> list:
    """Return (uuid, tag, start, end) of each interval of a Previous_gtids, in the event's order; ends are exclusive.

    `body` is what stands between the event's header and its checksum. None if a length reaches beyond it.
    """
    gtids: PreviousGtids
    e: Event
    format: Format
    i: uint64_t
    memset(cython.address(e), 0, cython.sizeof(Event))
    memset(cython.address(format), 0, cython.sizeof(Format))
    e.data = body
    e.body_end = len(body)
    if previous_gtids_begin(cython.address(gtids), cython.address(e), cython.address(format)) < 0:
        return None
    found = []
    status: cython.int = previous_gtids_next(cython.address(gtids))
    while status > 0:
        uuid: bytes = cython.cast(cython.p_const_char, gtids.uuid)[:16]
        tag: bytes = gtids.tag[: gtids.tag_length] if gtids.tag_length else b""
        for i in range(gtids.interval_count):
            start: uint64_t = read_u64(gtids.intervals + 16 * i)
            end: uint64_t = read_u64(gtids.intervals + 16 * i + 8)
            found.append((uuid, tag, start, end))
        status = previous_gtids_next(cython.address(gtids))
    return None if status < 0 else found


@cython.cclass
class GtidFilter:
    """A set of GTIDs to look events up in: sorted (uuid, tag, start, end) intervals, end exclusive."""

    def __cinit__(self, intervals: list):
        intervals = sorted(intervals)
        i: cython.Py_ssize_t
        uuid: bytes
        tag: bytes
        self.count = len(intervals)
        self.intervals = cython.cast(cython.pointer(Interval), malloc((self.count + 1) * cython.sizeof(Interval)))
        if self.intervals == cython.NULL:
            raise MemoryError("no memory for a GTID set")
        for i in range(self.count):
            at: cython.pointer(Interval) = self.intervals + i
            uuid, tag, at.start, at.end = intervals[i]
            if len(uuid) != 16 or len(tag) > 32:
                raise ValueError("not a GTID interval")
            start: cython.p_const_char = uuid
            memcpy(at.uuid, start, 16)
            start = tag
            memset(at.tag, 0, 32)
            memcpy(at.tag, start, len(tag))
            at.tag_length = len(tag)

    def __dealloc__(self):
        free(self.intervals)

    def contains(self, gtid: cython.pointer(cython.const[Gtid])) -> cython.bint:
        """Search for the last interval that does not begin after the GTID."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.count
        tag: cython.char[32]
        memset(tag, 0, 32)
        if gtid.tag_length:
            memcpy(tag, gtid.tag, gtid.tag_length)
        while low < high:
            middle: cython.Py_ssize_t = (low + high) // 2
            order: cython.int = memcmp(self.intervals[middle].uuid, gtid.uuid, 16)
            if order == 0:
                order = memcmp(self.intervals[middle].tag, tag, 32)
            if order < 0 or (order == 0 and self.intervals[middle].start <= gtid.number):
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return False
        low -= 1
        return (
            memcmp(self.intervals[low].uuid, gtid.uuid, 16) == 0
            and memcmp(self.intervals[low].tag, tag, 32) == 0
            and self.intervals[low].start <= gtid.number < self.intervals[low].end
        )


def maria_gtid_begin(gtid: cython.pointer(MariaGtid), e: p_const_Event, format: p_const_Format) -> octets:
    head: fields.MariaGtidHead
    at: octets = fields.maria_gtid_head(cython.address(head), fields.body_of(e, format), fields.end_of(e))
    if at != cython.NULL:
        gtid.sequence_number = head.seq_no
        gtid.domain = head.domain_id
        gtid.flags = head.flags2
    return at


def maria_gtid_groups(gtid: cython.pointer(MariaGtid), at: octets, end: octets) -> octets:
    gtid.commit_id = 0
    gtid.xid = XaIdentifier(0, cython.NULL, 0, 0)
    if gtid.flags & fields.FL_GROUP_COMMIT_ID:
        if end - at < 8:
            return cython.NULL
        gtid.commit_id = read_u64(at)
        at += 8
    if gtid.flags & (fields.FL_PREPARED_XA | fields.FL_COMPLETED_XA):
        if end - at < 6 or at[4] > LONGEST_XID_PART or at[5] > LONGEST_XID_PART:
            return cython.NULL
        if end - at < 6 + cython.cast(cython.Py_ssize_t, at[4]) + at[5]:
            return cython.NULL
        gtid.xid = XaIdentifier(read_u32(at), at + 6, at[4], at[5])
        at += 6 + gtid.xid.global_length + gtid.xid.branch_length
    return at


def maria_gtid_source(source: cython.pointer(uint8_t), gtid: cython.pointer(cython.const[MariaGtid]), e: p_const_Event):
    i: cython.int
    for i in range(4):
        source[i] = cython.cast(uint8_t, gtid.domain >> (8 * i))
        source[4 + i] = cython.cast(uint8_t, e.server_id >> (8 * i))


def maria_gtid_name(name: cython.pointer(Gtid), e: p_const_Event, format: p_const_Format) -> cython.int:
    gtid: MariaGtid
    set_bytes(name, 0, cython.sizeof(Gtid))
    if maria_gtid_begin(cython.address(gtid), e, format) == cython.NULL:
        return -1
    maria_gtid_source(name.uuid_bytes, cython.address(gtid), e)
    name.uuid = name.uuid_bytes
    name.tag = b"\x01"  # in the tag's place
    name.tag_length = 1
    name.number = LAST_NUMBER - 1
    if gtid.sequence_number < LAST_NUMBER:
        name.number = cython.cast(int64_t, gtid.sequence_number)
    return 0


def listed_gtids(body: octets, size: cython.size_t, count: cython.pointer(uint32_t)) -> octets:
    if size < 4:
        return cython.NULL
    count[0] = read_u32(body) & 0x0FFFFFFF  # the bits above are flags
    return body + 4 if count[0] <= (size - 4) // LISTED_GTID else cython.NULL


def maria_gtid_list_parse(e: p_const_Event, format: p_const_Format, count: cython.pointer(uint32_t)) -> octets:
    if e.body_end < format.header_length:
        return cython.NULL
    return listed_gtids(e.data + format.header_length, e.body_end - format.header_length, count)


def maria_gtid_parse(gtid: cython.pointer(MariaGtid), e: p_const_Event, format: p_const_Format) -> cython.int:
    end: octets = fields.end_of(e)
    set_bytes(gtid, 0, cython.sizeof(MariaGtid))
    at: octets = maria_gtid_begin(gtid, e, format)
    if at == cython.NULL:
        return -1
    at = maria_gtid_groups(gtid, at, end)
    if at == cython.NULL:
        return -1
    if at == end:
        return 0
    gtid.has_extra = True
    gtid.extra = at[0]
    at += 1
    if gtid.extra & fields.FL_EXTRA_MULTI_ENGINE:
        at += 1
    if gtid.extra & (fields.FL_EXTRA_COMMIT_ALTER | fields.FL_EXTRA_ROLLBACK_ALTER):
        if end - at < 8:
            return -1
        gtid.alter_number = read_u64(at)
        at += 8
    if gtid.extra & fields.FL_EXTRA_THREAD_ID:
        if end - at < 4:
            return -1
        gtid.thread_id = read_u32(at)
    return 0


def maria_gtid_list(body: bytes) -> list:
    """Return (domain, server, sequence number) of each GTID of a Gtid_list, in the event's order.

    `body` is what stands between the event's header and its checksum. None where a length reaches beyond it.
    """
    count: uint32_t = 0
    i: uint32_t
    at: octets = listed_gtids(body, len(body), cython.address(count))
    if at == cython.NULL:
        return None
    listed = []
    for i in range(count):
        listed.append((read_u32(at), read_u32(at + 4), read_u64(at + 8)))
        at += LISTED_GTID
    return listed
