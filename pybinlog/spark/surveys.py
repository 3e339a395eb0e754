"""A first pass over logs, on the executors: the statements that define tables, and how transactions ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from pybinlog.views.definitions import CatalogsAlong, SpanStatements, StatementRecord, statements_in
from pybinlog.views.options import Mode, ViewOptions
from pybinlog.views.outcomes import transactions
from pybinlog.views.span import LogPlace, Span
from pybinlog.views.table_survey import definitions_of, shape_in
from pybinlog.views.view import Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.errors import BinlogError
    from pybinlog.views.outcomes import Ended
    from pybinlog.views.table_shape import Definition, TableShape

    Run = Callable[[Callable[[Any], list[Any]], Iterable[Any]], Iterable[list[Any]]]
    """Run a function of a pack for many packs, on executors, and give the results in order."""


def names_columns(view: ViewOptions) -> bool:
    """Return True if the view needs the names of tables' columns, for a column of its own or a condition on values."""
    return view.definition.of_one_table or view.needs(Need.NAMES) or view.where is not None


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
    """The results of the first pass over packs of logs; `run` has the executors do it."""

    def __init__(self, packs: Sequence[Sequence[LogPlace]], run: Run):
        self._packs = packs
        self._run = run
        self._statements: dict[Span, SpanStatements] = {}

    @property
    def _places(self) -> Iterable[LogPlace]:
        return chain.from_iterable(self._packs)

    def read_outcomes(self, mode: Mode) -> dict[LogPlace, tuple[Span | None, list[Ended]]]:
        """Return the span of each log, and its transactions that matter; the statements are read with them."""
        results = chain.from_iterable(self._run(partial(outcomes_of, mode), self._packs))
        found = {}
        for place, (span, ended, statements) in zip(self._places, results, strict=True):
            found[place] = span, ended
            self._statements[Span((place.name,))] = statements
        return found

    def catalogs(self, first: Catalog | None, warn: Callable[[str], object]) -> Iterator[Sequence[Catalog | None]]:
        """Yield the catalogs of each pack, as KnownLog has them; those of `first` and the statements in the logs."""
        if first is None:
            yield from ([None] * len(pack) for pack in self._packs)
            return
        if not self._statements:
            results = chain.from_iterable(self._run(statements_of, self._packs))
            self._statements = {Span((place.name,)): found for place, found in zip(self._places, results, strict=True)}
        along = CatalogsAlong(first, list(self._statements), self._statements, warn)
        for pack in self._packs:
            catalogs: list[Catalog | None] = []
            before: Catalog | None = None
            for place in pack:
                span = Span((place.name,))
                known = along(span)
                catalogs.append(None if known is before else known.copy())
                for statement in self._statements[span].statements:
                    known.run(*statement)
                before = known
            yield catalogs

    def shape(
        self,
        options: ViewOptions,
        catalogs: Iterable[Sequence[Catalog | None]],
        columns: Iterable[str] | None = None,
    ) -> TableShape:
        """Return the columns of the one table that the options ask for. BinlogError as `table_shape` has it."""
        tasks = (list(map(KnownLog, pack, known)) for pack, known in zip(self._packs, catalogs, strict=True))
        return shape_in(chain.from_iterable(self._run(partial(definitions_in, options), tasks)), columns)


def statements_of(pack: Sequence[LogPlace]) -> list[SpanStatements]:
    return [statements_in(Span((place.name,))) for place in pack]


def outcomes_of(mode: Mode, pack: Sequence[LogPlace]) -> list[tuple[Span | None, list[Ended], SpanStatements]]:
    found = []
    for place in pack:
        record = StatementRecord()
        span = place.span()
        ended = [] if span is None else list(transactions(span, mode, catalog=record))
        found.append((span, ended, SpanStatements(record.statements)))
    return found


def definitions_in(options: ViewOptions, pack: Sequence[KnownLog]) -> list[tuple[list[Definition], BinlogError | None]]:
    catalog: Catalog | None = None
    found = []
    for log in pack:
        catalog = catalog if log.catalog is None else log.catalog
        found.append(definitions_of(options, Span((log.place.name,)), catalog=catalog))
    return found
