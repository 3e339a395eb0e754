from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, put_memory, put_quoted, put_text


# The updates of a column, `@1` or its name, as calls of JSON functions, the last one outermost.
cdef void put_json_diff(
    p_Text text, p_Text scratch, octets data, size_t size, const char* label, size_t label_size
) noexcept nogil

cdef enum JsonOperation:
    REPLACE = 0
    INSERT = 1
    REMOVE = 2

# An operation; the pointers lead into the event.
cdef struct JsonDiff:
    uint8_t operation
    octets path
    size_t path_size
    octets value                       # a document; of a REMOVE nothing
    size_t value_size

# Read the operation at at[0] and step over it: NULL, or the name of the part that cannot be read.
cdef const char* read_operation(JsonDiff* diff, octets* at, octets end) noexcept nogil

# Used in this module only.
cdef const char* read_operations(p_Text operations, octets at, octets end) noexcept nogil
cdef const char* put_operations(
    p_Text text, p_Text scratch, octets at, octets end, const char* label, size_t label_size
) noexcept nogil
