# Text from blocks of 32 bytes, on processors that have the instructions; `uses_blocks` tells.
from pybinlog.kernel.base.event cimport octets

cdef bint uses_blocks() noexcept nogil
# Base64: write four characters for each group of three bytes, in lines of 76 with a line feed between them. Return the
# place after them; bytes beyond it are written, too.
cdef enum:
    WRITTEN_BEYOND = 96
cdef char* write_lines(char* to, octets data, size_t groups) noexcept nogil
# Copy bytes up to the first control character, quote or backslash; return their number. `size` is at least 32, and as
# many bytes can be written.
cdef size_t copy_plain_bytes(char* to, octets data, size_t size) noexcept nogil
