"""ViewReader: spans of logs as batches of a view."""

from __future__ import annotations

import sys
from bisect import bisect_left
from contextlib import closing
from functools import cached_property

from pybinlog.boundary.stream import continues
from pybinlog.errors import (
    EVENTS_ENCRYPTED,
    KEYRING_HINT,
    BinlogError,
    ChecksumError,
    CorruptEventError,
    DataLossError,
    EncryptedError,
    GapError,
    Hint,
    OutOfMemory,
    SourceError,
    TruncatedError,
    UnknownEventError,
)
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.boundary_state import boundary_number
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.scan.statement_tables import StatementTables
from pybinlog.kernel.views import view_events as kernel
from pybinlog.kernel.views.unlogged_rows import UnloggedRows
from pybinlog.log.log_mark import unchanged
from pybinlog.log.payload import batches_inside, last_event
from pybinlog.log.reader import Reader
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source.log_series import LogName
from pybinlog.statement.logged_tables import read_tables
from pybinlog.views.batch import LineBatch, LogRead, ViewBatch, arrow_schema
from pybinlog.views.column_values import Spill
from pybinlog.views.kernel_views import MAKERS, ROWS_OF, Making
from pybinlog.views.options import Mode, ViewOptions
from pybinlog.views.remarks import Remarks
from pybinlog.views.span import Span, rest_of_group
from pybinlog.views.view import Need
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from contextlib import AbstractContextManager
    from mmap import mmap
    from typing import Any, BinaryIO

    import pyarrow

    from pybinlog.catalog import Catalog
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.log.gap_watch import GapWatch
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source
    from pybinlog.views.batch import LineForm


