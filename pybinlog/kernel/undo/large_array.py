# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""LargeArray: numbers, all 0 at first; many of them are in an unnamed file that is mapped into memory.

The process holds few of a file's pages at once, and the system writes them to the disk if it needs their memory.
"""

import os
from tempfile import TemporaryFile

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.memory import (
    MADV_DONTNEED,
    MAP_FAILED,
    MAP_SHARED,
    PROT_READ,
    PROT_WRITE,
    calloc,
    free,
    madvise,
    mmap,
    munmap,
)

MOST_IN_MEMORY = cython.declare(cython.size_t, 16 << 20)
ZERO_PIECE = 1 << 20


def set_most_in_memory(size: cython.size_t) -> None:
    """Set from how many bytes on an array is in a file (for tests)."""
    global MOST_IN_MEMORY
    MOST_IN_MEMORY = size


def give_back(array):
    madvise(array.at, 8 * array.count, MADV_DONTNEED)
    array.uses = 0


@cython.final
@cython.cclass
class LargeArray:
    """`count` numbers of 64 bits. Raise OSError if the file finds no room, and MemoryError."""

    def __cinit__(self, count: cython.size_t):
        size: cython.size_t = 8 * count
        self.count = count
        if size <= MOST_IN_MEMORY:
            self.at = cython.cast(cython.pointer(uint64_t), calloc(count, 8))
            if self.at == cython.NULL:
                raise MemoryError
            return
        with TemporaryFile(buffering=0) as file:
            fill(file, size)
            number: cython.int = file.fileno()
            data: cython.p_void = mmap(cython.NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        if data == MAP_FAILED:
            raise MemoryError
        self.at = cython.cast(cython.pointer(uint64_t), data)
        self.mapped = True

    def __dealloc__(self):
        if self.mapped:
            munmap(self.at, 8 * self.count)
        else:
            free(self.at)


def fill(file, size) -> None:
    """Give a file that many zeros. A page that the disk has no room for would end the process when it is used."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    zeros = bytes(ZERO_PIECE)
    written = 0
    while written < size:
        written += file.write(zeros[: size - written])
