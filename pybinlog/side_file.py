"""Files beside the logs: definitions, baselines, scenarios, options. Each is regular, and no larger than it can be."""

import os
import stat
from typing import BinaryIO

from pybinlog.errors import SourceError


def open_side_file(path: str) -> BinaryIO:
    """Open a regular file for reading. Raise SourceError if it is not one: a device or a pipe may have no end.

    OSError where it cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SourceError(
                "it is not a regular file", file=path, hint="Write its data to a file first, and name that file"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def side_file(path: str, most: int) -> bytes:
    """Return the bytes of a regular file.

    Raise SourceError if it is not one, or has more than `most` bytes; OSError as above.
    """
    with open_side_file(path) as file:
        data = file.read(most + 1)
    if data is None:  # what the kernel offers as a file may have nothing to read now
        raise SourceError("it cannot be read now", file=path)
    if len(data) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise SourceError(f"it is larger than {size}, the limit for such a file", file=path)
    return data
