"""Dump: log after log through reader and renderer, with what continues from one to the next."""

from __future__ import annotations

from pybinlog.dump.large_statements import LargeStatements
from pybinlog.dump.options import DumpOptions
from pybinlog.dump.selection import Selection
from pybinlog.dump.slow_path import SlowPath, corrupt_inside, error_of
from pybinlog.dump.threads_worth import ThreadsWorth
from pybinlog.dump.wrapping import closing, opening
from pybinlog.errors import (
    EVENTS_ENCRYPTED,
    KEYRING_HINT,
    BinlogError,
    CorruptEventError,
    EncryptedError,
    GapError,
    OutOfMemory,
)
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.text import printer
from pybinlog.kernel.text.render import Renderer, RenderError
from pybinlog.log.payload import last_event
from pybinlog.log.reader import Reader, wrong_checksum
from pybinlog.source import open_source
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO

    from pybinlog.catalog import Catalog
    from pybinlog.dump.column_names import ColumnNames
    from pybinlog.dump.follow import Follower
    from pybinlog.dump.parallel_dump import ParallelDump
    from pybinlog.dump.recovery import Recovery
    from pybinlog.dump.rewrite import DatabaseRewrite
    from pybinlog.dump.row_format import RowFormatCheck
    from pybinlog.dump.slow_path import Misfits
    from pybinlog.dump.small_logs import SmallLogPrinter
    from pybinlog.feed.remarks import Remarks
    from pybinlog.feed.span import Span
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.gap_watch import GapWatch
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source

LARGE_TEXT = 1 << 20
"""Bytes of a statement's text that wait for its end, at most; its later events are postponed."""


