"""The filter of a dump: its conditions, made of the options, and the batches of log after log on their way through."""

from __future__ import annotations

import re
from functools import partial

from pybinlog.dump.rewrite import DatabaseRewrite
from pybinlog.dump.selection import Selection, XaDecisions
from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.event_types import OPENING_TYPES, EventType
from pybinlog.feed.remarks import Remarks
from pybinlog.filters import NameAnswers, NameRules, included_names
from pybinlog.kernel.filter.conditions import Conditions, NameFilter
from pybinlog.kernel.filter.event_conditions import EventConditions
from pybinlog.kernel.filter.filter import DatabaseCondition, Filter
from pybinlog.kernel.filter.gtid_window import Contradiction, GtidWindow
from pybinlog.kernel.filter.transaction_scope import TransactionScope
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.kernel.scan.operation import operation_bits
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.statement.logged_tables import read_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from mmap import mmap
    from typing import Any

    from pybinlog.dump.options import DumpOptions
    from pybinlog.kernel.base.batch import EventBatch

ALWAYS_KEPT = OPENING_TYPES | {EventType.STOP}
NO_LIMIT = (1 << 64) - 1
CONTRADICTIONS = {
    Contradiction.LACKS_TRANSACTIONS: "it begins after {0}-{1}-{2}, and so lacks transactions of domain {0}",
    Contradiction.START_LACKS_DOMAIN: "it begins after {0}-{1}-{2}, and the start position names no GTID of domain {0}",
    Contradiction.BEGINS_AFTER_STOP: "it begins after {0}-{1}-{2}, and so after the stop position",
}


