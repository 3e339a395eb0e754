# The Table_maps and row events of one statement: the C side of kernel/check/statement_rows.py.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format

cdef enum:
    TABLE_SLOTS = 1024             # slots for table ids; a power of two

cdef struct StatementRows:
    uint64_t tables[1024]
    uint32_t stamps[1024]
    uint32_t stamp            # of the statement: slots with another one are free
    int table_count
    bint too_many_tables
    bint missing_noted        # that a row event has no Table_map
    bint open                 # the last row event did not end the statement:
    uint64_t position
    uint8_t type

cdef void statement_rows_init(StatementRows* s) noexcept nogil
# Another statement begins.
cdef void statement_rows_reset(StatementRows* s) noexcept nogil
cdef void statement_rows_add(StatementRows* s, uint64_t table_id) noexcept nogil
# Note a Table_map, or look whether a row event has one and ends its statement: bits of NOTE_*.
cdef uint32_t statement_rows_event(StatementRows* s, const Event* e, const Format* format) noexcept nogil
