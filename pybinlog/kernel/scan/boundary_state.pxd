from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, Format, format_default, FORMAT_DESCRIPTION, octets
from pybinlog.kernel.scan.classify cimport Boundary, p_Boundary, STATE_PAIRS
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent


cdef class BoundaryState:
    cdef Boundary boundary
    cdef Format format
    cdef InflatedEvent inflated    # the start of a compressed statement
    cdef readonly int bits    # of the last event, and BITS_INFERRED if they are inferred
    cdef octets measure(self, bytes event, size_t* size)
    cdef const char* words(self, octets event, size_t size)
