# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The fields of row events of every version: the kind of change, the table, the columns, and where the rows lie."""

import cython

from cython.cimports.libc.stdint import uint8_t, uint64_t
from cython.cimports.pybinlog.kernel.base.event import (
    COMMON_HEADER_LENGTH,
    DELETE_ROWS,
    DELETE_ROWS_V0,
    DELETE_ROWS_V1,
    PARTIAL_UPDATE_ROWS,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    WRITE_ROWS_V1,
    inflated_type,
    octets,
)
from cython.cimports.pybinlog.kernel.base.lenenc import read_lenenc
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u32, read_u48
from cython.cimports.pybinlog.kernel.base.memory import memset

EXTRA_NDB = cython.declare(cython.int, 0)
EXTRA_PARTITION = cython.declare(cython.int, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_kind(fields: cython.pointer(RowsFields), type: uint8_t) -> cython.int:
    """Set the kind; return the version: 0, 1 or 2, or -1 if it is not a row event."""
    type = inflated_type(type)
    fields.partial = type == PARTIAL_UPDATE_ROWS
    fields.kind = ROWS_UPDATE
    if type in (WRITE_ROWS, WRITE_ROWS_V1, WRITE_ROWS_V0):
        fields.kind = ROWS_WRITE
    elif type in (DELETE_ROWS, DELETE_ROWS_V1, DELETE_ROWS_V0):
        fields.kind = ROWS_DELETE
    if WRITE_ROWS <= type <= DELETE_ROWS or type == PARTIAL_UPDATE_ROWS:
        return 2
    if WRITE_ROWS_V1 <= type <= DELETE_ROWS_V1:
        return 1
    return 0 if WRITE_ROWS_V0 <= type <= DELETE_ROWS_V0 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_extra(fields: cython.pointer(RowsFields), at: octets, end: octets) -> cython.bint:
    """Read the extra row info of a version 2 event: the first NDB part, and the partitions; an unknown part ends it."""
    part: cython.int
    while at != end:
        part = at[0]
        at += 1
        if part == EXTRA_NDB:
            if at == end or at[0] > cython.cast(cython.size_t, end - at):
                return False
            if fields.ndb_info == cython.NULL:
                fields.ndb_info = at
            at += at[0]
        elif part == EXTRA_PARTITION:
            if end - at < (4 if fields.kind == ROWS_UPDATE else 2):
                return False
            fields.partition = read_u16(at)
            at += 2
            if fields.kind == ROWS_UPDATE:
                fields.source_partition = read_u16(at)
                at += 2
        else:
            return True
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_bits(bitmap: octets, bits: cython.size_t) -> cython.int:
    """How many of the first `bits` bits are set."""
    i: cython.size_t
    count: cython.int = 0
    some: uint64_t
    fives: uint64_t = 0x5555555555555555
    threes: uint64_t = 0x3333333333333333
    fifteens: uint64_t = 0x0F0F0F0F0F0F0F0F
    ones: uint64_t = 0x0101010101010101
    while bits:
        some = 0
        for i in range(8):  # as many bytes as there are, up to eight
            if 8 * i < bits:
                some |= cython.cast(uint64_t, bitmap[i]) << (8 * i)
        if bits < 64:
            some &= (cython.cast(uint64_t, 1) << bits) - 1
            bits = 64
        # the sums of pairs, of fours, of bytes, and of all bytes
        some -= some >> 1 & fives
        some = (some & cython.cast(uint64_t, 0x3333333333333333)) + (
            some >> 2 & cython.cast(uint64_t, 0x3333333333333333)
        )
        some = some + (some >> 4) & fifteens
        count += cython.cast(cython.int, some * ones >> 56)
        bitmap += 8
        bits -= 64
    return count


def rows_parse(fields, format, event, size):
    at: octets = event + COMMON_HEADER_LENGTH
    end: octets = event + size
    version: cython.int
    id_size: cython.size_t
    post_header: uint8_t
    extra: cython.size_t
    count: uint64_t
    bitmap: cython.size_t
    memset(fields, 0, cython.sizeof(RowsFields))
    fields.partition = -1
    fields.source_partition = -1
    if size < COMMON_HEADER_LENGTH + 8:
        return ROWS_CORRUPT
    version = read_kind(fields, event[4])
    if version < 0:
        return ROWS_CORRUPT
    post_header = format.post_header_length[event[4]]
    if post_header == 255:
        post_header = 10 if version == 2 else 8
    id_size = 4 if post_header == 6 else 6
    fields.table_id = read_u32(at) if id_size == 4 else read_u48(at)
    fields.flags = read_u16(at + id_size)
    at += id_size + 2
    if post_header == 10:
        if end - at < 2:
            return ROWS_CORRUPT
        extra = read_u16(at)
        if extra < 2 or extra > cython.cast(cython.size_t, end - at) or not read_extra(fields, at + 2, at + extra):
            return ROWS_CORRUPT
        at += extra
    if not read_lenenc(cython.address(at), end, cython.address(count)):
        return ROWS_CORRUPT
    bitmap = count // 8 + (1 if count & 7 else 0)
    if count == 0 or bitmap > cython.cast(cython.size_t, end - at):
        return ROWS_CORRUPT
    fields.column_count = count
    fields.columns = at
    fields.columns_after = at
    at += bitmap
    if fields.kind == ROWS_UPDATE and version > 0:
        if bitmap > cython.cast(cython.size_t, end - at):
            return ROWS_CORRUPT
        fields.columns_after = at
        at += bitmap
    fields.null_bytes = (count_bits(fields.columns, count) + 7) // 8
    fields.null_bytes_after = (count_bits(fields.columns_after, count) + 7) // 8
    fields.rows = at
    fields.rows_size = end - at
    return 0


def table_names(e, at, database, table):
    if e.body_end <= at or e.data[at] > e.body_end - at - 1:
        return False
    database[0] = e.data + at
    at += e.data[at] + 2  # a null byte ends each name
    if e.body_end <= at or e.data[at] > e.body_end - at - 1:
        return False
    table[0] = e.data + at
    return True
