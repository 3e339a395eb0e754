"""`pybinlog mirror`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import Command, environment_of
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.finished_logs import check_finished_options, finished_logs
from pybinlog.cli.options.finished_options import FINISHED
from pybinlog.cli.options.option import THE_PROGRAM, Kind, Option
from pybinlog.cli.options.server_options import CONNECTION, SERVER_REFUSED, SHARED_LETTERS
from pybinlog.cli.options.values import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.mirror.finished_logs import FinishedLogs

__all__ = ["command"]

ABOUT = """\
Copy the binary logs of a server into a folder as they come, and stay: each log is byte for byte the server's, and \
whatever interrupts the mirror, it continues where it was. Only whole transactions stay.

The connection may break and the server be restarted: the mirror connects again, with growing waits. It ends with an \
error, and leaves the folder as it is, where the server does not continue what the folder holds: after a switchover to \
another server, RESET, a restore, lost or purged logs.

SIGINT (Ctrl-C) and SIGTERM end it with status 0 when all that was received is on the disk. FIRST_LOG is where an \
empty folder begins (default: with the server's first log)."""

EXAMPLES = """\
pybinlog mirror -h db1 -u reader -p --to /logs/db1
pybinlog mirror -h db1 -u reader -p --to /logs/db1 --once
pybinlog mirror -h db1 -u reader -p --to /logs/db1 --semi-sync binlog.000120
pybinlog mirror -h db1 -u reader -p --to /logs/db1 --compress=zstd --keep=30d
pybinlog --index /logs/db1/binlog.index --start-datetime=10:00"""

TO = Option("to", "The folder for the logs; it is made if it is not there.", type=TEXT, metavar="FOLDER", required=True)
SECTIONS: dict[str, list[Option]] = {
    "Where the logs go": [
        TO,
        Option(
            "fsync",
            "When the disk has to have what came: transaction (the default: as soon as nothing more has come), log (at "
            "the end of each log), never.",
            type=click.Choice(["transaction", "log", "never"], case_sensitive=False),
            default="transaction",
            metavar="WHEN",
        ),
    ],
    "What is copied": [
        Option("once", "End when all is there that the server has. Without it, wait for more.", kind=Kind.FLAG),
        Option(
            "semi-sync",
            "Answer a semi-synchronous server when the disk has a transaction, so that its commits wait for the "
            "mirror.",
            kind=Kind.FLAG,
        ),
        Option(
            "progress",
            "Show on standard error the log, the position and how many seconds it is behind the server.",
            kind=Kind.FLAG,
        ),
    ],
    "Finished logs": FINISHED,
    "The server": [option for option in CONNECTION if option.name != "compress"],
    "The program": THE_PROGRAM,
}
ENDS_WELL = (ExitStatus.INTERRUPTED, ExitStatus.TERMINATED)


@click.pass_context
def mirror(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    try:
        return run(ctx, files, values)
    except KeyboardInterrupt as error:
        if not ends_well(error):
            raise
    return ExitStatus.OK


def ends_well(error: KeyboardInterrupt) -> bool:
    """Whether the signal is one that asks a mirror to end."""
    return getattr(error, "status", ExitStatus.INTERRUPTED) in ENDS_WELL


def run(ctx: click.Context, files: tuple[str, ...], values: dict[str, Any]) -> ExitStatus:
    environment = environment_of(ctx)
    if values["print_defaults"]:
        from pybinlog.cli.server_logs import show_defaults

        show_defaults(environment, values)
        return ExitStatus.OK
    check_usage(files, values)

    from pybinlog.cli.mirror_status import MirrorStatus
    from pybinlog.cli.server_logs import server_options
    from pybinlog.mirror.folder import MirrorFolder
    from pybinlog.mirror.mirror import Fsync, Mirror
    from pybinlog.mirror.mirrored_server import MirroredServer
    from pybinlog.replication.server_log import plain_name

    server = MirroredServer(server_options(ctx, values), stays=not values["once"], semi_sync=values["semi_sync"])
    status = MirrorStatus(environment) if values["progress"] else None
    warn = environment.warn if status is None else status.warn
    first_log = plain_name(files[0]) if files else None
    finished: FinishedLogs | None = None
    try:
        with MirrorFolder(values["to"]) as folder, finished_logs(folder, values, warn) as finished:
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
    except KeyboardInterrupt as error:
        if not ends_well(error):
            raise
    finally:
        if status is not None:
            status.end()
    return ExitStatus.ERROR if finished is not None and finished.failed else ExitStatus.OK


def check_usage(files: tuple[str, ...], values: dict[str, Any]) -> None:
    if values["to"] is None:
        raise click.UsageError("where do the logs go? Give --to=FOLDER.")
    if len(files) > 1:
        raise click.UsageError("a mirror begins with one log; name one, or none.")
    if values["semi_sync"] and values["once"]:
        raise click.UsageError("--semi-sync is for a mirror that stays; leave out --once.")
    if values["semi_sync"] and values["fsync"] != "transaction":
        raise click.UsageError(
            f"--semi-sync answers when the disk has a transaction; leave out --fsync={values['fsync']}."
        )
    check_finished_options(values)


command = Command(
    "mirror",
    mirror,
    SECTIONS,
    usage="mirror [OPTIONS] --to=FOLDER [FIRST_LOG]",
    about=ABOUT,
    examples={"Examples": EXAMPLES},
    refused=SERVER_REFUSED,
    shared=SHARED_LETTERS,
)
