# EventBatch: consecutive events of one stream, over the buffer that holds their bytes.
from pybinlog.kernel.base.event cimport Format, octets, p_Event, p_const_Event


cdef class EventBatch:
    cdef p_Event events
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t refusals   # events that the boundary parser refused
    cdef Py_ssize_t capacity
    cdef Format format                 # of every event in the batch
    cdef readonly object file          # the stream's name
    cdef readonly object owner         # whose memory the events lie in
    cdef list side                     # bytes objects of events that were rewritten

    cdef void reuse_spare(self) noexcept          # the array of a batch that is gone; for a new one
    cdef p_Event add(self) noexcept nogil          # NULL if there is no memory
    cdef p_Event append(self, p_const_Event event) except NULL      # a copy
    cdef p_Event at(self, Py_ssize_t index) except NULL
    cdef void cut(self, Py_ssize_t count) noexcept nogil
    cdef object stored_until(self, Py_ssize_t count)
    cdef void replace(self, p_Event event, bytes data)

# The place of the bytes of an object with the buffer protocol, valid while the object is kept and not resized.
cdef octets bytes_of(object buffer) except? NULL
# The place of those between two offsets. Raise ValueError if one is beyond the buffer.
cdef octets bytes_between(object buffer, size_t start, size_t end) except? NULL
