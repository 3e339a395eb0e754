from libc.stdint cimport uint32_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format
from pybinlog.kernel.check.event_rules cimport EventRules


cdef class CheckScan(EventRules):
    cdef uint32_t step_compressed(self, p_const_Event e, p_const_Format format) noexcept nogil
