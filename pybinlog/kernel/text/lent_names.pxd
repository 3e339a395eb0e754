# Metadata that is lent to Table_maps, for the text of their rows: the C side of kernel/text/lent_names.py.
from libc.stdint cimport uint32_t, uint64_t
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.table_map cimport TableMap, TableMaps

cdef class LentNames:
    cdef dict numbers                  # by number, what it lends: optional metadata by table id
    cdef dict current                  # what the last number lends
    cdef readonly uint32_t number

    cdef bint lend_here(self, TableMaps* maps, TableMap* map, bytes optional)
    # Lend the map of a Table_map, which is among the `maps`, its metadata. False if there is no memory.
    cdef bint lend(self, TableMaps* maps, const Event* e, const Format* format) noexcept nogil
