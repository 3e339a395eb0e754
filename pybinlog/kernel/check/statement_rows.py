# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""StatementRows: whether the row events of a statement have their Table_maps, and its end."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.check.statement_rows is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.pybinlog.kernel.base.event import STMT_END_F, TABLE_MAP
from cython.cimports.pybinlog.kernel.base.format import read_u16, read_u32, read_u48
from cython.cimports.pybinlog.kernel.check.event_body import NOTE_CORRUPT, NOTE_NO_TABLE_MAP

DUMMY_TABLE = cython.declare(uint64_t, 0x00FFFFFF)  # a row event that only ends its statement


def statement_rows_init(s):
    memset(s, 0, cython.sizeof(StatementRows))
    s.stamp = 1


def statement_rows_reset(s):
    s.stamp += 1
    if s.stamp == 0:
        memset(s.stamps, 0, cython.sizeof(s.stamps))
        s.stamp = 1
    s.table_count = 0
    s.too_many_tables = False
    s.missing_noted = False
    s.open = False


def statement_rows_add(s, table_id):
    slot: cython.size_t = (table_id ^ (table_id >> 10)) & (TABLE_SLOTS - 1)
    while s.stamps[slot] == s.stamp:
        if s.tables[slot] == table_id:
            return
        slot = (slot + 1) & (TABLE_SLOTS - 1)
    if s.table_count >= TABLE_SLOTS // 2:
        s.too_many_tables = True  # no statement has so many; then what it lacks is not reported
        return
    s.tables[slot] = table_id
    s.stamps[slot] = s.stamp
    s.table_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_table(s: cython.pointer(StatementRows), table_id: uint64_t) -> cython.bint:
    slot: cython.size_t = (table_id ^ (table_id >> 10)) & (TABLE_SLOTS - 1)
    while s.stamps[slot] == s.stamp:
        if s.tables[slot] == table_id:
            return True
        slot = (slot + 1) & (TABLE_SLOTS - 1)
    return s.too_many_tables


def statement_rows_event(s, e, format):
    short_id: cython.bint = format.post_header_length[e.type] == 6
    needed: cython.size_t = 6 if short_id else 8
    if e.body_end < format.header_length or e.body_end - format.header_length < needed:
        return NOTE_CORRUPT
    at: cython.pointer(cython.const[uint8_t]) = e.data + format.header_length
    table_id: uint64_t = read_u32(at) if short_id else read_u48(at)
    if e.type == TABLE_MAP:
        statement_rows_add(s, table_id)
        return 0
    notes: uint32_t = 0
    if not s.missing_noted and table_id != DUMMY_TABLE and not has_table(s, table_id):
        notes = NOTE_NO_TABLE_MAP
        s.missing_noted = True
    if read_u16(at + needed - 2) & STMT_END_F:
        statement_rows_reset(s)
    else:
        s.open = True
        s.position = e.position
        s.type = e.type
    return notes
