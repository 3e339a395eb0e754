"""LoadFiles: the files that LOAD DATA statements of a log read, written out again."""

import os
from collections.abc import Callable
from contextlib import suppress

from pybinlog.errors import BinlogError
from pybinlog.log.large_event import write_all
from pybinlog.output.modes import NEW_MODE

TRIES = 1000
MOST_NAMED = 3


class LoadFiles:
    """Files in one folder, by the file_id that Begin_load_query, Append_block and Execute_load_query share.

    They are named SQL_LOAD_MB-<file_id>-<n>, as the reference names them. Each is a new file: a file that is there
    already is never written over. Those that a statement reads are left for you to run it with; `end` says where.
    """

    def __init__(self, folder: str | None):
        folder = folder if folder is not None else os.environ.get("TMPDIR") or "/tmp"
        self.folder = folder if not folder or folder.endswith("/") else folder + "/"
        self._names: dict[int, str] = {}
        self._unread: set[str] = set()
        self._read: list[str] = []

    @property
    def waiting(self) -> list[int]:
        """The file_ids of files that no statement has read yet, in order."""
        return sorted(self._names)

    def begin(self, file_id: int, block: bytes) -> None:
        """Make a new file with this first block. Raise BinlogError if it cannot be written."""
        for n in range(TRIES):
            name = f"{self.folder}SQL_LOAD_MB-{file_id:x}-{n:x}"
            try:
                write_block(name, os.O_CREAT | os.O_EXCL, block)
            except FileExistsError:
                continue
            self._names[file_id] = name
            self._unread.add(name)
            return
        raise BinlogError(
            f"{self.folder} holds {TRIES} files named SQL_LOAD_MB-{file_id:x}-* already",
            hint="Remove the files of earlier dumps, or name another folder with --local-load",
        )

    def append(self, file_id: int, block: bytes) -> bool:
        """Add a block to a file; False if its beginning was not read."""
        name = self._names.get(file_id)
        if name is not None:
            write_block(name, os.O_APPEND | os.O_NOFOLLOW, block)
        return name is not None

    def pop(self, file_id: int, shown: bool) -> str | None:
        """Return the file's name; the file_id is free from now on. `shown`: a statement of the text reads the file."""
        name = self._names.pop(file_id, None)
        if name is not None and shown:
            self._unread.discard(name)
            self._read.append(name)
        return name

    def end(self, warn: Callable[[str], object]) -> None:
        """Remove the files that no statement of the text reads, and say where the others are."""
        for name in self._unread:
            with suppress(OSError):
                os.unlink(name)
        self._unread.clear()
        self._names.clear()
        count = len(self._read)
        if count:
            names = ", ".join(name.removeprefix(self.folder) for name in self._read[:MOST_NAMED])
            more = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
            what, them = ("file", "it") if count == 1 else ("files", "them")
            warn(
                f"The text's LOAD DATA statements read {count} {what} that this run has made in {self.folder or './'}: "
                f"{names}{more}. Remove {them} when the statements have been run."
            )
            self._read.clear()


def write_block(name: str, flags: int, block: bytes) -> None:
    """Open the file with these flags and write to it. Raise FileExistsError, or BinlogError for any other reason."""
    try:
        with open(os.open(name, os.O_WRONLY | os.O_CLOEXEC | flags, NEW_MODE), "wb", buffering=0) as file:
            write_all(file, block)
    except FileExistsError:
        raise
    except OSError as error:
        raise BinlogError(
            f"the data of a LOAD DATA statement cannot be written to {name}: {error.strerror}",
            hint="Name another folder with --local-load",
        ) from error
