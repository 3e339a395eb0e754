"""An export on Spark: the same job, its files written by the executors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from pybinlog.catalog import Catalog
from pybinlog.export.job import ExportJob, Result, Target, targets
from pybinlog.feed.span import Span
from pybinlog.output.outputs import Outputs
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.spark.jobs import SparkJobs
from pybinlog.views.first_pass import KnownLog, Surveyed
from pybinlog.views.options import ViewOptions
from pybinlog.views.table_shape import TableShape


def export(
    jobs: SparkJobs,
    job: ExportJob,
    names: Sequence[str],
    outputs: Outputs,
    warn: Callable[[str], object],
    with_shape: Callable[[TableShape], ViewOptions],
    columns: Sequence[str] | None = None,
    *,
    committed: bool = False,
) -> Iterator[Result]:
    """Write the logs of these names, each to a file of its own; the results come in their order.

    `job.catalog` are the tables as they are before the first log. `with_shape` gives the options of a table of that
    shape, and `columns` are those chosen of it. `committed`: the rows of transactions that were rolled back are
    omitted, and `warn` gets a sentence if the logs do not tell it of all. Raise OutputError if a file would be written
    over what must stay.
    """
    surveyed = Surveyed(names, jobs.in_order, jobs.cores)
    rolled_back = None
    if committed:
        rolled_back, unknown = surveyed.rolled_back(job.options.mode)
        if unknown:
            what = "1 XA transaction" if unknown == 1 else f"{unknown} XA transactions"
            warn(f"the logs do not say what became of {what}: rows of such transactions are kept")
    catalog = job.catalog if job.options.needs_names else None
    if job.options.definition.of_one_table:
        job = replace(job, options=with_shape(surveyed.shape(job.options, catalog, columns)))
    job.options.gap_watch(warn).check_names(names)
    files = [target.name for target in targets([Span((name,)) for name in names], job.format)]
    outputs.writes_into(job.folder, files)
    job.prepare()
    file = iter(files)
    tasks = ([(log, next(file)) for log in pack] for pack in surveyed.known(catalog, warn, rolled_back=rolled_back))
    for results in jobs.in_order(partial(write_logs, replace(job, catalog=None, catalogs=None)), tasks):
        yield from results


def write_logs(job: ExportJob, pack: list[tuple[KnownLog, str]]) -> list[Result]:
    """Write logs, each to its file; an error about a log is in its result."""
    results: list[Result] = []
    catalog: Catalog | None = None
    with ReplacementBatch() as batch:
        for log, file in pack:
            notes: list[str] = []
            job = replace(job, gaps=job.options.gap_watch(notes.append))
            catalog = catalog if log.catalog is None else log.catalog
            span = log.span()
            if span is None:
                results.append(Result(Target(Span((log.place.name,)), file), files=0))
                continue
            results.append(job.write(Target(span, file), batch, catalog=catalog))
            results[-1].notes += notes
            if batch.full:
                batch.commit()
    return results
