# Rows_query, Table_map and row events: the header lines, and what waits for the statement's end.
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from pybinlog.kernel.event cimport TABLE_MAP, Event
from pybinlog.kernel.format cimport Format, read_u16, read_u32, read_u48
from pybinlog.kernel.printer cimport Printer
from pybinlog.kernel.rows cimport RowsCursor, RowsFields
from pybinlog.kernel.table_map cimport TableMaps

# The statement that a Rows_query holds; -1 where the event is too short.
cdef int rows_query_parse(const char** statement, size_t* length, const Event* e, const Format* format) noexcept nogil

# -1 where a length reaches beyond the event, -2 where there is no memory.
cdef int put_rows_query(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_table_map(Printer* p, TableMaps* maps, const Event* e, const Format* format) noexcept nogil
# 1 where the rows' text is not complete: then put_more_rows continues with it, until it returns 0.
cdef int put_rows_event(
    Printer* p, TableMaps* maps, const Event* e, const Format* format, const char* name,
    RowsFields* rows, RowsCursor* cursor
) noexcept nogil
cdef int put_more_rows(Printer* p, TableMaps* maps, RowsCursor* cursor) noexcept nogil


cdef inline bint statement_head(
    const Event* e, const Format* format, uint64_t* table_id, uint16_t* flags, size_t* behind
) noexcept nogil:
    """What a Table_map or row event begins with, and the offset after it; False where the event is too short.

    The table's id has four bytes where the post-header has six, else six; the flags follow.
    """
    cdef size_t at = format.header_length
    if format.post_header_length[e.type] == 6:
        if e.size < at + 6:
            return False
        table_id[0] = read_u32(e.data + at)
        at += 4
    else:
        if e.size < at + 8:
            return False
        table_id[0] = read_u48(e.data + at)
        at += 6
    flags[0] = read_u16(e.data + at)
    behind[0] = at + 2
    return True
