"""`pybinlog rows`: the command."""

from typing import Any

import click

from pybinlog.cli.command import command
from pybinlog.cli.options.as_of_options import AT_A_MOMENT, OF_ROWS
from pybinlog.cli.options.export_options import COMMITTED, DDL, SCHEMA
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, PROGRESS, AnswerFile, Option, flag, missing, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.view_request import show_view
from pybinlog.export.text_format import TEXT_FORMATS
from pybinlog.views.schema import ROWS

STOP_NEVER = flag(
    "stop-never",
    "With -R, write rows as they happen, for good: of the log FILE and those that follow, or without FILE from the "
    "server's end. A lost connection is made again.",
    requires=("read-from-remote-server",),
)
FORMAT = Option(
    "format",
    "table (a line for each row, the default on a terminal), jsonl (the default elsewhere), json, csv or tsv. A table "
    "longer than the screen goes through $PAGER; tsv has the form of `mysql --batch`. Rows as they happen have table, "
    "jsonl or tsv. With --as-of also sql: INSERT statements of the rows that were there.",
    type=click.Choice(["table", *TEXT_FORMATS, "sql"], case_sensitive=False),
    metavar="FORMAT",
)
OUTPUT = AnswerFile(
    help="Write to FILE, which appears when it is complete; - is standard output. With --checkpoint, append the lines "
    "to FILE, which is cut back to the checkpoint first: each row is there once."
)
ABOUT = """\
Show the rows that binary logs change. On a terminal, each row is a line with its primary key (the first column if \
none is known) and, for an update, only the changes. Elsewhere, rows are JSON lines, as export writes them. FILE is a \
log, plain or compressed, a folder, a pattern in quotes, a URL or - for standard input.

Names of columns come from the log (binlog_row_metadata=FULL), from its CREATE TABLE statements, or from --schema."""

EXAMPLES = """\
pybinlog rows --table=shop.orders binlog.000007
pybinlog rows --where "changed(status) AND after.status = 'paid'" binlog.0*
pybinlog rows --operation=delete --committed binlog.00*
pybinlog rows --schema=shop.sql --start-datetime=10:00 binlog.00*
pybinlog rows --ddl --format=jsonl binlog.000007 | jq .after
pybinlog rows --as-of=10:00 --table=shop.orders --where="id = 5" binlog.0*
pybinlog rows --history --table=shop.orders --where="id = 5" binlog.0*
pybinlog rows -R --host=db1 --user=repl binlog.000007
pybinlog rows --follow --table=shop.orders /var/lib/mysql/binlog.000007
pybinlog rows -R -h db1 --stop-never --checkpoint=at.json --output=a.jsonl"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and read the rest."),
    "Which rows": [DDL.alone(), COMMITTED.alone(), *EXPORT["Which rows"]],
    "Which values": EXPORT["Which values"],
    "Rows at a moment": [*AT_A_MOMENT, *OF_ROWS],
    "Names of columns": [SCHEMA[0].alone(), *SCHEMA[1:]],
    "Rows as they happen": [
        flag(
            "follow",
            "Follow the last log as its server writes it, and then the next ones: write a transaction's lines when its "
            "end has come. Ctrl-C ends this.",
            excludes={"read-from-remote-server": "use --stop-never", "stop-never": "", "index": "name the log"},
        ),
        STOP_NEVER,
        Option(
            "checkpoint",
            "Record the end of this run in FILE; if FILE is a checkpoint already, continue there.",
            metavar="FILE",
            requires=("follow", "stop-never"),
        ),
    ],
    "How they are shown": [FORMAT, *TABLE[1:-1], OUTPUT, COLOR, PROGRESS],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES)
def rows(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    from pybinlog.cli.display.row_sentence import COLUMNS, SHOWN, Sentences, row_sentence

    if values["as_of"] is not None:
        from pybinlog.cli.rows_as_of import show_rows_as_of

        show_rows_as_of(ctx, files, values)
    elif values["format"] == "sql":
        raise missing("format=sql", "as-of")
    elif values["history"]:
        from pybinlog.cli.rows_as_of import show_history

        show_history(ctx, files, values)
    elif values["follow"] or values["stop_never"]:
        from pybinlog.cli.live_rows import follow_file, stay_at_server

        (follow_file if values["follow"] else stay_at_server)(ctx, files, values)
    else:
        sentences = None if values["columns"] else Sentences(COLUMNS, row_sentence)
        show_view(ctx, files, values, ROWS, SHOWN, sentences, format="jsonl")