class Dump:
    """One text made of several logs: what the first has set, the second need not set again."""

    def __init__(
        self,
        options: DumpOptions,
        write: Callable[[bytes], object],
        warn: Callable[[str], None],
        stdin: BinaryIO | None = None,
        progress: Callable[[int], None] | None = None,
        jobs: int = 1,
        known: Callable[[Span], Catalog] | None = None,
    ):
        self.options = options
        self._write = write
        self._warn = warn
        self._stdin = stdin
        self._progress = progress
        self._rotates_to: str | None = None
        self._jobs = jobs
        self._scanner = Scanner(force_read=options.force_read)
        self._scanner.statement_bits = self._scanner.parse_bits = options.statement_bits
        self._scanner.last_in_payload = last_event
        self._row_format: RowFormatCheck | None = None
        self._rewrite: DatabaseRewrite | None = None
        if options.rewrite_db:
            from pybinlog.dump.rewrite import DatabaseRewrite

            self._rewrite = DatabaseRewrite(options.rewrite_db)
        self._misfits: list[Misfits] = []
        self._selection = selection_of(options, self._warn_refused)
        self._recovery: Recovery | None = None
        if options.recover:
            from pybinlog.dump.recovery import Recovery

            self._recovery = Recovery(warn)
        self._names: ColumnNames | None = None
        if known is not None:
            from pybinlog.dump.column_names import ColumnNames

            self._names = ColumnNames(known, warn)
        self._renderer = self._make_renderer()
        self._large_statements = LargeStatements()
        self._renderer.slow_path.large_statements = self._large_statements
        self._worth = ThreadsWorth(options)
        self._parallel: ParallelDump | None = None
        self._gaps: GapWatch | None = None
        self._small_logs: SmallLogPrinter | None = None

    def watch_gaps(self) -> None:
        """Let a log that does not continue the one before it be an error."""
        from pybinlog.log.gap_watch import GapWatch, range_of

        options = self.options
        gtids = (options.include_gtids, options.exclude_gtids, options.start_gtids)
        range = range_of(options.start_datetime, options.stop_datetime, *gtids)
        self._gaps = GapWatch(lambda sentence: self._warn(f"{sentence}."), allows=options.allow_gaps, range=range)

    def _make_renderer(self) -> Renderer:
        on_corrupt = self._recovery.event if self._recovery is not None else None
        slow_path = SlowPath(self.options, self._warn, self._rewrite, on_corrupt, self._misfits)
        inside = self._selection.payload_filter()
        lent = None if self._names is None else self._names.lent
        renderer = Renderer(self.options, self._write, self._warn_refused, slow_path, inside, lent)
        renderer.verify_checksums(self.options.verify_binlog_checksum)
        renderer.postpone_at(LARGE_TEXT)
        return renderer

    @property
    def damage(self) -> BinlogError | None:
        """The bytes that --recover skipped, or rows that could not be read; None if nothing."""
        skipped = self._recovery.damage if self._recovery is not None else None
        return skipped or error_of(self._misfits)

    def open(self) -> None:
        """Write what comes before the first log."""
        from pybinlog import __version__

        self._write(opening(self.options, __version__))

    def log(
        self, name: str, *, first: bool, last: bool, follow: Follower | None = None, following: str | None = None
    ) -> bool:
        """Write one log; return False if the chosen range ends in it. `following` is the next one, if another dump
        writes that.

        The start position is that of the first log, the stop position that of the last. With `follow`, what is
        appended to the log is written, too, until it ends. BinlogError as `run` has it.
        """
        self._selection.begin_log(last=last)
        several = not (first and last and follow is None)
        with open_source(name, self._stdin) if follow is None else follow.open(name) as opened:
            source: Source | None = opened
            while source is not None:
                titled = self.options.tbm and not self.options.short_form and (several or source.continues)
                whole = not first or source.sent_from is not None  # a server begins at the requested position
                start = 4 if whole else self.options.start_position
                if not self._print(source, start, follow, following, titled=titled):
                    return False
                source = source.following()
        return True

    def small_logs(self, names: Sequence[str], begin: int) -> int:
        """Write the small logs from that one on, but for the last of all; return the first that is not written.

        What is unusual about a log is left to `log`. BinlogError as `run` has it.
        """
        others = (self._recovery, self._names, self._rewrite)
        is_plain = not (self.options.filters or self.options.require_row_format or any(others))
        if begin >= len(names) - 1 or self._gaps is None or not is_plain:
            return begin
        if self._small_logs is None:
            from pybinlog.dump.small_logs import SmallLogPrinter

            self._small_logs = SmallLogPrinter(
                self._scanner, self._renderer, self._gaps, self._title, self._print_small, ahead=self._jobs > 1
            )
        self._verify_checksums(was_sent=False, apart=False)
        self._large_statements.source = None
        self._renderer.reread(False)
        reached, rotates_to = self._small_logs.print(names, begin, self._continues(names[begin]))
        if reached > begin:
            self._rotates_to = rotates_to
        return reached

    def _print_small(self, batch: EventBatch) -> None:
        self._render_from(batch, 0)
        if self._progress is not None:
            self._progress(batch.header(len(batch) - 1).end)

    def _print(
        self, source: Source, start_position: int, follow: Follower | None, following: str | None, *, titled: bool
    ) -> bool:
        """Write what a source gives; return False if the chosen range ends in it."""
        name = source.name
        if not self._continues(name):
            self._scanner.reset()
            self._selection.begin_stream()
        self._rotates_to = None
        if self._names is not None:
            self._names.begin_log(name)
        self._scanner.many_logs = name == "-"
        self._verify_checksums(was_sent=source.sent_from is not None)
        rereads = source.reads_at and self._rewrite is None
        self._large_statements.source = source
        self._renderer.reread(rereads)
        reader = self._open_reader(source, start_position)
        if follow is not None:
            follow.reads(reader)
        if self.options.require_row_format:
            from pybinlog.dump.row_format import RowFormatCheck

            self._row_format = RowFormatCheck(self._scanner)
        if self._may_print_in_parallel and follow is None:  # who waits has printed everything
            self._worth.begin(reader)
        try:
            for batch in self._batches(reader, following, titled=titled):
                if not self._render(batch):
                    return False
                del batch  # its bytes go before the next are read
        except MemoryError as error:
            raise OutOfMemory.of(error, name, reader.position) from None
        if self._selection.ended:
            self._selection.check_position(name)
            return False
        self._rotates_to = reader.rotates_to
        if reader.cut_tail:
            self._warn_cut_tail(name, reader.position)
        if follow is not None:
            follow.finish()
        return True

    def _continuing(
        self, reader: Reader, batches: Iterator[EventBatch], following: str | None, *, titled: bool
    ) -> Iterator[EventBatch]:
        """Yield the batches of a log, under its title. Raise GapError before that if a log is missing before it."""
        assert self._gaps is not None
        batches = self._gaps.batches(reader, batches, following)
        verify = self._scanner.verify_checksum
        self._scanner.verify_checksum = verify or self._scanner.checksums_follow  # a gap is judged by sound events
        try:
            batch = next(batches, None)
        except GapError:
            raise
        except BaseException:
            self._begin_log(reader.source.name, titled=titled)
            raise
        finally:
            self._scanner.verify_checksum = verify
        self._begin_log(reader.source.name, titled=titled)
        while batch is not None:
            yield batch
            del batch  # its bytes go before the next are read
            batch = next(batches, None)

    def _begin_log(self, name: str, *, titled: bool) -> None:
        """Write the name of the log, if there are several."""
        if titled:
            self._write(self._title(name))

    def _title(self, name: str) -> bytes:
        """Return the line that names a log; nothing if the options hide it."""
        if not self.options.tbm or self.options.short_form:
            return b""
        return f"# log {visible(name)}\n".encode("utf-8", "surrogateescape")

    def _verify_checksums(self, *, was_sent: bool, apart: bool = True) -> None:
        """Have them verified by the printing thread, if that may be another one; else by the scanner.

        What has come over a network is verified in any case.
        """
        verify = self.options.verify_binlog_checksum or was_sent
        apart = apart and self._may_print_in_parallel and not self._selection.takes_out and self._rewrite is None
        self._scanner.verify_checksum = verify and not apart
        self._scanner.checksums_follow = verify and apart
        self._renderer.verify_checksums(verify and apart)

    def _open_reader(self, source: Source, start_position: int) -> Reader:
        if self._recovery is None:
            return Reader(source, self._scanner, start_position, on_start_note=self._warn)
        from pybinlog.log.recover import RecoveringReader

        return RecoveringReader(
            source,
            self._scanner,
            start_position,
            on_damage=lambda damage: self._passed_over(damage, source.live),
            on_start_note=self._warn,
        )

    def _warn_cut_tail(self, name: str, position: int) -> None:
        self._warn(f"The log ends inside an event; it is in use or was not closed. [{name}, at {position}]")

    def _passed_over(self, damage: Damage, live: bool) -> None:
        """Note that the reader continues after a damaged place."""
        if self._gaps is not None:
            self._gaps.note_damage()
        if damage.cut and damage.end is None and (live or self._scanner.in_use):
            self._warn_cut_tail(str(damage.error.file), damage.start)
        elif self._recovery is not None:
            self._recovery.bytes(damage)

    def _continues(self, name: str) -> bool:
        """Return True if the log before ended with a Rotate that names this one: the event stream continues then."""
        if self._rotates_to is None:
            return False
        from pybinlog.boundary.stream import continues

        return continues(self._rotates_to, name)

    @property
    def remarks(self) -> Remarks:
        """Return what there is to say of what the filters have kept and dropped."""
        return self._selection.remarks()

    @property
    def start_missed(self) -> BinlogError | None:
        """That no transaction came to the GTIDs that the dump was to start after; None if each was seen."""
        missed = self._selection.starts_missed()
        if not missed:
            return None
        return BinlogError(
            f"the logs never reach {', '.join(missed)}, the position of --start-position",
            hint="Name a GTID of these logs, or add the logs that follow; give a date with --start-datetime",
        )

    def close(self) -> None:
        """Write what comes after the last log, and warn of what was omitted."""
        if self._recovery is not None:
            self._recovery.finish(self._renderer)
        self._warn_of_rest()
        decisions = self._selection.xa_decisions()
        if decisions is not None:
            self._renderer.close_transaction(decisions.rolled_back())
            for warning in decisions.warnings():
                self._warn(warning)
        self._renderer.finish()
        self._write(closing(self.options, decisions.decided() if decisions is not None else b""))

    def _warn_of_rest(self) -> None:
        """Warn of what is omitted, should the text end here."""
        if self._renderer.waits_for_statement:
            self._warn(
                "The printed events end with an Intvar, Rand or User_var event whose statement did not come: it is "
                "left out. The log may be cut, or --stop-position or --stop-datetime fall inside a statement."
            )
        if self._renderer.waits_for_rows:
            self._warn(
                "The printed events end inside a statement, before the row event that has STMT_END_F: its rows are "
                "not printed. The log may be incomplete, or --stop-position or --stop-datetime fall inside a "
                "statement."
            )
        for gtid in self._selection.stops_missed():
            self._warn(f"The logs end before the transaction {gtid}, which --stop-position names.")

    def end_load_files(self) -> None:
        """Name the files of LOAD DATA statements."""
        self._renderer.slow_path.end_load_files()

    # ---- other threads

    def end_threads(self) -> None:
        """Let them end, whatever they have under way."""
        if self._parallel is not None:
            self._parallel.close()

    @property
    def _may_print_in_parallel(self) -> bool:
        """Return True if other threads may print."""
        return self._jobs > 1 and self._recovery is None

    def _batches(self, reader: Reader, following: str | None, *, titled: bool) -> Iterator[EventBatch]:
        """Yield the batches to print here, one after the other; other threads print those that flow."""
        batches = iter(reader) if self._progress is None else reader.counted(self._progress)
        if self._gaps is not None:
            batches = self._continuing(reader, batches, following, titled=titled)
        else:
            self._begin_log(reader.source.name, titled=titled)
        if self._names is not None:
            batches = self._names.batches_with_names(batches)
        if self._rewrite is not None:
            batches = self._rewrite.batches(batches)
        whole, batches = batches, self._selection.batches(batches)
        is_first = True  # it may be that nothing more is worth a thread
        while (batch := next(batches, None)) is not None:
            if reader.flows and not is_first:
                self._worth.judge(batch, reader)
            if reader.flows and not is_first:
                ahead = self._names is None and self._rewrite is None and self._selection.takes_turns
                yield from self._parallel_dump().rest(reader, batch, batches, self._selection, whole if ahead else None)
                return
            is_first = False
            yield batch
            del batch  # its bytes' buffer is used again for the next one

    def _parallel_dump(self) -> ParallelDump:
        if self._parallel is None:
            from pybinlog.dump.parallel_dump import ParallelDump  # most logs are too small for it

            self._parallel = ParallelDump(
                self._jobs,
                self._renderer,
                self._render,
                self._make_renderer,
                self._explained,
                self._write,
                self._warn_refused,
                self._rewrite is None and not self.options.require_row_format,
                self._worth,
            )
            self._large_statements.pool = self._parallel.pool
        return self._parallel

    # ---- one batch after the other

    def _render(self, batch: EventBatch) -> bool:
        violation = None
        if self._row_format is not None:
            violation = self._row_format.first_violation(batch)
            position = None if violation is None else batch.header(violation).position
            batch.truncate(batch.count if violation is None else violation)
        if self._recovery is None:
            self._render_from(batch, 0)
        else:
            self._recovery.render(batch, self._renderer, self._render_from)
        if violation is not None:
            raise BinlogError(
                "the event changes data by a statement: Event being written violates the --require-row-format "
                "parameter constraints",
                file=batch.file,
                position=position,
            )
        return True

    def _render_from(self, batch: EventBatch, start: int) -> None:
        """Print the events from that index on. Raise BinlogError, with file and position, if one cannot be printed."""
        try:
            self._renderer.render(batch, start)
        except RenderError as error:
            raise self._explained(error, batch) from None
        except BinlogError as error:
            raise error.at(batch.file) from None
        finally:
            self._renderer.hand_on()

    def _explained(self, error: RenderError, batch: EventBatch) -> BinlogError:
        """Return the sentence for an event that cannot be printed."""
        from pybinlog.event_types import printed_name

        payload = batch.payload_around(error.index)
        if payload >= 0:
            return corrupt_inside(batch, error.index, batch.header(payload).position)
        header = batch.header(error.index)
        name = printed_name(header.type)
        where: dict[str, Any] = {"file": batch.file, "position": header.position}
        if error.kind == printer.BAD_CHECKSUM:
            return wrong_checksum(batch.code(error.index), header.event_size, **where)
        if error.kind == printer.BASE64_REFUSED:
            return BinlogError(
                f"a {name} event can be printed only in base64, which --base64-output=never forbids",
                hint="Use --base64-output=decode-rows -v to see the rows",
                **where,
            )
        if error.kind == printer.NO_FORMAT_DESCRIPTION:
            return BinlogError(
                f"a {name} event came before any Format_description event, so its BINLOG statement could not be run",
                hint="Start at the log's beginning, or use --base64-output=decode-rows -v",
                **where,
            )
        if error.kind == printer.LOG_IN_USE:
            return BinlogError(
                "the log was not closed properly: its server is writing it, or crashed",
                hint="--force-if-open prints it anyway",
                **where,
            )
        if error.kind == printer.ENCRYPTED:
            return EncryptedError(EVENTS_ENCRYPTED, hint=KEYRING_HINT, **where)
        what = f"the {name} event"
        if error.kind == printer.CORRUPT_VARIABLE:
            what = f"an Intvar, Rand or User_var event before {what}"
        return CorruptEventError(f"{what} is corrupt: a length in it reaches beyond its end", **where)

    def _warn_refused(self, batch: EventBatch, index: int) -> None:
        """Warn with the boundary parser's own sentence (WL#4162, I3)."""
        from pybinlog.boundary.bits import refusal

        header = batch.header(index)
        message = refusal(batch.refused_from(index), header.boundary, batch.bits(index)).message
        self._warn(f"{message} [{batch.file}, at {header.position}]")


def selection_of(options: DumpOptions, warn_refused: Callable[[EventBatch, int], None] | None = None) -> Selection:
    """Return what the options select."""
    if not options.filters:
        return Selection()
    from pybinlog.dump.filters import FilteredSelection  # most dumps need none of its modules

    return FilteredSelection(options, warn_refused)
