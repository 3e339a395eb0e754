"""`pybinlog recover`: the command."""

from __future__ import annotations

from contextlib import closing
from time import monotonic

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs
from pybinlog.cli.options.option import UTC, Option, flag, missing, repeated, which_files
from pybinlog.cli.options.server_options import CONNECTION
from pybinlog.cli.options.values import DATETIME, GTID_SET, LOG_POSITION, NumberValue, ParsedValue, rewrite
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.recover.journal import Journal
    from pybinlog.recover.plan import Plan, Request
    from pybinlog.recover.run import Report
    from pybinlog.recover.target import TargetState
    from pybinlog.replication.options import ServerOptions

LOOPBACK = ("127.", "::1", "localhost")
ANY_ADDRESS = ("0.0.0.0", "::")
PROGRESS_SECONDS = 10
ABOUT = """\
Recover a server to a moment in its binary logs. pybinlog says what is to be applied after a backup, and what would \
make the result wrong. With --run, it applies it and compares the result. FILE is a log, plain or compressed, a \
folder, a pattern in quotes or a URL: the logs of one server, in their order, from the backup on.

--from is the backup, or its end in the logs. Load it into the target first. pybinlog reads the logs, checks them, \
asks the target for its state and settings, and prints the plan. Without --run, it changes nothing. After an \
interrupted run, the same command goes on.

The status is 0 if the plan is sound and the run was proved. It is 1 if there is a problem; each has a line with the \
way out."""

