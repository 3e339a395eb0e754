# Row events turned round: the C side of kernel/undo/turned_rows.py.
from libc.stdint cimport uint32_t

from pybinlog.kernel.base.event cimport Format, octets
from pybinlog.kernel.base.text cimport OwnText, Text
from pybinlog.kernel.rows.rows cimport RowsKind
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.undo.change_sink cimport ChangeSink

cdef class TurnedRows(ChangeSink):
    cdef OwnText images            # the rows so far, the last first, at the end of the buffer
    cdef OwnText merged
    cdef size_t start              # where they begin
    cdef size_t turned             # how many rows they are
    cdef bint one_by_one           # each row of the current event becomes an event of its own
    cdef bint same_columns         # both images of an update have the same
    # of the current event
    cdef RowsKind kind
    cdef bytes wanted              # the columns by which a row of an update is found, as bits
    cdef octets wanted_bits
    cdef size_t null_bytes         # of its images
    cdef bytes table_map           # its body
    cdef bytes head                # of the turned event, from its table id to its bitmaps
    cdef int type
    cdef uint32_t timestamp
    cdef uint32_t server_id

    cdef bint put(self, octets data, size_t size) noexcept nogil
    cdef void put_event(self, Text* text, int type, octets head, size_t head_size, octets data, size_t size) noexcept nogil
