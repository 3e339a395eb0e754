from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.rows.table_map cimport p_TableMap, table_maps_get, table_maps_put
from pybinlog.kernel.undo.change_sink cimport ChangeSink
from pybinlog.kernel.undo.open_groups cimport OpenGroups, ROW_BROKEN, ROW_GROUPED, ROW_SINGLE, ROW_TWICE
from pybinlog.kernel.undo.row_group cimport RowGroup
from pybinlog.kernel.undo.sql_image cimport SqlImage
from pybinlog.kernel.views.row_view cimport RowView

cdef enum:
    MOST_NAMED_TABLES = 16           # in a group whose end tells of their engines

cdef class ChangeView(RowView):
    cdef public bint later     # the log is after those whose rows are taken back
    cdef readonly ChangeSink changes
    cdef bint chosen_event     # the filter kept the current event
    # the ids of the tables with rows in the current group, how many, and True if it has more than BEGIN and COMMIT
    cdef uint64_t[MOST_NAMED_TABLES] table_ids
    cdef size_t table_count
    cdef bint has_statements

    # True if an event of a later log, inside a transaction, does not matter.
    cdef bint passes(self, p_const_Event e, p_const_Format format) except -1 nogil
    cdef int begin_format(self, p_const_Event e, p_const_Format format) except -1 with gil
    cdef bint commits(self) noexcept nogil
    cdef int note(self, p_Event e) except -1 with gil
    cdef int note_variable(self, p_const_Event e, p_const_Format format) except -1 with gil
    cdef int note_keys(self, p_Event e) except -1 with gil
    cdef int give_end(self) except -1 with gil
    cdef void note_rows_of(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef int give_tables(self) except -1 with gil
    cdef int see_event(self, p_Event e, p_const_Format format, const char* text, size_t length) except -1 nogil
    cdef int note_later(self, p_Event e) except -1
    cdef int note_waiting(self, p_Event e) except -1
    cdef int decide(self) except -1 with gil
    cdef int give(self, tuple change, bint ends) except -1

cdef class ChangedRows(ChangeSink):
    cdef SqlImage literals
    cdef OpenGroups groups     # rows that wait for others
    cdef object plan           # of the current event's rows; None: they stay single
    cdef size_t listed         # rows that were skipped and given out

    # The images of the current row before and after, and the place after them in the literals; None if one cannot be read.
    cdef tuple images(self, RowView view, p_TableMap map)
    cdef int list_skipped(self, RowView view, p_TableMap map, octets last) except -1 with gil
    cdef int add_to_group(self, RowView view, p_TableMap map) except -1
    cdef int give_rows(self) except -1
    cdef int give_last(self) except -1
    cdef int give_group(self, RowGroup group) except -1
    cdef int give_row(self, RowGroup group, size_t number, object change) except -1