EXAMPLES = """\
pybinlog recover --from=backup.sql --into=mysql://root@127.0.0.1 logs/
pybinlog recover --from=backup.sql --into=mysql://root@db1 --run logs/
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


def renamed(text: str) -> tuple[str, str]:
    """Return the two names of FROM->TO, which differ."""
    old, new = rewrite(text.strip())
    if old == new:
        raise ValueError(f"{text!r} does not rename a database; give its two names, such as 'shop->look'.")
    return old, new


CLIENT = "the target is not a replica then"
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
        )
    ],
    "The end": [
        end("until", "Before the first transaction that was committed at this time or later.", DATETIME),
        end("until-gtids", "After the transaction with which all these GTIDs were executed.", GTID_SET),
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
    "The run": [
        flag(
            "run",
            "Apply the plan: pybinlog serves the logs, and the target reads them as a replica.",
            requires=("into",),
        ),
        flag(
            "client",
            "Apply the plan as a client that runs the logs' text, one transaction after the other: for a target that "
            "cannot be a replica.",
            requires=("into",),
            excludes={"workers": CLIENT, "fast": CLIENT, "listen": CLIENT},
        ),
        Option(
            "rewrite-db",
            "With --client, apply one database alone, under another name. Load it there before. Example: "
            "--rewrite-db='shop->look'.",
            type=ParsedValue("FROM->TO", renamed),
            requires=("client",),
        ),
        Option(
            "workers",
            "Parallel workers of the target for the run, at least (default: 16).",
            type=NumberValue(1, 1024),
            default=16,
            requires=("run",),
        ),
        flag(
            "fast",
            "Do not let the target wait for its disk during the run (sync_binlog=0, innodb_flush_log_at_trx_commit=2). "
            "If its machine fails meanwhile, load the backup again.",
            requires=("run",),
        ),
        Option(
            "listen",
            "The address of this machine at which the target finds pybinlog (default: 127.0.0.1), and maybe a port.",
            metavar="HOST[:PORT]",
            default="127.0.0.1",
            requires=("run",),
        ),
        flag(
            "give-up",
            "End a run that was not completed: remove its channel, and put settings and events of the target back. "
            "Only --into is needed.",
            requires=("into",),
            excludes={"run": ""},
        ),
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
    from pybinlog.cli.display.recovery_page import as_json, as_page, plan_lines, report_lines
    from pybinlog.recover.planning import make_plan

    if values["from"] is None and not values["give_up"]:
        raise click.UsageError("no backup is given; name it, or the place where it ends: --from=BACKUP.")
    options = target_options(ctx, values)
    if values["give_up"]:
        return end_run(ctx, options, values)
    inputs = Inputs(ctx, files, values, one_series=True)
    inputs.refuse_to_read_twice("", "the plan reads the logs, and so does the run")
    environment = inputs.environment
    request = request_of(inputs, values)
    state = journal = None
    if options is not None:
        from pybinlog.recover.target import Target

        with closing(Target(options)) as target:
            state = target.state()
        journal = journal_of(ctx, identity_of(state, values), request)
    plan = make_plan(request, state, journal, environment.remark)
    address = None if options is None else options.address
    is_json = values["format"] == "json"
    if not values["run"] or plan.problems or not is_json:
        environment.show(as_json(plan, address) if is_json else as_page(plan_lines(plan, address)))
    if plan.problems:
        return ExitStatus.ERROR
    if not values["run"] or options is None or state is None:
        return ExitStatus.OK
    report = run(ctx, plan, options, state, journal, values)
    environment.show(as_json(plan, address, report) if is_json else as_page(report_lines(report)))
    return ExitStatus.ERROR if report.proof.faults else ExitStatus.OK


def target_options(ctx: click.Context, values: dict[str, Any]) -> ServerOptions | None:
    """Return how the target is reached; None without one. Raise click.UsageError for options that need one."""
    if values["into"] is None:
        for option in CONNECTION:
            if option.is_given(values):
                raise missing(option.name, "into")
        return None
    from pybinlog.cli.server.connection import server_at

    return server_at(ctx, values["into"], values, "--into=")


def request_of(inputs: Inputs, values: dict[str, Any]) -> Request:
    from pybinlog.recover.ending import Ending
    from pybinlog.recover.plan import Request

    return Request(
        inputs.names,
        values["from"],
        Ending(**{name.replace("-", "_"): values[name.replace("-", "_")] for name in ENDS}),
        values["without_gtid"],
        values["without_position"],
        values["client"],
        values["rewrite_db"],
    )


def run(
    ctx: click.Context,
    plan: Plan,
    options: ServerOptions,
    state: TargetState,
    journal: Journal | None,
    values: dict[str, Any],
) -> Report:
    """Apply the plan. Raise click.UsageError if the target would not find this machine."""
    from pybinlog.cli.commands.serve import address_of
    from pybinlog.recover.advance import Advance
    from pybinlog.recover.client import Client
    from pybinlog.recover.journal import journal_path
    from pybinlog.recover.replica import Replica
    from pybinlog.recover.settings import RunOptions

    environment = environment_of(ctx)
    host, port = address_of(values["listen"])
    host = "127.0.0.1" if host == "localhost" else host
    if host in ANY_ADDRESS:
        raise click.UsageError(f"--listen={host}: name the address of this machine at which the target finds it.")
    is_far = not values["client"] and host.startswith(LOOPBACK)
    if is_far and options.socket is None and not options.host.startswith(LOOPBACK):
        raise missing(f"into={values['into']}", "listen")
    advance = Advance(plan)
    said = monotonic()

    def progress(log: str, position: int) -> None:
        nonlocal said
        line = advance.line(log, position)
        if line and monotonic() - said >= PROGRESS_SECONDS:
            said = monotonic()
            environment.print_line(line)

    how = RunOptions(values["workers"], values["fast"], host, port)
    path = journal_path(environment.environ, identity_of(state, values))
    try:
        way = Client if values["client"] else Replica
        return way(plan, options, state, journal, path, how, environment.remark, progress).run()
    except KeyboardInterrupt:
        environment.remark("the run is not complete; the same command goes on, and --give-up puts settings back")
        raise


def identity_of(state: TargetState, values: dict[str, Any]) -> str:
    """Return what tells the notes of a run from those of others."""
    rewrite = values["rewrite_db"]
    return state.identity if rewrite is None else f"{state.identity}-{rewrite[1].encode().hex()}"


def end_run(ctx: click.Context, options: ServerOptions | None, values: dict[str, Any]) -> ExitStatus:
    """--give-up."""
    from pybinlog.recover.journal import journal_path, read_journal
    from pybinlog.recover.settings import give_up
    from pybinlog.recover.target import Target

    environment = environment_of(ctx)
    assert options is not None
    with closing(Target(options)) as target:
        path = journal_path(environment.environ, identity_of(target.state(), values))
        journal = read_journal(path)
        if journal is None:
            raise BinlogError("no run for this target has notes on this machine", file=path)
        for sentence in give_up(target, journal):
            environment.remark(sentence)
    return ExitStatus.OK


def journal_of(ctx: click.Context, identity: str, request: Request) -> Journal | None:
    """Return the notes of a run for this target that has not ended. Raise BinlogError if it is another run."""
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
