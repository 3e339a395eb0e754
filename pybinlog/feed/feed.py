"""Feed: the logs of spans, read into views of the kernel."""

from __future__ import annotations

import sys
from bisect import bisect_left

from pybinlog.boundary.stream import continues
from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError, GapError, OutOfMemory
from pybinlog.feed.intake import Intake
from pybinlog.feed.log_read import LogRead
from pybinlog.feed.policy import Mode, Policy
from pybinlog.feed.remarks import Filtered, Remarks
from pybinlog.feed.span import Span, rest_of_group
from pybinlog.filters import AskedNames
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.boundary_state import boundary_number
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.log_mark import unchanged
from pybinlog.log.payload import last_event
from pybinlog.log.reader import Reader
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import BinaryIO, TypeAlias

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.filter.row_scope import RowScope
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.log.gap_watch import GapWatch
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source

    Beside: TypeAlias = tuple[KernelView, RowScope | None]
    """A view and what marks its events."""


def to_standard_error(text: str) -> None:
    sys.stderr.write(f"WARNING: {visible(text)}\n")


def ignore(text: str) -> None:
    """Ignore a sentence that another feed says."""


class Feed:
    """Reads spans of logs into views; every span is read apart from the others.

    for _ in feed.read(span, view): rows = view.pop()

    `read` yields whenever rows are to be taken. It raises BinlogError, with file and position, after the rows of
    everything before, unless the policy lets it pass: then `warn` gets the sentence. `opens` opens a log by its name,
    in the place of `open_source`. `as_it_comes`: where a log pauses, the rows of what has arrived come at once. `logs`
    says what was read. `force_read` lets events of unknown types pass. `remarks` are about all spans that were read;
    without `counts_statements`, they do not count statements whose rows the logs do not contain. `catalog` knows tables
    whose columns the logs do not name; it takes the statements of what is read, and another one may take its place
    before a span. `gaps` looks for logs that are missing between those that are read; not `in_order`, they need not
    follow each other. `is_first_pass`: another feed reads the same logs, and says what there is to say.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        warn: Callable[[str], object] = to_standard_error,
        stdin: BinaryIO | None = None,
        opens: Callable[[str], AbstractContextManager[Source]] | None = None,
        progress: Callable[[int], None] | None = None,
        as_it_comes: bool = False,
        force_read: bool = False,
        catalog: Catalog | None = None,
        gaps: GapWatch | None = None,
        in_order: bool = True,
        counts_statements: bool = True,
        is_first_pass: bool = False,
    ):
        self.policy = policy
        self.warn = ignore if is_first_pass else warn
        self.catalog = catalog
        self.remarks = Remarks()
        self.logs: list[LogRead] = []
        self._stdin = stdin
        self._opens = opens
        self._progress = progress
        self._as_it_comes = as_it_comes
        self._force_read = force_read
        self.gaps = policy.gap_watch(warn) if gaps is None and in_order and not is_first_pass else gaps
        self._is_filtered = policy.has_filters and not is_first_pass
        self._counts_statements = counts_statements and not is_first_pass

    def read(
        self,
        span: Span,
        view: KernelView,
        scope: RowScope | None = None,
        *,
        statement_bits: bool = False,
        verifies: bool = True,
        bare_names: bool = False,
        beside: Sequence[Beside] = (),
    ) -> Generator[None, None, None]:
        """Read a span; `scope` and `bare_names` are as in Intake. `verifies`: a wrong checksum is an error.

        `beside` are further views with their scopes, which get the same events; their rows are to be taken, too.
        Definitions of tables, and what there is to say, are those of `view`.
        """
        view.events.rolled_back = span.rolled_back or None
        if self.catalog is None and self._counts_statements:
            self.catalog = Catalog(keys_only=True)
        view.events.catalog = self.catalog
        form: dict[str, bool] = {"statement_bits": statement_bits, "bare_names": bare_names}
        form["counts_statements"] = self._counts_statements
        intakes = [Intake(view, scope, self.policy, self.warn, **form)]
        intakes += [Intake(other, of_other, self.policy, ignore, **form) for other, of_other in beside]
        scanner = Scanner(verify_checksum=verifies, force_read=self._force_read)
        scanner.statement_bits = statement_bits
        scanner.last_in_payload = last_event
        found, ended = False, False
        try:
            for _ in self._read(span, intakes, scanner):
                found = found or view.count > 0
                yield
            ended = True
        finally:
            filtered, asked = self._filtered(span, found=found or not ended), None
            if filtered is not None and scope is not None and scope.answers is not None:
                asked = scope.answers.asked if ended else AskedNames()
            self.remarks = self.remarks.plus(Remarks.of(view, filtered, asked))

    def _filtered(self, span: Span, *, found: bool) -> Filtered | None:
        """Return the span's logs, if filters are applied to them."""
        if not self._is_filtered:
            return None
        return Filtered(self.policy, span.names[:1] if span.of_first else span.names, found)

    def _read(self, span: Span, intakes: Sequence[Intake], scanner: Scanner) -> Generator[None, None, None]:
        rotates_to: str | None = None
        for place, name in enumerate(span.names):
            first, last = place == 0, place == len(span.names) - 1
            if not first and not continues(rotates_to, name):
                scanner.reset()
            rotates_to = None
            for intake in intakes:
                intake.begin_log(name, place)
                intake.view.events.hide_before = span.start if first else 0
            stop = span.stop if last else None
            if span.of_first and not first:
                stop = rest_of_group(name, boundary_number(scanner))
                if stop == MAGIC_LENGTH:
                    break
            try:
                with self._opened(name, span) as source:
                    reader = self._reader(source, scanner, span if first else Span((name,)), intakes)
                    reader.tells_pauses = self._as_it_comes
                    self.logs.append(log := LogRead(name, source.size or 0))
                    for batch in self._batches(reader, span, first=first):
                        log.see(batch, reader.position)
                        if stop is not None:
                            cut(batch, stop)
                        for intake in intakes:
                            yield from intake.add(batch)
                        del batch  # its bytes go before the next are read
                        if self._as_it_comes and not source.ready(0):
                            yield from rest(intakes)
                        if stop is not None and reader.position >= stop:
                            break
                    rotates_to = reader.rotates_to
            except MemoryError as error:
                raise OutOfMemory.of(error, name, scanner.position) from None
            except BinlogError as error:
                if isinstance(error, GapError) and error.file == name:
                    self.logs.pop()
                # what was read before the error comes out before it
                yield from rest(intakes)
                self.policy.let_pass(error.at(name), self.warn)
            if span.of_first and not first and stop is not None:
                break
        for intake in intakes:
            intake.view.finish()
        yield from rest(intakes)

    def _batches(self, reader: Reader, span: Span, *, first: bool) -> Iterable[EventBatch]:
        """Return a log's batches. Raise GapError if a log is missing before it, or before the one that follows."""
        batches = reader if self._progress is None else reader.counted(self._progress)
        if self.gaps is None or (span.of_first and not first):
            return batches
        return self.gaps.batches(reader, batches, span.following)

    def _opened(self, name: str, span: Span) -> AbstractContextManager[Source]:
        """Return one of the span's logs, open to be read."""
        if self._opens is not None:
            return self._opens(name)
        return unchanged(name, span.marks_of(name), self._stdin)

    def _reader(self, source: Source, scanner: Scanner, span: Span, intakes: Sequence[Intake]) -> Reader:
        """Return a reader of the span's first log, from the span's start on."""
        start = span.start
        if start > MAGIC_LENGTH and looks_like_relay_log(span.names[0]):
            # A relay log has its source's Format_description somewhere before the start.
            start = MAGIC_LENGTH
        if self.policy.mode is Mode.FAILFAST:
            return Reader(source, scanner, start)

        def damaged(damage: Damage) -> None:
            if damage.cut and damage.end is None and scanner.in_use:
                return  # the server is writing it
            if self.gaps is not None:
                self.gaps.note_damage()
            for intake in intakes:
                intake.skip(damage.start, damage.start + damage.length, damage.error)
                if intake.scope is not None:
                    intake.scope.finish()

        from pybinlog.log.recover import RecoveringReader

        return RecoveringReader(source, scanner, start, on_damage=damaged)


def rest(intakes: Iterable[Intake]) -> Iterator[None]:
    """Yield for each view that has rows."""
    for intake in intakes:
        yield from intake.rest()


def cut(batch: EventBatch, stop: int) -> None:
    """Leave out the batch's events from a position on."""
    if batch.count and batch.header(batch.count - 1).position >= stop:
        batch.truncate(bisect_left(range(batch.count), stop, key=lambda index: batch.header(index).position))
