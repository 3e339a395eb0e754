"""`pybinlog recover`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.option import UTC, Option, missing, repeated, which_files
from pybinlog.cli.options.server_options import CONNECTION
from pybinlog.cli.options.values import DATETIME, GTID_SET, LOG_POSITION, ParsedValue
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.recover.journal import Journal
    from pybinlog.recover.plan import Request
    from pybinlog.replication.options import ServerOptions

ABOUT = """\
Recover a server to a moment in its binary logs: say what is to be applied after a backup, from where to where, and \
what would make the result wrong. FILE is a log, plain or compressed, a folder, a pattern in quotes or a URL: the logs \
of one server, in their order, from the backup on.

--from is the backup, or its end in the logs. Load it into the target first. pybinlog reads the \
logs, checks them, asks the target for its state and settings, and prints the plan. It changes nothing.

The status is 0 if the plan is sound. It is 1 if there is a problem; each has a line with the way out."""

EXAMPLES = """\
pybinlog recover --from=backup.sql --into=mysql://root@127.0.0.1 logs/
pybinlog recover --from=backup.sql --before='DROP TABLE shop.orders' logs/
pybinlog recover --from=server --until='2026-11-28 10:03' --into=... logs/
pybinlog recover --from=xtrabackup_binlog_info --format=json s3://logs/db1
pybinlog recover --from=binlog.000007:4711 --before-delete-of=a.b logs/"""


def table(text: str) -> tuple[str, str]:
    """Return the two parts of DATABASE.TABLE."""
    database, _, name = text.partition(".")
    if not database or not name:
        raise ValueError(f"{text!r} is not a table; give one such as shop.orders.")
    return database, name


ENDS = ("until", "until-gtids", "until-position", "before-gtid", "before", "before-delete-of")


def end(name: str, help: str, type: click.ParamType = click.STRING, metavar: str = "") -> Option:
    """Return an option for the end; it excludes those after it."""
    others = ENDS[ENDS.index(name) + 1 :]
    return Option(name, help, type=type, metavar=metavar, excludes=dict.fromkeys(others, "a recovery has one end"))


SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", as_series=False),
    "The beginning": [
        Option(
            "from",
            "The backup: a dump of mysqldump or mariadb-dump, or a folder of mydumper, MySQL Shell, xtrabackup or "
            "mariadb-backup. LOG:N or a GTID set: its end. server: the target's own state.",
            metavar="BACKUP",
            required=True,
        ),
    ],
    "The end": [
        end("until", "Before the first transaction that was committed at this time or later.", DATETIME, "DATETIME"),
        end("until-gtids", "After the transaction with which all these GTIDs were executed.", GTID_SET, "GTIDS"),
        end(
            "until-position",
            "After the last transaction that ends at this position of a log or before. Example: binlog.000007:4711.",
            LOG_POSITION,
            "LOG:N",
        ),
        end("before-gtid", "Before this transaction.", GTID_SET, "GTID"),
        end("before", "Before this statement. Example: --before='DROP TABLE shop.orders'.", metavar="STATEMENT"),
        end(
            "before-delete-of",
            "Before the transaction that deletes rows of this table. If several do, pybinlog lists them.",
            ParsedValue("DATABASE.TABLE", table),
            "TABLE",
        ),
    ],
    "Without these transactions": [
        Option(
            "without-gtid",
            "Leave these transactions out. pybinlog refuses if later ones need what they did.",
            type=GTID_SET,
            metavar="GTIDS",
        ),
        repeated(
            "without-position",
            "Leave out the transaction that this position of a log is in. You may give it several times.",
            type=LOG_POSITION,
            metavar="LOG:N",
        ),
    ],
    "The target": [
        Option("into", "The server to recover. Example: --into=mysql://root@127.0.0.1:3306.", metavar="URL"),
        *CONNECTION,
    ],
    "Output": [
        Option(
            "format",
            "text (the default) or json.",
            type=click.Choice(["text", "json"], case_sensitive=False),
            default="text",
            metavar="FORMAT",
        ),
        UTC,
    ],
}


@command(SECTIONS, ABOUT, EXAMPLES)
def recover(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.recovery_page import plan_json, plan_page
    from pybinlog.recover.planning import make_plan

    if values["from"] is None:
        raise click.UsageError("no backup is given; name it, or the place where it ends: --from=BACKUP.")
    inputs = Inputs(ctx, files, values, one_series=True)
    inputs.refuse_to_read_twice("", "the plan reads the logs, and so does the run")
    environment = inputs.environment
    options = target_options(ctx, values)
    request = request_of(inputs, values)
    state = journal = None
    if options is not None:
        from contextlib import closing

        from pybinlog.recover.target import Target

        with closing(Target(options)) as target:
            state = target.state()
        journal = journal_of(ctx, state.identity, request)
    plan = make_plan(request, state, journal, environment.remark)
    address = None if options is None else options.address
    show = plan_json if values["format"] == "json" else plan_page
    environment.show(show(plan, address))
    return ExitStatus.ERROR if plan.problems else ExitStatus.OK


def target_options(ctx: click.Context, values: dict[str, Any]) -> ServerOptions | None:
    """Return how the target is reached; None without one. Raise click.UsageError for options that need one."""
    if values["into"] is None:
        for option in CONNECTION:
            if option.is_given(values):
                raise missing(option.name, "into")
        return None
    from pybinlog.cli.server.connection import server_options
    from pybinlog.replication.server_log import server_of

    options, rest = server_of(values["into"], server_options(ctx, values))
    if rest:
        raise click.UsageError(f"--into={values['into']}: the URL ends after host and port; leave out {rest!r}.")
    return options


def request_of(inputs: Inputs, values: dict[str, Any]) -> Request:
    from pybinlog.recover.ending import Ending
    from pybinlog.recover.plan import Request

    return Request(
        inputs.names,
        values["from"],
        Ending(**{name.replace("-", "_"): values[name.replace("-", "_")] for name in ENDS}),
        values["without_gtid"],
        values["without_position"],
    )


def journal_of(ctx: click.Context, identity: str, request: Request) -> Journal | None:
    """Return the notes of a run for this target that has not ended. Raise BinlogError if it is another run."""
    from pybinlog.cli.command import environment_of
    from pybinlog.recover.journal import journal_path, read_journal

    path = journal_path(environment_of(ctx).environ, identity)
    journal = read_journal(path)
    if journal is None:
        return None
    if journal.is_done:
        raise BinlogError(
            "the target was recovered before, from logs without GTIDs: a second run would apply them again",
            file=path,
            hint="Load the backup into the target again, then remove this file",
        )
    if journal.request != request.key:
        raise BinlogError(
            "another recovery of this target is under way, with other options",
            file=path,
            hint="Run it again with its own options",
        )
    return journal
