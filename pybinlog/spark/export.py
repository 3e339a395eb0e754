"""An export on Spark: the same job, its files written by the executors."""

from __future__ import annotations

from functools import partial

from pybinlog.export.job import ExportJob, targets
from pybinlog.spark.span_parts import PART_SIZE, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pybinlog.export.job import Result
    from pybinlog.output.outputs import Outputs
    from pybinlog.spark.jobs import Jobs
    from pybinlog.views.span import Span


def write_on(
    jobs: Jobs, job: ExportJob, spans: Sequence[Span], part_size: int | None, outputs: Outputs
) -> Iterator[Result]:
    """Write the spans, each or each part of it as a task; the results in their order.

    OutputError where a file would be written over what must stay: their names are known when the logs are cut.

    Large logs are cut by tasks, too, for that takes a look at all of their headers.
    """
    cut: list[Span] = []
    cut_up = partial(parts_of, part_size=part_size or PART_SIZE, statement_bits=job.options.statement_bits)
    for span, parts in jobs.in_order(cut_up, spans):
        cut += parts or [span]
    wanted = targets(cut, job.format)
    outputs.writes_into(job.folder, [target.name for target in wanted])
    job.prepare()
    for target, result in jobs.in_order(job.write, wanted):
        assert result is not None, target
        yield result
