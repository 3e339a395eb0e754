"""Fixtures of the kernel's tests."""

import ctypes
import mmap
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def border() -> Iterator[memoryview]:
    """Return memory whose end is followed by a page that must not be read. A read beyond the end kills the process."""
    size = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * size)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(place + size), ctypes.c_size_t(size), 0) == 0
    yield memoryview(memory)[:size]
    libc.mprotect(ctypes.c_void_p(place + size), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE)
