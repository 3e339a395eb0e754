"""`pybinlog mirror`: the command."""

from __future__ import annotations

import os
import re

import click
from click.core import ParameterSource

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.finished_logs import FINISHED, check_finished_options, finished_logs
from pybinlog.cli.options.option import Kind, Option, conflict, flag
from pybinlog.cli.options.server_options import CONNECTION
from pybinlog.source import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.cli.environment import Environment
    from pybinlog.mirror.finished_logs import FinishedLogs

ABOUT = """\
Copy a server's binary logs into a folder as the server writes them, byte for byte. After any interruption, the \
mirror continues after the last whole transaction.

If the connection breaks or the server restarts, the mirror connects again, with growing waits. If the server does \
not continue the folder's logs (after a switchover, RESET, a restore, or lost or purged logs), the mirror stops with \
an error and changes nothing.

SIGINT (Ctrl-C) and SIGTERM end the mirror with status 0, once all received data is on disk. FIRST_LOG is the first \
log of an empty folder (default: the server's first log)."""

EXAMPLES = """\
pybinlog mirror -h db1 -u reader -p /logs/db1
pybinlog mirror -h db1 -u reader -p /logs/db1 --once
pybinlog mirror -h db1 -u reader -p /logs/db1 --semi-sync binlog.000120
pybinlog mirror -h db1 -u reader -p /logs/db1 --compress=zstd --keep=30d
pybinlog mirror --verify /logs/db1
pybinlog --index /logs/db1/binlog.index --start-datetime=10:00"""

SECTIONS: dict[str, list[Option]] = {
    "Output": [
        Option(
            "output",
            "The folder for the logs, if it is not the first argument; the mirror creates it.",
            letter="o",
            metavar="FOLDER",
            also=("to",),
        ),
        Option(
            "fsync",
            "When to force data to disk: transaction (the default: after a transaction, when no more data has "
            "arrived), log (at the end of each log), never.",
            type=click.Choice(["transaction", "log", "never"], case_sensitive=False),
            default="transaction",
            metavar="WHEN",
        ),
    ],
    "Instead of copying": [
        flag(
            "verify",
            "Compare the finished logs in the folder with the checksums recorded when they were finished, and exit. A "
            "mirror may be running there; this contacts no server.",
        ),
        flag("print-unit", "Print a systemd unit that runs this mirror with the given options, and exit."),
    ],
    "Copying": [
        flag("once", "Exit when all of the server's logs are copied. Without it, wait for more."),
        flag(
            "semi-sync",
            "Acknowledge each transaction to a semi-synchronous server when it is on disk: the server's commits wait "
            "for the mirror.",
            excludes={
                "once": "it requires a mirror that keeps running",
                "fsync=log": "it acknowledges transactions that are on disk",
                "fsync=never": "it acknowledges transactions that are on disk",
            },
        ),
        flag("progress", "Show on standard error the log, the position and how many seconds it is behind the server."),
    ],
    "Finished logs": FINISHED,
    "The server": [option for option in CONNECTION if option.name != "compress"],
}
NOT_OF_A_UNIT = {
    "once": "the unit keeps the mirror running",
    "progress": "the unit has no terminal; its journal has the warnings",
    "verify": "run that beside the unit",
    "password": "the unit would show it; put it into the option file that the unit reads",
    **dict.fromkeys(
        ("defaults_extra_file", "login_path", "no_login_paths", "no_defaults", "print_defaults"),
        "the unit reads one option file, /etc/pybinlog/mirror.cnf or that of --defaults-file",
    ),
}
"""Options that a unit cannot have, with the reason."""
PATHS = ("FILE", "FOLDER", "PATH")
"""Names of values that are paths: the unit has no working directory."""
ENDS_WELL = (ExitStatus.INTERRUPTED, ExitStatus.TERMINATED)


