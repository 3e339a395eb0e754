"""`pybinlog diff`: the command."""

from __future__ import annotations

from typing import Any

import click

from pybinlog.cli.command import command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.option import COLOR, Option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.cli.display.table_layout import Row
    from pybinlog.difference.compare import Comparison

ABOUT = """\
Compare the binary logs A and B: which transactions only one of them has, and which have the same GTID in both and \
another content, which replication never reports. A and B are each a log, a folder, a pattern in quotes, a URL, or a \
server with all its logs (mysql://user@host).

The content of a transaction is its statements, and its row changes in order, by the columns that both logs hold. \
Ids of connections and tables, the grouping of rows into events, compression and the form of row images do not count. \
Logs with equal names and equal bytes are equal, and are not decoded. A transaction without a GTID is found by its log \
and position.

The status is 0 if nothing differs, 1 if something does, 2 after an error."""

EXAMPLES = """\
pybinlog diff /backup/binlogs /var/lib/mysql
pybinlog diff binlog.000007 /backup/binlog.000007.zst
pybinlog diff --user=repl mysql://db1 mysql://db2
pybinlog diff --format=json /srv/mirror mysql://repl@db1 | jq .[].gtid"""
COLUMNS = ("difference", "gtid", "a", "b", "table", "what")
SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Compare")[1:],
    "How it is shown": [*TABLE, COLOR],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES, usage="diff [OPTIONS] A B")
def diff(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.table_output import TableColumn, TableOutput
    from pybinlog.cli.server.server_logs import with_logs_of_servers
    from pybinlog.difference.compare import Comparison
    from pybinlog.visible import counted

    if len(files) != 2:
        raise click.UsageError("give two logs, folders or servers to compare.")
    values["index"] = ()
    sides = [Inputs(ctx, with_logs_of_servers(ctx, name, values), values) for name in files]
    for inputs in sides:
        inputs.refuse_to_read_twice("", "name the file")
    environment = sides[0].environment
    table = TableOutput(environment, [TableColumn(name) for name in COLUMNS], values)
    outputs = sides[0].outputs()
    outputs.reads(sides[1].local_names)
    output = standard_output(environment, outputs, "Lead it into a file")
    a, b = (inputs.names for inputs in sides)
    comparison = Comparison(a, b, environment.remark, allow_gaps=values["allow_gaps"])
    rows = Rows(comparison)
    table.show(output, rows)
    if rows.error is not None:
        environment.fail(f"{rows.error}.")
        return ExitStatus.USAGE
    if rows.count:
        return ExitStatus.ERROR
    logs, transactions = counted(comparison.same_logs, "log"), counted(comparison.same_transactions, "transaction")
    environment.remark(f"nothing differs: {logs} by their bytes, {transactions} of other logs by their content")
    return ExitStatus.OK


class Rows:
    """Lines of what differs. An error ends them and stays in `error`; `count` counts them."""

    def __init__(self, comparison: Comparison):
        self._comparison = comparison
        self.error: BinlogError | None = None
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        try:
            for difference in self._comparison:
                self.count += 1
                yield difference
        except BinlogError as error:
            self.error = error
