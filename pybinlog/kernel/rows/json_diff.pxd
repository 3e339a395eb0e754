# Partial updates of JSON columns: the C side of kernel/rows/json_diff.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

# The updates of column @number as calls of JSON functions, the last one outermost.
cdef void put_json_diff(Text* text, Text* scratch, const uint8_t* data, size_t size, size_t number) noexcept nogil
