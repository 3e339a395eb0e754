# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gtid: GTID, anonymous and tagged GTID events, MariaDB's Gtid, Previous_gtids, and filters by GTID set.

Compiled, as every transaction opens with one. Layouts: MySQL's source documentation, "Gtid_event"; a tagged event
is written with MySQL's serialization library (variable-length integers, numbered fields). MariaDB's: its manual,
"GTID_EVENT".
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.gtid is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.clock import put_microseconds
from cython.cimports.pybinlog.kernel.event import ANONYMOUS_GTID, GTID_TAGGED
from cython.cimports.pybinlog.kernel.format import read_u32, read_u48, read_u64
from cython.cimports.pybinlog.kernel.name import length_until_null, put_inside_quotes, put_whole_name
from cython.cimports.pybinlog.kernel.packed import read_packed
from cython.cimports.pybinlog.kernel.printer import Recent, end_header, put_header
from cython.cimports.pybinlog.kernel.text import (
    Digits,
    Text,
    put_again,
    put_bytes,
    put_char,
    put_hex,
    put_signed,
    put_text,
    put_unsigned,
)

UNDEFINED_SERVER_VERSION = cython.declare(uint32_t, 999999)
LAST_NUMBER = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)  # is not given to a transaction any more
MARIADB = cython.declare(cython.p_const_char, b"\x01")  # in the tag's place; see pybinlog.gtid_set
HIGH_BIT_7 = cython.declare(uint64_t, 1 << 55)  # of the seven bytes of a timestamp: another one follows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_variable(
    at: cython.pointer(cython.pointer(cython.const[uint8_t])),
    end: cython.pointer(cython.const[uint8_t]),
    value: cython.pointer(uint64_t),
) -> cython.bint:
    """An integer of the serialization library: as many more bytes as the first has one-bits at its low end."""
    p: cython.pointer(cython.const[uint8_t]) = at[0]
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def signed_of(value: uint64_t) -> int64_t:
    """The lowest bit is the sign."""
    if value & 1:
        return -cython.cast(int64_t, value >> 1) - 1
    return cython.cast(int64_t, value >> 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def parse_tagged(
    gtid: cython.pointer(Gtid), at: cython.pointer(cython.const[uint8_t]), end: cython.pointer(cython.const[uint8_t])
) -> cython.int:
    """The numbered fields of a Gtid_tagged event."""
    value: uint64_t = 0
    field: uint64_t = 0
    last_needed: uint64_t = 0
    i: cython.int
    start: cython.pointer(cython.const[uint8_t]) = at
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
        if field > 11:
            break  # a later server's; what follows cannot be separated
        if field == 1:
            for i in range(16):
                if not read_variable(cython.address(at), end, cython.address(value)) or value > 255:
                    return -1
                gtid.uuid_bytes[i] = cython.cast(uint8_t, value)
            continue
        if not read_variable(cython.address(at), end, cython.address(value)):
            return -1
        if field == 0:
            gtid.may_have_statements = value & 1
        elif field == 2:
            gtid.number = signed_of(value)
        elif field == 3:
            if value > 32 or cython.cast(uint64_t, end - at) < value:
                return -1
            gtid.tag = cython.cast(cython.p_const_char, at)
            gtid.tag_length = cython.cast(uint8_t, value)
            at += value
        elif field == 4:
            gtid.last_committed = signed_of(value)
        elif field == 5:
            gtid.sequence_number = signed_of(value)
        elif field == 6:
            gtid.immediate_commit_timestamp = value
        elif field == 7:
            gtid.original_commit_timestamp = value
            has_original = True
        elif field == 8:
            gtid.transaction_length = value
        elif field == 9:
            gtid.immediate_server_version = cython.cast(uint32_t, value)
        elif field == 10:
            gtid.original_server_version = cython.cast(uint32_t, value)
            has_original_version = True
    gtid.uuid = gtid.uuid_bytes
    if not 0 < gtid.number < LAST_NUMBER:
        return -1
    if not has_original:
        gtid.original_commit_timestamp = gtid.immediate_commit_timestamp
    if not has_original_version:
        gtid.original_server_version = gtid.immediate_server_version
    return 0


def gtid_parse(gtid, e, format):
    """Fill `gtid` from a Gtid, Anonymous_gtid or Gtid_tagged event; -1 where a length reaches beyond the event."""
    memset(gtid, 0, cython.sizeof(Gtid))
    at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
    end: cython.pointer(cython.const[uint8_t]) = e.data + e.size
    if e.size < format.header_length:
        return -1
    if e.type == GTID_TAGGED:
        return parse_tagged(gtid, at, end)
    if end - at < 25:
        return -1
    gtid.anonymous = e.type == ANONYMOUS_GTID
    gtid.may_have_statements = at[0] & 1
    gtid.uuid = at + 1
    gtid.number = cython.cast(int64_t, read_u64(at + 17))
    if (gtid.number != 0) if gtid.anonymous else not 0 < gtid.number < LAST_NUMBER:
        return -1
    at += 25
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
    if not read_packed(cython.address(at), end, cython.address(gtid.transaction_length)):
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


def maria_gtid_parse(gtid, e, format):
    """The identity of a MariaDB Gtid event, in the form that a filter looks it up by; -1 where it is cut short."""
    at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
    number: uint64_t
    memset(gtid, 0, cython.sizeof(Gtid))
    if e.size < format.header_length or e.size - format.header_length < 13:
        return -1
    number = read_u64(at)
    memcpy(gtid.uuid_bytes, at + 8, 4)
    gtid.uuid_bytes[4] = e.server_id & 0xFF
    gtid.uuid_bytes[5] = (e.server_id >> 8) & 0xFF
    gtid.uuid_bytes[6] = (e.server_id >> 16) & 0xFF
    gtid.uuid_bytes[7] = e.server_id >> 24
    gtid.uuid = gtid.uuid_bytes
    gtid.tag = MARIADB
    gtid.tag_length = 1
    gtid.number = cython.cast(int64_t, number) if number < LAST_NUMBER else LAST_NUMBER - 1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_uuid(text: cython.pointer(Text), uuid: cython.pointer(cython.const[uint8_t])) -> cython.void:
    i: cython.int
    for i in range(16):
        if i == 4 or i == 6 or i == 8 or i == 10:
            put_char(text, 45)
        put_hex(text, uuid[i], 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_source(
    text: cython.pointer(Text), recent: cython.pointer(Recent), uuid: cython.pointer(cython.const[uint8_t])
) -> cython.void:
    """The UUID of a transaction's server, which is most often that of the one before."""
    if recent.uuid_known and memcmp(recent.uuid, uuid, 16) == 0:
        put_bytes(text, recent.uuid_text, 36)
        return
    put_uuid(text, uuid)
    if not text.failed:
        recent.uuid_known = True
        memcpy(recent.uuid, uuid, 16)
        memcpy(recent.uuid_text, text.data + text.length - 36, 36)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_commit_timestamp(
    text: cython.pointer(Text), stamp: cython.pointer(Digits), microseconds: uint64_t
) -> cython.void:
    """With a sign, as the statements have it."""
    if cython.cast(int64_t, microseconds) < 0:
        put_signed(text, cython.cast(int64_t, microseconds))
    else:
        put_again(text, stamp, microseconds)


def put_gtid(p, gtid, e, format):
    text: cython.pointer(Text) = cython.address(p.out)
    stamp: cython.pointer(Digits) = cython.address(p.recent.commit_timestamp)
    tag: cython.pointer(cython.const[uint8_t])
    if not p.options.short_form:
        put_header(p, e, format)
        put_text(text, "\tAnonymous_GTID" if gtid.anonymous else "\tGTID")
        put_bytes(text, "\tlast_committed=", 16)
        put_unsigned(text, cython.cast(uint64_t, gtid.last_committed))
        put_bytes(text, "\tsequence_number=", 17)
        put_unsigned(text, cython.cast(uint64_t, gtid.sequence_number))
        put_text(text, "\trbr_only=no" if gtid.may_have_statements else "\trbr_only=yes")
        put_bytes(text, "\toriginal_committed_timestamp=", 30)
        put_again(text, stamp, gtid.original_commit_timestamp)
        put_bytes(text, "\timmediate_commit_timestamp=", 28)
        put_again(text, stamp, gtid.immediate_commit_timestamp)
        put_bytes(text, "\ttransaction_length=", 20)
        put_unsigned(text, gtid.transaction_length)
        end_header(p, e)
    if not gtid.may_have_statements:
        put_text(text, "/*!50718 SET TRANSACTION ISOLATION LEVEL READ COMMITTED*//*!*/;\n")
    put_text(text, "# original_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.original_commit_timestamp)
    put_bytes(text, " (", 2)
    put_microseconds(text, cython.address(p.clock), gtid.original_commit_timestamp)
    put_text(text, ")\n# immediate_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.immediate_commit_timestamp)
    put_bytes(text, " (", 2)
    put_microseconds(text, cython.address(p.clock), gtid.immediate_commit_timestamp)
    put_text(text, ")\n/*!80001 SET @@session.original_commit_timestamp=")
    put_commit_timestamp(text, stamp, gtid.original_commit_timestamp)
    put_text(text, "*//*!*/;\n/*!80014 SET @@session.original_server_version=")
    put_again(text, cython.address(p.recent.original_server_version), gtid.original_server_version)
    put_text(text, "*//*!*/;\n/*!80014 SET @@session.immediate_server_version=")
    put_again(text, cython.address(p.recent.immediate_server_version), gtid.immediate_server_version)
    put_text(text, "*//*!*/;\nSET @@SESSION.GTID_NEXT= '")
    if gtid.anonymous:
        put_bytes(text, "ANONYMOUS", 9)
    else:
        put_source(text, cython.address(p.recent), gtid.uuid)
        put_char(text, 58)
        if gtid.tag_length:
            tag = cython.cast(cython.pointer(cython.const[uint8_t]), gtid.tag)
            put_inside_quotes(text, tag, gtid.tag_length, p.options.exact, p.options.exact)
            if p.options.exact and length_until_null(tag, gtid.tag_length) < gtid.tag_length:
                put_bytes(text, "/*!*/;\n", 7)  # the reference's text ends at the null byte
                return
            put_char(text, 58)
        put_signed(text, gtid.number)
    put_bytes(text, "'/*!*/;\n", 8)


def previous_gtids_begin(gtids, e, format):
    at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
    memset(gtids, 0, cython.sizeof(PreviousGtids))
    if e.size < format.header_length + cython.cast(cython.size_t, 8):
        return -1
    # the eighth byte says which form: 0 without tags, 1 with them (then the count is in the six between)
    gtids.tagged = at[7] == 1
    gtids.left = read_u48(at + 1) if gtids.tagged else read_u64(at)
    gtids.at = at + 8
    gtids.end = e.data + e.size
    return 0


def previous_gtids_next(gtids):
    at: cython.pointer(cython.const[uint8_t]) = gtids.at
    end: cython.pointer(cython.const[uint8_t]) = gtids.end
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


def put_previous_gtids(p, e, format):
    """The set that the logs before this one hold; -1 where a length reaches beyond the event."""
    text: cython.pointer(Text) = cython.address(p.out)
    gtids: PreviousGtids
    last: cython.pointer(cython.const[uint8_t]) = cython.NULL
    at: cython.pointer(cython.const[uint8_t])
    i: uint64_t
    status: cython.int
    if previous_gtids_begin(cython.address(gtids), e, format) < 0:
        return -1
    if not p.options.short_form:
        put_header(p, e, format)
        put_bytes(text, "\tPrevious-GTIDs", 15)
        end_header(p, e)
    if gtids.left == 0:
        put_bytes(text, "# [empty]\n", 10)
        return 0
    while True:
        status = previous_gtids_next(cython.address(gtids))
        if status < 0:
            return -1
        if status == 0:
            break
        if last != cython.NULL and memcmp(last, gtids.uuid, 16) == 0:
            pass  # another tag of the same source: it continues in the line
        else:
            put_text(text, "# " if last == cython.NULL else ",\n# ")
            put_uuid(text, gtids.uuid)
        last = gtids.uuid
        if gtids.tag_length:
            put_char(text, 58)
            # one that is no tag makes the reference leave the line out
            put_whole_name(text, cython.cast(cython.pointer(cython.const[uint8_t]), gtids.tag), gtids.tag_length, False)
        at = gtids.intervals
        for i in range(gtids.interval_count):
            put_char(text, 58)
            put_signed(text, cython.cast(int64_t, read_u64(at)))
            if read_u64(at + 8) != read_u64(at) + 1:
                put_char(text, 45)
                put_signed(text, cython.cast(int64_t, read_u64(at + 8) - 1))
            at += 16
    put_char(text, 10)
    return 0


@cython.cclass
class GtidFilter:
    """A set of GTIDs to look events up in: sorted (uuid, tag, start, end) intervals, end exclusive."""

    def __cinit__(self, intervals: list):
        intervals = sorted(intervals)
        i: cython.Py_ssize_t
        uuid: bytes
        tag: bytes
        at: cython.pointer(Interval)
        start: cython.p_const_char
        self.count = len(intervals)
        self.intervals = cython.cast(cython.pointer(Interval), malloc((self.count + 1) * cython.sizeof(Interval)))
        if self.intervals == cython.NULL:
            raise MemoryError("no memory for a GTID set")
        for i in range(self.count):
            at = self.intervals + i
            uuid, tag, at.start, at.end = intervals[i]
            if len(uuid) != 16 or len(tag) > 32:
                raise ValueError("not a GTID interval")
            start = uuid
            memcpy(at.uuid, start, 16)
            start = tag
            memset(at.tag, 0, 32)
            memcpy(at.tag, start, len(tag))
            at.tag_length = len(tag)

    def __dealloc__(self):
        free(self.intervals)

    def contains(self, gtid):
        """By binary search for the last interval that does not begin after the GTID."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.count
        middle: cython.Py_ssize_t
        order: cython.int
        tag: cython.char[32]
        memset(tag, 0, 32)
        if gtid.tag_length:
            memcpy(tag, gtid.tag, gtid.tag_length)
        while low < high:
            middle = (low + high) // 2
            order = memcmp(self.intervals[middle].uuid, gtid.uuid, 16)
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
