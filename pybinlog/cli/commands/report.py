"""`pybinlog report`: the command."""

from __future__ import annotations

import shlex

import click

from pybinlog.cli.command import ARGUMENTS, command, command_line
from pybinlog.cli.commands.find import transaction_command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import ANSWER, PROGRESS, AnswerFile, Kind, Option, flag, force_option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.view_request import filtered
from pybinlog.source.log_series import LogName
from pybinlog.views.schema import TRANSACTIONS
from pybinlog.visible import server_name, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pybinlog.questions.activity import Activity

ABOUT = """\
Write a page of HTML about binary logs: changes over time by table and operation, and two windows of time compared. \
It also shows sizes and durations of transactions, a replica's commit lag, DDL, missing logs, top statements, and \
how many transactions could run at once. Each part has the command that shows it. The page is one file that needs no \
network, and contains no values of rows. FILE is a log, plain or compressed, a folder, a pattern in quotes, a URL or \
- for standard input.

The page needs the extra `report`: vl-convert-python and Jinja2."""

EXAMPLES = """\
pybinlog report -o report.html binlog.000007
pybinlog report --mask-names -o report.html /var/lib/mysql
pybinlog report --start-datetime=10:00 -o today.html binlog.00*
pybinlog report --table='shop.*' -o shop.html binlog.00*
pybinlog report -R --host=db1 --user=repl -o report.html binlog.000007"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and show the rest."),
    "Which rows": EXPORT["Which rows"],
    "The page": [
        AnswerFile(help=ANSWER.format("the page"), required=True),
        flag("mask-names", "Show numbers instead of the names of tables and databases, and no texts of statements."),
        force_option(),
        PROGRESS,
    ],
    **server_sections(),
}
OF_THE_PAGE = {option.name for option in (*SECTIONS["The page"], *EXPORT["Which rows"])}
OF_CHECK = {"index", "keyring", "keyring-password-file"}
OF_NAMES = {"database", "table", "ignore-database", "ignore-table"}
UNITS = {60: "second", 3600: "minute"}
"""By the seconds of a bar: the times of stats for shorter ones."""


@command(SECTIONS, ABOUT, EXAMPLES)
def report(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog import __version__
    from pybinlog.feed.span import spans
    from pybinlog.questions.activity import Activity
    from pybinlog.report.facts import facts_of
    from pybinlog.report.page import page, require_packages
    from pybinlog.views.remarks import report as report_remarks

    if values["output"] is None:
        raise click.UsageError("name the page's file: --output=report.html, or - for standard output.")
    inputs = Inputs(ctx, files, values)
    environment = inputs.environment
    inputs.refuse_several("start-position", "stop-position")
    require_packages()
    output = standard_output(environment, inputs.outputs(), "Name a file with --output")
    warnings: list[str] = []
    with inputs.progress() as progress:

        def warn(text: str) -> None:
            warnings.append(text)
            progress.warn(f"{text}.")

        activity = Activity(
            filtered(TRANSACTIONS, (), values), warn=warn, stdin=environment.stdin, progress=progress.advance
        )
        activity.read(spans(inputs.names))
    report_remarks(activity.feed.remarks, environment.remark)
    facts = facts_of(activity, masks_names=values["mask_names"], command=shown_command)
    text = page(
        facts,
        title=title(inputs.names),
        version=__version__,
        overview=list(overview(activity, facts)),
        warnings=[*map(visible, warnings), *remarks(activity, masked=values["mask_names"])],
        commands={
            key: visible(line)
            for key, line in commands(ctx, inputs, facts["step"], masked=values["mask_names"]).items()
        },
        masked=values["mask_names"],
        utc=values["utc"],
    ).encode("utf-8", "replace")
    output.write(text)
    return ExitStatus.OK


def shown_command(log: str, start: int | None, end: int) -> str:
    """Return the command that shows a transaction; control characters in a log's name do not turn its text around."""
    return visible(transaction_command(log, start, end))


def title(names: Sequence[str]) -> str:
    first, last = (visible(LogName.of(name).base) for name in (names[0], names[-1]))
    return first if len(names) == 1 else f"{first} to {last}"


