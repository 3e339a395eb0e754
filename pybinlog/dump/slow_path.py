"""SlowPath: the events whose text needs files, decompression or a layout, on behalf of the compiled renderer."""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

from pybinlog.dump.options import Base64Output, DumpOptions
from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.kernel.base.event import BEGIN_LOAD_QUERY, COMMON_HEADER_LENGTH, EXECUTE_LOAD
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.text import printer
from pybinlog.kernel.text.render import Renderer, RenderError
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from mmap import mmap
    from typing import BinaryIO

    from pybinlog.dump.large_statements import LargeStatements
    from pybinlog.dump.load_data import LoadFiles
    from pybinlog.dump.rewrite import DatabaseRewrite
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.text.postponed import PostponedEvents


class Misfits(NamedTuple):
    """Row events whose rows do not fit their Table_maps: their log, position and type of the first, and their number.

    The text ends such rows with the reference's remark, and continues.
    """

    file: str
    position: int
    name: str
    events: int


def error_of(misfits: list[Misfits]) -> BinlogError | None:
    """Return the error that a dump ends with if there are any; threads have noted those of one log in any order."""
    if not misfits:
        return None
    first = min((one for one in misfits if one.file == misfits[0].file), key=lambda one: one.position)
    others = sum(one.events for one in misfits) - 1
    more = f", nor those of {counted(others, 'later event')}" if others else ""
    what = f"a row of the {first.name} event cannot be read{more}; the text says so in its place"
    return CorruptEventError(what, file=first.file, position=first.position)


