"""LiveRun: lines of ended transactions to a LiveOutput, and a checkpoint of how far they are."""

import os
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from pybinlog.catalog.saved import MOST, SavedDefinitions
from pybinlog.errors import BinlogError, DataLossError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.kernel.scan.scan import whole_until
from pybinlog.live.checkpoint import KEPT, Checkpoint, digest
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.output.growing_file import GrowingFile
from pybinlog.output.replacement import lock


class Writes(Protocol):
    def write(self, data: bytes, /) -> object: ...


class LiveOutput:
    """Bytes to another output, which cannot be cut back: after a crash some come again."""

    is_new = True
    """Nothing was written before this run."""
    size = 0
    """Bytes that were written."""
    beginning = ""

    def __init__(self, output: Writes):
        self._output = output

    def begin(self, checkpoint: Checkpoint | None) -> None:
        """Continue from a checkpoint, or begin."""
        self.is_new = checkpoint is None

    def write(self, data: bytes) -> None:
        self._output.write(data)
        self.size += len(data)

    def sync(self) -> None:
        """Let the disk have what was written."""

    def close(self) -> None:
        pass


ANOTHER_OUTPUT = "End that run, or name another --output"


class LiveFile(GrowingFile, LiveOutput):
    """A file of lines, locked while it is open. Raise BinlogError, naming it, if it cannot be written, or is locked."""

    def __init__(self, path: str):
        super().__init__(path, os.O_RDWR | os.O_CREAT)
        if not lock(self.descriptor):  # its lock file has another name if a link to the file was named
            self.close()
            raise BinlogError("another run writes this file, under another name", file=path, hint=ANOTHER_OUTPUT)

    def begin(self, checkpoint: Checkpoint | None) -> None:
        """Cut the file back to the checkpoint's length. Raise DataLossError if it is not the checkpoint's file."""
        hint = "The file was left as it is; name another one with --output and --checkpoint"
        length = 0 if checkpoint is None else checkpoint.length
        self.measure()
        if checkpoint is None and self.size:
            raise DataLossError("the file has lines already, and it has no checkpoint", file=self.path, hint=hint)
        if self.size < length:
            raise DataLossError(
                f"the file has {self.size} bytes, and the checkpoint is of {length}", file=self.path, hint=hint
            )
        if checkpoint is not None and digest(self.descriptor, length) != checkpoint.beginning:
            raise DataLossError("the file does not begin as the checkpoint says", file=self.path, hint=hint)
        self.truncate(length)
        self.is_new = length == 0

    @property
    def beginning(self) -> str:  # type: ignore[override]
        return digest(self.descriptor, self.size)


SAVED_EACH = 1.0
"""Seconds after which the checkpoint is written while events come without a pause."""


@dataclass
class Place:
    """A log as far as its transactions are written: `whole` is where the last of them ends, `opening` its beginning.

    `closed_by` is as in GrowingLog.
    """

    name: str
    whole: int = MAGIC_LENGTH
    opening: bytes = MAGIC
    closed_by: str | None = None

    @property
    def size(self) -> int:
        return self.whole

    def read_at(self, position: int, size: int) -> bytes:
        """Return bytes of the beginning, which is all that is kept."""
        return self.opening[position : position + size]


class LiveRun:
    """Writes what `lines` makes of batches to `output`; with `path`, keeps a checkpoint there.

    `asked` is what the checkpoint has to be of. `place` is where to read next, None before anything is known.
    """

    def __init__(self, lines: TransactionLines, output: LiveOutput, path: str | None, asked: dict[str, Any]):
        self.lines = lines
        self._output = output
        self._path = path
        self._asked = asked
        self._server = ""
        self._saved = monotonic()
        self._is_saved = True
        self._is_started = False
        self._definitions = SavedDefinitions()
        self._is_told = False
        self.checkpoint = None if path is None else Checkpoint.read(path)
        self.place: Place | None = None
        if self.checkpoint is not None:
            self.place = Place(self.checkpoint.log, self.checkpoint.position, self.checkpoint.opening)
            self.place.closed_by = self.checkpoint.closed_by
            lines.gtids.restore(self.checkpoint.executed)
            if self.checkpoint.definitions is not None:
                lines.catalog.definitions = self.checkpoint.definitions

    def begin(self, server: str) -> None:
        """Begin with this server's logs. Raise DataLossError if the checkpoint or the output belongs to others."""
        if self.checkpoint is not None and self._path is not None:
            self.checkpoint.check(self._path, server, self._asked)
        self._server = server
        self._output.begin(self.checkpoint)

    def start(self, place: Place) -> None:
        """Begin to read at a place. A new run records it first: without a checkpoint, lines could not be continued."""
        self.begin_log(place)
        if self._is_started:
            return
        self._is_started = True
        if self.checkpoint is None:
            self.save()
        if self._output.is_new:
            self._output.write(self.lines.header)

    def begin_log(self, place: Place) -> None:
        self.place = place
        self._is_saved = False

    def add(self, batch: EventBatch) -> None:
        """Write the lines of the transactions that end in the batch."""
        place = self.place
        assert place is not None
        for lines in self.lines.add(batch):
            self._output.write(lines)
        place.whole = max(place.whole, whole_until(batch))
        if len(place.opening) < KEPT and batch.header(0).position == len(place.opening):
            place.opening = (place.opening + bytes(batch.opening))[:KEPT]
        self._is_saved = False
        if monotonic() - self._saved >= SAVED_EACH:
            self.save()

    def save(self) -> None:
        """Let the disk have the lines, and then the checkpoint."""
        place = self.place
        if self._is_saved or place is None:
            return
        self._output.sync()
        if self._path is not None:
            opening = place.opening[: place.whole]
            output = (self._output.size, self._output.beginning, place.closed_by)
            where = (place.name, place.whole, opening, self.lines.gtids.text)
            Checkpoint(self._server, self._asked, *where, *output).write(self._path, self._tables())
        self._saved = monotonic()
        self._is_saved = True

    def _tables(self) -> str:
        """Return the definitions of tables for the checkpoint. Warn, once, if there are too many."""
        text = self._definitions.text(self.lines.catalog.definitions)
        warn = self.lines.catalog.warn
        if self._definitions.omitted and not self._is_told and warn is not None:
            self._is_told = True
            warn(
                f"the checkpoint has room for {MOST >> 20} MiB of definitions: after a restart, the columns of "
                f"{self._definitions.omitted} tables have no names"
            )
        return text
