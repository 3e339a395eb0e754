# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""MariaGtid: the fields of MariaDB's Gtid event; compiled, as every transaction of its servers opens with one.

Layout: MariaDB's documentation, "Gtid_event". The fields are those of `pybinlog.layout.mariadb`.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.scan.maria_gtid is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t, uint8_t
from cython.cimports.libc.string import memset
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.format import read_u32, read_u64
from cython.cimports.pybinlog.kernel.scan.gtid_fields import LAST_NUMBER

MARIADB_TAG = cython.declare(cython.p_const_char, b"\x01")  # in the tag's place; see pybinlog.gtid_set


def maria_gtid_parse(gtid, e, format):
    at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
    end: cython.pointer(cython.const[uint8_t]) = e.data + e.size
    memset(gtid, 0, cython.sizeof(MariaGtid))
    if maria_gtid_head(gtid, e, format) < 0:
        return -1
    at += MARIA_GTID_HEAD
    if gtid.flags & FL_GROUP_COMMIT_ID:
        if end - at < 8:
            return -1
        gtid.commit_id = read_u64(at)
        at += 8
    if gtid.flags & (FL_PREPARED_XA | FL_COMPLETED_XA):
        if end - at < 6:
            return -1
        gtid.format_identifier = read_u32(at)
        gtid.global_length = at[4]
        gtid.branch_length = at[5]
        gtid.identifier = at + 6
        at += 6
        if end - at < cython.cast(cython.Py_ssize_t, gtid.global_length) + gtid.branch_length:
            return -1
        at += cython.cast(cython.Py_ssize_t, gtid.global_length) + gtid.branch_length
    if at == end:
        return 0
    gtid.has_extra = True
    gtid.extra = at[0]
    at += 1
    if gtid.extra & FL_EXTRA_MULTI_ENGINE:
        at += 1
    if gtid.extra & (FL_EXTRA_COMMIT_ALTER | FL_EXTRA_ROLLBACK_ALTER):
        if end - at < 8:
            return -1
        gtid.alter_number = read_u64(at)
        at += 8
    if gtid.extra & FL_EXTRA_THREAD_ID:
        if end - at < 4:
            return -1
        gtid.thread_id = read_u32(at)
    return 0


def maria_gtid_name(gtid, e, format):
    maria: MariaGtid
    i: cython.int
    memset(gtid, 0, cython.sizeof(Gtid))
    if maria_gtid_head(cython.address(maria), e, format) < 0:
        return -1
    for i in range(4):
        gtid.uuid_bytes[i] = (maria.domain >> (8 * i)) & 0xFF
        gtid.uuid_bytes[4 + i] = (e.server_id >> (8 * i)) & 0xFF
    gtid.uuid = gtid.uuid_bytes
    gtid.tag = MARIADB_TAG
    gtid.tag_length = 1
    gtid.number = (
        cython.cast(int64_t, maria.sequence_number) if maria.sequence_number < LAST_NUMBER else LAST_NUMBER - 1
    )
    return 0


def maria_gtid(batch: EventBatch, index: cython.Py_ssize_t) -> tuple:
    """(sequence number, domain, flags, commit id, XA transaction, flags of the second byte, alter number, thread id).

    The XA transaction is (format, global part, branch qualifier), None where the flags tell of none; fields that the
    event does not have are 0. None where a length reaches beyond the event.
    """
    gtid: MariaGtid
    if maria_gtid_parse(cython.address(gtid), batch.at(index), cython.address(batch.format)) < 0:
        return None
    xa = None
    if gtid.identifier != cython.NULL:
        both: bytes = gtid.identifier[: gtid.global_length + gtid.branch_length]
        xa = (gtid.format_identifier, both[: gtid.global_length], both[gtid.global_length :])
    return (
        gtid.sequence_number,
        gtid.domain,
        gtid.flags,
        gtid.commit_id,
        xa,
        gtid.extra,
        gtid.alter_number,
        gtid.thread_id,
    )
