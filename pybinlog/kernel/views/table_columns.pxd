from pybinlog.kernel.base.event cimport octets, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_padded, Text, text_free
from pybinlog.kernel.rows.table_map cimport p_TableMap
from pybinlog.kernel.views.arrow_column cimport ArrowColumns, p_ArrowColumn, POSITION_OF_ROWS
from pybinlog.kernel.views.row_sinks cimport RowColumns
from pybinlog.kernel.views.row_view cimport RowSink, RowView
from pybinlog.kernel.views.table_values cimport Step, TableValues, Target


cdef class TableColumns(RowSink):
    cdef ArrowColumns columns
    cdef RowColumns rows              # what the view `rows` has, too
    cdef TableValues values
    cdef Text planned                 # the definition that the values' steps are for
    cdef Text definition              # and the current one
    cdef p_ArrowColumn sequence
    cdef p_ArrowColumn missing

    cdef int plan(self, RowView view, bint mariadb, p_TableMap map) noexcept nogil
    cdef int add_images(self, RowView view, p_TableMap map) except -1 nogil
    cdef int fill(self, RowView view, p_TableMap map, octets at, bint after, bint again) noexcept nogil
    cdef bint key_changed(self, RowView view, p_TableMap map, octets after) noexcept nogil
    cdef int end_row(self, RowView view, p_TableMap map, char part) except -1 nogil
    cdef void put_missing(self) noexcept nogil
    cdef void put_sequence(self, RowView view, char part) noexcept nogil
