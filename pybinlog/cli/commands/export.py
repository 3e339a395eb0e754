"""`pybinlog export`: the command."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial

import click

from pybinlog.cli.command import (
    Command,
    environment_of,
    live_logs,
    log_names,
    outputs_of,
    progress_of,
    standard_output,
)
from pybinlog.cli.dump_warnings import warn_of_unmatched
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.options.export_options import SECTIONS
from pybinlog.cli.options.filter_options import event_types_of, names_of, operations_of
from pybinlog.cli.options.server_options import SERVER_REFUSED, SHARED_LETTERS, local_names
from pybinlog.cli.options.spark_options import SPARK_REFUSED, check_spark_names, spark_jobs
from pybinlog.views.schema import ALL_VIEWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.cli.display.progress import Progress
    from pybinlog.cli.environment import Output
    from pybinlog.dump.options import DumpOptions
    from pybinlog.export.job import ExportJob, Result
    from pybinlog.export.one_file import FileName
    from pybinlog.output.outputs import Outputs
    from pybinlog.views.definitions import CatalogsAlong
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.views.table_shape import TableShape
    from pybinlog.views.view import View

__all__ = ["command"]

ABOUT = """\
Write what is in MySQL and MariaDB binary logs as tables: Parquet, CSV or JSON lines, for a data frame, a warehouse \
or a spreadsheet. Each log gives one file, or all of them one stream. FILE is a log, plain or compressed, a folder, \
a pattern in quotes, a URL \
(s3://, gs://, hdfs:// ...) or - for standard input.

Parquet, the default, needs pyarrow: pip install pyarrow. CSV and JSON lines need nothing else."""

WITHOUT_PYARROW = "; or write --format=jsonl or --format=csv, which do without it"

EXAMPLES = """\
pybinlog export -o out binlog.000001
pybinlog export --view=rows --table=shop.orders -o out binlog.00*
pybinlog export --view=table --table=shop.customer -o out binlog.00*
pybinlog export --view=rows --committed --ddl -o out /var/lib/mysql
pybinlog export --view=rows --schema=shop.sql -o out binlog.00*
pybinlog export --view=transactions --index=/var/lib/mysql/binlog.index -o out
pybinlog export --columns=timestamp,query --format=csv -o out /backup/binlogs
pybinlog export --view=rows -o - binlog.000007 | jq 'select(.row == 1)'
pybinlog export --spark=local[8] --view=rows -o s3://lake/rows s3://backup/db1"""

STANDARD_OUTPUT = "-"
MICROSECONDS = 1_000_000


@click.pass_context
def export(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    environment = environment_of(ctx)
    if values["print_defaults"]:
        from pybinlog.cli.server_logs import show_defaults

        show_defaults(environment, values)
        return ExitStatus.OK
    live = live_logs(ctx, files, values)
    on_spark = values["spark"] is not None
    if live is not None:
        names = live
    else:
        names = log_names(environment, files, values["index"], opens=not on_spark)
        if on_spark:
            check_spark_names(names)
    if not values["output_dir"]:
        raise click.UsageError("--output-dir (-o) is needed: the folder for the files, or - for standard output.")
    from pybinlog.export.one_file import FileName

    to_stdout = values["output_dir"] == STANDARD_OUTPUT
    one_file = None if to_stdout else FileName.of(values["output_dir"])
    format = values["format"] or (one_file.format if one_file else "jsonl" if to_stdout else "parquet")
    if one_file is not None:
        check_one_file(one_file, format, values)
    if values["csv_safe"] and format != "csv":
        raise click.UsageError("--csv-safe is of use with --format=csv only; leave it out.")
    for option in ("compression", "row_group_size"):
        if values[option] is not None and format != "parquet":
            raise click.UsageError(f"--{option.replace('_', '-')} is of use with --format=parquet only; leave it out.")
    if to_stdout:
        check_stream(environment, format, on_spark=on_spark)
    view = ALL_VIEWS[values["view"]]
    partition_by = partition_keys(values["partition_by"], view)
    if partition_by and (on_spark or to_stdout):
        where = "--spark" if on_spark else "standard output"
        raise click.UsageError(f"--partition-by does not work with {where}; leave it out.")
    refuse_options_of_other_views(values, view)
    if view.of_one_table:
        if len(values["table"]) != 1:
            raise click.UsageError(f"--view={view.name} is the view of one table: name it with --table=DATABASE.TABLE.")
        refuse_to_read_twice(names, f"--view={view.name}", "take --view=rows")
    if values["committed"]:
        refuse_to_read_twice(names, "--committed", "leave --committed out")
    options = view_options(values)
    catalog = None
    if values["schema_of"] and not values["schema"]:
        raise click.UsageError("--schema-of is about --schema; give a dump, or leave it out.")
    if "schema" in view.options:
        catalog = catalog_of(ctx, values)

    from pybinlog.export.job import ExportJob, targets
    from pybinlog.export.writers import ROW_GROUP_SIZE
    from pybinlog.views.span import spans

    if format == "parquet":
        from pybinlog.views.arrow import require_pyarrow

        require_pyarrow(WITHOUT_PYARROW)
    outputs = outputs_of(environment, local_names(names), values["index"], force=values["force"])
    if len(names) > 1 and (values["start_position"] or values["stop_position"]):
        raise click.UsageError("--start-position and --stop-position are about one log; name one.")
    wanted = [] if on_spark else spans(names)
    catalogs = None if catalog is None or on_spark else catalogs_along(catalog, names, wanted, environment)
    if view.of_one_table and not on_spark:
        options = with_table(ctx, names, wanted, options, values["columns"], catalogs)
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
    )
    if on_spark:
        return export_on_spark(environment, job, names, outputs, values)
    look_back = (
        partial(warn_of_unmatched, names, filters_of(values), environment.warn) if may_look_back(names) else None
    )
    if one_file is not None:
        outputs.writes(one_file.path, f"--output-dir={one_file.path}")
    elif not (to_stdout or partition_by):  # with keys the folders are known when their rows are
        outputs.writes_into(job.folder, [target.name for target in targets(wanted, job.format)])
    if values["committed"]:
        wanted = committed(ctx, names, wanted, options)
    if to_stdout:
        return write_stream(ctx, environment, job, wanted, outputs, look_back)
    if one_file is not None:
        return write_file(ctx, environment, job, wanted, one_file, look_back)
    files_wanted = targets(wanted, job.format)
    job.prepare()
    progress = progress_of(ctx, names, elsewhere=True)
    if progress is None:
        return report(environment, job.write_all(files_wanted, environment.stdin), look_back=look_back)
    with progress:
        results = job.write_all(files_wanted, environment.stdin, progress.advance)
        return report(environment, results, progress, look_back=look_back)


def export_on_spark(
    environment: Environment, job: ExportJob, names: list[str], outputs: Outputs, values: dict[str, Any]
) -> ExitStatus:
    """Let executors write a file for each log."""
    with spark_jobs(values["spark"], "export", environment.warn) as jobs:
        from pybinlog.spark.export import SparkExport

        export = SparkExport(
            jobs,
            job,
            names,
            lambda sentence: environment.warn(f"{sentence}."),
            names_in(values["columns"]),
            values["committed"],
        )
        return report(
            environment, export.results(outputs, partial(options_with_shape, job.options, columns=values["columns"]))
        )


def may_look_back(names: Sequence[str]) -> bool:
    """Return True if all logs are files, so that they can be read once more to tell why nothing matched."""
    return all(os.path.isfile(name) for name in names)


def filters_of(values: dict[str, Any]) -> DumpOptions:
    """Return the filters in the words of a dump."""
    from pybinlog.dump.options import DumpOptions

    return DumpOptions(
        names=names_of(values),
        event_types=event_types_of(values["event_type"]),
        operations=operations_of(values["operation"]),
        server_ids=frozenset(values["server_id"]) or None,
        thread_ids=frozenset(values["thread_id"]) or None,
        include_gtids=values["include_gtids"],
        exclude_gtids=values["exclude_gtids"],
        start_datetime=values["start_datetime"],
        stop_datetime=values["stop_datetime"],
    )


def refuse_to_read_twice(names: Iterable[str], option: str, instead: str) -> None:
    """The option looks through the logs before it writes. UsageError where that cannot be."""
    from pybinlog.source.location import read_once

    for name in names:
        if read_once(name):
            what = "standard input" if name == "-" else name
            raise click.UsageError(
                f"{option} reads the logs twice, and {what} can be read only once: write it to a file before, or "
                f"{instead}."
            )


def refuse_options_of_other_views(values: dict[str, Any], view: View) -> None:
    """UsageError where an option is given that the view does not have."""
    for name in sorted({name for other in ALL_VIEWS.values() for name in other.options} - view.options):
        if values[name.replace("-", "_")]:
            able = " or ".join(f"--view={other.name}" for other in ALL_VIEWS.values() if name in other.options)
            raise click.UsageError(f"--{name} is of use with {able} only; leave it out.")


def with_table(
    ctx: click.Context,
    names: list[str],
    spans: list[Span],
    options: ViewOptions,
    columns: str | None,
    known: CatalogsAlong | None,
) -> ViewOptions:
    """The options with the columns that the table has in the logs."""
    from pybinlog.views.table_survey import table_shape

    wanted = names_in(columns)
    progress = progress_of(ctx, names, elsewhere=True)
    if progress is None:
        shape = table_shape(options, spans, wanted, catalog_of=known)
    else:
        with progress:
            shape = table_shape(options, spans, wanted, progress.advance, known)
    return options_with_shape(options, shape, columns)


def options_with_shape(options: ViewOptions, shape: TableShape, columns: str | None) -> ViewOptions:
    from dataclasses import replace

    return replace(options, table=shape, columns=names_among(shape.view, columns))


def names_in(columns: str | None) -> list[str] | None:
    return None if columns is None else [name.strip() for name in columns.split(",")]


def catalog_of(ctx: click.Context, values: dict[str, Any]) -> Catalog:
    """The tables that --schema defines, in files or on a server."""
    from pybinlog.catalog import Coordinates, read_catalog
    from pybinlog.source import SERVER

    names = values["schema"]
    servers = [name for name in names if name.startswith(SERVER)]
    if not servers:
        return read_catalog(names, values["schema_of"])
    if len(names) > 1:
        raise click.UsageError("--schema takes one server, and no files besides.")
    from pybinlog.cli.server_logs import tables_there

    catalog = read_catalog((), values["schema_of"])
    tables = tables_there(ctx, servers[0], values)
    catalog.read(servers[0], tables.text)
    if values["schema_of"] is None:
        catalog.coordinates = Coordinates(tables.log, tables.position)
    return catalog


def catalogs_along(
    catalog: Catalog, names: Sequence[str], spans: Sequence[Span], environment: Environment
) -> CatalogsAlong:
    """The tables as each log begins; the statements of logs that can be read twice say where a dump holds."""
    from pybinlog.source.location import read_once
    from pybinlog.views.definitions import CatalogsAlong

    def warn(sentence: str) -> None:
        environment.warn(f"{sentence}.")

    if not any(map(read_once, names)):
        return CatalogsAlong(catalog, spans, warn=warn)
    if catalog.schema_of == "end":
        raise click.UsageError(
            "--schema-of=end reads the logs twice, and standard input and pipes can be read only once: write the log "
            "to a file before."
        )
    return CatalogsAlong(catalog, warn=warn)


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


def partition_keys(text: str | None, view: View) -> tuple[str, ...]:
    """What --partition-by names. UsageError where the view has no such column, or it is named twice."""
    if text is None:
        return ()
    from pybinlog.export.partitions import KEYS, column_of

    names = [part.strip().lower() for part in text.split(",")]
    known = [key for key in KEYS if column_of(key, view)]
    if not known:
        raise click.UsageError(f"--partition-by does not work with --view={view.name}; leave it out.")
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
    """click.UsageError where what was asked for cannot be done on standard output."""
    if on_spark:
        raise click.UsageError("with --spark the executors write files; name a folder with -o, not standard output.")
    if format == "parquet" and environment.is_terminal:
        raise click.UsageError(
            "Parquet is not for a terminal; lead it into a file or a pipe, or write --format=jsonl or --format=csv."
        )


def write_stream(
    ctx: click.Context,
    environment: Environment,
    job: ExportJob,
    spans: Sequence[Span],
    outputs: Outputs,
    look_back: Callable[[], object] | None,
) -> ExitStatus:
    """All rows to standard output."""
    output: Output = standard_output(environment, outputs, "Name a folder with -o")
    with ExitStack() as stack:
        if environment.is_terminal:
            from pybinlog.cli.display.terminal import TerminalOutput

            output = stack.enter_context(TerminalOutput(output))
        names = [name for span in spans for name in span.names]
        progress = progress_of(ctx, names, elsewhere=not environment.is_terminal)
        advance = None if progress is None else stack.enter_context(progress).advance
        results = job.write_stream(spans, output, environment.stdin, advance)
        return report(environment, results, progress, source="log", look_back=look_back)


def check_one_file(name: FileName, format: str, values: dict[str, Any]) -> None:
    """Raise click.UsageError if one file cannot be what the options ask for."""
    folder = f"--output-dir={name.path} names one file; for a folder of that name, end it with /"
    if format != name.format:
        raise click.UsageError(f"--format={format} contradicts --output-dir={name.path}.")
    if name.compression and format == "parquet":
        raise click.UsageError("Parquet is compressed inside; use --compression, and a name that ends with .parquet.")
    if values["spark"] is not None:
        raise click.UsageError(f"With --spark each executor writes files. {folder}.")
    if values["partition_by"]:
        raise click.UsageError(f"--partition-by writes many files. {folder}.")


def write_file(
    ctx: click.Context,
    environment: Environment,
    job: ExportJob,
    spans: Sequence[Span],
    name: FileName,
    look_back: Callable[[], object] | None,
) -> ExitStatus:
    """Write all rows to one file."""
    from pybinlog.export.one_file import OneFile

    progress = progress_of(ctx, [log for span in spans for log in span.names], elsewhere=True)
    with ExitStack() as stack:
        advance = None if progress is None else stack.enter_context(progress).advance
        output = stack.enter_context(OneFile(name))
        results = list(job.write_stream(spans, output, environment.stdin, advance))
        status = report(environment, results, progress, source="log", look_back=look_back)
        if not any(result.error for result in results):
            output.commit()
    return status


def report(
    environment: Environment,
    results: Iterable[Result],
    shown: Progress | None = None,
    *,
    source: str = "",
    look_back: Callable[[], object] | None = None,
) -> ExitStatus:
    """Say what was written and what was wrong, as it becomes known; without rows, let `look_back` say why."""
    files = rows = 0
    status = ExitStatus.OK
    say = shown or environment
    for result in results:
        files += result.files
        rows += result.rows
        for warning in result.warnings:
            say.warn(f"{warning}.")
            status = ExitStatus.ERROR
        for note in result.notes:
            say.warn(f"{note}.")
        if result.error is not None:
            say.fail(f"{result.error}.")
            status = ExitStatus.ERROR
    if not rows and status is ExitStatus.OK and look_back is not None:
        look_back()
    where = f"in {counted(files, 'file')}" if not source else f"of {counted(files, source)}"
    environment.say(f"{counted(rows, 'row')} {where}.")
    return status


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def view_options(values: dict[str, Any]) -> ViewOptions:
    """What was asked for, in the words of the views."""
    from pybinlog.views.options import Mode, Unfit, ViewOptions

    view = ALL_VIEWS[values["view"]]
    return ViewOptions(
        view=view.name,
        columns=None if view.of_one_table else names_among(view, values["columns"]),
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
    refused=SERVER_REFUSED | SPARK_REFUSED,
    shared=SHARED_LETTERS,
)
