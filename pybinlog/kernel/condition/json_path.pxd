from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, put_memory
from pybinlog.kernel.rows.json_value cimport JsonElement, p_const_JsonElement

cdef extern from "<stdlib.h>" nogil:
    double strtod(const char* text, char** end)

# The legs of a path, one after the other: a byte that says which, and a number of four bytes, low byte first.
cpdef enum:
    LEG_KEY = 0                # of a member; the number is how many bytes of the key follow
    LEG_CELL = 1               # the number is the cell's, from 0

# Find the value at a path; return False if the document has nothing there. `steps`: as compare_text.
cdef bint json_at(
    JsonElement* element, octets data, size_t size, octets path, size_t path_size, size_t* steps
) noexcept nogil
# Put the value's text, a string without quotes (JSON_UNQUOTE); return False if it cannot be read. `steps`: the same.
cdef bint put_unquoted(p_Text text, p_const_JsonElement element, size_t* steps) noexcept nogil
# Read a text as a DOUBLE; return False if it is not a number.
cdef bint read_number(octets data, size_t size, double* number) noexcept nogil

# Used in this module only.
cdef void look_between(void* owner, p_Text text) noexcept nogil
