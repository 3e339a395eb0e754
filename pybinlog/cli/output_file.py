"""OutputFile and Answer: the file, pipe or device that an option such as --output names."""

from __future__ import annotations

import os
import stat
from types import TracebackType

from pybinlog.cli.environment import DescriptorOutput
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE
from pybinlog.output.outputs import Outputs, descriptor_named, is_remote
from pybinlog.output.replacement import Replacement

MAKE_FOLDER = "Create its folder first, or name another"


class OutputFile(DescriptorOutput):
    """Written as the bytes come: a pipe, a device, or a file, which is emptied first.

    A name of one of this process's descriptors (/dev/stdout, /dev/fd/3) is that descriptor, so that what it was opened
    for holds: a file that a shell appends to is appended to. BinlogError, beginning with `refusal`, if it cannot be
    opened.
    """

    def __init__(self, path: str, refusal: str = "it cannot be written"):
        descriptor = descriptor_named(path)
        self._owned = descriptor is None
        try:
            if descriptor is None:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, NEW_MODE)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            missing = isinstance(error, FileNotFoundError)
            raise BinlogError(f"{refusal}: {reason}", file=path, hint=MAKE_FOLDER if missing else None) from error
        super().__init__(descriptor)
        self._path = path

    def write(self, data: bytes | memoryview) -> int:
        """Write as to a descriptor. Raise BinlogError, naming the file, if the system refuses."""
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise BinlogError(f"it cannot be written: {error.strerror or error}", file=self._path) from error

    def commit(self) -> None:
        """Do nothing: everything is written."""

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            os.close(self.descriptor)


class Answer:
    """The file of --output, as a context manager. It is opened when the command knows what it must not overwrite."""

    def __init__(self, path: str):
        self.path = path
        self._file: Replacement | OutputFile | None = None
        self._written = False

    def open(self, outputs: Outputs) -> None:
        """Open the file. Raise BinlogError if this is impossible, or would overwrite an input or a log."""
        outputs.writes(self.path, f"--output={self.path}")
        self._file = open_whole(self.path)
        self._file.__enter__()

    def write(self, data: bytes | memoryview) -> None:
        """Write the next bytes. Raise BinlogError, naming the file, if the system refuses."""
        assert self._file is not None
        self._file.write(data)
        self._written = True

    def finish(self, status: ExitStatus | None) -> None:
        """Give the file its name, unless the status says that the command has no answer. Do it once."""
        if self._file is not None and (not status or (status is ExitStatus.ERROR and self._written)):
            self._file.commit()
            self._file.__exit__(None, None, None)
            self._file = None

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.__exit__(kind, error, trace)


def open_whole(path: str) -> Replacement | OutputFile:
    """Open a file that gets its name with `commit`, when it is complete. Write to a pipe or device at once."""
    if is_stream(path):
        return OutputFile(path)
    if is_remote(path):
        raise BinlogError("the output is a file of this machine", file=path, hint="Write to -, and pipe it to the URL")

    return Replacement(path)


def is_stream(path: str) -> bool:
    """Return True for a pipe, a device or a descriptor. A folder gives an error later."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or descriptor_named(path) is not None
