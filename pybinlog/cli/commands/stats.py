"""`pybinlog stats`: the command."""

from __future__ import annotations

from dataclasses import replace

import click

from pybinlog.cli.command import command
from pybinlog.cli.display.bar import with_bars
from pybinlog.cli.display.table_layout import plain, without_room
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.export_options import COMMITTED, SCHEMA
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.option import COLOR, PROGRESS, Option, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.table_options import TABLE
from pybinlog.cli.options.values import ParsedValue
from pybinlog.cli.view_request import catalog_of, catalogs_along, committed, filtered
from pybinlog.errors import BinlogError
from pybinlog.export.text_format import TEXT_FORMATS
from pybinlog.views.schema import TRANSACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pybinlog.cli.display.table_layout import Row
    from pybinlog.cli.display.table_output import TableOutput
    from pybinlog.cli.environment import Environment
    from pybinlog.questions.statistics import Statistics

ABOUT = """\
Count what is in binary logs: transactions, inserted, updated and deleted rows, events and bytes, with the first and \
the last time, in groups. FILE is a log, plain or compressed, a folder, a pattern in quotes, a URL or - for standard \
input.

Each byte of the logs is counted once: the bytes of all groups add up to those of the files. Rows of transactions that \
were rolled back, and of XA transactions that are prepared and not decided, are counted apart.

A table leaves out measures that are 0 in all groups, events, and on a narrow terminal the times; --columns=all shows \
them."""

EXAMPLES = """\
pybinlog stats binlog.000007
pybinlog stats --by=table --top=10 /var/lib/mysql
pybinlog stats --by=minute --table=shop.orders binlog.00*
pybinlog stats --by=minute,table --format=svg binlog.00* > minutes.svg
pybinlog stats --by=hour --where "status = 'paid'" binlog.00*
pybinlog stats --by=table,type --sort=-bytes binlog.000007
pybinlog stats --by=statement --top=20 binlog.000007
pybinlog stats --by=thread --top=5 -R --host=db1 --user=repl binlog.000007"""

BY = ("table", "database", "type", "second", "minute", "hour", "server", "thread", "statement")
WIDE = 140
"""Characters of a terminal that has room for times."""
TIMES = ("second", "minute", "hour")
PICTURES = ("svg", "png")
OPERATIONS = ("inserts", "updates", "deletes")
"""Measures whose sum is `rows`."""
OMITTED = (OPERATIONS, ("rolled_back", "prepared", "statements"), ("bytes",))
"""Measures that a narrow terminal lacks beside bars, one collection after the other."""
MOST_BARS = 30
"""Bars of a picture of groups without times, unless --top or --limit says otherwise."""
NUMBERS = ("server", "thread")


def by_names(text: str) -> tuple[str, ...]:
    """Return the names of what groups are about, which stand with commas between."""
    names = tuple(name.strip().lower() for name in text.split(","))
    for name in names:
        if name not in BY:
            raise ValueError(f"{name!r} is not one of {', '.join(BY)}.")
        if names.count(name) > 1:
            raise ValueError(f"{name} is named twice.")
    return names


def with_pictures(format: Option) -> Option:
    """Return --format with pictures."""
    return Option(
        format.name,
        f"{format.help} svg and png are pictures, and require --by: bars over time, or one for each group; they show "
        "the measures of --columns, else changed rows or bytes. They need vl-convert-python.",
        type=click.Choice(["table", *TEXT_FORMATS, *PICTURES], case_sensitive=False),
        metavar=format.metavar,
    )


SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Read", "Continue after damage: warn about each gap and count the rest."),
    "Counts": [
        Option(
            "by",
            f"The groups: {', '.join(BY)}; several with commas between, as in GROUP BY. Without it, one group of all.",
            type=ParsedValue("NAMES", by_names),
        ),
        COMMITTED.alone(),
        *EXPORT["Which rows"],
    ],
    "Which values": [*EXPORT["Which values"], *(option.with_rules(requires=["where"]) for option in SCHEMA)],
    "How it is shown": [with_pictures(TABLE[0]), *TABLE[1:], COLOR, PROGRESS],
    **server_sections(),
}


