"""`pybinlog diff`: the command."""

from __future__ import annotations

from itertools import chain
from typing import Any

import click

from pybinlog.cli.command import command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.filter_options import FILTERS
from pybinlog.cli.options.option import COLOR, Option, flag, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import NumberValue
from pybinlog.source import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pybinlog.difference.compare import Difference

ABOUT = """\
Compare the binary logs A and B: which transactions only one of them has, and which have the same GTID in both and \
another content, which replication never reports. A and B are each a log, a folder, a pattern in quotes, a URL, or a \
server with all its logs (mysql://user@host).

The content of a transaction is its statements, and its row changes in order, by the columns that both logs hold. \
Ids of connections and tables, the grouping of rows into events, compression and the form of row images do not count. \
Logs with equal names and equal bytes are equal: only their GTIDs are read. A transaction without a GTID is found by \
its log and position.

With --rows, the last argument is a server, and the others are its own logs or its source's. Rows whose last state the \
logs do not tell, and rows that other transactions changed since, are counted.

The status is 0 if nothing differs, 1 if something does, 2 after an error."""

EXAMPLES = """\
pybinlog diff /backup/binlogs /var/lib/mysql
pybinlog diff binlog.000007 /backup/binlog.000007.zst
pybinlog diff --user=repl mysql://db1 mysql://db2
pybinlog diff --rows --table=shop.* /backup/binlogs mysql://root@db1
pybinlog diff --format=json /srv/mirror mysql://repl@db1 | jq .[].gtid"""
ROWS_PER_SECOND = 10_000
NAMES = ("database", "table", "ignore-database", "ignore-table")
COLUMNS = ("difference", "gtid", "a", "b", "table", "what")
SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Compare")[1:],
    "Which rows": [
        flag(
            "rows",
            "Compare rows: for each row that LOGS changed, does the server still hold what the last change left? The "
            "server is read in one snapshot, by primary keys.",
            excludes={"allow-gaps": "it needs all changes"},
        ),
        *(FILTERS[name].with_rules(requires=["rows"]) for name in NAMES),
        Option(
            "rows-per-second",
            f"With --rows, read at most N rows in a second from the server. The default is {ROWS_PER_SECOND:,}.",
            type=NumberValue(minimum=1),
            requires=["rows"],
        ),
        flag(
            "lock",
            "With --rows, lock all tables for the moment in which the snapshot is made (FLUSH TABLES WITH READ LOCK, "
            "privilege RELOAD): for MySQL without GTIDs, or with very many writes.",
            requires=["rows"],
        ),
    ],
    "How it is shown": [*TABLE, COLOR],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES, usage="diff [OPTIONS] A B, or diff --rows [OPTIONS] LOGS mysql://SERVER")
def diff(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.difference.compare import Comparison
    from pybinlog.visible import counted

    values["index"], values["servers"] = (), [name for name in files if name.startswith(SERVER)]
    if values["rows"]:
        return diff_rows(ctx, files, values)
    if len(files) != 2:
        raise click.UsageError("give two logs, folders or servers to compare.")
    sides = [Inputs(ctx, logs_of(ctx, name, values), values) for name in files]
    for inputs in sides:
        inputs.refuse_to_read_twice("", "name the file")
    a, b = (inputs.names for inputs in sides)
    comparison = Comparison(a, b, sides[0].environment.remark, allow_gaps=values["allow_gaps"])

    def same() -> str:
        logs, transactions = counted(comparison.same_logs, "log"), counted(comparison.same_transactions, "transaction")
        return f"{logs} by their bytes, {transactions} of other logs by their content"

    return show(sides, values, comparison, same)


def logs_of(ctx: click.Context, name: str, values: dict[str, Any]) -> tuple[str, ...]:
    """Return the logs that a name stands for: all of a server, or the name."""
    if not name.startswith(SERVER):
        return (name,)
    from pybinlog.cli.server.server_logs import with_logs_of_servers

    return with_logs_of_servers(ctx, name, values)


def diff_rows(ctx: click.Context, files: tuple[str, ...], values: dict[str, Any]) -> ExitStatus:
    """Compare the rows of logs with a server's, which is named last."""
    from pybinlog.cli.diff_rows import RowDifferences

    *logs, server = files or ("",)
    if not logs or not server.startswith(SERVER):
        raise click.UsageError("--rows: give logs, and then a server (mysql://user@host).")
    inputs = Inputs(ctx, [log for name in logs for log in logs_of(ctx, name, values)], values)
    inputs.refuse_to_read_twice("rows", "name the file")
    rate = values["rows_per_second"] or ROWS_PER_SECOND
    options = {**values, "server": server, "rows_per_second": rate}
    differences = RowDifferences(ctx, inputs.environment, inputs.names, options)
    return show([inputs], values, differences, lambda: differences.same)


def show(
    sides: list[Inputs], values: dict[str, Any], differences: Iterable[Difference], same: Callable[[], str]
) -> ExitStatus:
    """Show what differs; on standard output also that nothing does, unless a format is given for programs."""
    from pybinlog.cli.display.table_output import TableColumn, TableOutput, UntilError

    environment = sides[0].environment
    table = TableOutput(environment, [TableColumn(name) for name in COLUMNS], values)
    outputs = sides[0].outputs()
    for inputs in sides[1:]:
        outputs.reads(inputs.local_names)
    output = standard_output(environment, outputs, "Lead it into a file")
    rows = UntilError(differences)
    lines = iter(rows)
    first = next(lines, None)
    if first is not None or values["format"] is not None:
        table.show(output, lines if first is None else chain([first], lines))
    if rows.error is not None:
        raise rows.error
    if rows.count:
        return ExitStatus.ERROR
    if values["format"] is None:
        output.write(f"nothing differs: {same()}\n".encode())
    return ExitStatus.OK
