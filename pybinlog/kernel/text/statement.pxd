# Rows_query, Table_map and row events: the header lines, and what waits for the statement's end.

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.rows_text cimport RowsCursor
from pybinlog.kernel.rows.table_map cimport TableMaps
from pybinlog.kernel.text.printer cimport Printer

# -1 if a length reaches beyond the event, -2 if there is no memory.
cdef int put_rows_query(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_table_map(Printer* p, TableMaps* maps, const Event* e, const Format* format) noexcept nogil
# 1 if the rows' text is not complete, because there is too much of it to wait.
cdef int put_rows_event(
    Printer* p, TableMaps* maps, const Event* e, const Format* format, const char* name,
    RowsFields* rows, RowsCursor* cursor
) noexcept nogil

# Append the texts; return -1 if the fields cannot be read.
cdef int put_intvar(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rand(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_user_var(Printer* p, const Event* e, const Format* format) noexcept nogil
