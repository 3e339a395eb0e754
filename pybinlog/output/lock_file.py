"""LockFile: a file that one process at a time holds, and that has the id of that process."""

import os
from contextlib import suppress

from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE
from pybinlog.output.replacement import lock

LARGEST_ID = 20
"""Bytes of a process's id that are read."""


class HeldError(BinlogError):
    """Another process holds the lock."""


class LockFile:
    """The lock file at a path, until `release`; with `stays` False, it is removed then.

    A process that is killed releases it. Raise HeldError if another process holds it; `held` says so, with {} in the
    place of its id. Raise BinlogError if it cannot be made.
    """

    def __init__(self, path: str, held: str, *, file: str, hint: str | None = None, stays: bool = False):
        """Take it. `file` is what it locks, for errors."""
        self._path = path
        self._stays = stays
        while True:
            try:
                self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, NEW_MODE)
            except OSError as error:
                raise BinlogError(f"it cannot be locked: {error.strerror}", file=path) from error
            if not lock(self._descriptor):
                holder = os.pread(self._descriptor, LARGEST_ID, 0).decode("ascii", "replace").strip()
                os.close(self._descriptor)
                process = f" (process {holder})" if holder.isdecimal() else ""
                raise HeldError(held.format(process), file=file, hint=hint)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self._descriptor), os.stat(path)):
                    break
            os.close(self._descriptor)  # its holder has just removed it
        with suppress(OSError):  # a full disk takes no id, and the lock holds
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others take it; twice is allowed."""
        if self._descriptor < 0:
            return
        if not self._stays:
            with suppress(OSError):
                os.unlink(self._path)
        os.close(self._descriptor)
        self._descriptor = -1
