# distutils: extra_compile_args = -O1
"""Buffer: memory for the bytes of a log or for finished text, and the pool that it goes back to. SmallFiles: whole
files in one Buffer.

Anything that refers to a Buffer, even only by a view, may read its bytes: the interpreter frees the Buffer after the
last reference, and only then does its memory go to another one. So nothing is handed back, on any path: keeping a batch
for long costs fresh memory, never a wrong byte.

The arrays of batches are kept in the same way. The GIL guards the pools, as the modules declare
(`freethreading_compatible` in setup.py). Write `del batch` in a loop: the memory goes before the next batch is read;
without it, one more is in use. Fresh memory costs a fault a page.
"""

import cython
from cython.cimports.cpython.buffer import PyBuffer_FillInfo
from cython.cimports.pybinlog.kernel.base.memory import PyMem_RawCalloc, PyMem_RawFree, strlen
from cython.cimports.pybinlog.kernel.base.memory import PyUnicode_EncodeFSDefault


@cython.final
@cython.cclass
class BufferPool:
    """Makes Buffers, if possible from the memory of freed ones: fresh memory costs a fault a page."""

    def __dealloc__(self):
        i: cython.int
        for i in range(self.count):
            PyMem_RawFree(self.pieces[i].memory)

    def __len__(self):
        """Return the pieces of memory that wait for another Buffer."""
        return self.count

    def allocate(self, size: cython.Py_ssize_t, again: cython.bint) -> Buffer:
        """Return a Buffer of that size; `again` says that others of it will be taken. Its bytes are undefined."""
        buffer: Buffer = Buffer.__new__(Buffer)
        thread: cython.ulong = PyThread_get_thread_ident()
        best: cython.int = -1
        i: cython.int
        for i in range(self.count):
            # what this thread gave back last lies in its core's cache; what lies in another's is slow to write to
            if self.pieces[i].size == size and (
                best < 0 or self.pieces[i].giver == thread or self.pieces[best].giver != thread
            ):
                best = i
        if best >= 0:
            buffer.data = self.pieces[best].memory
            self.count -= 1
            self.pieces[best] = self.pieces[self.count]
        else:
            buffer.data = cython.cast(cython.pointer(uint8_t), PyMem_RawCalloc(size, 1))
            if buffer.data == cython.NULL:
                raise MemoryError("no memory for the bytes of a log")
        buffer.size = buffer.capacity = size
        if again:
            buffer.pool = self
        return buffer

    def allocate_text(self, text: p_Text):
        """Return an empty text, with memory of the pool if it has any."""
        text_init(text)
        if self.count:
            self.count -= 1
            text.data = cython.cast(cython.p_char, self.pieces[self.count].memory)
            text.capacity = self.pieces[self.count].size

    def give(self, data: cython.pointer(uint8_t), size: cython.Py_ssize_t):
        if self.count == POOLED:
            PyMem_RawFree(data)
            return
        self.pieces[self.count].memory = data
        self.pieces[self.count].size = size
        self.pieces[self.count].giver = PyThread_get_thread_ident()
        self.count += 1


@cython.final
@cython.no_gc  # it refers to the pool alone, which refers to no object: the pool is there when the Buffer goes
@cython.cclass
class Buffer:
    """So many bytes, by the buffer protocol; look at them through a memoryview."""

    def __dealloc__(self):
        if self.pool is None:
            PyMem_RawFree(self.data)
        else:
            self.pool.give(self.data, self.capacity)

    def __len__(self):
        return self.size

    def __getbuffer__(self, buffer: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(buffer, self, self.data, self.size, self.read_only, flags)

    def __releasebuffer__(self, buffer: cython.pointer(Py_buffer)):
        pass


def text_buffer(text: p_Text, length: cython.Py_ssize_t) -> Buffer:
    """Return the first bytes of a text, not copied: with its memory, which the text must give up or take back."""
    buffer: Buffer = Buffer.__new__(Buffer)
    buffer.data = cython.cast(cython.pointer(uint8_t), text.data)
    buffer.size = length
    buffer.capacity = text.capacity
    buffer.read_only = True
    return buffer


def path_of(name: object) -> bytes:
    """Return the path of a file; None for another kind of name."""
    if type(name) is not str or name == "-" or "://" in name:
        return None
    try:
        path: bytes = PyUnicode_EncodeFSDefault(name)
    except UnicodeEncodeError:
        return None
    start: cython.p_const_char = path
    return path if strlen(start) == cython.cast(cython.size_t, len(path)) else None


def readable_until(names: object, begin: cython.Py_ssize_t) -> int:
    """Return the first of the names from `begin` on that is not a regular file which this process may read.

    The first name of another kind is returned, too; the number of names if none is left.
    """
    i: cython.Py_ssize_t
    status: struct_stat
    for i in range(begin, len(names)):
        path: bytes = path_of(names[i])
        if path is None:
            return i
        start: cython.p_const_char = path
        if (
            stat(start, cython.address(status)) != 0
            or not S_ISREG(status.st_mode)
            or faccessat(AT_FDCWD, start, R_OK, AT_EACCESS) != 0
        ):
            return i
    return len(names)


def read_file(path: cython.p_const_char, to: cython.pointer(uint8_t)) -> cython.Py_ssize_t:
    """Read a whole file; return its size, or -1 if it is not a regular file with fewer than MOST bytes."""
    status: struct_stat
    size: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 1
    # to open a pipe would disturb its writer
    if stat(path, cython.address(status)) != 0 or not S_ISREG(status.st_mode) or status.st_size >= MOST:
        return -1
    descriptor: cython.int = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0:
        return -1
    while size < MOST and count > 0 and size != status.st_size:
        count = pread(descriptor, to + size, MOST - size, size)
        if count > 0:
            size += count
    close(descriptor)
    return size if count == 0 or size == status.st_size else -1


@cython.final
@cython.cclass
class SmallFiles:
    """The files of these names from `begin` on, before `end`, up to one that is not small, or to the buffer's end.

    `count` files are there once they are `read`; `is_over` says that the next one cannot be read so.
    """

    def __cinit__(self, pool: BufferPool, names: object, begin: cython.Py_ssize_t, end: cython.Py_ssize_t):
        self.begin = begin
        self.paths = []
        for i in range(begin, min(end, begin + MOST_FILES)):
            path: bytes = path_of(names[i])
            if path is None:
                self.is_over = True
                break
            self.starts[i - begin] = path
            self.paths.append(path)
        self.buffer = pool.allocate(MOST if end - begin == 1 else MOST_TOGETHER, True)

    def read(self) -> None:
        """Read them; once, in any thread."""
        known: cython.int = len(self.paths)
        with cython.nogil:
            self.read_files(known)

    def read_files(self, known: cython.int):
        at: cython.Py_ssize_t = 0
        while self.count < known and at + MOST <= self.buffer.size:
            size: cython.Py_ssize_t = read_file(self.starts[self.count], self.buffer.data + at)
            if size < 0:
                self.is_over = True
                return
            self.begins[self.count] = at
            self.sizes[self.count] = size
            self.count += 1
            at += size