class ViewReader:
    """Reads spans of logs as batches of one view; every span is read apart from the others.

    With `lines`, for a view that has them (`View.has_lines`), `batches` gives LineBatches.

    `batches(span)` raises BinlogError, with file and position, after the batches of everything before, unless the
    options let it pass: then `warn` gets the sentence. `read(span)` gives the same as record batches of pyarrow, which
    nothing else here needs, with the schema `schema`; you may give another one with the same columns (in names and
    types). `opens` opens a log by its name, in the place of `open_source`. `as_it_comes`: where a log pauses, the rows
    of what has arrived come at once, in a smaller batch. `logs` says what was read. `force_read` lets events of unknown
    types pass. `remarks` are about all spans that were read; without `counts_statements`, they do not count statements
    whose rows the logs do not contain. `catalog`, for the views rows and table, knows tables whose columns the logs do
    not name; it takes the statements of what is read, and another one may take its place before a span. `gaps` looks
    for logs that are missing between those that are read.
    """

    def __init__(
        self,
        options: ViewOptions,
        *,
        schema: pyarrow.Schema | None = None,
        warn: Callable[[str], object] | None = None,
        stdin: BinaryIO | None = None,
        opens: Callable[[str], AbstractContextManager[Source]] | None = None,
        progress: Callable[[int], None] | None = None,
        as_it_comes: bool = False,
        force_read: bool = False,
        catalog: Catalog | None = None,
        lines: LineForm | None = None,
        gaps: GapWatch | None = None,
        counts_statements: bool = True,
    ):
        self._lines = lines
        self._gaps = gaps
        self.logs: list[LogRead] = []
        self._as_it_comes = as_it_comes
        self._force_read = force_read
        self._stdin = stdin
        self._opens = opens
        self.catalog = catalog
        self._progress = progress
        self._options = options
        self._view = options.definition
        self._names = options.column_names
        self._scope_of_read()  # ValueError comes early
        self.remarks = Remarks()
        self._counts_statements = counts_statements
        self._statement_bits = options.needs(Need.BITS)
        self._warn = warn or to_standard_error
        self._payloads: list[PayloadReader] = []  # that no read() is at work with
        self._schema = schema

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """The schema of the record batches."""
        return self._schema if self._schema is not None else arrow_schema(self._view, self._names)

    def read(self, span: Span) -> Iterator[pyarrow.RecordBatch]:
        schema = self.schema
        with closing(self.batches(span)) as batches:
            for batch in batches:
                rows = batch.to_arrow(schema)
                del batch
                yield rows
                del rows  # before the next is made

    def rows(self, span: Span) -> Iterator[tuple[Any, ...]]:
        """Yield the rows as tuples of values for Python."""
        with closing(self.batches(span)) as batches:
            for batch in batches:
                yield from batch.rows()

    def batches(self, span: Span) -> Generator[ViewBatch, None, None]:
        rows = self._begin(span.rolled_back)
        try:
            yield from self._read_span(span, rows)
        finally:
            self.remarks = Remarks.of(rows, has_condition=self._options.where is not None).plus(self.remarks)

    def _read_span(self, span: Span, rows: KernelView) -> Generator[ViewBatch, None, None]:
        scope = self._scope_of_read()
        scanner = Scanner()
        scanner.verify_checksum = not self._view.needs(Need.CHECKSUMS)  # there is a column that says so
        scanner.statement_bits = self._statement_bits
        scanner.last_in_payload = last_event
        scanner.force_read = self._force_read
        rotates_to: str | None = None
        for place, name in enumerate(span.names):
            first, last = place == 0, place == len(span.names) - 1
            if not first and not continues(rotates_to, name):
                scanner.reset()
            rotates_to = None
            self._name_log(rows, name, place)
            rows.events.hide_before = span.start if first else 0
            stop = span.stop if last else None
            if span.of_first and not first:
                stop = rest_of_group(name, boundary_number(scanner))
                if stop == MAGIC_LENGTH:
                    break
            try:
                with self._opened(name, span) as source:
                    reader = self._reader(source, scanner, span if first else Span((name,)), rows, scope)
                    reader.tells_pauses = self._as_it_comes
                    self.logs.append(log := LogRead(name, source.size or 0))
                    for batch in self._batches(reader, span, first=first):
                        log.see(batch, reader.position)
                        if stop is not None:
                            cut(batch, stop)
                        if scope is not None:
                            scope.mark(batch)
                        yield from self._add(rows, batch, scope)
                        del batch  # its bytes go before the next are read
                        if self._as_it_comes and not source.ready(0):
                            yield from self._rest(rows)
                        if stop is not None and reader.position >= stop:
                            break
                    rotates_to = reader.rotates_to
            except MemoryError as error:
                raise OutOfMemory.of(error, name, scanner.position) from None
            except BinlogError as error:
                if isinstance(error, GapError) and error.file == name:
                    self.logs.pop()
                # what was read before the error comes out before it
                yield from self._rest(rows)
                self._let_pass(self._explained(error.at(name)))
            if span.of_first and not first and stop is not None:
                break
        rows.finish()
        yield from self._rest(rows)

    def _batches(self, reader: Reader, span: Span, *, first: bool) -> Iterable[EventBatch]:
        """Return a log's batches. Raise GapError if a log is missing before it, or before the one that follows."""
        batches = reader if self._progress is None else reader.counted(self._progress)
        if self._gaps is None or (span.of_first and not first):
            return batches
        return self._gaps.batches(reader, batches, span.following)

    # ---- making

    def _name_log(self, rows: KernelView, name: str, place: int = 0) -> None:
        """Begin the events of a log, which has that place in its span."""
        rows.events.file_name(LogName.of(name).base if self._view.as_server else str(name))
        rows.events.file_number = place
        rows.events.log_number = min(LogName.of(name).number or 0, MOST_NUMBER)

    def _opened(self, name: str, span: Span) -> AbstractContextManager[Source]:
        """One of the span's logs, open to be read."""
        if self._opens is not None:
            return self._opens(name)
        return unchanged(name, span.marks_of(name), self._stdin)

    def _begin(self, rolled_back: frozenset[tuple[int, int]]) -> KernelView:
        making = Making(self._options, self._view, self._names, Spill(), self._lines)
        rows = self._make(making)
        rows.spill = making.spill
        rows.most_bytes = self._options.batch_bytes if self._lines is None else PORTION
        rows.most_rows = min(self._options.batch_rows, max(1, MOST_VALUES // max(1, len(self._names))))
        rows.permissive = self._options.mode is Mode.PERMISSIVE
        rows.events.rolled_back = rolled_back or None
        rows.events.catalog = self.catalog
        if self._counts_statements and rows.events.unlogged is None:
            rows.events.statements = StatementTables(read_tables)
            rows.events.unlogged = UnloggedRows()
        return rows

    def _scope_of_read(self) -> RowScope | None:
        """Return the scope that marks the events of one read; None if the options ask for all rows."""
        return self._options.scope(ROWS_OF[self._view.name])

    def _make(self, making: Making) -> KernelView:
        return MAKERS[self._view.name](making)

    def _reader(self, source: Source, scanner: Scanner, span: Span, rows: KernelView, scope: RowScope | None) -> Reader:
        """Return a reader of the span's first log, from the span's start on."""
        start = span.start
        if start > MAGIC_LENGTH and looks_like_relay_log(span.names[0]):
            # A relay log has its source's Format_description somewhere before the start.
            start = MAGIC_LENGTH
        if self._options.mode is Mode.FAILFAST:
            return Reader(source, scanner, start)

        def damaged(damage: Damage) -> None:
            if damage.cut and damage.end is None and scanner.in_use:
                return  # the server is writing it
            self._damage(rows, damage.start, damage.start + damage.length, damage.error)
            if self._gaps is not None:
                self._gaps.note_damage()
            if scope is not None:
                scope.finish()

        from pybinlog.log.recover import RecoveringReader

        return RecoveringReader(source, scanner, start, on_damage=damaged)

    # ---- batches

    def _rest(self, rows: KernelView) -> Iterator[ViewBatch]:
        if rows.count:
            yield self._take(rows)

    def _take(self, rows: KernelView) -> ViewBatch:
        if self._lines is not None:
            return LineBatch(self._view, self._names, *rows.pop())
        count = rows.count
        return ViewBatch(self._view, self._names, rows.pop(), count)

    def _add(
        self, rows: KernelView, batch: EventBatch, scope: RowScope | None = None, *, inside: bool = False
    ) -> Iterator[ViewBatch]:
        """Add the events of a batch, which are marked; full columns come out."""
        at = 0
        inflated: bytes | bytearray | mmap | None = None
        while True:
            at = rows.add(batch, at, inflated)
            inflated = None
            status = rows.status
            if status == kernel.VIEW_DONE:
                return
            if status == kernel.VIEW_FULL:
                yield self._take(rows)
                continue
            if status == kernel.VIEW_NO_MEMORY:
                raise out_of_memory(rows, batch, min(at, batch.count - 1))
            if status == kernel.VIEW_REFUSED:
                yield from self._rest(rows)
                raise rows.refused
            if status in (kernel.VIEW_TOO_LARGE, kernel.VIEW_ENCRYPTED):
                raise view_error(status, batch, at).at(batch.file, batch.header(min(at, batch.count - 1)).position)
            try:
                if status == kernel.VIEW_COMPRESSED:
                    from pybinlog.log.large_event import inflate

                    inflated = rows.spill.event = inflate(batch.body(at), rows.data_at)
                    continue
                if status == kernel.VIEW_PAYLOAD:
                    yield from self._payload(rows, batch, at, scope)
                else:
                    raise view_error(status, batch, at)
            except BinlogError as error:
                if self._options.mode is Mode.FAILFAST:
                    yield from self._rest(rows)
                    raise error.at(batch.file, batch.header(at).position) from None
                header = batch.header(at)
                self._damage(rows, header.position, header.end, error.at(batch.file, header.position))
                if scope is not None and not inside:
                    scope.finish()
                    scope.mark(batch, at + 1)
            at += 1

    def _payload(self, rows: KernelView, batch: EventBatch, index: int, scope: RowScope | None) -> Iterator[ViewBatch]:
        """Add the events inside a Transaction_payload."""
        header = batch.header(index)
        rows.events.enter_payload(header.position, header.end)
        if scope is not None:
            scope.inside.begin_payload(batch, index)
        payloads = self._payloads.pop() if self._payloads else PayloadReader(False, self._statement_bits)
        try:
            for inner in batches_inside(payloads, batch, index):
                rows.spill.event = inner.owner
                if scope is not None:
                    scope.inside.mark(inner)
                yield from self._add(rows, inner, scope, inside=True)
                del inner
        finally:
            rows.leave_payload()
            self._payloads.append(payloads)

    # ---- damage

    def _damage(self, rows: KernelView, start: int, end: int, error: BinlogError) -> None:
        """Say what cannot be read, and continue after it."""
        if self._options.mode is Mode.PERMISSIVE:
            rows.damage(start, end, str(error).encode("utf-8", "replace"))
        else:
            rows.damage(start, end, None)
            self._warn(f"{without_hint(error)}; {end - start} bytes are skipped")

    def _explained(self, error: BinlogError) -> BinlogError:
        """Return the error with the way out that this reader has."""
        if self._options.way_out and isinstance(
            error, (ChecksumError, UnknownEventError, CorruptEventError, TruncatedError)
        ):
            error.hint = UNKNOWN_TYPE if isinstance(error, UnknownEventError) else self._options.way_out
        return error

    def _let_pass(self, error: BinlogError) -> None:
        """Raise the error, or warn if the options tell to read the other files nevertheless."""
        missing = isinstance(error, SourceError) and isinstance(error.__cause__, FileNotFoundError)
        passed = self._options.ignore_corrupt_files or (missing and self._options.ignore_missing_files)
        if isinstance(error, DataLossError) or not passed:
            raise error
        self._warn(f"{without_hint(error)}; the rest of the file is skipped")


UNKNOWN_TYPE = Hint("A newer server may have written it; {--recover} skips it")
MOST_NUMBER = (1 << 63) - 1
MOST_VALUES = 1 << 22
"""The most values of a batch: one of a wide table has fewer rows."""
PORTION = 1 << 19
"""Bytes of lines in a batch, about: they are still in the processor's cache when they are written."""


def to_standard_error(text: str) -> None:
    sys.stderr.write(f"WARNING: {visible(text)}\n")


def without_hint(error: BinlogError) -> str:
    hint, error.hint = error.hint, None
    try:
        return str(error)
    finally:
        error.hint = hint


def cut(batch: EventBatch, stop: int) -> None:
    """Leave out the batch's events from a position on."""
    if batch.count and batch.header(batch.count - 1).position >= stop:
        batch.truncate(bisect_left(range(batch.count), stop, key=lambda index: batch.header(index).position))


def out_of_memory(rows: KernelView, batch: EventBatch, index: int) -> OutOfMemory:
    header = batch.header(index)
    wanted = rows.memory_wanted()
    much = f"{wanted} bytes of memory" if wanted else "more memory"
    return OutOfMemory(
        f"a column needs {much} for the event, which has {header.event_size} bytes, and it cannot be had",
        file=batch.file,
        position=header.position,
    )


def view_error(status: int, batch: EventBatch, index: int) -> BinlogError:
    """Return the error for an event that the columns refused."""
    from pybinlog.event_types import printed_name

    name = printed_name(batch.header(min(index, batch.count - 1)).type)
    if status == kernel.VIEW_NO_TABLE:
        return CorruptEventError(
            f"the table of the {name} event is not known: no Table_map came for it",
            hint="Read the log from the beginning of the transaction",
        )
    if status == kernel.VIEW_UNREADABLE:
        return CorruptEventError(f"a row of the {name} event cannot be read")
    if status == kernel.VIEW_ENCRYPTED:
        return EncryptedError(EVENTS_ENCRYPTED, hint=KEYRING_HINT)
    if status == kernel.VIEW_TOO_LARGE:
        return BinlogError(f"the {name} event holds more text than a column of Arrow's can take, which is 2 GiB")
    return CorruptEventError(f"the {name} event is corrupt: a length in it reaches beyond its end")