def overview(activity: Activity, facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the labels and texts at the top of the page."""
    logs, total = activity.feed.logs, facts["total"]
    yield "Logs", f"{len(logs)} log{'' if len(logs) == 1 else 's'}, {sum(log.size for log in logs):,} bytes"
    for server in dict.fromkeys(f"{server_name(log.server_version or '')} (server id {log.server_id})" for log in logs):
        yield "Server", visible(server)
    yield "Transactions", f"{facts['transactions']:,}, {total['events']:,} events"
    yield "Rows", f"{total['inserts']:,} inserted, {total['updates']:,} updated, {total['deletes']:,} deleted"
    if total["rolled_back"]:
        yield "Rolled back", f"{total['rolled_back']:,} rows, not counted elsewhere"
    if total["prepared"]:
        yield "Prepared", f"{total['prepared']:,} rows of XA transactions in doubt, not counted elsewhere"


def remarks(activity: Activity, *, masked: bool) -> Iterator[str]:
    """Yield what a reader should know of the logs; the messages of the command have it, too."""
    unlogged = activity.feed.remarks.unlogged
    if unlogged is not None and unlogged.count:
        named = "" if masked else f", of {visible(unlogged.named)}" if unlogged.named else ""
        yield f"{unlogged.count:,} statements changed rows, or may have, that the logs do not contain{named}."
    if unlogged is not None and unlogged.cascaded:
        from pybinlog.feed.unlogged import CASCADED, in_words

        of = "other tables" if masked else visible(in_words(unlogged.cascaded_tables))
        yield f"{unlogged.cascaded:,} statements {CASCADED.format(of)}."
    if activity.counts.uncounted:
        yield f"The rows of {activity.counts.uncounted:,} row events are not counted: the logs lack their Table_map."
    if activity.counts.refused:
        yield f"{activity.counts.refused:,} events break the rules of transactions; see pybinlog check."
    if activity.counts.too_many_statements:
        yield "There are too many different statements; the rest is shown as (other statements)."


def commands(ctx: click.Context, inputs: Inputs, step: int, *, masked: bool) -> dict[str, str]:
    """Return the commands that show what the page does, with its logs and filters."""
    secrets = [option.name for section in SECTIONS.values() for option in section if option.kind is Kind.SECRET]
    arguments: list[str] = ctx.meta[ARGUMENTS]
    at = arguments.index("--")
    sources, filters = [], []
    for argument in arguments[:at]:
        name = argument.partition("=")[0].removeprefix("--").removeprefix("skip-")
        if name not in OF_THE_PAGE and name not in secrets:
            sources.append(argument)
        elif name in {option.name for option in EXPORT["Which rows"]} and not (masked and name in OF_NAMES):
            filters.append(argument)
    names = [name if not name.startswith("-") or name == "-" else f"./{name}" for name in arguments[at + 1 :]]
    of_check = [argument for argument in sources if argument.partition("=")[0].removeprefix("--") in OF_CHECK]
    unit = next((unit for most, unit in UNITS.items() if step < most), "hour")

    def line(*words: str, window: bool = False) -> str:
        return f"{shlex.join(['pybinlog', *words])}{'{window}' if window else ''} {shlex.join([*sources, *names])}"

    return {
        "stats": line("stats", f"--by={unit},table", *filters, window=True),
        "rows": line("rows", *filters, window=True),
        "largest": line("transactions", "--top=10", "--sort=bytes", *filters),
        "longest": line("transactions", "--top=10", "--sort=duration", *filters),
        "lag": line("transactions", "--top=10", "--sort=commit_lag", "--columns=commit_time,gtid,commit_lag", *filters),
        "parallelism": line("transactions", "--columns=commit_time,sequence_number,last_committed", *filters),
        "ddl": line("rows", "--ddl", "--operation=ddl", *filters),
        "check": line("summary") if inputs.live else shlex.join(["pybinlog", "check", *of_check, *names]),
        "statements": line("stats", "--by=statement,table", "--top=20", "--sort=rows", *filters),
        "report": masked_line(ctx) if masked else command_line(ctx),
    }


def masked_line(ctx: click.Context) -> str:
    """Return the command line without the options that name tables."""
    words = shlex.split(command_line(ctx))
    return shlex.join(word for word in words if word.partition("=")[0].removeprefix("--") not in OF_NAMES)
