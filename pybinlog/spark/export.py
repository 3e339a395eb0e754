"""An export on Spark: the same job, its files written by the executors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from pybinlog.export.job import ExportJob, Result, Target, targets
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.spark.surveys import KnownLog, Surveyed, names_columns
from pybinlog.views.outcomes import without_rolled_back
from pybinlog.views.span import Span, log_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.output.outputs import Outputs
    from pybinlog.spark.jobs import SparkJobs
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import LogPlace
    from pybinlog.views.table_shape import TableShape


@dataclass
class SparkExport:
    """The logs of these names, each to a file of its own; `results` writes them.

    `job.catalog` are the tables as they are before the first log. `committed`: the rows of transactions that were
    rolled back are omitted, and `warn` gets a sentence if the logs do not tell it of all.
    """

    jobs: SparkJobs
    job: ExportJob
    names: Sequence[str]
    warn: Callable[[str], object]
    columns: Sequence[str] | None = None
    """For the view of one table: the chosen columns."""
    committed: bool = False

    def results(self, outputs: Outputs, with_shape: Callable[[TableShape], ViewOptions]) -> Iterator[Result]:
        """Write the files; the results come in their order.

        `with_shape` gives the options of a table of that shape. Raise OutputError if a file would be written over what
        must stay.
        """
        places = log_places(self.names)
        in_packs = packs(places, [stored_size(name) for name in self.names], self.jobs.cores)
        surveyed = Surveyed(in_packs, self._run)
        rolled_back = self._rolled_back(surveyed, places) if self.committed else {}
        catalog = self.job.catalog if names_columns(self.job.options) else None
        if self.job.options.definition.of_one_table:
            shape = surveyed.shape(self.job.options, surveyed.catalogs(catalog, lambda _: None), self.columns)
            self.job = replace(self.job, options=with_shape(shape))
        files = [target.name for target in targets([Span((name,)) for name in self.names], self.job.format)]
        outputs.writes_into(self.job.folder, files)
        self.job.prepare()
        write = partial(write_logs, replace(self.job, catalog=None, catalogs=None))
        for results in self._run(write, self._tasks(surveyed, catalog, rolled_back, files, in_packs)):
            yield from results

    def _run(self, function: Callable[[Any], list[Any]], tasks: Iterable[Any]) -> Iterator[list[Any]]:
        for _, results in self.jobs.in_order(function, tasks):
            yield results

    def _tasks(
        self,
        surveyed: Surveyed,
        catalog: Catalog | None,
        rolled_back: dict[LogPlace, frozenset[tuple[int, int]]],
        files: Sequence[str],
        in_packs: Sequence[Sequence[LogPlace]],
    ) -> Iterator[list[tuple[KnownLog, str]]]:
        """Each log with its file, in packs."""
        file = iter(files)
        for pack, catalogs in zip(in_packs, surveyed.catalogs(catalog, self.warn), strict=True):
            yield [
                (KnownLog(place, known, rolled_back.get(place, frozenset())), next(file))
                for place, known in zip(pack, catalogs, strict=True)
            ]

    def _rolled_back(
        self, surveyed: Surveyed, places: Sequence[LogPlace]
    ) -> dict[LogPlace, frozenset[tuple[int, int]]]:
        """Return each log's transactions that were rolled back; warn about XA transactions with unknown outcomes."""
        found = surveyed.read_outcomes(self.job.options.mode)
        known = {place: span for place in places if (span := found[place][0]) is not None}
        ended = {span: found[place][1] for place, span in known.items()}
        spans, unknown = without_rolled_back(list(known.values()), self.job.options.mode, ended=ended)
        if unknown:
            what = "1 XA transaction" if unknown == 1 else f"{unknown} XA transactions"
            self.warn(f"the logs do not say what became of {what}: rows of such transactions are kept")
        return {place: span.rolled_back for place, span in zip(known, spans, strict=True)}


def write_logs(job: ExportJob, pack: list[tuple[KnownLog, str]]) -> list[Result]:
    """Write logs, each to its file; an error about a log is in its result."""
    results: list[Result] = []
    catalog: Catalog | None = None
    with ReplacementBatch() as batch:
        for log, file in pack:
            catalog = catalog if log.catalog is None else log.catalog
            span = log.span()
            if span is None:
                results.append(Result(Target(Span((log.place.name,)), file), files=0))
                continue
            results.append(job.write(Target(span, file), batch, catalog=catalog))
            if batch.full:
                batch.commit()
    return results
