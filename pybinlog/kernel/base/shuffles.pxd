# Base64 by shuffles, on processors that have them; `base64_shuffles` tells.
from pybinlog.kernel.base.event cimport octets

cdef bint base64_shuffles() noexcept nogil
# Write lines of 76 characters, each with its line feed, as long as a line follows. Return the bytes that were encoded.
cdef size_t write_lines(char* to, octets data, size_t size) noexcept nogil
