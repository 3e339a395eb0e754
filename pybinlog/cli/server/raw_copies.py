"""--raw: the logs of a live server as files."""

from collections.abc import Callable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from pybinlog.cli.options.option import conflict
from pybinlog.cli.options.server_options import CONNECTION, FROM_SERVER, GTIDS, STREAM, source_of
from pybinlog.dump.rewrite import RenamedLog
from pybinlog.errors import OutputError
from pybinlog.mirror.folder import check_following
from pybinlog.mirror.log_copy import LogCopy, check_target
from pybinlog.output.outputs import Outputs
from pybinlog.replication.server_log import plain_name
from pybinlog.source import Source, open_source

ALLOWED = {
    "files",
    "force",
    "progress",
    "result_file",
    "rewrite_db",
    "tbm",
    "verify_binlog_checksum",
    *(option.variable for option in (*CONNECTION, *FROM_SERVER, *STREAM)),
}


def check_raw(ctx: click.Context, values: dict[str, Any]) -> None:
    """Raise click.UsageError if another option is given: a copy has all that the log has."""
    for name in values:
        if name not in ALLOWED and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise conflict("raw", f"--{name.replace('_', '-')}", "it copies whole logs as they are")
    if source_of(values) == GTIDS:
        raise conflict("raw", GTIDS, "it copies whole logs as they are")
    if values["result_file"] == "-":
        raise conflict("raw", "--result-file=-", "it is what the files' names begin with, such as copies/")


def copy_logs(
    names: Sequence[str], values: dict[str, Any], outputs: Outputs, progress: Callable[[int], None] | None
) -> None:
    """Write each log to the file of its name.

    Raise BinlogError if one cannot be copied; the copies before it are complete.
    """
    prefix = values["result_file"] or ""
    for name in names:
        before = ""
        with open_source(name) as opened:
            source: Source | None = opened
            while source is not None:
                address, _, log = source.name.rpartition("/")
                if before:
                    check_following(address, before, log)
                before = log
                path = prefix + plain_name(log)
                try:
                    check_target(path, force=values["force"])
                    outputs.writes(path, f"the copy {path}")
                except OutputError as error:
                    if values["stop_never"]:
                        error.hint = f"{error.hint}; pybinlog mirror continues the copies of an earlier run"
                    raise
                copy = LogCopy(
                    path,
                    grows=values["stop_never"],
                    force=values["force"],
                    changed=RenamedLog(values["rewrite_db"]).bytes_of if values["rewrite_db"] else None,
                )
                copy.copy(source, progress)
                source = source.following()
