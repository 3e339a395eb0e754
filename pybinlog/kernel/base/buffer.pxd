# Buffer: memory for the bytes of a log or for finished text, and the pool that it goes back to. SmallFiles.
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport uint8_t
from posix.stat cimport S_ISREG, stat, struct_stat
from pybinlog.kernel.base.text cimport p_Text, text_init

cdef extern from "<fcntl.h>" nogil:
    enum: AT_EACCESS
    enum: AT_FDCWD
    enum: O_CLOEXEC
    enum: O_NONBLOCK
    enum: O_RDONLY
    int open(const char* path, int flags, ...)

cdef extern from "<unistd.h>" nogil:
    enum: R_OK
    int close(int descriptor)
    int faccessat(int folder, const char* path, int mode, int flags)
    Py_ssize_t pread(int descriptor, void* to, size_t size, long position)


cdef enum:
    POOLED = 32          # pieces of memory that a pool keeps

cdef struct Piece:
    uint8_t* memory
    Py_ssize_t size
    unsigned long giver  # the thread that gave it back

cdef class BufferPool:
    cdef Piece pieces[POOLED]
    cdef int count

    cdef void allocate_text(self, p_Text text) noexcept
    cdef void give(self, uint8_t* data, Py_ssize_t size) noexcept

cdef class Buffer:
    cdef uint8_t* data
    cdef Py_ssize_t size               # bytes to be seen, which may be fewer than there is memory for
    cdef Py_ssize_t capacity
    cdef bint read_only
    cdef BufferPool pool               # that the memory goes back to; None if it is not wanted again

cdef Buffer text_buffer(p_Text text, Py_ssize_t length)

cdef enum:
    MOST = 1 << 18                   # bytes of a small file; it has fewer
    MOST_FILES = 64                  # that are read together
    MOST_TOGETHER = 1 << 20          # bytes of their buffer

cdef class SmallFiles:
    cdef readonly Py_ssize_t begin   # the first one's number among the names
    cdef readonly int count
    cdef readonly bint is_over
    cdef list paths
    cdef Buffer buffer
    cdef const char* starts[MOST_FILES]      # of the paths
    cdef Py_ssize_t begins[MOST_FILES]       # in the buffer
    cdef Py_ssize_t sizes[MOST_FILES]

    cdef void read_files(self, int known) noexcept nogil

# Used in this module only.
cdef bytes path_of(object name)
cdef Py_ssize_t read_file(const char* path, uint8_t* to) noexcept nogil
