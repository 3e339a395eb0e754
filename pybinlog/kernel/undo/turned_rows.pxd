from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, octets, p_const_Format, TABLE_MAP
from pybinlog.kernel.base.text cimport OwnText, put_base64, put_bytes, put_char, text_grow, text_take
from pybinlog.kernel.rows.table_map cimport p_TableMap
from pybinlog.kernel.undo.change_sink cimport ChangeSink, ROW_SKIPPED, ROW_TAKEN
from pybinlog.kernel.undo.records cimport EVENTS, LENGTH, put_title, Records, TRANSACTION
from pybinlog.kernel.undo.turning cimport MOST_TURNINGS, Turning, Turnings
from pybinlog.kernel.views.row_view cimport RowView


cdef class TurnedRows(ChangeSink):
    cdef Records records
    cdef OwnText merged
    cdef Turnings* turnings
    cdef list events               # what the judge says of events, by their turnings' numbers
    # of the current event
    cdef Turning* turning
    cdef bint open                 # its record is
    cdef size_t record             # where that begins
    cdef size_t first              # the place of its rows, which are put from `start` on, the last first
    cdef size_t start
    cdef size_t rows_end
    cdef size_t turned             # how many rows they are
    cdef uint32_t timestamp
    cdef uint32_t server_id
    cdef int64_t thread
    cdef uint64_t position
    # of the log
    cdef bytes file                # its name; `file_data` tells whether it is another
    cdef const char* file_data
    cdef bytes label               # the name as it stands in titles
    cdef const char* label_data
    # of the current transaction: which turnings have rows of it, and whether the judge knows of some
    cdef uint16_t under_way_of[MOST_TURNINGS]
    cdef size_t under_way_count
    cdef bint given
    # of all
    cdef bint stopped              # nothing will be written
    cdef uint64_t transactions
    cdef uint64_t last_position    # of the last event with rows
    cdef uint32_t first_time       # 0: none
    cdef uint32_t last_time
    # where transactions are cut: positions, or 0; times, or -1
    cdef uint64_t first_position
    cdef uint64_t stop_position
    cdef int64_t start_time
    cdef int64_t stop_time

    cdef int learn_kind(self, RowView view, p_const_Format format, p_TableMap map) except -1 with gil
    cdef int note_begun(self, size_t number) except -1 with gil
    cdef bint open_record(self, size_t rows_size) noexcept nogil
    cdef bint put(self, octets data, size_t size) noexcept nogil
    cdef void put_event(self, int type, octets head, size_t head_size, size_t size) noexcept nogil
    cdef bint is_plain(self, RowView view) noexcept nogil
    cdef void put_title(self, RowView view) noexcept nogil
    cdef int push(self) except -1
