"""`pybinlog events`: the command."""

from typing import Any

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, Option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.view_request import show_view
from pybinlog.views.schema import EVENTS, SHOWN_EVENTS

ABOUT = """\
Show the events of binary logs as SHOW BINLOG EVENTS does: position, type and contents. The last \
column is the event's place in its transaction, as in a dump. FILE is a log, plain or compressed, a folder, a pattern \
in quotes, a URL or - for standard input.

The formats table and tsv have the server's columns; csv, json and jsonl have those of the view events, as \
`pybinlog export` writes them."""

EXAMPLES = """\
pybinlog events binlog.000007
pybinlog events --start-position=4711 --limit=20,10 binlog.000007
pybinlog events --event-type=Query --columns=Pos,Info binlog.00*
pybinlog events --format=jsonl --columns=position,info binlog.000007
pybinlog events -R --host=db1 --user=repl binlog.000007"""

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Show", "If a log is damaged, warn, skip the damage and show the rest."),
    "Which events": EXPORT["Which rows"],
    "How they are shown": [*TABLE, COLOR],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES)
def events(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> None:
    from pybinlog.cli.display.table_output import FOR_PEOPLE, TableOutput

    to_people = TableOutput.format_of(environment_of(ctx), values) in FOR_PEOPLE
    show_view(ctx, files, values, SHOWN_EVENTS if to_people else EVENTS, shows_statements=True)
