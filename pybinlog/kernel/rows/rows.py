"""The fields of row events of every version: kind of change, table, columns, the rows' place; ids of mapped tables."""

import cython
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, COMPLETE_ROWS_F, NO_FOREIGN_KEY_CHECKS_F
from cython.cimports.pybinlog.kernel.base.event import PARTIAL_UPDATE_ROWS, RELAXED_UNIQUE_CHECKS_F, STMT_END_F
from cython.cimports.pybinlog.kernel.base.event import USE_SQL_FOREIGN_KEY_F, inflated_type, is_compressed_rows
from cython.cimports.pybinlog.kernel.base.fields import table_id_of, table_id_size
from cython.cimports.pybinlog.kernel.base.facts import NO_ROWS, ROWS_KIND, ROWS_VERSION
from cython.cimports.pybinlog.kernel.base.memory import memset

EXTRA_NDB = cython.declare(cython.int, 0)
EXTRA_PARTITION = cython.declare(cython.int, 1)


# How many bits of a byte are set.
BITS_OF = cython.declare(uint8_t[256])


@cython.cfunc
def fill_bits() -> cython.void:
    i: cython.int
    for i in range(256):
        BITS_OF[i] = (i & 1) + BITS_OF[i >> 1]


fill_bits()


def read_extra(fields: p_RowsFields, at: octets, end: octets) -> cython.bint:
    """Read the extra row info of a version 2 event: the first NDB part, and the partitions; an unknown part ends it."""
    while at != end:
        part: cython.int = at[0]
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


def null_bytes(bitmap: octets, bits: cython.size_t) -> cython.size_t:
    """Return the bytes of the bitmap of nulls of an image with the columns in a bitmap."""
    count: cython.size_t = 7
    while bits >= 8:
        count += BITS_OF[bitmap[0]]
        bitmap += 1
        bits -= 8
    if bits:
        count += BITS_OF[bitmap[0] & ((1 << bits) - 1)]
    return count // 8


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def post_header_of(format: p_const_Format, type: uint8_t, version: cython.int) -> uint8_t:
    """Return the bytes of a row event's post-header."""
    size: uint8_t = format.post_header_length[type]
    return size if size != 255 else 10 if version == 2 else 8


def rows_parse(fields: p_RowsFields, format: p_const_Format, event: octets, size: cython.size_t) -> cython.int:
    at: octets = event + COMMON_HEADER_LENGTH
    end: octets = event + size
    version: cython.int = ROWS_VERSION[event[4]]
    count: uint64_t
    fields.event = event
    fields.ndb_info = cython.NULL
    fields.partition = -1
    fields.source_partition = -1
    if size < COMMON_HEADER_LENGTH + 8 or version == NO_ROWS:
        return ROWS_CORRUPT
    fields.kind = cython.cast(RowsKind, ROWS_KIND[event[4]])
    fields.partial = event[4] == PARTIAL_UPDATE_ROWS
    fields.post_header = post_header_of(format, event[4], version)
    if is_compressed_rows(event[4]) and fields.post_header != post_header_of(format, inflated_type(event[4]), version):
        return ROWS_CORRUPT  # the event that it stands for has other fields
    id_size: cython.size_t = table_id_size(fields.post_header)
    fields.table_id = table_id_of(at, id_size)
    fields.flags = read_u16(at + id_size)
    at += id_size + 2
    if fields.post_header == 10:
        if end - at < 2:
            return ROWS_CORRUPT
        extra: cython.size_t = read_u16(at)
        if extra < 2 or extra > cython.cast(cython.size_t, end - at) or not read_extra(fields, at + 2, at + extra):
            return ROWS_CORRUPT
        at += extra
    if not read_lenenc(cython.address(at), end, cython.address(count)):
        return ROWS_CORRUPT
    bitmap: cython.size_t = count // 8 + (1 if count & 7 else 0)
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
    fields.null_bytes = fields.null_bytes_after = null_bytes(fields.columns, count)
    if fields.columns_after != fields.columns:
        fields.null_bytes_after = null_bytes(fields.columns_after, count)
    fields.rows = at
    fields.rows_size = end - at
    fields.head_size = at - event
    return 0


def put_rows_flags(text: p_Text, flags: uint16_t):
    if flags == 0:
        return
    put_bytes(text, " flags:", 7)
    if flags & STMT_END_F:
        put_bytes(text, " STMT_END_F", 11)
    if flags & NO_FOREIGN_KEY_CHECKS_F:
        put_bytes(text, " NO_FOREIGN_KEY_CHECKS_F", 24)
    if flags & RELAXED_UNIQUE_CHECKS_F:
        put_bytes(text, " RELAXED_UNIQUE_CHECKS_F", 24)
    if flags & USE_SQL_FOREIGN_KEY_F:
        put_bytes(text, " USE_SQL_FOREIGN_KEY_F", 22)
    if flags & COMPLETE_ROWS_F:
        put_bytes(text, " COMPLETE_ROWS_F", 16)
    unknown: cython.int = flags & 0xFFE0
    if unknown:
        put_bytes(text, " UNKNOWN_FLAG(0x", 16)
        put_hex(text, unknown, 4 if unknown > 0xFFF else 3 if unknown > 0xFF else 2)
        put_char(text, b")")


def table_names(
    e: p_const_Event, at: cython.size_t, database: cython.pointer(octets), table: cython.pointer(octets)
) -> cython.bint:
    if e.body_end <= at or e.data[at] > e.body_end - at - 1:
        return False
    database[0] = e.data + at
    at += e.data[at] + 2  # a null byte ends each name
    if e.body_end <= at or e.data[at] > e.body_end - at - 1:
        return False
    table[0] = e.data + at
    return True


@cython.final
@cython.cclass
class TableIds:
    """The ids of the tables that a statement, or a part of a log, has mapped."""

    def __cinit__(self):
        self.clear()

    def clear(self):
        self.count = 0
        self.stamp += 1
        if self.stamp == 0:
            memset(self.stamps, 0, cython.sizeof(self.stamps))
            self.stamp = 1

    def slot_of(self, table_id: uint64_t) -> cython.size_t:
        slot: cython.size_t = (table_id ^ (table_id >> 12)) & (TABLE_SLOTS - 1)
        while self.stamps[slot] == self.stamp and self.ids[slot] != table_id:
            slot = (slot + 1) & (TABLE_SLOTS - 1)
        return slot

    def has(self, table_id: uint64_t) -> cython.bint:
        return self.stamps[self.slot_of(table_id)] == self.stamp

    def add(self, table_id: uint64_t) -> cython.bint:
        slot: cython.size_t = self.slot_of(table_id)
        if self.stamps[slot] == self.stamp:
            return True
        if self.count == TABLE_SLOTS // 2:
            return False
        self.ids[slot] = table_id
        self.stamps[slot] = self.stamp
        self.count += 1
        return True
