# Base64 as BINLOG statements hold it: lines of 76 characters.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

cdef void put_base64(Text* text, const uint8_t* data, size_t size) noexcept nogil
