"""`pybinlog export`: the command."""

from __future__ import annotations

import os

import click

from pybinlog.cli.command import Command, environment_of, log_names, outputs_of, progress_of
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.options.export_options import SECTIONS
from pybinlog.cli.options.filter_options import event_types_of, names_of, operations_of
from pybinlog.cli.options.spark_options import PART_SIZE, refuse_without_spark, spark_jobs, spark_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pybinlog.cli.progress import Progress
    from pybinlog.export.job import Result
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.schema import View
    from pybinlog.views.span import Span

__all__ = ["command"]

ABOUT = """\
Write what is in MySQL and MariaDB binary logs as tables: Parquet, CSV or JSON lines, for a data frame, a warehouse \
or a spreadsheet. Each log gives one file. FILE is a log, plain or compressed, a folder, a pattern in quotes, a URL \
(s3://, gs://, hdfs:// ...) or - for standard input.

Parquet, the default, needs pyarrow: pip install pyarrow. CSV and JSON lines need nothing else."""

WITHOUT_PYARROW = "; or write --format=jsonl or --format=csv, which do without it"

EXAMPLES = """\
pybinlog export -o out binlog.000001
pybinlog export --view=rows --table=shop.orders -o out binlog.00*
pybinlog export --view=table --table=shop.customer -o out binlog.00*
pybinlog export --view=rows --committed --ddl -o out /var/lib/mysql
pybinlog export --view=transactions --index=/var/lib/mysql/binlog.index -o out
pybinlog export --columns=timestamp,query --format=csv -o out /backup/binlogs
pybinlog export --spark=local[8] --view=rows -o s3://lake/rows s3://backup/db1"""

MICROSECONDS = 1_000_000


