"""A log compressed with zstd, for good: it is whole, on the disk and read back before anything else is given up."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from pybinlog.errors import BinlogError, SourceError
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.mirror.folder import SUFFIX
from pybinlog.output.replacement import Replacement
from pybinlog.source import open_source

LEVEL = 3
"""zstd's own default: rows become 3 to 5 times smaller, faster than a disk writes them."""
PIECE = 1 << 20


def compress(path: str) -> str | None:
    """Write the log compressed beside itself, and compare the two; the path of the new file. The log stays.

    The file appears whole or not at all, with the log's permissions and time, and is then read from the disk again.
    None if a large event became so small that it would be taken for a bomb: then there is no new file.
    BinlogError, naming the file, where it cannot be written or is not the same log.
    """
    import zstandard

    target = path + SUFFIX
    try:
        with open(path, "rb") as log:
            status = os.fstat(log.fileno())
            compressor = zstandard.ZstdCompressor(LEVEL, write_checksum=True).compressobj(size=status.st_size)
            with Replacement(target, stat.S_IMODE(status.st_mode)) as replacement:
                while data := log.read(PIECE):
                    replacement.write(compressor.compress(data))
                replacement.write(compressor.flush())
                replacement.commit()
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    except (OSError, zstandard.ZstdError) as error:
        raise BinlogError(f"it cannot be compressed: {getattr(error, 'strerror', None) or error}", file=path) from error
    forget_pages(target)
    if not is_same_log(path, target):
        with suppress(OSError):
            os.unlink(target)
        raise BinlogError(
            "its compressed copy is another log when it is read back, and was removed",
            file=path,
            hint="Check this machine's disk and memory",
        )
    if is_refused(target):
        with suppress(OSError):
            os.unlink(target)
        return None
    return target


def is_refused(path: str) -> bool:
    """Return True if a log that is in order can be read in no way but uncompressed first (docs/reliability.md)."""
    scanner = Scanner()
    scanner.force_read = True
    with open_source(path) as source:
        try:
            for batch in Reader(source, scanner):
                del batch
        except SourceError:
            return True
        except BinlogError:
            return False  # damaged, as the log itself is
    return False


def is_same_log(path: str, compressed: str) -> bool:
    """Return True if the second file, inflated, is the first one, byte for byte.

    Raise BinlogError if one cannot be read.
    """
    try:
        with open_source(compressed) as source, open(path, "rb") as log:
            while data := source.read(PIECE):
                if log.read(len(data)) != data:
                    return False
            return not log.read(1)
    except OSError as error:
        raise BinlogError(f"it cannot be read: {error.strerror or error}", file=path) from error
    except BinlogError:
        if os.path.exists(path):
            return False
        raise


def forget_pages(path: str) -> None:
    """Let the next read come from the disk, if the system can: it is the disk's copy that counts."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError), open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
