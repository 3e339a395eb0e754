"""Stage 2 of a dump: the text of one task's parts, printed from their true entry state."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field, replace

from pybinlog.dump.log import Dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.kernel.scan.scanner_state import restore_boundary, scanner_state
from pybinlog.kernel.text.carried_state import packed_state, restore_state
from pybinlog.log.reader import Reader
from pybinlog.spark.parts import LogPart
from pybinlog.spark.state import DumpState
from pybinlog.spark.zone import use_zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybinlog.dump.load_data import LoadFiles
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.source import Source

LIMIT = 256 << 20
"""Bytes of text that one task hands back; what is left of its parts becomes another task."""
HARD_LIMIT = 4
"""A statement that makes so many times as much text is printed where the text is wanted."""
COMPRESSION = 1
PIECE = 1 << 20


@dataclass(frozen=True)
class PlacedPart:
    """A part of a log; `number` counts the logs of the command from 0, `last` says that none follows."""

    part: LogPart
    number: int
    last: bool


@dataclass(frozen=True)
class RenderTask:
    """Consecutive parts of logs, and what the text before them has set."""

    options: DumpOptions
    parts: tuple[PlacedPart, ...]
    state: DumpState
    boundary: int
    """The boundaries' state where the first part begins a log."""
    zone: str
    local: bool = False
    """It must be printed where the text is wanted."""
    exit: DumpState | None = None
    """The state that is expected after it; None where nobody knows."""
    size: int = 0
    """Bytes of the logs, as far as they are known."""
    limit: int = LIMIT
    spool: str | None = None
    """A folder for the text, where executors and driver are one machine."""


@dataclass
class Rendered:
    """The text of a task, and all that whatever writes it has to know."""

    text: list[bytes] = field(default_factory=list)
    """Compressed (zstd), in pieces of one frame."""
    file: str | None = None
    """Or the file that it is in, as it is."""
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    wants_more: bool = True
    state: DumpState | None = None
    """After the parts."""
    ending: bytes = b""
    """What closes the last log, should the text end here, and the warnings of what is left out then."""
    ending_warnings: list[str] = field(default_factory=list)
    damage: BinlogError | None = None
    """What --recover passed over."""
    start_missed: BinlogError | None = None
    """What is wrong with the start position, should the text end here."""
    rest: RenderTask | None = None
    """What is left of the task, since it makes more text than is handed back at once."""
    too_large: bool = False
    """Nothing was handed back, for a statement in it makes too much text."""


class TooLarge(Exception):
    """More text than may be kept came without a place to stop."""


def render(task: RenderTask) -> Rendered:
    """Print the parts of a task into memory. What is wrong with its logs comes back in the result."""
    use_zone(task.zone)
    result = Rendered()
    length = 0
    with CompressedText() if task.spool is None else SpooledText(task.spool) as kept:

        def write(piece: bytes) -> None:
            nonlocal length
            length += len(piece)
            if length > HARD_LIMIT * task.limit:
                raise TooLarge
            kept.write(piece)

        dump = TaskDump(task, write, result.warnings.append)
        dump.full = lambda: length > task.limit
        try:
            dump.print(result)
        except TooLarge:
            return Rendered(too_large=True)
        kept.finish(result)
    return result


class CompressedText:
    """Text on its way through Spark, and maybe a network: compressed, for it is much, and the same again and again."""

    def __init__(self) -> None:
        import zstandard

        self._chunker = zstandard.ZstdCompressor(level=COMPRESSION).chunker(chunk_size=PIECE)
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> None:
        self._pieces.extend(self._chunker.compress(piece))

    def finish(self, result: Rendered) -> None:
        self._pieces.extend(self._chunker.finish())  # type: ignore[no-untyped-call]
        result.text = self._pieces

    def __enter__(self) -> CompressedText:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class SpooledText:
    """Text in a file, which the driver deletes as it reads it; deleted here where nothing comes of it."""

    def __init__(self, folder: str):
        descriptor, self._name = tempfile.mkstemp(dir=folder)
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        self._kept = False

    def write(self, piece: bytes) -> None:
        written = 0
        with memoryview(piece) as view:
            while written < len(view):
                written += self._file.write(view[written:]) or 0

    def finish(self, result: Rendered) -> None:
        result.file = self._name
        self._kept = True

    def __enter__(self) -> SpooledText:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if not self._kept:
            os.unlink(self._name)


