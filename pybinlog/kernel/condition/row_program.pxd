# RowProgram: owns a Program.
from pybinlog.kernel.condition.program cimport Program

cdef class RowProgram:
    cdef Program program
    cdef object kept           # what its pointers lead into
    cdef readonly list names   # of the slots
