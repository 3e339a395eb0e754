# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""MariaGtid: the fields of MariaDB's Gtid event; compiled, as every transaction of its servers opens with one.

Layout: MariaDB's documentation, "Gtid_event" and "Gtid_list_event". The fields are those of `pybinlog.layout.mariadb`.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.scan.maria_gtid is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.libc.string import memset
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.format import read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.lenenc import octets


def maria_gtid_parse(gtid, e, format):
    at: cython.pointer(cython.const[uint8_t])
    end: cython.pointer(cython.const[uint8_t]) = e.data + e.body_end
    memset(gtid, 0, cython.sizeof(MariaGtid))
    if maria_gtid_head(gtid, e, format) < 0:
        return -1
    at = maria_gtid_groups(gtid, e, format)
    if at == cython.NULL:
        return -1
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


def maria_gtid(batch: EventBatch, index: cython.Py_ssize_t) -> tuple:
    """(sequence number, domain, flags, commit id, XA transaction, flags of the second byte, alter number, thread id).

    The XA transaction is (format, global part, branch qualifier), None where the flags say that there is none; fields
    that the event does not have are 0. None where a length reaches beyond the event.
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


def maria_gtid_list(body: bytes) -> list:
    """(domain, server, sequence number) of each GTID of a Gtid_list, in the event's order.

    `body` is what stands between the event's header and its checksum. None where a length reaches beyond it.
    """
    count: uint32_t = 0
    i: uint32_t
    at: octets = maria_gtid_list_parse(body, len(body), cython.address(count))
    if at == cython.NULL:
        return None
    listed = []
    for i in range(count):
        listed.append((read_u32(at), read_u32(at + 4), read_u64(at + 8)))
        at += LISTED_GTID
    return listed
