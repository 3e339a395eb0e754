# JSON in the server's binary form: the C side of kernel/rows/json_value.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

cdef enum:
    JSON_WRITTEN = 0
    JSON_INVALID = 1                   # the document itself is none
    JSON_UNWRITABLE = 2                # something in it is wrong, or it is nested too deeply

cdef enum JsonClass:
    JSON_PLAIN = 0                     # numbers, booleans, null
    JSON_STRING = 1                    # strings, dates and times, opaque values
    JSON_CONTAINER = 2                 # arrays and objects

# Put the document's text, with the strings at its top unquoted; only JSON_WRITTEN leaves text.
cdef int put_json(Text* text, const uint8_t* data, size_t size) noexcept nogil
cdef JsonClass json_class(const uint8_t* data, size_t size) noexcept nogil
# The text of a document that makes very much, between single quotes: in pieces, and a second time to know that it can be
# written at all. Only JSON_WRITTEN leaves text.
cdef int put_large_json(Text* text, const uint8_t* data, size_t size, const char* before, const char* after) noexcept nogil
# The value of a column: the document's text between single quotes, or a remark; False where the row ends with it.
cdef bint put_json_column(Text* text, Text* scratch, const uint8_t* data, size_t size) noexcept nogil
# The string between double quotes with JSON's escapes.
cdef void put_json_string(Text* text, const uint8_t* data, size_t size) noexcept nogil