def pieces(result: Rendered) -> Iterator[bytes]:
    """The text of a task; it can be taken once."""
    if result.file is not None:
        with open(result.file, "rb", buffering=0) as file:
            os.unlink(result.file)
            while piece := file.read(PIECE):
                yield piece
        return
    import zstandard

    decompressor = zstandard.ZstdDecompressor().decompressobj()
    for packed in result.text:
        yield decompressor.decompress(packed)


class TaskDump(Dump):
    """A Dump of the parts of one task."""

    def __init__(
        self,
        task: RenderTask,
        write: Callable[[bytes], object],
        warn: Callable[[str], None],
        load_files: LoadFiles | None = None,
    ):
        self._out = write
        super().__init__(task.options, lambda piece: self._out(piece), warn)
        self.full: Callable[[], bool] = lambda: False
        """Whether the dump should stop at the next place where another can continue."""
        self._task = task
        self._at = 0
        self._rest: tuple[LogPart, DumpState] | None = None
        self._load_files = load_files
        if load_files is not None:
            self._renderer.slow_path.use_load_files(load_files)
        restore_state(self._renderer.state, task.state.text)
        if self._selection.filter is not None:
            self._selection.filter.unpack(task.state.filter)

    def print(self, result: Rendered) -> None:
        """Print all parts; `result` gets everything but text and warnings."""
        try:
            for number, placed in enumerate(self._task.parts):
                self._at = number
                if not self.log(placed.part.name, first=placed.number == 0, last=placed.last):
                    result.wants_more = self._rest is not None
                    break
        except BinlogError as error:
            result.error = error
        result.state = self.packed()
        if self._rest is not None:
            where, state = self._rest
            parts = self._task.parts[self._at :]
            first = replace(parts[0], part=where)
            result.rest = replace(self._task, parts=(first, *parts[1:]), state=state)
        result.damage = self.damage
        result.start_missed = self.start_missed
        self._end(result)

    def _end(self, result: Rendered) -> None:
        """The text that closes the dump, apart from that of the parts."""
        ending: list[bytes] = []
        self._out = lambda piece: ending.append(bytes(piece))
        self._warn = result.ending_warnings.append
        if self._recovery is not None:
            self._recovery.finish(self._renderer)
        self._warn_of_rest()
        self._renderer.finish()
        result.ending = b"".join(ending)

    def packed(self) -> DumpState:
        """The state after the last event; a task that is printed elsewhere leaves the files of LOAD DATA alone."""
        files = self._load_files
        load_ids = self._task.state.text.places.load_ids if files is None else files.waiting
        return DumpState.of(packed_state(self._renderer.state, load_ids), self._selection.filter)

    # ---- what a Dump does for a whole log

    def _continues(self, name: str) -> bool:
        if self._at > 0:
            return super()._continues(name)
        restore_boundary(self._scanner, self._task.boundary)
        return True

    def _begin_log(self, name: str) -> None:
        if self._task.parts[self._at].part.start == 0:
            super()._begin_log(name)

    def _open_reader(self, source: Source, start_position: int) -> Reader:
        where = self._task.parts[self._at].part
        if where.scanner is None and where.end is None:
            return super()._open_reader(source, start_position)
        start = start_position if where.scanner is None else 4
        source = where.of(source)
        return Reader(source, self._scanner, start, resume=where.scanner, on_start_note=self._warn)

    def _render(self, batch: EventBatch) -> bool:
        wants_more = super()._render(batch)
        if wants_more and self.full():
            return not self._stop_here()
        return wants_more

    def _stop_here(self) -> bool:
        """Whether another process can continue after the batch; `print` then says where."""
        placed = self._task.parts[self._at]
        options = self._task.options
        position = self._scanner.position
        if (
            options.recover
            or options.require_row_format
            or (placed.number == 0 and position < options.start_position)
            or position == placed.part.end
            or not self._selection.at_rest
            or not (state := self.packed()).text.places.complete
        ):
            return False
        part = placed.part
        self._rest = LogPart(part.name, position, part.end, scanner_state(self._scanner)), state
        return True