class SlowPath:
    """See `Renderer`, which calls these methods; each prints what it has to through the renderer's own."""

    def __init__(
        self,
        options: DumpOptions,
        warn: Callable[[str], None],
        rewrite: DatabaseRewrite | None,
        on_corrupt: Callable[[BinlogError, str], object] | None,
        misfits: list[Misfits] | None = None,
    ):
        """With `on_corrupt`, a payload is printed as far as it can be read, and it gets what cannot.

        `misfits` gets the row events whose rows do not fit their Table_maps, from whichever thread prints them.
        """
        self._misfits = [] if misfits is None else misfits
        self._payloads = PayloadReader(options.force_read, options.statement_bits)
        self._warn = warn
        self._local_load = options.local_load
        self._rewrite = rewrite
        self._load_files: LoadFiles | None = None
        self._base64_refused = options.base64_output is Base64Output.NEVER
        self._on_corrupt = on_corrupt
        self.large_statements: LargeStatements | None = None
        self._owner: object = None
        """The memory of the events that are being printed, if these come from no source."""

    def misfits(self, file: str, position: int, name: str, count: int) -> None:
        """Note that the rows of so many events do not fit their Table_maps; position and type are the first one's."""
        self._misfits.append(Misfits(file, position, name, count))

    def unnamed_file(self) -> BinaryIO:
        """Return a file without a name that is gone when it is closed."""
        import tempfile

        return tempfile.TemporaryFile()

    def again(self, renderer: Renderer, postponed: PostponedEvents, parts: range, rows: bool, apart: bool) -> None:
        """Have the events of a large statement printed again."""
        if self.large_statements is None:
            from pybinlog.dump.large_statements import LargeStatements

            self.large_statements = LargeStatements()
        self.large_statements.print(renderer, postponed, parts, rows, apart)

    def much_text(self) -> None:
        """Give memory back: the current event has much text."""
        if self._owner is not None:
            from pybinlog.log.large_event import give_back

            give_back(self._owner)

    @contextmanager
    def printing(self, batch: EventBatch) -> Iterator[None]:
        """Give back the memory of the batch's events, while they are printed, as soon as there is much text."""
        before, self._owner = self._owner, batch.owner
        try:
            yield
        finally:
            self._owner = before

    # ---- LOAD DATA

    def load_block(self, batch: EventBatch, index: int) -> None:
        """Write the block of a Begin_load_query or Append_block to its file."""
        data = batch.body(index)
        file_id = int.from_bytes(data[:4], "little")
        if batch.header(index).type == BEGIN_LOAD_QUERY:
            self.load_files.begin(file_id, data[4:])
        elif not self.load_files.append(file_id, data[4:]):
            self._warn_of(batch, index, f"Ignoring Append_block: no Begin_load_query came for file_id {file_id}.")

    @property
    def load_files(self) -> LoadFiles:
        """The files that the blocks of this dump go to."""
        if self._load_files is None:
            from pybinlog.dump.load_data import LoadFiles

            self._load_files = LoadFiles(self._local_load)
        return self._load_files

    def use_load_files(self, files: LoadFiles) -> None:
        """Continue with the files of a dump that another slow path began."""
        self._load_files = files

    def end_load_files(self) -> None:
        """End the text: report its files."""
        if self._load_files is not None:
            self._load_files.end(self._warn)

    def load_file(self, file_id: int, shown: bool) -> bytes | None:
        """Return the file an Execute_load_query reads, as it stands in a statement; `shown`: the text has the
        statement.
        """
        name = self._load_files.pop(file_id, shown) if self._load_files is not None else None
        if name is None:
            return None
        quoted = name.replace("\\", "/").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
        return quoted.encode("utf-8", "surrogateescape")

    def no_load_file(self, batch: EventBatch, index: int, file_id: int) -> None:
        """Tell that the file which an Execute_load_query or Execute_load is about did not come before it."""
        name, first = "Execute_load_query", "Begin_load_query"
        if batch.header(index).type == EXECUTE_LOAD:
            name, first = "Execute_load", "Create_file"
        self._warn_of(batch, index, f"Ignoring {name}: no {first} came for file_id {file_id}.")

    def _warn_of(self, batch: EventBatch, index: int, text: str) -> None:
        self._warn(f"{text} [{batch.file}, at {batch.header(index).position}]")

    # ---- compressed transactions

    def payload_reader(self) -> PayloadReader | None:
        """Return the renderer's reader of ordinary payloads; None if their events are looked at here, one by one."""
        if self._base64_refused or self._on_corrupt is not None or self._rewrite is not None:
            return None
        return self._payloads

    def payload_error(self, batch: EventBatch, index: int, inner: EventBatch, error: RenderError) -> None:
        """Raise the error of an event inside an ordinary payload that the renderer could not print."""
        raise corrupt_inside(inner, error.index, batch.header(index).position) from None

    def payload(self, renderer: Renderer, batch: EventBatch, index: int) -> None:
        """Print the events of a Transaction_payload; the renderer has printed its header line."""
        from pybinlog.log.payload import PIECE, Payload

        position = batch.header(index).position
        try:
            payload = Payload(batch.body(index))
            # one by one if one may have to be omitted
            limit = 1 if self._base64_refused else PIECE
            try:
                for inner in payload.batches(self._payloads.scanner, batch, limit=limit):
                    with self.printing(inner):
                        inner.place_inside(batch, index)
                        if self._rewrite is not None:
                            self._rewrite.batch(inner)
                        if renderer.inside is not None:
                            for earlier in renderer.inside.apply(inner):
                                self._print_batch(renderer, earlier, position)
                        self._print_batch(renderer, inner, position)
                    del inner
            except CorruptEventError as error:
                if self._on_corrupt is None:
                    raise
                self._on_corrupt(error.at(batch.file, position), "the rest of the payload is skipped")
        except BinlogError as error:
            raise error.at(batch.file, position) from None

    def _print_batch(self, renderer: Renderer, inner: EventBatch, position: int) -> None:
        start = 0
        while start < len(inner):
            try:
                renderer.render_payload(inner, start)
                break
            except RenderError as error:
                self._pass_over(renderer, inner, error, position)
                start = error.index + 1

    def _pass_over(self, renderer: Renderer, inner: EventBatch, error: RenderError, payload_at: int) -> None:
        """Leave out an event inside a payload that may be printed only in base64; the reference continues after it.

        A corrupt one is omitted if you ask for that.
        """
        from pybinlog.event_types import printed_name

        header = inner.header(error.index)
        if error.kind != printer.BASE64_REFUSED:
            corrupt = corrupt_inside(inner, error.index, payload_at)
            if self._on_corrupt is None:
                raise corrupt from None
            self._on_corrupt(corrupt, "it is skipped")
            return
        self._warn_of(
            inner,
            error.index,
            f"Leaving out a {printed_name(header.type)} event of a payload: it can be printed only in base64, which "
            "--base64-output=never forbids.",
        )
        renderer.put(b"# at %d\n" % header.position)

    # ---- MariaDB's

    def inflated(self, batch: EventBatch, index: int, at: int) -> bytes | bytearray | mmap:
        """Return what a compressed event that is not ordinary stands for: a large event, as a rule.

        Its compressed bytes begin at `at` in its body. A row event has its checksum if the log has them. Raise
        CorruptEventError if it cannot be inflated.
        """
        from pybinlog.log.large_event import inflated_event

        header = batch.data(index)[:COMMON_HEADER_LENGTH]
        try:
            return inflated_event(header, batch.body(index), at, checksums=batch.checksum_algorithm == 1)
        except BinlogError as error:
            raise error.at(batch.file, batch.header(index).position) from None

    # ---- the rare ones

    def rare(self, renderer: Renderer, batch: EventBatch, index: int) -> None:
        """Print an event of a type that few logs hold. Raise CorruptEventError if its fields cannot be read."""
        from pybinlog.dump.unusual import PRINTERS

        header = batch.header(index)
        try:
            PRINTERS[header.type](renderer, batch, index, batch.body(index))
        except BinlogError as error:
            raise error.at(batch.file, header.position) from None


def corrupt_inside(inner: EventBatch, index: int, payload_at: int) -> CorruptEventError:
    """Return the sentence for an event inside a payload that cannot be printed."""
    from pybinlog.event_types import printed_name

    name = printed_name(inner.header(index).type)
    return CorruptEventError(
        f"the {name} event inside the payload is corrupt: a length in it reaches beyond its end",
        file=inner.file,
        position=payload_at,
    )
