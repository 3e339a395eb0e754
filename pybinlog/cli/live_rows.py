"""Rows as they happen: what --follow and --stop-never of `pybinlog rows` do."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import click

from pybinlog.cli.command import REFUSED_OF_SERVERS, environment_of
from pybinlog.cli.display.row_sentence import AS_THEY_HAPPEN, SentenceOutput
from pybinlog.cli.display.table_output import TableOutput
from pybinlog.cli.inputs import Inputs, outputs_of, standard_output
from pybinlog.cli.options.option import conflict
from pybinlog.cli.server.connection import server_options
from pybinlog.cli.view_request import catalog_of, filtered, names_among
from pybinlog.export.text_format import TEXT_FORMATS
from pybinlog.feed.span import Span
from pybinlog.live.live_run import LiveFile, LiveOutput, LiveRun
from pybinlog.live.transaction_lines import TransactionLines
from pybinlog.output.lock_file import LockFile
from pybinlog.output.outputs import descriptor_of
from pybinlog.replication.server_log import plain_name
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.schema import ROWS

NOT_LIVE = {
    "committed": "each line says how its transaction ended",
    "sort": "rows come as they happen",
    "top": "rows come as they happen",
    "limit": "pipe the lines into head",
    "to_last_log": "--stop-never implies it",
    "recover": "a log that its server writes is sound",
    "start_position": "begin with a log, or continue from a --checkpoint",
    "stop_position": "end it with Ctrl-C",
}
"""Options that exclude rows as they happen, and the way out."""
FILTERS = (
    "ddl database table ignore_database ignore_table event_type operation server_id thread_id include_gtids "
    "exclude_gtids where where_unknown time_zone start_datetime stop_datetime schema schema_of"
).split()
FORMATS = sorted(format.name for format in TEXT_FORMATS.values() if format.comes_live)


def follow_file(ctx: click.Context, files: Sequence[str], values: dict[str, Any]) -> None:
    """Follow the last log on this machine; an exception ends it."""
    from pybinlog.cli.pause import pause_of
    from pybinlog.dump.follow import Follower
    from pybinlog.live.followed_rows import follow_rows

    for name in files:
        if name == "-" or "://" in name:
            raise conflict("follow", name, "it waits for a file of this machine")
    inputs = Inputs(ctx, files, values)
    if inputs.live:
        raise conflict("follow", "a live server", "use --stop-never")
    with ExitStack() as stack:
        run = live_run(ctx, values, inputs.names, stack)
        pause = pause_of(None if inputs.environment.answer else inputs.environment.stdout)
        gaps = filtered(ROWS, None, values).gap_watch(inputs.environment.remark)
        follow_rows(Follower(pause, inputs.environment.warn), inputs.names, run, gaps)


def stay_at_server(ctx: click.Context, files: Sequence[str], values: dict[str, Any]) -> None:
    """Read a server's log and those that follow, or from the server's end; an exception ends it."""
    from pybinlog.live.server_rows import ServerRows
    from pybinlog.mirror.continuation import MirroredServer

    for reason in ctx.meta[REFUSED_OF_SERVERS]:
        raise click.UsageError(reason)
    if len(files) > 1:
        raise conflict("stop-never", "several logs", "it continues from one; name the first")
    for option in ("index", "keyring", "allow-gaps"):
        if values[option.replace("-", "_")]:
            raise conflict(option, "a live server")
    server = MirroredServer(server_options(ctx, values), stays=True)
    with ExitStack() as stack:
        run = live_run(ctx, values, (), stack)
        first_log = plain_name(files[0]) if files else None
        ServerRows(server, run, first_log=first_log, warn=environment_of(ctx).warn).run()


def live_run(ctx: click.Context, values: dict[str, Any], names: Sequence[str], stack: ExitStack) -> LiveRun:
    """Return the run: the lines to write, and their output.

    Raise click.UsageError if rows as they happen cannot be so.
    """
    environment = environment_of(ctx)
    how = "follow" if values["follow"] else "stop-never"
    for option, way_out in NOT_LIVE.items():
        if values.get(option) not in (None, False, ()):
            raise conflict(option.replace("_", "-"), f"--{how}", way_out)
    if environment.answer is not None and values["checkpoint"] is None:
        raise conflict("output", f"--{how}", "give also --checkpoint")
    format = TableOutput.format_of(environment, values, "jsonl")
    if format == "table" and (values["columns"] is not None or environment.answer is not None):
        if values["format"] is not None:
            other = "columns" if values["columns"] is not None else "output"
            raise conflict("format=table", f"--{other}", f"use {' or '.join(FORMATS)}")
        format = "jsonl"
    if format not in (*FORMATS, "table"):
        raise conflict(f"format={format}", f"--{how}", f"use {', '.join(FORMATS)} or table")
    lines = transaction_lines(ctx, values, format)
    outputs = outputs_of(environment, names, values["index"])
    if values["checkpoint"] is not None:
        outputs.writes(values["checkpoint"], f"--checkpoint={values['checkpoint']}")
        lock(values["checkpoint"], stack)
    output: LiveOutput
    file = None if environment.answer is None else environment.answer.path
    if file is not None:
        outputs.writes(file, f"--output={file}")
        lock(file, stack)
        output = LiveFile(file)
    else:
        to = standard_output(environment, outputs, "Name a file with --output")
        if descriptor_of(to) is not None and environment.is_terminal:
            from pybinlog.cli.display.color import TerminalOutput

            to = stack.enter_context(TerminalOutput(to))
        output = LiveOutput(SentenceOutput(to) if format == "table" else to)
    stack.callback(output.close)
    asked = {"view": ROWS.name, "format": format, "columns": values["columns"]}
    asked.update({name.replace("_", "-"): plain(values[name]) for name in FILTERS})
    if file is not None:
        asked["output"] = os.path.abspath(file)
    return LiveRun(lines, output, values["checkpoint"], asked)


def lock(path: str, stack: ExitStack) -> None:
    """Hold a file for this run. Raise BinlogError if another run does."""
    held = "another run{} writes this file"
    hint = "End that run, or name another --checkpoint and --output"
    stack.callback(LockFile(f"{os.path.realpath(path)}.lock", held, file=path, hint=hint).release)


def transaction_lines(ctx: click.Context, values: dict[str, Any], format: str) -> TransactionLines:
    warn = environment_of(ctx).remark
    catalog = CatalogsAlong(catalog_of(ctx, values), warn=warn)(Span(("",)))
    catalog.warn = warn
    text = values["columns"]
    names = names_among(ROWS, None if text == "all" else text) or ROWS.column_names
    if format == "table":
        names, format = AS_THEY_HAPPEN, "jsonl"
    options = filtered(ROWS, None, values)
    return TransactionLines(options, names, format, catalog=catalog, warn=warn)


def plain(value: object) -> object:
    """Return the value of an option as a checkpoint has it."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return [str(each) for each in value]
    return value if isinstance(value, (bool, int)) or value is None else str(value)
