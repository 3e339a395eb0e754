"""`pybinlog transactions`: the command."""

from typing import Any

import click

from pybinlog.cli.command import command
from pybinlog.cli.options.export_options import COMMITTED, SCHEMA
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, PROGRESS, Option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import DURATION, NumberValue
from pybinlog.cli.view_request import show_view
from pybinlog.views.schema import TRANSACTIONS

ABOUT = """\
List the transactions of binary logs: where and when each was committed, how long it took, what it changed, and how it \
ended. With --where, list those with a row that meets the condition. FILE is a log, plain or compressed, a folder, a \
pattern in quotes, a URL or - for standard input.

--top=N lists the N longest, or the N largest by another column: --sort=rows. A log knows the begin of a transaction \
to the second. If transactions have as many seconds, the one with more bytes comes first."""

EXAMPLES = """\
pybinlog transactions binlog.000007
pybinlog transactions --top=10 binlog.00*
pybinlog transactions --top=10 --sort=rows --columns=all binlog.00*
pybinlog transactions --min-rows=10000 --table=shop.orders /var/lib/mysql
pybinlog transactions --where="changed(price)" --table=shop.item binlog.00*
pybinlog transactions --min-duration=5 --format=jsonl binlog.000007
pybinlog transactions -R --host=db1 --user=repl binlog.000007"""

SHOWN = ("gtid", "file", "start_position", "commit_time", "seconds", "rows", "bytes", "tables", "ended", "thread_id")
"""The columns of a table and of tsv."""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and read the rest."),
    "Which transactions": [
        Option("min-rows", "Only transactions that change at least N rows.", type=NumberValue(minimum=1)),
        Option(
            "min-bytes",
            "Only transactions of at least N bytes in the log; 64K, 10M and 1G are numbers, too.",
            type=NumberValue(minimum=1),
            metavar="BYTES",
        ),
        Option(
            "min-duration",
            "Only transactions that may have taken so many seconds, such as 5 or 0.5, from BEGIN to the commit. BEGIN "
            "knows whole seconds: see the columns duration (in whole seconds: seconds) and duration_error.",
            type=DURATION,
            also=("min-seconds",),
        ),
        COMMITTED.alone(),
        *EXPORT["Which rows"],
    ],
    "Which values": [*EXPORT["Which values"], *(option.with_rules(requires=["where"]) for option in SCHEMA)],
    "How they are shown": [*TABLE, COLOR, PROGRESS],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES)
def transactions(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    show_view(ctx, files, values, TRANSACTIONS, SHOWN, measure="seconds", ties="bytes")
