# JSON documents as SQL: the C side of kernel/undo/json_literal.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

# The SQL that gives a document again, with every number's type.
cdef enum:
    JSON_AS_TEXT = 0           # CAST('...' AS JSON)
    JSON_AS_EXPRESSION = 1     # JSON_ARRAY and JSON_OBJECT of SQL's values
    JSON_AS_NEITHER = 2        # it has values that only columns can have, such as those of a BLOB

cdef int json_form(const uint8_t* data, size_t size) noexcept nogil
# Put the expression of a document whose form is JSON_AS_EXPRESSION and that `put_json_document` could write: no length is
# checked again.
cdef void put_json_expression(Text* text, const uint8_t* data, size_t size) noexcept nogil
