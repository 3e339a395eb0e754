from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.key_table cimport KeyTable
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bytes, put_char, put_memory, put_unsigned, Text, text_free
from pybinlog.kernel.condition.row_condition cimport KEPT_FAILED, KEPT_UNREADABLE, RowCondition
from pybinlog.kernel.views.arrow_column cimport p_ArrowColumn, ROWS_OF_TRANSACTIONS, TABLES_OF_TRANSACTIONS
from pybinlog.kernel.views.view cimport View

cdef class TransactionView(View):
    cdef p_ArrowColumn of             # the columns, by their numbers, ..._OF_TRANSACTIONS
    cdef KeyTable tables              # `database`.`table` of each table of the current transaction
    cdef uint64_t last_map            # the first_number of the map of the table noted last; 0: none
    cdef size_t last_noted            # its number
    cdef Text table_rows              # the rows of each, a uint64_t; NOT_LOGGED for one that statements alone change
    cdef OwnText scratch
    cdef bint no_memory
    cdef Text start_file              # of the current transaction
    cdef bint fits                    # the filter kept one of its events
    cdef bint count_wanted
    cdef bint by_time
    cdef int64_t start_time
    cdef int64_t stop_time
    cdef int64_t least_rows
    cdef int64_t least_bytes
    cdef int64_t least_duration       # microseconds
    cdef readonly RowCondition condition  # asked of the values of rows; None: all match

    cdef int match(self, p_const_Event e, p_const_Format format, const char* text, size_t length) except -1 nogil
    cdef int64_t note_table(self) noexcept nogil
    cdef void note_statement(self) noexcept nogil
    cdef int64_t number_of(self, const char* database, size_t database_length, const char* table, size_t length) noexcept nogil
    cdef void note_rows(self, uint64_t rows) noexcept nogil
    cdef void add_tables(self) noexcept nogil
    cdef bint is_asked_for(self, int64_t duration) noexcept nogil
    cdef void new_group(self) noexcept nogil
