# Rows_query, Table_map and row events: the header lines, and what waits for the statement's end.

from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, STMT_END_F
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_commented, put_signed, put_text
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, p_RowsFields, put_rows_flags, ROWS_MORE, ROWS_UNREADABLE
from pybinlog.kernel.rows.rows_text cimport rows_begin, rows_more, RowsCursor
from pybinlog.kernel.rows.table_map cimport p_TableMaps
from pybinlog.kernel.text.printer cimport p_Printer

# -1 if a length reaches beyond the event, -2 if there is no memory.
cdef int put_rows_query(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_table_map(p_Printer p, p_TableMaps maps, p_const_Event e, p_const_Format format) noexcept nogil
# 1 if the rows' text is not complete, because there is too much of it to wait.
cdef int put_rows_event(
    p_Printer p, p_TableMaps maps, p_const_Event e, p_const_Format format, const char* name,
    p_RowsFields rows, RowsCursor* cursor
) noexcept nogil
# Note the event if its rows ended with that status because they do not fit its Table_map.
cdef void note_misfit(p_Printer p, p_TableMaps maps, p_const_RowsFields rows, int status) noexcept nogil

# Append the texts; return -1 if the fields cannot be read.
cdef int put_intvar(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_rand(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_user_var(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef void put_hexadecimal(p_Text text, octets data, size_t size) noexcept nogil
