# CarriedState: a TextState that is carried over any event, and that travels.
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.scan.gtid_filter cimport GtidFilter
from pybinlog.kernel.text.gtid_window cimport GtidWindow
from pybinlog.kernel.text.render cimport Renderer
from pybinlog.kernel.text.text_state cimport TextState

cdef enum:
    TABLES = 4096             # slots for the table ids mapped since the last cut; a power of two

cdef class CarriedState(TextState):
    cdef Renderer owner                  # whose options these are
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef readonly GtidWindow window
    cdef public object gtid_session      # as Renderer has it
    cdef public set load_ids             # files that LOAD DATA blocks have begun and no statement has used
    cdef public bint inside_payload
    cdef readonly bint stopped           # the end of what was asked for is reached
    cdef readonly bint needs_files       # LOAD DATA blocks came
    cdef public bint lacks_table         # rows came whose table was not mapped since the last cut
    cdef uint64_t mapped[4096]
    cdef uint32_t mapped_stamp[4096]
    cdef uint32_t stamp
    cdef int mapped_count

    cdef void add_mapped(self, uint64_t table_id) noexcept nogil
    cdef bint is_mapped(self, uint64_t table_id) noexcept nogil
    cdef void note_table(self, EventBatch batch, const Event* e) noexcept nogil
    cdef int consider(self, EventBatch batch, const Event* e) noexcept nogil
