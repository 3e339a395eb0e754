# CarriedState: a TextState that is carried over any event.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.rows.table_map cimport p_TableMap, p_TableMaps, table_maps_get, table_maps_lend
from pybinlog.kernel.text.printer cimport Name
from pybinlog.kernel.text.text_state cimport settle, SHOWN, SKIPS, TextState


cdef class CarriedState(TextState):
    cdef public set load_ids             # files that LOAD DATA blocks have begun and no statement has used
    cdef readonly bint needs_files       # LOAD DATA blocks came

    cdef bint leaves_no_more(self, p_const_Event e) noexcept nogil

cdef bytes name_of(const Name* name)
cdef void set_name(Name* name, bytes value)       # of 255 bytes at most

cdef class LentNames:
    cdef dict numbers                  # by number, what it lends: optional metadata by table id
    cdef dict current                  # what the last number lends
    cdef readonly uint32_t number

    cdef bint lend_here(self, p_TableMaps maps, p_TableMap map, bytes optional)
    # Lend the map of a Table_map, which is among the `maps`, its metadata. False if there is no memory.
    cdef bint lend(self, p_TableMaps maps, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef bint type_needs_python(uint8_t kind) noexcept nogil
