"""Files beside the logs: definitions, baselines, scenarios, options. Each is regular, and no larger than it can be."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from pybinlog.errors import SourceError

__all__ = ["open_side_file", "side_file"]


def open_side_file(path: str) -> BinaryIO:
    """Open a regular file for reading. SourceError where it is none: a device or a pipe may have no end.

    OSError where it cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SourceError(
                "it is no regular file", file=path, hint="Write what it has to a file before, and name that"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def side_file(path: str, most: int) -> bytes:
    """The bytes of a regular file. SourceError where it is none, or has more than `most` bytes; OSError as above."""
    with open_side_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise SourceError(f"it has more than {size}, which no file of its kind has", file=path)
    return data
