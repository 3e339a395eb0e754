# Intvar, Rand and User_var events: values that the next statement uses.
from libc.stdint cimport int64_t, uint8_t, uint32_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format
from pybinlog.kernel.text.printer cimport Printer

cdef struct Intvar:
    uint8_t type                     # 1: LAST_INSERT_ID, 2: INSERT_ID
    int64_t value

cdef struct UserVar:
    const char* name
    size_t name_length
    bint is_null                     # then it has no more than a name
    int kind                         # what type the value is of
    uint32_t collation
    const uint8_t* value
    size_t size
    int flags

# The fields; -1 where a length reaches beyond the event.
cdef int intvar_parse(Intvar* variable, const Event* e, const Format* format) noexcept nogil
cdef int rand_parse(int64_t* seeds, const Event* e, const Format* format) noexcept nogil
cdef int user_var_parse(UserVar* variable, const Event* e, const Format* format) noexcept nogil

# The texts; -1 where the fields cannot be read.
cdef int put_intvar(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rand(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_user_var(Printer* p, const Event* e, const Format* format) noexcept nogil