@command(SECTIONS, ABOUT, EXAMPLES, usage="mirror [OPTIONS] FOLDER [FIRST_LOG]")
def mirror(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    environment = environment_of(ctx)
    try:
        return run(ctx, files, values)
    except BaseException as error:
        if not ends_well(environment, error):
            raise
    return ExitStatus.OK


def ends_well(environment: Environment, error: BaseException) -> bool:
    """Return True if a signal that ends a mirror in order caused the error; handle it then."""
    environment.settle()
    if environment.ended is None:
        return isinstance(error, KeyboardInterrupt)
    return environment.ended in ENDS_WELL


def run(ctx: click.Context, files: tuple[str, ...], values: dict[str, Any]) -> ExitStatus:
    environment = environment_of(ctx)
    if values["output"] is None and files and is_folder(files[0]):
        ctx.params["output"] = values["output"] = files[0]
        files = files[1:]
    if values["print_unit"]:
        return print_unit(ctx, files)
    check_usage(files, values)
    if values["verify"]:
        return verify_folder(ctx, files, values["output"])

    from pybinlog.cli.display.mirror_status import MirrorStatus
    from pybinlog.cli.server.connection import server_options
    from pybinlog.mirror.continuation import MirroredServer
    from pybinlog.mirror.folder import MirrorFolder
    from pybinlog.mirror.mirror import Fsync, Mirror
    from pybinlog.replication.server_log import plain_name

    server = MirroredServer(server_options(ctx, values), stays=not values["once"], semi_sync=values["semi_sync"])
    status = MirrorStatus(environment) if values["progress"] else None
    warn = environment.warn if status is None else status.warn
    first_log = plain_name(files[0]) if files else None
    finished: FinishedLogs | None = None
    try:
        with MirrorFolder(values["output"]) as folder, finished_logs(folder, values, warn) as finished:
            Mirror(
                folder,
                server,
                fsync=Fsync(values["fsync"].lower()),
                once=values["once"],
                first_log=first_log,
                continued=finished.start,
                log_finished=finished.log_finished,
                warn=warn,
                progress=None if status is None else status.show,
            ).run()
    except BaseException as error:
        if not ends_well(environment, error):
            raise
    finally:
        if status is not None:
            status.end()
    return ExitStatus.ERROR if finished is not None and finished.failed else ExitStatus.OK


def is_folder(name: str) -> bool:
    """Return True if the first argument is the folder of the mirror, not a log such as binlog.000007."""
    return os.path.isdir(name) or re.search(r"\.\d+$", name) is None


def print_unit(ctx: click.Context, files: tuple[str, ...]) -> ExitStatus:
    """--print-unit: the unit with the options that were given. Passwords are for the option file that it reads."""
    from pybinlog.mirror.unit import USUAL, unit, why_not_started

    options = {option.variable: option for section in SECTIONS.values() for option in section}
    words: list[str] = []
    chosen = given(ctx, "print_unit", "output", "defaults_file")
    if all(options[name] in CONNECTION for name in chosen) and not files:
        words += USUAL
    for name in chosen:
        option, value = options[name], ctx.params[name]
        if name in NOT_OF_A_UNIT:
            raise conflict("print-unit", f"--{option.name}", NOT_OF_A_UNIT[name])
        if option.kind is Kind.FLAG:
            words.append(f"--{option.name if value else option.off}")
        else:
            value = os.path.abspath(value) if option.value_name in PATHS else value
            words.append(f"--{option.name}={value}".removesuffix("="))
    environment = environment_of(ctx)
    environment.show(unit([*words, *files], ctx.params["output"], ctx.params["defaults_file"]))
    warning = why_not_started()
    if warning is not None:
        environment.warn(warning)
    return ExitStatus.OK


def given(ctx: click.Context, *known: str) -> list[str]:
    """Return the variables of the options on the command line, but for the known ones."""
    return [
        name
        for name in ctx.params
        if name not in ("files", *known) and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]


def verify_folder(ctx: click.Context, files: tuple[str, ...], folder: str) -> ExitStatus:
    """--verify: say which finished logs were changed. The status is 1 if there are any."""
    from pybinlog.mirror.verification import verify

    others = given(ctx, "output", "verify")
    if files or others:
        what = files[0] if files else f"--{others[0].replace('_', '-')}"
        raise conflict("verify", what, "it looks at the logs in the folder and asks no server")
    environment = environment_of(ctx)
    from pybinlog.tag import Tagger

    found = verify(folder, lambda source, take: Tagger(clear=True).log(source, take))
    for error in found.changed:
        environment.fail(f"{error}.")
    if found.unrecorded:
        environment.warn(
            f"{folder}: not compared, since a mirror of before finished them: {', '.join(found.unrecorded)}. The next "
            "run records them as they are then."
        )
    same = len(found.unchanged)
    line = f"{same} finished {'log is' if same == 1 else 'logs are'} as recorded"
    if found.changed:
        line += f", {len(found.changed)} not"
    if found.growing is not None:
        line += f"; {found.growing} is being written"
    environment.show(f"{line}\n")
    return ExitStatus.ERROR if found.changed else ExitStatus.OK


def check_usage(files: tuple[str, ...], values: dict[str, Any]) -> None:
    if values["output"] is None:
        raise click.UsageError("no folder is given; name it: pybinlog mirror [OPTIONS] FOLDER [FIRST_LOG].")
    from pybinlog.output.outputs import is_remote

    if is_remote(folder := values["output"]):
        raise click.UsageError(
            f"mirror writes to a folder, and {folder} is a URL; mirror to a folder, and copy its finished logs."
        )
    if len(files) > 1:
        raise click.UsageError("a mirror begins with one log; name one, or none.")
    if files and files[0].startswith(SERVER):
        raise click.UsageError("a mirror's server is named by --host, --port and --user, not by a URL.")
    check_finished_options(values)
