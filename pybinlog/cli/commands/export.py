"""`pybinlog export`: the command."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import click

from pybinlog.cli.command import command
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.export_options import SECTIONS, views_with
from pybinlog.cli.options.option import conflict, missing
from pybinlog.cli.options.server_options import SERVER_REFUSED
from pybinlog.cli.options.spark_options import SPARK_REFUSED, spark_jobs
from pybinlog.cli.view_request import catalog_of, catalogs_along, committed, names_among, view_options
from pybinlog.errors import BinlogError
from pybinlog.views.schema import ALL_VIEWS, TRANSACTIONS
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pybinlog.cli.display.progress import Progress
    from pybinlog.cli.environment import Output
    from pybinlog.cli.inputs import NoProgress
    from pybinlog.export.file import FileName
    from pybinlog.export.job import ExportJob, Result
    from pybinlog.feed.span import Span
    from pybinlog.output.outputs import Outputs
    from pybinlog.views.definitions import CatalogsAlong
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.table_shape import TableShape
    from pybinlog.views.view import View

ABOUT = """\
Write MySQL and MariaDB binary logs as tables: Parquet, CSV or JSON lines, for a data frame, a warehouse or a \
spreadsheet. Each log gives one file, or all of them one stream. FILE is a log, plain or compressed, a folder, \
a pattern in quotes, a URL \
(s3://, gs://, hdfs:// ...) or - for standard input.

Parquet, the default, needs pyarrow: pip install pyarrow. CSV and JSON lines need nothing else."""

WITHOUT_PYARROW = "; or use --format=jsonl or --format=csv, which do not need it"

EXAMPLES = """\
pybinlog export -o out binlog.000001
pybinlog export --view=rows --table=shop.orders -o out binlog.00*
pybinlog export --view=table --table=db.t --as-of=10:00 -o t.parquet b.0*
pybinlog export --view=rows --committed --ddl -o out /var/lib/mysql
pybinlog export --view=rows --schema=shop.sql -o out binlog.00*
pybinlog export --view=transactions --index=/var/lib/mysql/binlog.index -o out
pybinlog export --columns=timestamp,query --format=csv -o out /backup/binlogs
pybinlog export --view=rows -o - binlog.000007 | jq 'select(.row == 1)'
pybinlog export --spark=local[8] --view=rows -o s3://lake/rows s3://backup/db1"""

STANDARD_OUTPUT = "-"


@command(SECTIONS, ABOUT, EXAMPLES, usage="export [OPTIONS] -o DIR FILE...", refused=SERVER_REFUSED | SPARK_REFUSED)
def export(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    on_spark = values["spark"] is not None
    inputs = Inputs(ctx, files, values, opens=not on_spark)
    environment, names = inputs.environment, inputs.names
    if not values["output_dir"]:
        raise click.UsageError("--output-dir (-o) is required: a folder for the files, or - for standard output.")
    from pybinlog.export.file import FileName

    to_stdout = values["output_dir"] == STANDARD_OUTPUT
    one_file = None if to_stdout else FileName.of(values["output_dir"])
    format = values["format"] or (one_file.format if one_file else "jsonl" if to_stdout else "parquet")
    if one_file is not None:
        check_one_file(one_file, format, values)
    if values["csv_safe"] and format != "csv":
        raise missing("csv-safe", "format=csv")
    for option in ("compression", "row-group-size"):
        if values[option.replace("-", "_")] is not None and format != "parquet":
            raise missing(option, "format=parquet")
    if to_stdout:
        check_stream(environment, format, on_spark=on_spark)
    view = ALL_VIEWS[values["view"]]
    partition_by = partition_keys(values["partition_by"], view)
    if values["where"] is not None and "where" not in view.options:
        raise missing("where", *views_with("where"))
    if view is TRANSACTIONS and values["schema"] and values["where"] is None:
        raise missing("schema", "where")
    if view.of_one_table:
        if len(values["table"]) != 1:
            raise missing(f"view={view.name}", "table=DATABASE.TABLE, given once")
        inputs.refuse_to_read_twice(f"view={view.name}", "write the log to a file first, or take --view=rows")
    at_a_moment = values["as_of"] is not None
    if at_a_moment:
        from pybinlog.cli.rows_as_of import log_as_of

        names = inputs.names = [log_as_of(ctx, inputs, values)]
        values = {**values, "where": None, "schema": ()}
    options = view_options(values)
    catalog = None
    if "schema" in view.options:
        catalog = catalog_of(ctx, values)

    from pybinlog.export.job import ExportJob, targets
    from pybinlog.export.writers import ROW_GROUP_SIZE
    from pybinlog.feed.span import spans
    from pybinlog.views.table_shape import RESERVED

    if format == "parquet":
        from pybinlog.views.batch import require_pyarrow

        require_pyarrow(WITHOUT_PYARROW)
    outputs = inputs.outputs()
    inputs.refuse_several("start-position", "stop-position")
    wanted = [] if on_spark else spans(names)
    catalogs = None if catalog is None or on_spark else catalogs_along(catalog, inputs, wanted)
    if view.of_one_table and not on_spark:
        options = with_table(inputs, wanted, options, values["columns"], catalogs)
        if at_a_moment and values["columns"] is None:  # without what the view says of changes
            shape = options.table.view if options.table is not None else view
            options = options.replace(
                columns=tuple(column.name for column in shape.columns if column.name not in RESERVED)
            )
    job = ExportJob(
        options,
        format,
        values["output_dir"],
        values["csv_safe"],
        compression=values["compression"] or "zstd",
        row_group_size=values["row_group_size"] or ROW_GROUP_SIZE,
        partition_by=partition_by,
        outputs=outputs if partition_by else None,
        catalog=catalog,
        catalogs=catalogs,
        gaps=None if on_spark else options.gap_watch(environment.remark),
    )
    if on_spark:
        return export_on_spark(inputs, job, outputs, values)
    if one_file is not None:
        outputs.writes(one_file.path, f"--output-dir={one_file.path}")
    elif not (to_stdout or partition_by):  # with keys the folders are known when their rows are
        outputs.writes_into(job.folder, [target.name for target in targets(wanted, job.format)])
    if values["committed"]:
        wanted = committed(inputs, wanted, options)
    if to_stdout:
        return write_stream(inputs, job, wanted, outputs)
    if one_file is not None:
        return write_file(inputs, job, wanted, one_file)
    files_wanted = targets(wanted, job.format)
    job.prepare()
    with inputs.progress() as progress:
        results = job.write_all(files_wanted, environment.stdin, progress.advance)
        return report(environment, results, progress)


def export_on_spark(inputs: Inputs, job: ExportJob, outputs: Outputs, values: dict[str, Any]) -> ExitStatus:
    """Let executors write a file for each log."""
    environment, columns = inputs.environment, values["columns"]
    with spark_jobs(values, "export", environment.warn) as jobs:
        from pybinlog.spark.export import export

        results = export(
            jobs,
            job,
            inputs.names,
            outputs,
            environment.remark,
            partial(options_with_shape, job.options, columns=columns),
            names_in(columns),
            committed=values["committed"],
        )
        return report(environment, results, environment)


def with_table(
    inputs: Inputs, spans: list[Span], options: ViewOptions, columns: str | None, known: CatalogsAlong | None
) -> ViewOptions:
    """Return the options with the columns that the table has in the logs."""
    from pybinlog.views.table_survey import table_shape

    wanted = names_in(columns)
    with inputs.progress() as progress:
        shape = table_shape(options, spans, wanted, progress.advance, known)
    return options_with_shape(options, shape, columns)


def options_with_shape(options: ViewOptions, shape: TableShape, columns: str | None) -> ViewOptions:

    return options.replace(table=shape, columns=names_among(shape.view, columns))


def names_in(columns: str | None) -> list[str] | None:
    return None if columns is None else [name.strip() for name in columns.split(",")]


def partition_keys(text: str | None, view: View) -> tuple[str, ...]:
    """Return the columns that --partition-by names.

    Raise UsageError if the view has no such column, or if it is named twice.
    """
    if text is None:
        return ()
    from pybinlog.export.partitions import KEYS, column_of

    names = [part.strip().lower() for part in text.split(",")]
    known = [key for key in KEYS if column_of(key, view)]
    if not known:
        raise conflict("partition-by", f"--view={view.name}")
    for name in names:
        if name not in known:
            raise click.UsageError(
                f"--partition-by: files of the view {view.name} cannot be parted by {name!r}, only by "
                f"{', '.join(known)}."
            )
    if len(set(names)) != len(names):
        raise click.UsageError("--partition-by names a column twice.")
    return tuple(names)


def check_stream(environment: Environment, format: str, *, on_spark: bool) -> None:
    """Raise click.UsageError if the options cannot be used with standard output."""
    if on_spark:
        raise conflict("spark", "standard output", "its executors write files; name a folder with -o")
    if format == "parquet" and environment.is_terminal:
        raise click.UsageError(
            "Parquet is not for a terminal; lead it into a file or a pipe, or write --format=jsonl or --format=csv."
        )


def write_stream(inputs: Inputs, job: ExportJob, spans: Sequence[Span], outputs: Outputs) -> ExitStatus:
    """Write all rows to standard output."""
    environment = inputs.environment
    output: Output = standard_output(environment, outputs, "Name a folder with -o")
    with ExitStack() as stack:
        if environment.is_terminal:
            from pybinlog.cli.display.color import TerminalOutput

            output = stack.enter_context(TerminalOutput(output))
        progress = stack.enter_context(inputs.progress(elsewhere=not environment.is_terminal))
        results = job.write_stream(spans, output, environment.stdin, progress.advance)
        return report(environment, results, progress, source="log")


def check_one_file(name: FileName, format: str, values: dict[str, Any]) -> None:
    """Raise click.UsageError if one file cannot be what the options ask for."""
    one_file = f"--output-dir={name.path}"
    if format != name.format:
        raise conflict(f"format={format}", one_file)
    if name.compression and format == "parquet":
        raise click.UsageError("Parquet is compressed inside; use --compression, and a name that ends with .parquet.")
    for option in ("spark", "partition-by"):
        if values[option.replace("-", "_")] is not None:
            raise conflict(option, one_file, "it writes many files; for a folder of that name, end it with /")


def write_file(inputs: Inputs, job: ExportJob, spans: Sequence[Span], name: FileName) -> ExitStatus:
    """Write all rows to one file."""
    from pybinlog.export.file import OneFile

    environment = inputs.environment
    with inputs.progress() as progress, OneFile(name) as output:
        results = list(job.write_stream(spans, output, environment.stdin, progress.advance))
        status = report(environment, results, progress, source="log")
        if not any(result.error for result in results):
            output.commit()
    return status


def report(
    environment: Environment, results: Iterable[Result], shown: Progress | NoProgress | Environment, *, source: str = ""
) -> ExitStatus:
    """Say what was written and what was wrong, as it becomes known."""
    from pybinlog.feed.remarks import Remarks
    from pybinlog.views.remarks import report as report_remarks

    files = rows = 0
    status = ExitStatus.OK
    remarks = Remarks()
    for result in results:
        files += result.files
        rows += result.rows
        for warning in result.warnings:
            shown.warn(f"{warning}.")
            status = ExitStatus.ERROR
        for note in result.notes:
            shown.warn(f"{note}.")
        if result.error is not None:
            shown.fail(f"{result.error}.")
            status = ExitStatus.ERROR
        remarks = remarks.plus(result.remarks)
    try:
        report_remarks(remarks, lambda sentence: shown.warn(f"{sentence}."))
    except BinlogError as error:
        shown.fail(f"{error}.")
        status = ExitStatus.ERROR
    where = f"in {counted(files, 'file')}" if not source else f"of {counted(files, source)}"
    environment.print_line(f"{counted(rows, 'row')} {where}.")
    return status
