"""The memory of a Python process that runs tasks on an executor."""

from __future__ import annotations

import ctypes
import gc
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""glibc's names of two settings."""
LARGEST_BLOCK = 32 << 20
"""Larger ones go back to the system by themselves; glibc takes no higher value."""
KEPT = 256 << 20
"""More than a row group of a Parquet file needs."""

_is_new = True


@contextmanager
def a_task() -> Iterator[None]:
    """Keep the memory of this process from one batch to the next, and what the first task imports for good.

    Otherwise the C library may return a batch's memory to the system, which clears it for the next batch. And Spark
    has Python look for garbage after each task, which takes longer than a small log if it looks at all modules.
    """
    global _is_new
    if _is_new:
        with suppress(OSError, AttributeError):  # another C library
            library = ctypes.CDLL(None)
            library.mallopt(MMAP_THRESHOLD, LARGEST_BLOCK)
            library.mallopt(TRIM_THRESHOLD, KEPT)
    yield
    if _is_new:
        _is_new = False
        gc.collect()
        gc.freeze()
