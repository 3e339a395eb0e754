"""LiveOutput: where lines go as they happen: a file that is cut back to a checkpoint, or standard output."""

from __future__ import annotations

import os

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.live.checkpoint import digest
from pybinlog.output.modes import NEW_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from pybinlog.live.checkpoint import Checkpoint

    class Writes(Protocol):
        def write(self, data: bytes, /) -> object: ...


class LiveOutput:
    """Bytes to another output, which cannot be cut back: after a crash some come again."""

    is_new = True
    """Nothing was written before this run."""
    length = 0
    beginning = ""

    def __init__(self, output: Writes):
        self._output = output

    def begin(self, checkpoint: Checkpoint | None) -> None:
        """Continue from a checkpoint, or begin."""
        self.is_new = checkpoint is None

    def write(self, data: bytes) -> None:
        self._output.write(data)
        self.length += len(data)

    def sync(self) -> None:
        """Let the disk have what was written."""

    def close(self) -> None:
        pass


class LiveFile(LiveOutput):
    """A file of lines. Raise BinlogError, naming the file, if it cannot be written."""

    def __init__(self, path: str):
        self.path = path
        self._unsynced = False
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, NEW_MODE)
        except OSError as error:
            raise self._error("it cannot be opened", error) from error

    def begin(self, checkpoint: Checkpoint | None) -> None:
        """Cut the file back to the checkpoint's length. Raise DataLossError if it is not the checkpoint's file."""
        size = os.fstat(self._descriptor).st_size
        hint = "The file was left as it is; name another one with --output and --checkpoint"
        length = 0 if checkpoint is None else checkpoint.length
        if checkpoint is None and size:
            raise DataLossError(
                "the file has lines already, and there is no checkpoint of it", file=self.path, hint=hint
            )
        if size < length:
            raise DataLossError(
                f"the file has {size} bytes, and the checkpoint is of {length}", file=self.path, hint=hint
            )
        if checkpoint is not None and digest(self._descriptor, length) != checkpoint.beginning:
            raise DataLossError("the file does not begin as the checkpoint says", file=self.path, hint=hint)
        try:
            os.ftruncate(self._descriptor, length)
            os.lseek(self._descriptor, length, os.SEEK_SET)
        except OSError as error:
            raise self._error("it cannot be cut", error) from error
        self.length = length
        self.is_new = length == 0

    @property
    def beginning(self) -> str:  # type: ignore[override]
        return digest(self._descriptor, self.length)

    def write(self, data: bytes) -> None:
        self._unsynced = True
        at = 0
        while at < len(data):
            try:
                at += os.write(self._descriptor, data[at:])
            except OSError as error:
                raise self._error("it cannot be written", error) from error
        self.length += len(data)

    def sync(self) -> None:
        if not self._unsynced:
            return
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._error("the disk does not take it", error) from error
        self._unsynced = False

    def close(self) -> None:
        os.close(self._descriptor)

    def _error(self, what: str, error: OSError) -> BinlogError:
        return BinlogError(f"{what}: {error.strerror or error}", file=self.path)
