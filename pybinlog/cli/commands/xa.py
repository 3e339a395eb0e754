"""`pybinlog xa`: the command."""

from __future__ import annotations

import re

import click

from pybinlog.cli.command import command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.option import COLOR, UTC, Option, flag, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import ParsedValue, instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.cli.display.table_layout import Row
    from pybinlog.views.outcomes import Group, Until, XaTransaction

ABOUT = """\
List the XA transactions of binary logs: where, when and by which connection each was prepared, what it changes, how \
it was decided, and how long it was in doubt. Each xid has the form that XA COMMIT accepts. FILE is a log, plain or \
compressed, a folder, a pattern in quotes, a URL or - for standard input.

With --in-doubt, list what XA RECOVER would show on a server that has run the logs up to their end, or up to --at. \
The column data has the bytes of the xid: tsv as `mysql --batch` writes them; json has a byte that is not UTF-8 as a \
lone surrogate (0xff as \\udcff). The column xid has them in hexadecimal."""

EXAMPLES = """\
pybinlog xa binlog.00*
pybinlog xa --in-doubt binlog.00*
pybinlog xa --in-doubt --at=binlog.000007:4711 binlog.00*
pybinlog xa --in-doubt --at='2026-11-24 10:00:00' /var/lib/mysql
pybinlog xa --sort=-seconds --limit=10 binlog.00*"""


def place(text: str) -> Until:
    """Return the place that `[LOG:]POSITION` is, or a date and time as filters take it."""
    from pybinlog.views.outcomes import Until

    log, _, position = text.rpartition(":")
    if position.isascii() and position.isdigit() and (log == "" or "." in log):
        return Until(log or None, int(position))
    return Until(time=instant(text))


SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "If a log is damaged, warn, skip the damage and read the rest."),
    "Which transactions": [
        flag("in-doubt", "Only transactions that are prepared and not decided, in the form of XA RECOVER."),
        Option(
            "at",
            "Read the logs as if they ended here: at [LOG:]POSITION (in the last log if none is named), or at a date "
            "and time in the form of --start-datetime.",
            type=ParsedValue("PLACE", place),
            requires=["in-doubt"],
        ),
    ],
    "How they are shown": [*TABLE, UTC, COLOR],
    **server_sections(),
}
XID = re.compile(r"X'([0-9a-f]*)',X'([0-9a-f]*)',(\d+)")
RECOVER = ("formatID", "gtrid_length", "bqual_length", "data")
"""The columns of XA RECOVER."""
PREPARED = "xid prepared_log prepared_position prepared_time thread_id gtid rows tables".split()
DECIDED = ("decision", "decided_log", "decided_position", "decided_time", "seconds")
NUMBERS = {*RECOVER[:3], "prepared_position", "thread_id", "rows", "decided_position", "seconds"}


@command(SECTIONS, ABOUT, EXAMPLES)
def xa(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.table_output import MICROSECONDS, TableColumn, TableOutput
    from pybinlog.cli.view_request import policy_of
    from pybinlog.feed.span import spans
    from pybinlog.source.log_series import LogName
    from pybinlog.views.outcomes import XaTransactions

    inputs = Inputs(ctx, files, values)
    environment = inputs.environment
    until: Until | None = values["at"]
    if until is not None and until.log is not None:
        logs = [LogName.of(name).base for name in inputs.names]
        if until.log not in logs:
            raise click.UsageError(f"--at: {until.log} is not one of the logs: {', '.join(logs)}.")
    names = (*RECOVER, *PREPARED) if values["in_doubt"] else (*PREPARED, *DECIDED)

    def column(name: str) -> TableColumn:
        return TableColumn(name, name in NUMBERS, unit=MICROSECONDS if name.endswith("_time") else 0)

    table = TableOutput(environment, [column(name) for name in names], values)
    output = standard_output(environment, inputs.outputs(), "Lead it into a file")
    found = XaTransactions(
        spans(inputs.names), policy_of(values), until=until, warn=environment.remark, stdin=environment.stdin
    )
    if values["in_doubt"]:
        table.show(output, ((*recovered(one), *prepared(one)) for one in found if one.in_doubt))
    else:
        table.show(output, ((*prepared(one), *decided(one)) for one in found))
    if found.error is not None:
        raise found.error
    return ExitStatus.OK


def recovered(one: XaTransaction) -> Row:
    match = XID.fullmatch(one.xid)
    assert match is not None
    gtrid, bqual = map(bytes.fromhex, match.group(1, 2))
    return int(match[3]), len(gtrid), len(bqual), (gtrid + bqual).decode("utf-8", "surrogateescape")


def prepared(one: XaTransaction) -> Row:
    group = one.prepared
    if group is None:
        return (one.xid, *[None] * (len(PREPARED) - 1))
    return (one.xid, *place_of(group), group.thread_id, group.gtid, group.rows, list(group.tables))


def decided(one: XaTransaction) -> Row:
    if one.decided is None:
        return "not in these logs" if one.is_replaced else None, *[None] * (len(DECIDED) - 1)
    return one.decision, *place_of(one.decided), one.seconds


def place_of(group: Group) -> tuple[str, int | None, int | None]:
    """Return the log, the position where the group begins, and its time."""
    return group.file, group.start_position, group.commit_time
