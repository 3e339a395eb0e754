from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Format
from pybinlog.kernel.base.text cimport OwnText, put_memory
from pybinlog.kernel.rows.rows cimport p_RowsFields, ROWS_UPDATE, ROWS_WRITE
from pybinlog.kernel.rows.table_map cimport p_TableMap, p_const_TableMap
from pybinlog.kernel.undo.changed_table cimport changed_columns, ChangedTable, ChangedTables, walk_key
from pybinlog.kernel.undo.key_set cimport ALL_COLUMNS, CHANGED_AGAIN, KeySet, WHOLE_ROW
from pybinlog.kernel.views.row_sinks cimport RowObjects
from pybinlog.kernel.views.row_view cimport RowView


# The first element of each change that is taken.
cpdef enum:
    CHANGE_ROW = 0
    CHANGE_STATEMENT = 1
    CHANGE_END = 2
    CHANGE_LATER = 3
    CHANGE_ROWS = 4
    CHANGE_SKIPPED = 5
    CHANGE_VARIABLE = 6

# The outcome for a row that is to be taken back.
cdef enum:
    ROW_TAKEN = 0
    ROW_SKIPPED = 1
    CHANGE_UNREADABLE = 2

# Takes row events; a subclass says how.
cdef class ChangeSink(RowObjects):
    cdef object judge
    cdef ChangedTables tables
    cdef public KeySet keys    # of the rows that are taken back; None: do not look for later changes
    cdef public bint takes_variables  # of statements, before these
    cdef public bint skips     # rows whose keys later changes have are omitted
    cdef ChangedTable table    # the current one, by the number of its Table_map and that of the definitions then
    cdef uint64_t map_number
    cdef uint64_t definitions
    cdef bint is_undecided     # the current transaction is one of XA: its keys wait for its decision
    cdef OwnText waiting       # the keys of the current event that do, as triples
    cdef size_t changed_again  # keys of the current event that are new among those changed again
    cdef public size_t skipped # rows that were omitted
    cdef object current        # the current row event
    cdef bint checksums        # the events of the log have checksums
    cdef bint interrupted      # a signal has come: the error of its handler waits
    cdef bint under_way        # the rows of an event are
    cdef bint has_changes      # a change of the current transaction was given out

    # Note a row that is taken back, and find where its images end.
    cdef int take_row(self, RowView view, p_TableMap map, octets* middle, octets* last) except -1 nogil
    cdef void see_rows(self, p_RowsFields fields, p_const_TableMap map, octets at, octets end) noexcept nogil
    # Raise the error of a signal that ended the look at keys.
    cdef int raise_if_interrupted(self) except -1 nogil
    # Add or mark a key with what changes in its row, now or once its transaction is decided.
    cdef int add_key(self, uint64_t key, uint64_t changes) except -1 nogil
    cdef void mark_key(self, uint64_t key, uint64_t changes) noexcept nogil
    # Let a key wait: mark it, or else add it; with `other`, it is a value of a unique key, to be linked to the key `other`.
    cdef void wait(self, uint64_t key, uint64_t other, bint marks, uint64_t changes) noexcept nogil
    cdef int add_keys(self, uint64_t row) except -1 nogil
    cdef int link_value(self, uint64_t value, uint64_t row) except -1 nogil
    cdef void mark_value(self, uint64_t value) noexcept nogil
    # Add the row of an update, and the values of unique keys that it changes.
    cdef int add_update(self, uint64_t first, uint64_t second, uint64_t changes) except -1 nogil
    cdef void mark_update(self, uint64_t first, uint64_t second, uint64_t changes) noexcept nogil
    # The columns that an update changes in a row that keeps its key.
    cdef uint64_t changes_of(
        self, p_RowsFields fields, p_const_TableMap map, octets before, octets after, octets end
    ) noexcept nogil
    cdef void mark_keys(self, bint also_whole_row) noexcept nogil
    cdef int take_keys(self, RowView view, p_TableMap map, octets* middle, octets* last) except -1 nogil
    cdef void see_keys(self, p_RowsFields fields, p_const_TableMap map, octets at, octets end) noexcept nogil
    cdef bint finds_later_changes(self) noexcept nogil
    cdef bint is_current(self, RowView view, p_const_TableMap map) noexcept nogil
    # Make the table of the current event the current one; mostly it is that already.
    cdef int find_table(self, RowView view, p_const_Format format, p_const_TableMap map) except -1 nogil
    cdef int make_current(self, RowView view, p_const_Format format, p_const_TableMap map) except -1 with gil
    # True if later changes of a table matter. Unless the answer is final, the judge is asked until it is True.
    cdef bint is_taken_back(
        self, RowView view, p_const_Format format, p_const_TableMap map, bint is_final
    ) except -1 nogil
    cdef bint ask_if_taken_back(self, RowView view, p_const_Format format, p_const_TableMap map) except -1 with gil
    # Take leave of the rows of an event.
    cdef int leave(self) except -1 nogil
    cdef int judge_event(self, RowView view, p_const_Format format, p_TableMap map) except -1
    # The current transaction ends; True if the judge need not know.
    cdef bint takes_end(self, RowView view) noexcept nogil
    # The cells for its end.
    cdef dict cells_at_end(self, RowView view)
    # The cells of the view are those for its end, so far.
    cdef void note_cells(self, RowView view) noexcept nogil
    # Give out what waits, before something else is.
    cpdef int settle(self) except -1
    # Let the judge have what is in `rows`, if it must be now. `ends`: that is the end of a transaction.
    cdef int deliver(self, bint ends) except -1
