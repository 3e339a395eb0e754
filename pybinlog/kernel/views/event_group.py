"""EventGroup: what is known of the current transaction, event by event."""

import cython
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, set_bytes
from cython.cimports.pybinlog.kernel.base.text import write_uuid
from cython.cimports.pybinlog.kernel.scan.classify import leading_spaces, starts_with

MICROSECONDS = cython.declare(int64_t, 1000000)
ONE_PHASE = cython.declare(cython.size_t, 10)  # of " ONE PHASE"


def group_begin(group: p_EventGroup):
    set_bytes(group, 0, cython.cast(cython.p_char, cython.address(group.xid)) - cython.cast(cython.p_char, group))
    group.begin_time = NO_TIME
    group.commit_time = NO_TIME
    group.gtid_commit_time = NO_TIME
    group.rows_known = True


def group_gtid(group: p_EventGroup, gtid: cython.pointer(cython.const[Gtid]), timestamp: uint32_t):
    """Note a GTID event. Before MySQL 8.0, and in MariaDB, it has the time of the commit only in its header."""
    group.gtid_length = 0
    group.anonymous = gtid.anonymous
    group.last_committed = gtid.last_committed
    group.sequence_number = gtid.sequence_number
    if gtid.immediate_commit_timestamp:
        group.gtid_commit_time = cython.cast(int64_t, gtid.immediate_commit_timestamp)
        group.commit_time = group.gtid_commit_time
        group.commit_is_exact = True
        group.lag_known = gtid.original_commit_timestamp != 0
        group.commit_lag = cython.cast(int64_t, gtid.immediate_commit_timestamp - gtid.original_commit_timestamp)
    elif timestamp:
        group.gtid_commit_time = timestamp * MICROSECONDS
    if gtid.anonymous or gtid.number < 0:
        return
    if not group.uuid_known or memcmp(group.uuid, gtid.uuid, 16) != 0:
        write_uuid(group.gtid, gtid.uuid)[0] = b":"
        memcpy(group.uuid, gtid.uuid, 16)
        group.uuid_known = True
    at: cython.p_char = cython.cast(cython.p_char, group.gtid) + 37
    if gtid.tag_length:
        memcpy(at, gtid.tag, gtid.tag_length)
        at += gtid.tag_length
        at[0] = b":"
        at += 1
    at = write_unsigned(at, cython.cast(uint64_t, gtid.number))
    group.gtid_length = at - cython.cast(cython.p_char, group.gtid)


def group_maria_gtid(group: p_EventGroup, e: p_const_Event, format: p_const_Format) -> cython.int:
    gtid: MariaGtid
    to: cython.p_char = group.gtid
    group.uuid_known = False
    if maria_gtid_parse(cython.address(gtid), e, format) < 0:
        return -1
    to = write_unsigned(to, gtid.domain)
    to[0] = b"-"
    to = write_unsigned(to + 1, e.server_id)
    to[0] = b"-"
    to = write_unsigned(to + 1, gtid.sequence_number)
    group.gtid_length = to - cython.cast(cython.p_char, group.gtid)
    if gtid.xid.data != cython.NULL:
        group.xid_length = write_xid(group.xid, cython.address(gtid.xid)) - cython.cast(cython.p_char, group.xid)
    if e.timestamp:
        group.gtid_commit_time = e.timestamp * MICROSECONDS
    return 0


def begins(text: cython.p_const_char, length: cython.size_t, word: cython.p_const_char) -> cython.bint:
    """Return True if the text begins with the word (upper case) in whatever case, and no letter follows."""
    size: cython.size_t = starts_with(text, length, word)
    return size != 0 and (length == size or text[size] == b" " or text[size] == b"'")


def cut_format_id(group: p_EventGroup):
    """Let the format id have four bytes, as in an XA_prepare event; a statement has all of a client's larger number."""
    begin: cython.p_char = group.xid
    end: cython.p_char = begin + group.xid_length
    at: cython.p_char = end
    number: uint64_t = 0
    digit: uint64_t = 1
    while at > begin and b"0" <= (at - 1)[0] <= b"9":
        at -= 1
        number += digit * cython.cast(uint64_t, at[0] - 48)  # (modulo 2^64, which leaves the last four bytes right)
        digit *= 10
    if at > begin and (at - 1)[0] == b"," and number >> 32:
        group.xid_length = write_unsigned(at, cython.cast(uint32_t, number)) - begin


def set_xid_text(group: p_EventGroup, text: cython.p_const_char, length: cython.size_t):
    while length and text[0] == b" ":
        text += 1
        length -= 1
    while length and text[length - 1] == b" ":
        length -= 1
    if length > ONE_PHASE and begins(text + length - 9, 9, b"ONE PHASE"):
        length -= ONE_PHASE
    group.xid_length = 0
    if 0 < length <= LONGEST_XID:
        memcpy(group.xid, text, length)
        group.xid_length = length
        cut_format_id(group)


def group_statement(group: p_EventGroup, text: cython.p_const_char, length: cython.size_t) -> GroupEnd:
    spaces: cython.size_t = leading_spaces(text, length)
    text += spaces
    length -= spaces
    if length < 3:
        return END_STATEMENT
    if begins(text, length, b"COMMIT"):
        group.commits_by_query = True
        return END_COMMIT
    if begins(text, length, b"ROLLBACK"):
        return END_ROLLBACK
    if not begins(text, length, b"XA"):
        return END_STATEMENT
    if begins(text, length, b"XA START"):
        set_xid_text(group, text + 8, length - 8)
    elif begins(text, length, b"XA PREPARE"):
        set_xid_text(group, text + 10, length - 10)
        return END_XA_PREPARE
    elif begins(text, length, b"XA COMMIT"):
        set_xid_text(group, text + 9, length - 9)
        return END_XA_COMMIT
    elif begins(text, length, b"XA ROLLBACK"):
        set_xid_text(group, text + 11, length - 11)
        return END_XA_ROLLBACK
    return END_STATEMENT


def group_xa_prepare(group: p_EventGroup, e: p_const_Event, format: p_const_Format) -> cython.int:
    xa: XaPrepare
    if xa_prepare_parse(cython.address(xa), e, format) < 0:
        return -1
    group.ended = END_XA_COMMIT if xa.one_phase else END_XA_PREPARE
    group.xid_length = write_xid(group.xid, cython.address(xa.xid)) - cython.cast(cython.p_char, group.xid)
    return 0
