# CarriedState: a TextState that is carried over any event.
from libc.stdint cimport uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.table_map cimport TableMap, TableMaps
from pybinlog.kernel.text.printer cimport Name
from pybinlog.kernel.text.text_state cimport TextState

cdef class CarriedState(TextState):
    cdef public set load_ids             # files that LOAD DATA blocks have begun and no statement has used
    cdef readonly bint needs_files       # LOAD DATA blocks came

    cdef bint leaves_no_more(self, const Event* e) noexcept nogil

cdef bytes name_of(const Name* name)
cdef void set_name(Name* name, bytes value)       # of 255 bytes at most

cdef class LentNames:
    cdef dict numbers                  # by number, what it lends: optional metadata by table id
    cdef dict current                  # what the last number lends
    cdef readonly uint32_t number

    cdef bint lend_here(self, TableMaps* maps, TableMap* map, bytes optional)
    # Lend the map of a Table_map, which is among the `maps`, its metadata. False if there is no memory.
    cdef bint lend(self, TableMaps* maps, const Event* e, const Format* format) noexcept nogil