class FilteredSelection(Selection):
    """The events that a filter keeps.

    `warn_refused(batch, index)` is told of each event that the boundary parser refused, if the filter may take it out
    of its batch. Raise BinlogError if a GTID set or position is malformed.
    """

    def __init__(self, options: DumpOptions, warn_refused: Callable[[EventBatch, int], None] | None = None):
        self._options = options
        rules = options.names
        self._answers = None if rules is None else NameAnswers(rules.ask_for, included_names(rules))
        self.filter: Filter = filter_of(options, warn_refused, self._answers)
        self.takes_out = options.filters_transactions
        self.more_follows = False

    @property
    def ended(self) -> bool:  # type: ignore[override]
        return bool(self.filter.ended)

    @property
    def at_rest(self) -> bool:  # type: ignore[override]
        return bool(self.filter.at_rest) and not self.more_follows

    @property
    def error(self) -> Exception | None:  # type: ignore[override]
        found: Exception | None = self.filter.raised
        return found

    @property
    def takes_turns(self) -> bool:  # type: ignore[override]
        return bool(self.filter.judges_wholes)

    def payload_filter(self) -> Filter | None:
        return payload_filter_of(self._options)

    def begin_log(self, *, last: bool) -> None:
        stop = self._options.stop_position if last else None
        self.filter.set_stop_position(NO_LIMIT if stop is None else stop)

    def begin_stream(self) -> None:
        self.filter.begin_stream()

    def batches(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        while (batch := next(batches, None)) is not None:
            self.more_follows = True
            yield from self.apply(batch)
            self.more_follows = False
            if batch.count:
                yield batch
            del batch  # its bytes go before the next are read
            if self.filter.ended:
                if self.error is not None:
                    raise self.error
                return

    def apply(self, batch: EventBatch) -> list[EventBatch]:
        return self.filter.apply(batch)

    def remarks(self) -> Remarks:
        tally, unlogged = None, None
        for condition in self.filter.row_conditions:
            from pybinlog.where.tally import Tally

            tally = Tally.of(condition).plus(tally)
        count, tables = self.filter.respelled
        if count:
            from pybinlog.feed.unlogged import Unlogged, label

            unlogged = Unlogged(respelled=count, tables={label(*names): number for names, number in tables.items()})
        return Remarks(tally, unlogged, asked=None if self._answers is None else self._answers.asked)

    def check_position(self, name: str) -> None:
        window = self.filter.window
        if window is not None and window.contradictions:
            found = "; ".join(CONTRADICTIONS[why].format(*gtid) for *gtid, why in window.contradictions)
            raise BinlogError(
                f"the log does not match the requested position: {found}",
                hint="Give the logs from that position on; a start position names a GTID of each domain in the "
                "Gtid_list",
                file=name,
                position=window.listed_at,
            )

    def xa_decisions(self) -> XaDecisions | None:
        if self._options.resolve_xa is None:
            return None
        return XaDecisions(self._options.resolve_xa, *self.filter.unfinished_xa)

    def starts_missed(self) -> list[str]:
        window = self.filter.window
        return window.never_reached() if window is not None else []

    def stops_missed(self) -> list[str]:
        window = self.filter.window
        return window.not_stopped() if window is not None else []


def filter_of(
    options: DumpOptions,
    warn_refused: Callable[[EventBatch, int], None] | None = None,
    answers: NameAnswers | None = None,
) -> Filter:
    """Return the filter for the batches of log after log; `answers` compares names."""
    events = EventConditions(
        offset=options.offset,
        start_time=options.start_datetime,
        stop_time=options.stop_datetime,
        server_id=options.server_id,
        server_id_bits=options.server_id_bits,
        include_gtids=gtid_filter(options.include_gtids, "--include-gtids"),
        exclude_gtids=gtid_filter(options.exclude_gtids, "--exclude-gtids"),
        window=gtid_window(options.start_gtids, options.stop_gtids),
    )
    if not options.filters_transactions:
        return Filter(events, database_condition(options))
    scope = transaction_scope(
        options,
        answers,
        events=events,
        warn=warn_refused,
        inside=transaction_scope(options, answers),
        # those whose databases are renamed are read piece by piece
        payloads=None if options.rewrite_db else PayloadReader(options.force_read),
        resolves=options.resolve_xa is not None,
    )
    return Filter(events, transactions=scope)


def payload_filter_of(options: DumpOptions) -> Filter | None:
    """Return the filter for the events inside payloads that are kept; None if all of them are."""
    if options.filters_transactions:
        return Filter(EventConditions(), transactions=transaction_scope(options))
    if options.server_id is None and options.stop_datetime is None and options.database is None:
        return None
    events = EventConditions(
        stop_time=options.stop_datetime,
        server_id=options.server_id,
        server_id_bits=options.server_id_bits,
        inside_payload=True,
    )
    return Filter(events, database_condition(options))


def transaction_scope(options: DumpOptions, answers: NameAnswers | None = None, **of_log: Any) -> TransactionScope:
    """Return a scope of the events inside payloads, or with `of_log` of those of a log, in each case for one thread."""
    names = spellings = None
    if options.names is not None:
        names = NameFilter(answers or options.names.ask_for, options.names.includes)
        spellings = NameFilter(partial(options.names.ask_for, any_case=True), options.names.includes)
    conditions = Conditions(
        read_tables,
        names=names,
        spellings=spellings,
        types=options.event_types,
        operations=operation_bits(options.operations),
        threads=options.thread_ids,
        servers=options.server_ids,
        server_id_bits=options.server_id_bits,
    )
    values = None if options.where is None else options.where.of_rows()
    return TransactionScope(conditions, slow_path=SlowFilter(options), values=values, **of_log)


def database_condition(options: DumpOptions) -> DatabaseCondition | None:
    if options.database is None:
        return None
    return DatabaseCondition(options.database.encode("utf-8", "surrogateescape"), database_in_load)


def database_in_load(batch: EventBatch, index: int) -> bytes | None:
    """Return the database that an old LOAD DATA event names; None if it is unreadable."""
    from pybinlog.layout.envelope import Format, parse_body

    try:
        load = parse_body(batch.type(index), batch.body(index), Format.default())
    except BinlogError:
        return None
    name: str = load.db
    return name.encode("utf-8", "surrogateescape")


def gtid_window(start: str | None, stop: str | None) -> GtidWindow | None:
    if start is None and stop is None:
        return None
    from pybinlog.gtid_set import POSITION_HINT, parse_gtid_position

    try:
        return GtidWindow(parse_gtid_position(start) if start else [], parse_gtid_position(stop) if stop else [])
    except ValueError as error:
        raise BinlogError(f"a position by GTIDs: {error}", hint=POSITION_HINT) from None


def gtid_filter(text: str | None, option: str) -> GtidFilter | None:
    if text is None:
        return None
    from pybinlog.gtid_set import SET_HINT, parse_gtid_set

    try:
        return GtidFilter(parse_gtid_set(text))
    except ValueError as error:
        raise BinlogError(f"{option}: {error}", hint=SET_HINT) from None


def name_rules(options: DumpOptions) -> NameRules | None:
    """Return the rules for names; mysqlbinlog's one --database is a rule like others here."""
    if options.database is None:
        return options.names
    return NameRules((re.sub(r"([*?[])", r"[\1]", options.database),))


def matches(names: Sequence[str], options: DumpOptions) -> bool:
    """Return True if the filters keep an event of these logs, besides those that they always keep.

    The logs are read again. Raise BinlogError if one is unreadable.
    """
    # rules for names, even if there are none, let the frames of dropped transactions go, as mysqlbinlog does not
    names_asked = name_rules(options) or (NameRules() if options.event_types is None else None)
    asked = options.replace(names=names_asked, database=None, start_position=4, stop_position=None)
    selection = FilteredSelection(asked)
    scanner = Scanner()
    for name in names:
        with open_source(name) as source:
            for batch in selection.batches(iter(Reader(source, scanner))):
                if any(batch.header(index).type not in ALWAYS_KEPT for index in range(batch.count)):
                    return True
    return False


class SlowFilter:
    """Reads what the kernel's filter does not: large payloads and compressed events. Printing says what is wrong with
    one."""

    def __init__(self, options: DumpOptions):
        self._scanner = Scanner(force_read=options.force_read)
        self._rewrite = DatabaseRewrite(options.rewrite_db) if options.rewrite_db else None

    def match(self, batch: EventBatch, index: int, inside: TransactionScope) -> bool:
        """Return True if `inside` keeps something of a payload."""
        from pybinlog.log.payload import Payload

        kept = False
        try:
            for inner in Payload(batch.body(index)).batches(self._scanner, batch):
                if self._rewrite is not None:
                    self._rewrite.batch(inner)
                kept = inside.keeps(inner) or kept
                if kept and inside.rows is None:  # else its rows are counted
                    return True
                del inner
        except CorruptEventError:
            return True
        return kept

    def inflated_rows(self, batch: EventBatch, index: int, at: int) -> bytes | bytearray | mmap:
        """Return the row images of a compressed row event, which begin at `at` in its body.

        Raise CorruptEventError if they cannot be inflated.
        """
        from pybinlog.log.large_event import inflate

        return inflate(batch.body(index), at)
