# The checks of `pybinlog check` for every event: the C side of kernel/check/check_scan.py.
from libc.stdint cimport uint32_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.check.event_rules cimport EventRules

cdef class CheckScan(EventRules):
    cdef uint32_t step_compressed(self, const Event* e, const Format* format) noexcept nogil
