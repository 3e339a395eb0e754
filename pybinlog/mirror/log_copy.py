"""LogCopy: one log as its server sends it, written to a file that is identical to the server's."""

import os
import stat
from collections.abc import Callable

from pybinlog.errors import OutputError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import ENCRYPTED_MAGIC, MAGIC, MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.output.growing_file import GrowingFile
from pybinlog.output.outputs import kept_file
from pybinlog.output.replacement import Replacement
from pybinlog.source.base import Source

PART = 1 << 20
"""Bytes that are written at once while the log comes without a pause."""


class LogCopy:
    """Copies what a source gives to the file of that path, only whole events, with right checksums.

    Whole or not at all, as Replacement has it; `grows` writes under the final name as the events come, for a log that
    has no end yet: what came before an error stays then. `force` lets it replace a file that is there.
    `changed` returns the bytes to write instead of a batch's own.
    """

    def __init__(
        self, path: str, *, grows: bool, force: bool, changed: Callable[[EventBatch], bytes | memoryview] | None = None
    ):
        self._changed = changed
        self.path = path
        self._grows = grows
        self._force = force
        self.size = 0
        """Bytes that were written."""

    def copy(self, source: Source, progress: Callable[[int], None] | None = None) -> None:
        """Raise BinlogError if the log cannot be read on, or the file not be written."""
        # what is of no known type is copied like the rest
        scanner = Scanner(verify_checksum=True, force_read=True, joins_parts=False)
        reader = Reader(source, scanner)
        reader.part = PART
        if self._grows:
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if self._force else os.O_EXCL)
            with GrowingFile(self.path, flags, "the file cannot be made") as growing:
                self._copy(reader, growing.write, progress)
            return
        with Replacement(self.path) as replacement:
            self._copy(reader, replacement.write, progress)
            replacement.commit()

    def _copy(
        self, reader: Reader, write: Callable[[bytes | memoryview], object], progress: Callable[[int], None] | None
    ) -> None:
        def add(data: bytes | memoryview) -> None:
            write(data)
            self.size += len(data)
            if progress is not None:
                progress(len(data))

        for batch in reader:
            if not self.size:
                add(MAGIC)
            add(batch.stored if self._changed is None else self._changed(batch))
            del batch
        if not self.size:
            add(MAGIC)


def check_target(path: str, *, force: bool) -> None:
    """Raise OutputError if a copy would replace something else than a log, or a log without --force."""
    try:
        status = os.lstat(path)
    except OSError:
        return  # there is none, or it cannot be written, which is said then
    if not stat.S_ISREG(status.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
        raise OutputError(f"the copy {path} would replace what is {kind}", hint="Name another --result-file")
    if not force:
        kind = kept_file(path) or "a file that is there"
        raise OutputError(f"the copy {path} would replace {kind}", hint="Name another file, or replace it with --force")
    with open(path, "rb") as file:
        if file.read(MAGIC_LENGTH) not in (MAGIC, ENCRYPTED_MAGIC, b""):
            raise OutputError(
                f"the copy {path} would replace a file that is not a log",
                hint="Move it away, or name another --result-file",
            )
