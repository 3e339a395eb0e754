from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, put_text, put_upper_hex, text_grow
from pybinlog.kernel.rows.json_value cimport p_const_JsonElement


# How the bytes of a string are written.
cpdef enum:
    AS_HEXADECIMAL = 0         # X'...' always
    AS_ASCII = 1               # between quotes if all are printable ASCII
    AS_UTF8 = 2                # between quotes if they are valid UTF-8 without control characters, and all ASCII or
                               # without backslash: in gbk, big5 and sjis, a client may take one for a character's end

# A signal ends each of these functions for a very large value: call `raise_interrupt`.

# True if the bytes may stand between quotes.
cdef bint is_plain(octets data, size_t size, int how) noexcept nogil
# Plain bytes between single quotes. No backslash stands before a quote: no character set hides such a quote.
cdef void put_sql_string(p_Text text, octets data, size_t size) noexcept nogil
# The same of any bytes of UTF-8, or _utf8mb4 X'...' if they are not plain.
cdef void put_string(p_Text text, octets data, size_t size) noexcept nogil
# X'...' of the bytes, and of zeros after them.
cdef void put_sql_hex(p_Text text, octets data, size_t size, size_t zeros) noexcept nogil
# The shortest digits of a DOUBLE, with an exponent, so that it is not a DECIMAL.
cdef void put_real(p_Text text, double value) noexcept nogil

# The SQL that gives a document again, with every number's type.
cdef enum:
    JSON_AS_TEXT = 0           # CAST('...' AS JSON)
    JSON_AS_EXPRESSION = 1     # JSON_ARRAY and JSON_OBJECT of SQL's values
    JSON_AS_NEITHER = 2        # it has values that only columns can have, such as those of a BLOB

# The form of a document that `put_json_document` could write: so its places do not make a tree of very many values.
cdef int json_form(octets data, size_t size) noexcept nogil
# Put the expression of such a document whose form is JSON_AS_EXPRESSION; no length is checked again.
cdef void put_json_expression(p_Text text, octets data, size_t size) noexcept nogil

# Used in this module only.
cdef int form_of(p_const_JsonElement element, int depth, size_t* steps) noexcept nogil
cdef int form_of_scalar(p_const_JsonElement element) noexcept nogil
cdef void put_value(p_Text text, p_const_JsonElement element, size_t* look) noexcept nogil
cdef void put_scalar_value(p_Text text, p_const_JsonElement element) noexcept nogil
cdef bint goes_on(p_Text text) noexcept nogil
cdef void put_sql_characters(p_Text text, octets data, size_t size) noexcept nogil
