# Memory, bytes, strings and signals: those functions of C and of CPython that are used here. Cython reads a declaration
# anew for each module, and its own files of them declare some hundreds.

cdef extern from "<string.h>" nogil:
    void* memchr(const void* data, int byte, size_t size)
    int memcmp(const void* left, const void* right, size_t size)
    void* memcpy(void* to, const void* source, size_t size)
    void* memmove(void* to, const void* source, size_t size)
    void* memset(void* to, int byte, size_t size)
    char* strcat(char* to, const char* source)
    char* strcpy(char* to, const char* source)
    size_t strlen(const char* text)
    int strncmp(const char* left, const char* right, size_t size)
    char* strstr(const char* text, const char* part)

cdef extern from *:
    """
    /* memset, called: of a size that it knows a compiler makes an instruction that takes long to start. */
    static inline void set_bytes(void* to, int byte, size_t size) {
        __asm__("" : "+r"(size));
        memset(to, byte, size);
    }
    """
    void set_bytes(void* to, int byte, size_t size) nogil

cdef extern from "<stdlib.h>" nogil:
    void* calloc(size_t count, size_t size)
    void free(void* data)
    void* malloc(size_t size)
    void qsort(void* data, size_t count, size_t size, int (*compare)(const void*, const void*) noexcept nogil)
    void* realloc(void* data, size_t size)

cdef extern from "Python.h":
    bytearray PyByteArray_FromStringAndSize(const char* data, Py_ssize_t size)
    bytes PyBytes_FromStringAndSize(const void* data, Py_ssize_t size)
    char* PyBytes_AS_STRING(object string)
    object PyMemoryView_FromMemory(char* data, Py_ssize_t size, int flags)
    bytes PyUnicode_EncodeFSDefault(object text)
    int PyErr_CheckSignals()
    void* PyErr_Occurred()
    # These are seen by tracemalloc.
    void* PyMem_RawCalloc(size_t count, size_t size) nogil
    void PyMem_RawFree(void* data) nogil
    void* PyMem_RawMalloc(size_t size) nogil
    void* PyMem_RawRealloc(void* data, size_t size) nogil

cdef extern from "<sys/mman.h>" nogil:
    void* MAP_FAILED
    enum: MADV_DONTNEED
    enum: MAP_SHARED
    enum: PROT_READ
    enum: PROT_WRITE
    int madvise(void* data, size_t size, int advice)
    void* mmap(void* data, size_t size, int protection, int flags, int file, long offset)
    int munmap(void* data, size_t size)

cdef enum:
    LOOK_AFTER = 0x100000             # bytes of an event, or steps, after which a loop looks for signals


cdef inline bint is_interrupted() noexcept nogil:
    """Run the handlers of the signals that have come. True if one raised an error: return, for `raise_interrupt`.

    It remains true until the error is raised: each loop around this one ends when it looks.
    """
    with gil:
        return PyErr_Occurred() != NULL or PyErr_CheckSignals() < 0


cdef inline const unsigned char* until_look(const unsigned char* at, const unsigned char* end) noexcept nogil:
    """Return the place before `end` up to which a loop goes before it looks for signals."""
    return at + LOOK_AFTER if end - at > LOOK_AFTER else end


cdef inline int raise_interrupt() except -1:
    """Raise the error that `is_interrupted` found."""
    return -1 if PyErr_Occurred() != NULL else 0