@command(SECTIONS, ABOUT, EXAMPLES)
def stats(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    from pybinlog.cli.display.pager import screen_size
    from pybinlog.cli.display.table_output import TableColumn, TableOutput
    from pybinlog.feed.span import spans
    from pybinlog.questions.statistics import Measures, Statistics
    from pybinlog.views.remarks import report

    inputs = Inputs(ctx, files, values)
    environment = inputs.environment
    inputs.refuse_several("start-position", "stop-position")
    by: Sequence[str] = values["by"] or ()
    groups = [TableColumn(name, name in NUMBERS, unit=name in TIMES) for name in by]
    measures = [TableColumn(name, not name.endswith("_time"), unit=name.endswith("_time")) for name in Measures._fields]
    table = TableOutput(environment, groups + measures, values, measure="bytes")
    output = standard_output(environment, inputs.outputs(), "Lead it into a file")
    if table.format in PICTURES:
        check_picture(environment, table.format, by)
    options = filtered(TRANSACTIONS, (), values)
    wanted = spans(inputs.names)
    known = catalogs_along(catalog_of(ctx, values), inputs, wanted) if options.where is not None else None
    if values["committed"]:
        wanted = committed(inputs, wanted, options)
    error: BinlogError | None = None
    with inputs.progress(elsewhere=not environment.is_terminal) as progress:
        counted = Statistics(
            options, by, warn=lambda text: progress.warn(f"{text}."), stdin=environment.stdin, progress=progress.advance
        )
        try:
            counted.count(wanted, known)
        except BinlogError as problem:
            error = problem
    rows = rows_of(counted, by)
    omitted: list[str] = []
    if table.format in PICTURES:
        output.write(drawn(table, by, rows, values))
    else:
        if table.format == "table" and not values["columns"]:
            width, _ = screen_size(environment)
            measures = [
                replace(column, shown=any(row[place] for row in rows) and is_worth(column.name, width))
                for place, column in enumerate(measures, len(by))
            ]
            columns = groups + measures
            if environment.is_terminal and by[:1] and by[0] in TIMES:
                wide = columns
                columns, rows = with_bars(columns, rows, values["sort"], width, OMITTED)
                omitted = [one.name for one, other in zip(wide, columns, strict=False) if one.shown and not other.shown]
            table = TableOutput(environment, columns, values, measure="bytes")
        table.show(output, rows)
        if not {*omitted} <= {*OPERATIONS}:
            environment.print_line(without_room(omitted))
    if counted.uncounted:
        environment.warn(
            f"the rows of {counted.uncounted} row events are not counted: no Table_map of theirs is in what was read."
        )
    if counted.too_many_statements:
        environment.warn(
            "there are too many different statements for a group each; the rest is counted as (other statements)."
        )
    report(counted.feed.remarks, environment.remark)
    if error is not None:
        raise error
    return ExitStatus.OK


def check_picture(environment: Environment, format: str, by: Sequence[str]) -> None:
    """Raise NotInstalledError, or click.UsageError if the command line asks for no picture."""
    from pybinlog.report.vega import require_vl_convert

    if not by:
        raise click.UsageError(f"--format={format} requires --by, such as --by=minute.")
    if format == "png" and environment.is_terminal:
        raise click.UsageError("--format=png writes no text; lead it into a file.")
    require_vl_convert()


def drawn(table: TableOutput, by: Sequence[str], rows: Sequence[Row], values: dict[str, Any]) -> bytes:
    """Return the picture of the rows that the options choose."""
    from pybinlog.questions.statistics import UNITS, Measures
    from pybinlog.report.picture import Part, picture

    names = (*by, *Measures._fields)
    chosen = [names[place] for place in table.chosen if place >= len(by) and not names[place].endswith("_time")]
    if not values["columns"] or not chosen:
        changes = any(row[names.index(name)] for row in rows for name in OPERATIONS)
        chosen = list(OPERATIONS) if changes and len(by) == 1 else ["rows" if changes else "bytes"]
    unit = UNITS[by[0]] if by[0] in TIMES else 0
    wanted = list(table.wanted(rows))
    if not unit and values["top"] is None and values["limit"] is None:
        wanted = wanted[:MOST_BARS]
    parts = []
    for row in wanted:
        others = [plain(part) for part in row[1 : len(by)]]
        for name in chosen:
            label = " / ".join([*others, *([name] if len(chosen) > 1 or not others else [])])
            group, value = row[0] if unit else plain(row[0]), row[names.index(name)]
            assert isinstance(value, int)
            if isinstance(group, int | str):
                parts.append(Part(group, label, value))
    return picture(table.format, parts, ", ".join(chosen), unit=unit, utc=values["utc"])


def is_worth(name: str, width: int) -> bool:
    """Return True for a measure that a table has room for on a terminal of `width` characters."""
    return name != "events" and (width >= WIDE or not name.endswith("_time"))


def rows_of(counted: Statistics, by: Sequence[str]) -> list[Row]:
    """Return the groups: by time, if the first name is one, else those with the most bytes first."""
    found = counted.groups()
    times = [place for place, name in enumerate(by) if name in TIMES]
    if times[:1] == [0]:
        found.sort(key=lambda group: (group[0][0] is not None, group[0][0] or 0, -group[1].bytes))
    else:
        found.sort(key=lambda group: -group[1].bytes)
    return [(*key, *measures) for key, measures in found]
