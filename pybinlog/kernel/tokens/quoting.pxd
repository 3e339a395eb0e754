# The strings, spaces and comments of a statement: the C side of kernel/tokens/quoting.py.
from libc.stdint cimport uint32_t
from pybinlog.kernel.base.memory cimport free, is_interrupted, LOOK_AFTER, malloc, PyBytes_AS_STRING, raise_interrupt

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    uint32_t PyUnicode_READ(int kind, const void* data, Py_ssize_t index) nogil
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, uint32_t value) nogil
    bint Py_UNICODE_ISSPACE(uint32_t character) nogil
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)
    object PyUnicode_Substring(object text, Py_ssize_t begin, Py_ssize_t end)


cdef struct Characters:
    const void* data
    int kind                          # bytes of a character
    Py_ssize_t end
    Py_ssize_t look                   # where a loop looks for signals
    bint interrupted


# How a server reads a statement. `flavour`: 1 of MariaDB, 0 of MySQL, -1 if it is unknown.
cdef struct Reading:
    bint escapes                      # a backslash in a string is an escape
    bint joins                        # strings side by side are one; only then `ansi` counts
    bint ansi                         # a " begins a name
    int flavour
    uint32_t version                  # 0 if it is unknown

# The character for which one after a backslash stands.
cdef uint32_t escaped(uint32_t c) noexcept nogil
