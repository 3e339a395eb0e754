"""`pybinlog summary`: the command."""

from __future__ import annotations

import json
from functools import partial

import click

from pybinlog.cli.command import command
from pybinlog.cli.commands.find import transaction_command
from pybinlog.cli.display.bar import bar
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.export_options import SCHEMA
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, PROGRESS, AnswerFile, Option, flag, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.source.log_series import LogName
from pybinlog.views.schema import TRANSACTIONS
from pybinlog.visible import local_time, server_name, to_second, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from pybinlog.feed.unlogged import Unlogged
    from pybinlog.questions.statistics import Measures
    from pybinlog.questions.summary import Group, Summary

ABOUT = """\
Show the contents of binary logs at first sight: servers, the span of time and GTIDs, missing logs, transactions of \
each minute, and changed rows by table. It also shows DDL, a replica's lag, XA transactions in doubt, and events that \
break the rules of transactions. Up to five of the largest and longest transactions are shown if they have a megabyte, \
or take a second. With filters, only what matches counts, except for the lines about logs. FILE is a log, plain or \
compressed, a folder, a pattern in quotes or a URL."""

EXAMPLES = """\
pybinlog summary binlog.000007
pybinlog summary --commands /var/lib/mysql
pybinlog summary --start-datetime=10:00 --stop-datetime=10:05 binlog.00*
pybinlog summary --table='shop.*' --thread-id=8713 binlog.00*
pybinlog summary --format=json binlog.00* | jq .tables"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and count the rest."),
    "What counts": [*EXPORT["Which rows"], *EXPORT["Which values"]],
    "Names of columns": [option.with_rules(requires=["where"]) for option in SCHEMA],
    "How it is shown": [
        Option(
            "format",
            "text (the default), or json with the version of its form in `version`.",
            type=click.Choice(["text", "json"], case_sensitive=False),
            default="text",
            metavar="FORMAT",
        ),
        flag("commands", "Print the command that shows it below each of the largest and longest transactions."),
        AnswerFile(),
        COLOR,
        PROGRESS,
    ],
    **server_sections(),
}
VERSION = 1
"""The form of the JSON; a new one if a field changes its meaning or goes."""
MOST_TABLES = 20
MOST_TRANSACTIONS = 5
LARGE, LONG = 1_000_000, 1
"""Bytes and seconds from which a transaction stands out."""
BOLD, BAR, RED, RESET = "\x1b[1m", "\x1b[36m", "\x1b[1;31m", "\x1b[0m"
MICROSECONDS = 1_000_000


@command(SECTIONS, ABOUT, EXAMPLES)
def summary(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.pager import screen_size
    from pybinlog.cli.view_request import catalog_of, catalogs_along, filtered
    from pybinlog.feed.span import spans
    from pybinlog.questions.summary import summary_of
    from pybinlog.views.remarks import report

    inputs = Inputs(ctx, files, values)
    environment = inputs.environment
    inputs.refuse_to_read_twice("", "name the file")
    inputs.refuse_several("start-position", "stop-position")
    output = standard_output(environment, inputs.outputs(), "Lead it into a file")
    wanted, options = spans(inputs.names), filtered(TRANSACTIONS, None, values)
    catalog = catalog_of(ctx, values) if options.where is not None else None
    with inputs.progress(elsewhere=not environment.is_terminal) as progress:
        found = summary_of(
            wanted,
            options,
            known=None if catalog is None else partial(catalogs_along, catalog, inputs, wanted),
            warn=lambda text: progress.warn(f"{text}."),
            progress=progress.advance,
        )
    if values["format"] == "json":
        text = json.dumps(as_json(found), ensure_ascii=False, indent=2) + "\n"
    else:
        width, _ = screen_size(environment)
        page = Page(width, environment.wants_color(environment.color), commands=values["commands"])
        text = "".join(f"{line}\n" for line in page.lines(found))
    report(found.remarks, environment.remark)
    output.write(text.encode("utf-8", "surrogateescape" if values["format"] == "text" else "backslashreplace"))
    return ExitStatus.OK


# ---- for programs


def as_json(found: Summary) -> dict[str, Any]:
    return {
        "version": VERSION,
        "logs": [
            {
                "name": head.name,
                "bytes": size,
                "server_id": head.server_id,
                "server_version": head.version,
                "begun": to_second(head.begun or None),
            }
            for head, size in zip(found.heads, found.sizes, strict=True)
        ],
        "missing_logs": found.missing,
        "gtids": found.gtids,
        "total": measured(found.total),
        "tables": [{"table": name, **measured(measures)} for name, measures in found.tables],
        "largest_transactions": [group_as_json(one) for one in found.largest],
        "longest_transactions": [group_as_json(one) for one in found.longest],
        "ddl": dict(found.statements),
        "transactions_per_minute": {str(to_second(60 * at)): count for at, count in sorted(found.minutes.items())},
        "longest_commit_lag": found.lag / MICROSECONDS,
        "xa_in_doubt": found.in_doubt,
        "statements": unlogged_as_json(found.remarks.unlogged),
        "cascades": cascades_as_json(found.remarks.unlogged),
        "boundary_warnings": found.refused,
    }


def measured(measures: Measures) -> dict[str, Any]:
    found = measures._asdict()
    return {**found, "first_time": to_second(measures.first_time), "last_time": to_second(measures.last_time)}


def unlogged_as_json(unlogged: Unlogged | None) -> dict[str, Any]:
    """Return the statements that changed rows that the logs do not contain."""
    from pybinlog.feed.unlogged import Unlogged

    found = unlogged or Unlogged()
    return {
        "changed_rows": found.changed,
        "may_have_changed_rows": found.count - found.changed,
        "tables": dict(found.tables),
    }


def cascades_as_json(unlogged: Unlogged | None) -> dict[str, Any]:
    """Return the statements whose foreign keys may have changed rows that the logs do not contain."""
    if unlogged is None:
        return {"statements": 0, "tables": {}}
    return {"statements": unlogged.cascaded, "tables": dict(unlogged.cascaded_tables)}


def group_as_json(one: Group) -> dict[str, Any]:
    return {
        "log": one.file,
        "position": one.position,
        "end": one.end,
        "time": to_second(one.time, MICROSECONDS),
        "seconds": one.seconds,
        "rows": one.rows,
        "bytes": one.bytes,
        "gtid": one.gtid,
        "command": transaction_command(one.file, one.position, one.end),
    }


# ---- for people


class Page:
    """The text, within `width` characters a line but for commands, which are to be copied, if `commands` are wanted."""

    def __init__(self, width: int, color: bool, *, commands: bool = False):
        self._width = width
        self._color = color
        self._commands = commands

    def lines(self, found: Summary) -> Iterator[str]:
        total = found.total
        servers = dict.fromkeys(f"{server_name(head.version)} (server id {head.server_id})" for head in found.heads)
        logs = f"{len(found.heads)} log{'s' if len(found.heads) > 1 else ''}, {number(sum(found.sizes))} bytes"
        yield self._fact("Logs", logs)
        for server in servers:
            yield self._fact("Server", visible(server))
        if total.first_time is not None:
            yield self._fact("Time", " to ".join(map(local_time, filter(None, (total.first_time, total.last_time)))))
        if found.gtids:
            yield self._fact("GTIDs", self._cut(found.gtids, self._width - LABEL))
        yield self._fact("Transactions", f"{number(total.transactions)}, {number(total.events)} events")
        if (activity := sparkline(found.minutes, self._width - LABEL)) is not None:
            yield self._fact("Activity", activity)
        yield self._fact(
            "Rows",
            f"{number(total.inserts)} inserted, {number(total.updates)} updated, {number(total.deletes)} deleted",
        )
        if total.rolled_back:
            yield self._fact("", f"{number(total.rolled_back)} rolled back, not counted above")
        if total.prepared:
            yield self._fact("", f"{number(total.prepared)} of prepared XA transactions, not counted above")
        if found.lag:
            lag = f"{found.lag / MICROSECONDS:,.3f} s at most, from a commit at its source to the commit here"
            yield self._fact("Lag", lag)
        if found.remarks.unlogged is not None:
            unlogged = found.remarks.unlogged
            if unlogged.count:
                yield self._fact("Statements", f"{number(unlogged.count)} {visible(unlogged.deed)}", RED)
            if unlogged.cascaded:
                from pybinlog.feed.unlogged import CASCADED, in_words, statements

                cascade = visible(CASCADED.format(in_words(unlogged.cascaded_tables)))
                yield self._fact("Cascades", f"{statements(unlogged.cascaded)} {cascade}", RED)
        for name in found.missing:
            yield self._fact("Missing", visible(name), RED)
        for xid in found.in_doubt[:MOST_TABLES]:
            yield self._fact("In doubt", f"XA transaction {visible(xid)}", RED)
        if found.in_doubt:
            yield self._fact("", "prepared, neither committed nor rolled back; see pybinlog xa")
        if found.refused:
            yield self._fact(
                "Warnings", f"{found.refused} events break the rules of transactions; see pybinlog check", RED
            )
        if found.tables:
            yield from self._tables(found)
        largest = [one for one in found.largest if one.bytes >= LARGE][:MOST_TRANSACTIONS]
        longest = [one for one in found.longest if (one.seconds or 0) >= LONG][:MOST_TRANSACTIONS]
        yield from self._transactions("Largest transactions", largest)
        yield from self._transactions("Longest transactions", longest)
        if (largest or longest) and not self._commands:
            yield "  (--commands prints the command that shows each)"
        if found.statements:
            yield from self._title("DDL")
            for words, count in found.statements[:MOST_TABLES]:
                yield f"  {number(count):>7}  {visible(words)}"

    def _fact(self, label: str, text: str, paint: str = "") -> str:
        return f"{self._painted(f'{label:<{LABEL}}', paint or BOLD)}{text}"

    def _title(self, text: str) -> Iterator[str]:
        yield ""
        yield self._painted(text, BOLD)

    def _painted(self, text: str, paint: str) -> str:
        return f"{paint}{text}{RESET}" if self._color and text else text

    def _cut(self, text: str, width: int) -> str:
        return text if len(text) <= width else text[: width - 3] + "..."

    def _tables(self, found: Summary) -> Iterator[str]:
        shown = found.tables[:MOST_TABLES]
        name_width = min(max(len(visible(name)) for name, _ in shown), max(12, self._width // 3))
        statements = ["statements"] if any(measures.statements for _, measures in shown) else []
        columns = ["inserts", "updates", "deletes", *statements, "bytes"]
        cells = [[number(getattr(measures, column)) for column in columns] for _, measures in shown]
        widths = [max(len(cell) for cell in column) for column in zip(columns, *cells, strict=True)]
        room = self._width - name_width - sum(widths) - 2 * len(columns) - 4
        yield from self._title(f"Tables{'' if len(shown) == len(found.tables) else f', {MOST_TABLES} of the largest'}")
        header = "  ".join(f"{column:>{width}}" for column, width in zip(columns, widths, strict=True))
        yield f"  {'':<{name_width}}  {header}"
        most = shown[0][1].bytes or 1
        for (name, measures), row in zip(shown, cells, strict=True):
            numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            label = self._cut(visible(name), name_width)
            painted = self._painted(bar(measures.bytes, most, room), BAR)
            yield f"  {label:<{name_width}}  {numbers}  {painted}".rstrip()

    def _transactions(self, title: str, groups: Sequence[Group]) -> Iterator[str]:
        if not groups:
            return
        yield from self._title(title)
        for one in groups:
            rows = "rows not known" if one.rows is None else f"{number(one.rows)} row{'' if one.rows == 1 else 's'}"
            time = "no time" if one.time is None else local_time(one.time, MICROSECONDS)
            line = f"  {time}  {number(one.bytes)} bytes, {rows}, {one.seconds or 0} s"
            place = "" if one.position is None else f"  {visible(LogName.of(one.file).base)}:{one.position}"
            yield line + place if len(line + place) <= self._width else line
            if self._commands:
                yield f"    {transaction_command(one.file, one.position, one.end)}"


LABEL = 14
"""Characters of a label."""


def number(value: int) -> str:
    return f"{value:,}"


SIGNS = " ▁▂▃▄▅▆▇█"


def sparkline(minutes: Mapping[int, int], width: int) -> str | None:
    """Return the transactions of each minute as a line of bars; None if they are of one minute.

    If there is no room, a bar stands for the busiest of several minutes.
    """
    if len(minutes) < 2:
        return None
    first, most = min(minutes), max(minutes.values())
    count = max(minutes) - first + 1
    text = f"  at most {number(most)} transactions a minute"
    each = 1
    if count > width - len(text):
        each = -(-count // max(width - len(text) - len(f", {number(count)} minutes a bar"), 1))
    bars = [0] * -(-count // each)
    for minute, transactions in minutes.items():
        place = (minute - first) // each
        bars[place] = max(bars[place], transactions)
    line = "".join(SIGNS[-(-8 * bar // most)] for bar in bars)
    return f"{line}{text}" + (f", {number(each)} minutes a bar" if each > 1 else "")
