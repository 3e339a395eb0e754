"""The definitions of tables as each part of logs begins, for parts that are read apart from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from pybinlog.catalog import Catalog
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.errors import BinlogError, Hint
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.gtid_set import Interval, parse_gtid_position, parse_gtid_set, source_of_event
from pybinlog.source import Source
from pybinlog.source.log_series import LogName
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader

Arguments = tuple[Any, ...]
Opens = Callable[[str], AbstractContextManager[Source]]


class StatementRecord(Catalog):
    """A catalog that knows no table and keeps the statements."""

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[tuple[Any, ...]] = []

    def run(self, text: bytes, database: bytes, *session: Any, **_: Any) -> None:
        self.statements.append((text, database, *session))

    def metadata(self, *_: Any, **__: Any) -> bytes:
        return b""


class CatalogsAlong:
    """Called with span after span, in order: the tables as each begins, in a catalog that its reader moves on.

    `spans` are all that will come, where they can be read twice: then a dump that does not say of which place it is
    gives names only where the statements of all logs of a series leave no doubt. Without them, statements lead on from
    the dump (`Catalog`). `statements`, of each span, if they have been read already.
    """

    def __init__(
        self,
        catalog: Catalog,
        spans: Sequence[Span] | None = None,
        statements: Mapping[Span, SpanStatements] | None = None,
        warn: Callable[[str], object] = lambda _: None,
        opens: Opens | None = None,
    ):
        self._first = catalog
        self._known = catalog
        self._before: Span | None = None
        self._certain: dict[tuple[str, ...], Catalog] = {}
        """By the names of the span that begins a series."""
        if spans is None and catalog.coordinates:
            warn(
                Hint(
                    "the dump of the tables is of {coordinates}, and a stream does not say where that is: it gives no "
                    "names. Write the logs to files before; or say with {--schema-of=}start that it is of their "
                    "beginning",
                    coordinates=catalog.coordinates,
                )
            )
            self._first = self._known = Catalog()
        if spans is None or not catalog.needs_statements:
            return
        for series in in_series(spans):
            read = [statements_in(span, opens) if statements is None else statements[span] for span in series]
            self._certain[series[0].names] = certain_in(catalog, series, read, warn, opens)

    def __call__(self, span: Span) -> Catalog:
        if not continues_definitions(self._before, span):
            self._known = self._certain.get(span.names, self._first).copy()
            self._known.warn = lambda _: None  # what there is to say is said when the rows are read
        self._before = span
        return self._known


def in_series(spans: Iterable[Span]) -> list[list[Span]]:
    """Return the spans that follow each other, together."""
    series: list[list[Span]] = []
    for span in spans:
        if series and continues_definitions(series[-1][-1], span):
            series[-1].append(span)
        else:
            series.append([span])
    return series


def certain_in(
    known: Catalog,
    spans: Sequence[Span],
    read: Sequence[SpanStatements],
    warn: Callable[[str], object],
    opens: Opens | None,
) -> Catalog:
    """Return the tables in the logs of a series; `read` are the statements of each span."""
    from pybinlog.catalog.certain import certain_catalog
    from pybinlog.catalog.timeline import Statement
    from pybinlog.statement import LoggedStatement

    names = [name for span in spans for name in span.names]
    files = {name.encode("utf-8", "replace"): number for number, name in enumerate(names)}
    logged = [LoggedStatement(*one) for found in read for one in found.statements]
    statements = [Statement((files[one.file], one.position), one) for one in logged]
    at = None
    if known.coordinates:
        at = place_of(known.coordinates, spans, names, read[-1].end, opens)
        if at is None:
            warn(
                Hint(
                    "the dump of the tables is of {coordinates}, which is not in {logs}: it gives no names there. Give "
                    "the logs up to that place; or say with {--schema-of=}start or {--schema-of=}end that nothing was "
                    "defined between",
                    coordinates=known.coordinates,
                    logs=in_words(names),
                )
            )
            known = Catalog()
            known.schema_of = "end"
    return certain_catalog(known, statements, files, at)


def in_words(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"the logs {names[0]} to {names[-1]}"


def place_of(
    coordinates: Coordinates, spans: Sequence[Span], names: Sequence[str], end: int, opens: Opens | None = None
) -> tuple[int, int] | None:
    """Return the place in these logs, the last of which ends at `end`; None if it is outside of them."""
    for number, name in enumerate(names):
        if LogName.of(name).base == coordinates.log:
            is_there = number < len(names) - 1 or coordinates.position <= end
            return (number, coordinates.position) if is_there else None
    if not coordinates.gtids:
        return None
    before = GtidsBefore(coordinates.gtids)
    at: tuple[int, int] | None = None
    options = ViewOptions(view="transactions", columns=("gtid", "file", "start_position"), mode=Mode.DROPMALFORMED)
    reader = ViewReader(options, opens=opens, is_first_pass=True)
    for span in spans:
        for gtid, file, position in reader.rows(span):
            if gtid is None:
                continue
            if gtid in before:
                if at is not None:
                    return None  # the GTIDs come in another order here
            elif at is None:
                at = names.index(file), position
    if not before.is_reached:
        return None  # it is unknown if something is missing between the dump and these logs
    return (len(names), 0) if at is None else at


class GtidsBefore:
    """The transactions before a place: a GTID set of MySQL, or the last GTID of each domain of MariaDB."""

    def __init__(self, text: str):
        self._domains: dict[int, int] = {}
        self._intervals: list[Interval] = []
        try:
            self._domains = {domain: number for domain, _, number in parse_gtid_position(text)}
        except ValueError:
            self._intervals = parse_gtid_set(text)
        self._last: dict[object, tuple[int, int]] = {}

    def __contains__(self, gtid: str) -> bool:
        if self._domains:
            found = parse_gtid_position(gtid) if gtid.count("-") == 2 else []
            return any(
                self._is_before(domain, sequence, self._domains.get(domain, -1)) for domain, _, sequence in found
            )
        name, _, number = gtid.rpartition(":")
        source = source_of_event(name)
        of_source = [one for one in self._intervals if one[:2] == source]
        if not any(one[2] <= int(number) < one[3] for one in of_source):
            return False
        return self._is_before(source, int(number), of_source[-1][3] - 1)

    def _is_before(self, source: object, number: int, last: int) -> bool:
        if number <= last:
            self._last[source] = max(number, self._last.get(source, (0, 0))[0]), last
        return number <= last

    @property
    def is_reached(self) -> bool:
        """Return True if the place has GTIDs, and the last transaction of each of their sources has come."""
        return bool(self._last) and all(number == last for number, last in self._last.values())


class SpanStatements(NamedTuple):
    """The statements of a span that may define tables, as arguments of `Catalog.run`, and where its last log ends."""

    statements: list[Arguments]
    end: int


def statements_in(span: Span, opens: Opens | None = None) -> SpanStatements:
    """Return the statements of a span; those before an error."""
    record = StatementRecord()
    # no row is of one of no tables, so only headers and statements are read
    options = ViewOptions(view="rows", columns=("position",), tables=frozenset(), mode=Mode.DROPMALFORMED)
    reader = ViewReader(options, catalog=record, opens=opens, is_first_pass=True)
    try:
        for _ in reader.batches(span):
            pass
    except BinlogError:
        pass  # the reader of its rows reports it
    return SpanStatements(record.statements, reader.feed.logs[-1].size if reader.feed.logs else 0)


def continues_definitions(before: Span | None, span: Span) -> bool:
    """Return True if the definitions at a span's beginning are those at the end of the one before it."""
    return before is not None and LogName.of(span.names[0]).follows(LogName.of(before.names[-1]))
