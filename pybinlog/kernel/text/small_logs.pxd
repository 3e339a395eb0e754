# SmallLogs: small logs of files, printed one after the other.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.buffer cimport BufferPool, SmallFiles
from pybinlog.kernel.base.event cimport ARTIFICIAL, BINLOG_IN_USE, COMMON_HEADER_LENGTH, FORMAT_DESCRIPTION, Format
from pybinlog.kernel.base.event cimport MAGIC_LENGTH, MAGIC_NUMBER, octets, p_Event, ROTATE
from pybinlog.kernel.scan.classify cimport Boundary
from pybinlog.kernel.scan.log_contents cimport GtidsAround
from pybinlog.kernel.scan.scan cimport SCAN_NEED_MORE, Scanner
from pybinlog.kernel.text.render cimport Renderer


cdef class SmallLogs:
    cdef Scanner scanner
    cdef Renderer renderer
    cdef BufferPool pool
    cdef object asked                # answers what the loop asks
    cdef object ahead                # what reads them ahead, or None
    cdef readonly EventBatch last    # of the log that was printed last; None: none since `print` began
    cdef bytes path                  # and its path
    cdef readonly Py_ssize_t number  # of the log that is printed
    cdef GtidsAround around
    cdef GtidsAround around_next

    cdef Py_ssize_t print_some(self, object names, Py_ssize_t begin, Py_ssize_t end, bint continues) except -1
    cdef SmallFiles next_files(self, object names, Py_ssize_t begin)
    cdef int follows(self, bytes path)
    cdef EventBatch scan(self, SmallFiles files, int number, object name, bint continues)
    cdef p_Event last_rotate(self) noexcept

# Used in this module only.
cdef size_t base_of(const char* path, size_t length) noexcept nogil
cdef bint is_next_number(const char* path, const char* following, size_t length) noexcept nogil
