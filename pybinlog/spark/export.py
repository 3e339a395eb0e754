"""An export on Spark: the same job, its files written by the executors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pybinlog.export.job import ExportJob, targets
from pybinlog.spark.span_parts import PART_SIZE, parts_of
from pybinlog.views.definitions import CatalogsAlong, SpanStatements, catalogs_of, statements_in
from pybinlog.views.view import Need

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pybinlog.catalog import Catalog
    from pybinlog.export.job import Result, Target
    from pybinlog.output.outputs import Outputs
    from pybinlog.spark.jobs import Jobs
    from pybinlog.views.span import Span


def write_on(
    jobs: Jobs,
    job: ExportJob,
    spans: Sequence[Span],
    part_size: int | None,
    outputs: Outputs,
    warn: Callable[[str], object] = lambda _: None,
) -> Iterator[Result]:
    """Write the spans, each or each part of it as a task; the results in their order.

    OutputError where a file would be written over what must stay: their names are known when the logs are cut.

    Large logs are cut by tasks, too, for that takes a look at all of their headers.
    """
    cut: list[Span] = []
    parts_by_span: list[Sequence[Span]] = []
    cut_up = partial(parts_of, part_size=part_size or PART_SIZE, statement_bits=job.options.needs(Need.BITS))
    for span, parts in jobs.in_order(cut_up, spans):
        parts_by_span.append(parts or [span])
        cut += parts_by_span[-1]
    catalogs = _catalogs(jobs, job.catalog, spans, parts_by_span, warn)
    wanted = targets(cut, job.format)
    outputs.writes_into(job.folder, [target.name for target in wanted])
    job.prepare()
    write = partial(_write, replace(job, catalog=None, catalogs=None))
    for target, result in jobs.in_order(write, list(zip(wanted, catalogs, strict=True))):
        assert result is not None, target
        yield result


def _write(job: ExportJob, part: tuple[Target, Catalog | None]) -> Result:
    target, catalog = part
    return job.write(target, catalog=catalog)


def _catalogs(
    jobs: Jobs,
    first: Catalog | None,
    spans: Sequence[Span],
    parts_by_span: Sequence[Sequence[Span]],
    warn: Callable[[str], object],
) -> list[Catalog | None]:
    """What is known of tables as each part begins: statements of all parts before it count."""
    if first is None:
        return [None for parts in parts_by_span for _ in parts]
    catalogs: list[Catalog | None] = []
    statements = {span: found or SpanStatements([]) for span, found in jobs.in_order(statements_in, spans)}
    known = CatalogsAlong(first, spans, statements, warn)
    for span, parts in zip(spans, parts_by_span, strict=True):
        catalogs += catalogs_of(known(span), parts, statements[span])
    return catalogs
