# Text from blocks of 32 bytes, on processors that have the instructions; `uses_blocks` tells.
from pybinlog.kernel.base.event cimport octets

cdef bint uses_blocks() noexcept nogil
# Base64: write lines of 76 characters, each with its line feed, as long as a line follows. Return the bytes that were
# encoded.
cdef size_t write_lines(char* to, octets data, size_t size) noexcept nogil
# Copy bytes up to the first control character, quote or backslash; return their number. `size` is at least 32, and as
# many bytes can be written.
cdef size_t copy_plain_bytes(char* to, octets data, size_t size) noexcept nogil
