"""OutputFile: the file, pipe or device that an option such as --output names."""

from __future__ import annotations

import os
import stat

from pybinlog.cli.environment import DescriptorOutput
from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE
from pybinlog.output.outputs import descriptor_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owned:
            os.close(self.descriptor)


def open_whole(path: str) -> Replacement | OutputFile:
    """Open a file that gets its name with `commit`, when it is complete. Write to a pipe or device at once."""
    if is_stream(path):
        return OutputFile(path)
    from pybinlog.output.replacement import Replacement

    return Replacement(path)


def is_stream(path: str) -> bool:
    """Return True for a pipe, a device or a descriptor. A folder gives an error later."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or descriptor_named(path) is not None
