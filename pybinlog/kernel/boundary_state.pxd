# The boundary rules with a face to Python: the C side of kernel/boundary_state.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.classify cimport Boundary, BoundaryMap
from pybinlog.kernel.format cimport Format

cdef class BoundaryState:
    cdef Boundary boundary
    cdef Format format
    cdef const uint8_t* measure(self, bytes event, size_t* size)

cdef class StateMap:
    cdef BoundaryMap map