@click.pass_context
def export(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    environment = environment_of(ctx)
    on_spark = values["spark"] is not None
    if not on_spark:
        refuse_without_spark(values, PART_SIZE)
    names = spark_names(files, values["index"]) if on_spark else log_names(files, values["index"])
    if not values["output_dir"]:
        raise click.UsageError("--output-dir (-o) is needed: the folder that the files go to.")
    if values["csv_safe"] and values["format"] != "csv":
        raise click.UsageError("--csv-safe is of use with --format=csv only; leave it out.")
    for name in ("ddl", "committed"):
        if values[name] and values["view"] != "rows" and (name, values["view"]) != ("committed", "table"):
            also = " or --view=table" if name == "committed" else ""
            raise click.UsageError(f"--{name} is of use with --view=rows{also} only; leave it out.")
    refuse_what_a_table_has_not(values, names)
    if values["committed"]:
        if on_spark:
            raise click.UsageError(
                "--committed does not work with --spark: leave one of them out, or join the rows with the view "
                "transactions by xa_xid, as docs/spark.md shows."
            )
        refuse_to_read_twice(names, "--committed", "leave --committed out")
    options = view_options(values)

    from pybinlog.export.job import ExportJob, targets
    from pybinlog.views.span import spans

    if values["format"] == "parquet":
        from pybinlog.views.arrow import require_pyarrow

        require_pyarrow(WITHOUT_PYARROW)
    outputs = outputs_of(environment, names, values["index"], force=values["force"])
    if len(names) > 1 and (values["start_position"] or values["stop_position"]):
        raise click.UsageError("--start-position and --stop-position are about one log; name one.")
    wanted = spans(names)
    if values["view"] == "table":
        options = with_table(ctx, names, wanted, options, values["columns"])
    job = ExportJob(options, values["format"], values["output_dir"], values["csv_safe"])
    if not on_spark:
        files_wanted = targets(wanted, job.format)
        outputs.writes_into(job.folder, [target.name for target in files_wanted])
        if values["committed"]:
            files_wanted = targets(committed(ctx, names, wanted, options), job.format)
        job.prepare()
        progress = progress_of(ctx, names, elsewhere=True)
        if progress is None:
            return report(environment, job.write_all(files_wanted, environment.stdin))
        with progress:
            return report(environment, job.write_all(files_wanted, environment.stdin, progress.advance), progress)
    with spark_jobs(values["spark"], "export") as jobs:
        from pybinlog.spark.export import write_on

        return report(environment, write_on(jobs, job, wanted, values["part_size"], outputs))


def refuse_to_read_twice(names: Iterable[str], option: str, instead: str) -> None:
    """The option looks through the logs before it writes. UsageError where that cannot be."""
    for name in names:
        if name == "-" or (os.path.exists(name) and not os.path.isfile(name)):
            what = "standard input" if name == "-" else name
            raise click.UsageError(
                f"{option} reads the logs twice, and {what} can be read only once: write it to a file before, or "
                f"{instead}."
            )


def refuse_what_a_table_has_not(values: dict[str, Any], names: Iterable[str]) -> None:
    """UsageError where --view=table lacks the table, or its options are given for another view."""
    if values["view"] != "table":
        for name in ("zero_dates", "invalid_text"):
            if values[name] is not None:
                raise click.UsageError(f"--{name.replace('_', '-')} is of use with --view=table only; leave it out.")
        return
    if len(values["table"]) != 1:
        raise click.UsageError("--view=table is the view of one table: name it with --table=DATABASE.TABLE.")
    refuse_to_read_twice(names, "--view=table", "take --view=rows")


def with_table(
    ctx: click.Context, names: list[str], spans: list[Span], options: ViewOptions, columns: str | None
) -> ViewOptions:
    """The options with the columns that the table has in the logs."""
    from dataclasses import replace

    from pybinlog.views.table_survey import table_shape

    wanted = None if columns is None else [name.strip() for name in columns.split(",")]
    progress = progress_of(ctx, names, elsewhere=True)
    if progress is None:
        shape = table_shape(options, spans, wanted)
    else:
        with progress:
            shape = table_shape(options, spans, wanted, progress.advance)
    return replace(options, table=shape, columns=names_among(shape.view, columns))


def committed(ctx: click.Context, names: list[str], spans: list[Span], options: ViewOptions) -> list[Span]:
    """The spans without what was rolled back; says of how many XA transactions nobody knows."""
    from pybinlog.views.outcomes import without_rolled_back

    progress = progress_of(ctx, names, elsewhere=True)
    if progress is None:
        found, unknown = without_rolled_back(spans, options.mode)
    else:
        with progress:
            found, unknown = without_rolled_back(spans, options.mode, progress.advance)
    if unknown:
        what = "1 XA transaction" if unknown == 1 else f"{unknown} XA transactions"
        environment_of(ctx).warn(f"the logs do not say what became of {what}: rows of such transactions are kept.")
    return found


def report(environment: Environment, results: Iterable[Result], shown: Progress | None = None) -> ExitStatus:
    """Say what was written and what was wrong, as it becomes known."""
    files = rows = 0
    status = ExitStatus.OK
    say = shown or environment
    for result in results:
        files += 1
        rows += result.rows
        for warning in result.warnings:
            say.warn(f"{warning}.")
            status = ExitStatus.ERROR
        if result.error is not None:
            say.fail(f"{result.error}.")
            status = ExitStatus.ERROR
    environment.say(f"{rows} row{'' if rows == 1 else 's'} in {files} file{'' if files == 1 else 's'}.")
    return status


def view_options(values: dict[str, Any]) -> ViewOptions:
    """What was asked for, in the words of the views."""
    from pybinlog.views.options import Mode, Unfit, ViewOptions
    from pybinlog.views.schema import TABLE, VIEWS

    view = values["view"]
    return ViewOptions(
        view=view,
        columns=None if view == TABLE else names_among(VIEWS[view], values["columns"]),
        start_time=scaled(values["start_datetime"]),
        stop_time=scaled(values["stop_datetime"]),
        first_position=values["start_position"],
        stop_position=values["stop_position"],
        types=event_types_of(values["event_type"]),
        names=names_of(values),
        operations=operations_of(values["operation"]),
        server_ids=frozenset(values["server_id"]) or None,
        thread_ids=frozenset(values["thread_id"]) or None,
        include_gtids=values["include_gtids"],
        exclude_gtids=values["exclude_gtids"],
        ddl=values["ddl"],
        zero_dates=Unfit(values["zero_dates"] or Unfit.NULL.value),
        invalid_text=Unfit(values["invalid_text"] or Unfit.ERROR.value),
        mode=Mode.DROPMALFORMED if values["recover"] else Mode.FAILFAST,
        way_out="" if values["recover"] else "--recover continues after the damage",
    )


def scaled(seconds: int | None) -> int | None:
    return None if seconds is None else seconds * MICROSECONDS


def names_among(view: View, text: str | None) -> tuple[str, ...] | None:
    """The columns asked for, by the names that the view has for them."""
    if text is None:
        return None
    columns: list[str] = []
    for part in text.split(","):
        try:
            columns.append(view.column(part.strip()).name)
        except KeyError:
            known = ", ".join(view.column_names)
            raise click.UsageError(
                f"--columns: the view {view.name} has no column {part.strip()!r}; they are {known}."
            ) from None
    if len(set(columns)) != len(columns):
        raise click.UsageError("--columns names a column twice.")
    return tuple(columns)


command = Command(
    "export",
    export,
    SECTIONS,
    usage="export [OPTIONS] -o DIR FILE...",
    about=ABOUT,
    examples={"Examples": EXAMPLES},
)
