# What `pybinlog check` looks for in every event: the C side of kernel/check_scan.py.
from pybinlog.kernel.event_rules cimport EventRules

cdef class CheckScan(EventRules):
    pass
