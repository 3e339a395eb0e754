"""`pybinlog dump`: the command."""

from __future__ import annotations

import os
from contextlib import ExitStack

import click

from pybinlog.cli import dump_warnings
from pybinlog.cli.command import command, environment_of
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.dump_options import REFUSED, REFUSED_LETTERS, SECTIONS
from pybinlog.cli.options.filter_options import event_types_of, is_plain_name, names_of, operations_of, where_of
from pybinlog.cli.options.option import conflict
from pybinlog.cli.options.server_options import OF_SERVERS, source_of
from pybinlog.cli.options.spark_options import spark_jobs
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import SourceError
from pybinlog.source import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pybinlog.cli.environment import Output
    from pybinlog.dump.follow import Follower
    from pybinlog.feed.remarks import Remarks
    from pybinlog.output.outputs import Outputs
    from pybinlog.views.definitions import CatalogsAlong

ABOUT = """\
Print MySQL and MariaDB binary logs as text, as mysqlbinlog does, with the transaction boundary of each event.

A FILE is a binary or relay log, plain or compressed (gzip, xz, bzip2, zstd). It may also be a folder of logs, a \
pattern in quotes, a URL (s3://, gs://, hdfs:// ...) or - for standard input. With -R, it is a log of a live server."""

EXAMPLES = """\
pybinlog binlog.000001
pybinlog -vv --base64-output=decode-rows binlog.000001 | less
pybinlog --start-datetime='2024-12-25 11:25' binlog.00* | mysql --binary-mode
pybinlog --include-gtids=3e11fa47-71ca-11e1-9e33-c80aa9429562:5 binlog.000002
pybinlog --rewrite-db='a->b' --skip-gtids binlog.000003 | mysql --binary-mode
pybinlog --start-position=0-1-3 --stop-position=0-1-9 mariadb-bin.00000*
zstd -dc backup.zst | pybinlog --no-tbm -
pybinlog -R -h db1 -u reader -p --to-last-log binlog.000007
pybinlog --follow -v --table=shop.orders /var/lib/mysql/binlog.000007
pybinlog dump --spark=local[8] --output-dir=texts /var/lib/mysql"""

LARGEST_POSITION = (1 << 64) - 1
OLD_NAMES = {
    "read-from-remote-master": "read-from-remote-source",
    "stop-never-slave-server-id": "connection-server-id",
    "compress": "compression-algorithms",
}
"""Options that have another name now."""


