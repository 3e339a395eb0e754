# Rows_query, Table_map and row events: the header lines, and what waits for the statement's end.
from libc.stdint cimport uint8_t

from pybinlog.kernel.event cimport Event
from pybinlog.kernel.format cimport Format
from pybinlog.kernel.printer cimport Printer
from pybinlog.kernel.table_map cimport TableMaps

# -1 where a length reaches beyond the event, -2 where there is no memory.
cdef int put_rows_query(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_table_map(Printer* p, TableMaps* maps, const Event* e, const Format* format) noexcept nogil
cdef int put_rows_event(
    Printer* p, TableMaps* maps, const Event* e, const Format* format, const char* name,
    const uint8_t* inflated, size_t inflated_size
) noexcept nogil
