from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.text cimport LARGE_VALUE, OwnText, p_Text, put_base64, put_bytes, put_char, put_text, Text
from pybinlog.kernel.views.event_group cimport EventGroup


cdef enum:
    LENGTH = 8                 # bytes of a record's length, which stands before the record and after it
    FLUSHED_AT = 1 << 18       # bytes of records that are written at once

# The first byte of records other than text.
cpdef enum:
    TRANSACTION = 84           # T
    EVENTS = 69                # E

# Takes records and writes many at once.
cdef class Records:
    cdef Text text             # those that are not written
    cdef uint64_t written      # bytes of those that are
    cdef object write
    cdef bint failed           # some could not be written, and `error` says why
    cdef object error

    # Begin a record; its bytes are to be put to `text`. Return its place.
    cdef size_t begin(self) noexcept nogil
    # End it, with what is in `text`.
    cdef void end(self, size_t start) noexcept nogil
    cdef void flush_or_fail(self) noexcept with gil
    cdef int flush_text(self) except -1

# Put the title, as `script.title` makes it. `label`: the name of the log; 0 for a time, and -1 for a connection, that is
# not known.
cdef void put_title(p_Text text, const EventGroup* group, const char* label, uint32_t time, int64_t thread) noexcept nogil