@command(
    SECTIONS,
    ABOUT,
    EXAMPLES,
    usage="[dump] [OPTIONS] FILE...",
    refused=REFUSED,
    refused_letters=REFUSED_LETTERS,
    of_servers=OF_SERVERS,
)
def dump(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    environment = environment_of(ctx)
    if lists_logs(files, values):
        from pybinlog.cli.server.server_logs import show_logs

        show_logs(ctx, environment, values)
        return ExitStatus.OK
    refuse_with_follow(files, values)
    on_spark = values["spark"] is not None
    one_text = values["output_dir"] is None or values["joined"]
    inputs = Inputs(ctx, files, values, one_series=one_text, opens=not on_spark, follows=True)
    for old, new in OLD_NAMES.items():
        if values[old.replace("-", "_")] not in (None, False):
            environment.warn(f"--{old} is deprecated and will be removed in a future version. Use --{new} instead.")
    if values["raw"] and inputs.live:
        return copy_raw(ctx, inputs, values)
    if values["stop_never"] and not inputs.live:
        environment.warn("--stop-never works only with live servers; for a file, use --follow.")
    options = dump_options(values)
    if values["result_file"] == "-":
        values["result_file"] = None
    if values["follow"] and values["index"]:
        inputs.names = inputs.names[-1:]
    if values["whole_transactions"]:
        options = from_whole_transaction(inputs, options)
    if inputs.names == ["-"] and options.stop_position is not None:
        raise conflict("stop-position", "standard input", "give the log by its name")
    outputs = inputs.outputs()
    for warning in warnings_about(options, single=len(inputs.names) == 1):
        environment.warn(warning)
    if options.tbm and not on_spark:  # the reference writes what comes before the first log
        try:
            inputs.look_at()
        except SourceError as error:
            if not inputs.live and error.hint is None and any(values[option] for option in ("host", "port", "user")):
                error.hint = "If it is a log of the server, give --read-from-remote-server (-R)"
            raise
    follow = follower(environment, inputs.names, values, options) if values["follow"] else None

    if values["output_dir"] is not None:
        return dump_into_folder(inputs, options, values, outputs)
    names = inputs.names
    with ExitStack() as stack:
        output = open_output(environment, values["result_file"], outputs, stack)
        from pybinlog.dump import run  # help, the version and usage errors need none of it

        run_dump = dump_on_spark(environment, values, stack) if on_spark else run
        if environment.wants_color(values["color"], to_stdout=values["result_file"] is None):
            from pybinlog.cli.display.color import ColorOutput

            output = stack.enter_context(ColorOutput(output))
        if environment.is_terminal and values["result_file"] is None:
            from pybinlog.cli.display.color import TerminalOutput

            output = stack.enter_context(TerminalOutput(output))  # before the colours, which are to stay
        elsewhere = follow is None and (values["result_file"] is not None or not environment.is_terminal)
        progress = stack.enter_context(inputs.progress(elsewhere=elsewhere))
        warnings = dump_warnings.DumpWarnings(progress.warn, names, options.start_position)
        stack.callback(warnings.finish)
        looks_back = dump_warnings.has_filters(options) and not (
            follow is not None or inputs.live or on_spark or "-" in names
        )
        counted = dump_warnings.CountedOutput(output) if looks_back else output
        known: dict[str, Any] = {"known": known_tables(ctx, inputs, values)} if options.column_names else {}
        remarks = run_dump(
            names,
            options,
            output=counted,
            warn=warnings,
            stdin=environment.stdin,
            progress=progress.advance,
            jobs=values["jobs"] or len(os.sched_getaffinity(0)),
            follow=follow,
            **known,
        )
        saw_rows = dump_warnings.report_remarks(remarks, warnings)
        if isinstance(counted, dump_warnings.CountedOutput) and counted.size < dump_warnings.SMALL and not saw_rows:
            dump_warnings.warn_of_unmatched(names, options, remarks.asked, warnings)
        elif follow is None:
            dump_warnings.warn_of_names(options, remarks.asked, warnings)
    return ExitStatus.OK


def lists_logs(files: tuple[str, ...], values: dict[str, Any]) -> bool:
    """Return True for -R without a log, or anything that needs one."""
    needs_log = ("index", "raw", "result_file", "output_dir", "to_last_log", "stop_never", "spark")
    from_server = values["read_from_remote_server"] or source_of(values) is not None
    return from_server and not files and not any(values[name] for name in needs_log)


def copy_raw(ctx: click.Context, inputs: Inputs, values: dict[str, Any]) -> ExitStatus:
    from pybinlog.cli.server.raw_copies import check_raw, copy_logs

    check_raw(ctx, values)
    if local := inputs.local_names:
        raise conflict("raw", f"{local[0]}, which is a file", "it copies a server's logs")
    outputs = inputs.outputs()
    with inputs.progress() as progress:
        copy_logs(inputs.names, values, outputs, progress.advance)
    return ExitStatus.OK


def known_tables(ctx: click.Context, inputs: Inputs, values: dict[str, Any]) -> CatalogsAlong:
    """--column-names: the tables as each log begins."""
    from pybinlog.cli.view_request import catalog_of, catalogs_along
    from pybinlog.feed.span import Span

    return catalogs_along(catalog_of(ctx, values), inputs, [Span((name,)) for name in inputs.names])


def from_whole_transaction(inputs: Inputs, options: DumpOptions) -> DumpOptions:
    """--whole-transactions: begin with the first event of the transaction that the dump would begin inside of."""
    from pybinlog.dump.whole_transactions import starting_with, transaction_around

    if options.start_gtids is not None:
        raise conflict("whole-transactions", "GTIDs as --start-position", "they are the ends of whole transactions")
    if "-" in inputs.names:
        raise conflict("whole-transactions", "standard input", "it reads a log twice; name a file")
    around = transaction_around(inputs.names, options.start_position, options.start_datetime)
    if around is None:
        return options
    first, *rest = inputs.names[around.number :]
    inputs.names = [starting_with(first, around), *rest]
    return options.replace(start_position=around.position, start_datetime=None)


def refuse_with_follow(files: tuple[str, ...], values: dict[str, Any]) -> None:
    """Raise click.UsageError if --follow is given with logs that do not grow here."""
    if not values["follow"]:
        return
    if "-" in files:
        raise conflict("follow", "standard input", "pybinlog prints its events as they arrive anyway")
    for name in (*files, *values["index"]):
        if "://" in name and not name.startswith(SERVER):
            raise conflict("follow", f"{name}, which is a URL", "it waits for files of this machine")
    if values["index"] and (files or len(values["index"]) > 1):
        raise conflict(
            "follow", "other logs than the last of one --index", "to begin with another log, name it without --index"
        )


def follower(environment: Environment, names: list[str], values: dict[str, Any], options: DumpOptions) -> Follower:
    """Return the follower of the last log. Raise BinlogError if it cannot be followed."""
    from pybinlog.cli.pause import pause_of
    from pybinlog.dump.follow import Follower
    from pybinlog.source.log_series import LogName

    result_file = values["result_file"]
    if result_file is not None:
        written, read = (LogName.of(os.path.abspath(name)) for name in (result_file, names[-1]))
        if written.number is not None and written.series == read.series:
            raise conflict("follow", f"--result-file={result_file}", "it may come to a log of that name")
    follow = Follower(
        pause_of(environment.stdout if result_file is None else None),
        environment.warn,
        index=values["index"][0] if values["index"] else None,
        stop_position=options.stop_position,
    )
    follow.look_at(names[-1])
    return follow


def dump_on_spark(environment: Environment, values: dict[str, Any], stack: ExitStack) -> Callable[..., Remarks]:
    """Return the function that dumps on Spark; its session ends with the stack."""
    from pybinlog.spark.dump import Text
    from pybinlog.spark.dump_stages import TextPlan

    jobs = stack.enter_context(spark_jobs(values, "dump", environment.warn))
    folder = jobs.spool
    if folder is None:
        raise conflict(
            "spark",
            "one output, if executors run on other machines",
            "write files with --output-dir=FOLDER --joined, and put them together in the order of FOLDER/MANIFEST",
        )

    def run_there(
        names: list[str], options: DumpOptions, *, output: Output, warn: Any, progress: Any, **rest: Any
    ) -> Remarks:
        return Text(names, TextPlan(options, len(names), folder), warn, jobs, progress).to_output(output)

    return run_there


def dump_into_folder(inputs: Inputs, options: DumpOptions, values: dict[str, Any], outputs: Outputs) -> ExitStatus:
    """--output-dir: a file for each log."""
    from pybinlog.spark.dump import Text, joined_names, own_names, run_apart
    from pybinlog.spark.dump_stages import TextPlan

    folder, names, joined = values["output_dir"], inputs.names, values["joined"]
    plan = TextPlan(options, len(names), folder, "zst" if values["output_compression"] else "")
    if not joined:
        for option in ("start-position", "stop-position"):
            if isinstance(values[option.replace("-", "_")], str):
                raise conflict(
                    option,
                    "GTIDs and --output-dir, which dumps each log by itself",
                    "give --include-gtids or --exclude-gtids, or add --joined",
                )
    outputs.writes_into(folder, (joined_names if joined else own_names)(names, plan))
    environment = inputs.environment
    with ExitStack() as stack:
        progress = stack.enter_context(inputs.progress())
        jobs = stack.enter_context(spark_jobs(values, "dump", environment.warn))
        if joined:
            warnings = dump_warnings.DumpWarnings(progress.warn, names, options.start_position)
            stack.callback(warnings.finish)
            remarks = Text(names, plan, warnings, jobs, progress.advance).to_folder()
            dump_warnings.report_remarks(remarks, warnings)
            dump_warnings.warn_of_names(options, remarks.asked, warnings)
            return ExitStatus.OK
        good, remarks = run_apart(
            names, plan, progress.warn, lambda error: environment.fail(f"{error}."), jobs, progress.advance
        )
        dump_warnings.report_remarks(remarks, progress.warn)
        dump_warnings.warn_of_names(options, remarks.asked, progress.warn)
    return ExitStatus.OK if good else ExitStatus.ERROR


def dump_options(values: dict[str, Any]) -> DumpOptions:
    """Return the options of the dump."""
    chosen = {name: values[name] for name in DumpOptions.value_names if name in values}
    chosen |= filters_of(values)
    if chosen["stop_position"] == LARGEST_POSITION:
        chosen["stop_position"] = None
    for end, nothing in (("start", DumpOptions.start_position), ("stop", DumpOptions.stop_position)):
        position = chosen[f"{end}_position"]
        if isinstance(position, str):
            chosen[f"{end}_position"], chosen[f"{end}_gtids"] = nothing, position
    check_gtid_positions(chosen.get("start_gtids"), chosen.get("stop_gtids"))
    return DumpOptions(**chosen)


def filters_of(values: dict[str, Any]) -> dict[str, Any]:
    """Return the filters. One --database, or one --server-id, is the reference's, which may cut transactions."""
    chosen: dict[str, Any] = {"database": None, "server_id": None}
    others = ("table", "ignore_database", "ignore_table", "event_type", "operation", "thread_id")
    databases, servers = values["database"], values["server_id"]
    chosen["where"] = where_of(values)
    named = any(values[name] for name in others) or chosen["where"] is not None
    if len(servers) > 1:
        chosen["server_ids"] = frozenset(servers)
        named = True
    elif servers:
        chosen["server_id"] = servers[0] or None
    if not named and not values["resolve_xa"] and len(databases) == 1 and is_plain_name(databases[0]):
        chosen["database"] = databases[0]
    elif databases or named:
        chosen["names"] = names_of(values)
    if named or values["resolve_xa"]:
        chosen["event_types"] = event_types_of(values["event_type"])
        chosen["operations"] = operations_of(values["operation"])
        chosen["thread_ids"] = frozenset(values["thread_id"]) or None
    return chosen


def check_gtid_positions(start: str | None, stop: str | None) -> None:
    """Raise a usage error if a domain's stop lies before its start."""
    if start is None or stop is None:
        return
    from pybinlog.gtid_set import parse_gtid_position

    stops = {domain: number for domain, _, number in parse_gtid_position(stop)}
    for domain, server, number in parse_gtid_position(start):
        if stops.get(domain, number) < number:
            raise click.UsageError(
                f"--stop-position lies before --start-position in domain {domain}: {domain}-{server}-{number} comes "
                f"after {stops[domain]}."
            )


def warnings_about(options: DumpOptions, *, single: bool) -> list[str]:
    warnings = []
    if options.short_form:
        warnings.append("--short-form is deprecated, and a later version of MySQL will not have it.")
    if options.names is not None or options.operations:
        warnings.append(
            "A statement matches by its verb and the tables that it changes. If its text does not say these, as CALL "
            "does not, it matches by its default database: too many or too few of such statements may be printed."
        )
    start, stop = options.start_position, options.stop_position
    if single and stop is not None and stop <= start and start > DumpOptions.start_position:
        warnings.append(f"--stop-position={stop} is not behind --start-position={start}: no event is printed.")
    if options.database is not None and not options.skip_gtids:
        warnings.append(
            "--database may leave out parts of transactions but keeps all their GTIDs; to leave out whole "
            "transactions, use --include-gtids or --exclude-gtids."
        )
    return warnings


def open_output(environment: Environment, result_file: str | None, outputs: Outputs, stack: ExitStack) -> Output:
    """Return standard output, or the result file, which the stack closes."""
    if result_file is None:
        return standard_output(environment, outputs, "Name a file with --result-file")
    outputs.writes(result_file, f"--result-file={result_file}")
    from pybinlog.cli.output_file import OutputFile

    return stack.enter_context(OutputFile(result_file, "the result file cannot be written"))
