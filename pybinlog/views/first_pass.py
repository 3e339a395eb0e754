"""Read logs a first time, in jobs: find the statements that define tables, and how transactions ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError
from pybinlog.feed.log_read import LogRead
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import LogPlace, Span, log_places
from pybinlog.jobs.packs import CORES, packs, stored_size
from pybinlog.views import outcomes, table_shape
from pybinlog.views.definitions import CatalogsAlong, SpanStatements, StatementRecord, statements_in
from pybinlog.views.options import ViewOptions
from pybinlog.views.outcomes import transactions, without_rolled_back
from pybinlog.views.table_shape import TableShape
from pybinlog.views.table_survey import definitions_of, shape_in

Run = Callable[[Callable[[Any], list[Any]], Iterable[Any]], Iterable[list[Any]]]
"""Run a function of a pack for many packs, perhaps on other machines, and give the results in order."""


@dataclass(frozen=True)
class KnownLog:
    """A log to read, and what other logs tell of it."""

    place: LogPlace
    catalog: Catalog | None = None
    """The tables as the log begins; None if they are those at the end of the log before in the pack."""
    rolled_back: frozenset[tuple[int, int]] = frozenset()

    def span(self) -> Span | None:
        span = self.place.span()
        return None if span is None else replace(span, rolled_back=self.rolled_back)


class Surveyed:
    """The packs of logs that tasks read. `run` reads them before, in a first pass whose results are kept here."""

    def __init__(self, names: Sequence[str], run: Run, cores: int = CORES):
        self._packs = packs(log_places(names), [stored_size(name) for name in names], cores)
        self._run = run
        self.statements: dict[Span, SpanStatements] = {}

    def _read(self, function: Callable[[Any], list[Any]]) -> Iterator[tuple[LogPlace, Any]]:
        """Yield each log with the result that the function has for it."""
        results = chain.from_iterable(self._run(function, self._packs))
        return zip(chain.from_iterable(self._packs), results, strict=True)

    def rolled_back(self, mode: Mode) -> tuple[dict[LogPlace, frozenset[tuple[int, int]]], int]:
        """Return each log's transactions that were rolled back, and the number of those with unknown outcomes.

        The statements are read with them.
        """
        spans: dict[LogPlace, Span] = {}
        ended: dict[Span, list[outcomes.Ended]] = {}
        for place, (span, of_span, statements) in self._read(partial(outcomes_of, mode)):
            if span is not None:
                spans[place], ended[span] = span, of_span
            self.statements[Span((place.name,))] = statements
        found, unknown = without_rolled_back(list(spans.values()), mode, ended=ended)
        return {place: span.rolled_back for place, span in zip(spans, found, strict=True)}, unknown

    def known(
        self,
        first: Catalog | None,
        warn: Callable[[str], object],
        asks: Callable[[LogPlace], bool] = lambda place: True,
        rolled_back: Mapping[LogPlace, frozenset[tuple[int, int]]] | None = None,
    ) -> Iterator[list[KnownLog]]:
        """Yield the logs of each pack that `asks` chooses.

        Their tables are those of `first`, which may be None, and of the statements in all logs.
        """
        along: CatalogsAlong | None = None
        if first is not None:
            if not self.statements:
                self.statements = {Span((place.name,)): found for place, found in self._read(statements_of)}
            along = CatalogsAlong(first, list(self.statements), self.statements, warn)
        for pack in self._packs:
            logs: list[KnownLog] = []
            before: Catalog | None = None
            for place in pack:
                span = Span((place.name,))
                known = None if along is None else along(span)
                if asks(place):
                    catalog = None if known is None or known is before else known.copy()
                    logs.append(KnownLog(place, catalog, (rolled_back or {}).get(place, frozenset())))
                before = known if asks(place) else None
                if known is not None:
                    for statement in self.statements[span].statements:
                        known.run(*statement)
            yield logs

    def shape(self, options: ViewOptions, first: Catalog | None, columns: Iterable[str] | None = None) -> TableShape:
        """Return the columns of the one table that the options ask for. BinlogError as `table_shape` has it."""
        tasks = self.known(first, lambda _: None)
        return shape_in(chain.from_iterable(self._run(partial(definitions_in, options), tasks)), columns)


def statements_of(pack: Sequence[LogPlace]) -> list[SpanStatements]:
    return [statements_in(Span((place.name,))) for place in pack]


def outcomes_of(mode: Mode, pack: Sequence[LogPlace]) -> list[tuple[Span | None, list[outcomes.Ended], SpanStatements]]:
    found = []
    for place in pack:
        record = StatementRecord()
        logs: list[LogRead] = []
        span = place.span()
        ended = [] if span is None else list(transactions(span, mode, catalog=record, logs=logs))
        found.append((span, ended, SpanStatements(record.statements, logs[0].size if logs else 0)))
    return found


def definitions_in(
    options: ViewOptions, pack: Sequence[KnownLog]
) -> list[tuple[list[table_shape.Definition], BinlogError | None]]:
    catalog: Catalog | None = None
    found = []
    for log in pack:
        catalog = catalog if log.catalog is None else log.catalog
        found.append(definitions_of(options, Span((log.place.name,)), catalog=catalog))
    return found
