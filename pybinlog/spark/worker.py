"""A Python process that runs tasks on an executor: its memory, the driver's time zone and keyring in it."""

import ctypes
import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pybinlog.errors import SourceError
from pybinlog.keyring import Keyring

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


def local_zone() -> str:
    """Return the value of TZ that gives this machine's local times elsewhere."""
    if "TZ" in os.environ:
        return os.environ["TZ"]
    name = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    if name:
        return name
    if not time.daylight:
        hours, seconds = divmod(abs(time.timezone), 3600)
        sign = "-" if time.timezone < 0 else ""
        return f"<{time.tzname[0]}>{sign}{hours}:{seconds // 60:02d}:{seconds % 60:02d}"
    return "UTC0"


def use_zone(zone: str) -> None:
    """Let local times of this process be those of the zone."""
    if os.environ.get("TZ") != zone:
        os.environ["TZ"] = zone
        time.tzset()


# ---- keyrings, whose files Spark itself ships to the executors


class ShippedKeyring(Keyring):
    """A keyring that another process reads from the files that Spark has shipped to it, else from the same paths."""

    def __reduce__(self) -> Any:
        return arrived, (self.files, len(self.paths))


def arrived(files: Sequence[str], count: int) -> ShippedKeyring:
    """Read a keyring if it has arrived: the first `count` files are keyrings, one after them is their password."""
    from pyspark import SparkFiles

    copies = [SparkFiles.get(os.path.basename(path)) for path in files]
    paths = [copy if os.path.exists(copy) else path for path, copy in zip(files, copies, strict=True)]
    return ShippedKeyring(paths[:count], paths[count] if len(paths) > count else None)


def ship(context: Any, files: Sequence[str]) -> None:
    """Give keyring files to a SparkContext. Raise SourceError if two have the same base name, their name on Spark."""
    by_name: dict[str, str] = {}
    for path in files:
        if by_name.setdefault(os.path.basename(path), path) != path:
            raise SourceError(
                f"Spark ships files by their names, and {by_name[os.path.basename(path)]} has the same one",
                file=path,
                hint="Copy one of the keyrings under another name, and give that",
            )
    for path in by_name.values():
        context.addFile(path)
