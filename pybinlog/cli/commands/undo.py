"""`pybinlog undo` and `pybinlog redo`: the commands."""

from typing import Any

import click

from pybinlog.cli.command import Command
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.export_options import SCHEMA
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.filter_options import filters
from pybinlog.cli.options.option import COLOR, AnswerFile, Option, conflict, flag, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.values import NumberValue
from pybinlog.cli.undo.later_logs import LOOK_TO, NOWHERE
from pybinlog.undo.problem import ROWS_PER_STATEMENT

MOST_ROWS_PER_STATEMENT = 10_000
"""MySQL's optimizer takes more time for a row of a larger statement."""
ABOUT = """\
Take back what transactions in binary logs changed: print SQL that gives the earlier rows again. It runs in one \
transaction, and ends without a change if a row is not as the logs left it. FILE is a log, plain or compressed, a \
folder, a pattern in quotes, a URL or - for standard input.

pybinlog prints nothing but an error if the logs do not hold what it needs: old values, names of columns, which \
columns are generated. A log does not say the last: give --schema, unless the logs hold the CREATE TABLE or pybinlog \
reads them from their server (-R). It also refuses rows that later logs change again, and says how to go on.

Look first with pybinlog rows, with the same filters; then use --dry-run."""

REDO_ABOUT = """\
Make again what transactions in binary logs changed, in their order: on a copy, or after an undo. It prints SQL that \
runs in one transaction, and ends without a change if a row is not as it was before the change. FILE is a log, plain \
or compressed, a folder, a pattern in quotes, a URL or - for standard input.

pybinlog undo describes what it needs, and when it refuses."""

EXAMPLES = """\
pybinlog {word} --schema=shop.sql --dry-run --start-datetime=10:00 binlog.00*
pybinlog {word} --schema=shop.sql --table=shop.orders -j 4711 binlog.000007
pybinlog {word} --schema=a.sql --where="id = 5" binlog.0* | mysql --binary-mode
pybinlog {word} --schema=shop.sql --rows-per-statement=1 binlog.000007"""
ON_SERVER = "pybinlog undo -R --host=db1 --user=root -j 4711 binlog.000007"


OF_UNDO = [
    Option(
        "format",
        "sql (the default): statements that people can read. binlog: BINLOG statements, for tables without known "
        "columns and for very many rows; they set all columns of a row.",
        type=click.Choice(["sql", "binlog"], case_sensitive=False),
        metavar="FORMAT",
    ),
    Option(
        "look-to",
        "Look for later changes of the same rows up to this place; none: do not look. By default pybinlog looks to the "
        "end of the last log in the folder, or on the server.",
        type=LOOK_TO,
    ),
    flag(
        "skip-changed",
        "Leave rows out that were changed again. The head counts them. At the end of its run, the SQL lists up to 100 "
        "of them, with what is there and what the statement had left.",
    ),
    flag(
        "overwrite-later-changes",
        "Take rows back though they were changed again: the later changes are lost.",
        requires=["format=binlog"],
        excludes={"skip-changed": ""},
    ),
]


def sections(word: str) -> dict[str, list[Option]]:
    return {
        "Which files": which_files("Read"),
        "Which changes": [*EXPORT["Which rows"], *filters("where", "time-zone")],
        "Names of columns": [SCHEMA[0].alone(), *SCHEMA[1:]],
        "How": [
            *([] if word == "redo" else OF_UNDO),
            flag(
                "dry-run",
                f"Print only the comments that say what will be {'done again' if word == 'redo' else 'undone'}; find "
                "all that keeps it from being done.",
            ),
            Option(
                "rows-per-statement",
                "Change up to this many rows with one statement, if their order does not matter. Fewer than 20 of them "
                "have a statement each. 1: each row has its own.",
                type=NumberValue(1, MOST_ROWS_PER_STATEMENT),
                default=ROWS_PER_STATEMENT,
                excludes={"format=binlog": ""},
            ),
            flag(
                "check-state",
                "Let a statement change a row only if its values are those that the logs left, and end the run if they "
                "are not (the default). For an UPDATE, the columns that it changed count.",
                negative="no-check-state",
                default=True,
            ),
            Option(
                "ignore-columns",
                "Do not compare these columns, which the application changes with each UPDATE, separated by commas: "
                "updated_at. Set them back only where they have the value that the statement left, as always for "
                "ON UPDATE columns.",
                metavar="COLUMNS",
                excludes={"format=binlog": ""},
            ),
            flag(
                "skip-impossible",
                "Leave tables out whose rows cannot all be done: name them, do the others, and end with status 1.",
            ),
            flag(
                "allow-non-transactional",
                "Accept tables whose engine has no transactions: if a statement fails, those before it stay.",
            ),
            AnswerFile(),
            COLOR,
        ],
        **server_sections(),
    }


def command_of(word: str, about: str) -> Command:
    redo = word == "redo"

    @click.pass_context
    def run(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
        inputs = Inputs(ctx, files, values)
        inputs.refuse_several("start-position", "stop-position")
        if values.get("format") == "binlog" and not values["check_state"]:
            raise conflict("no-check-state", "--format=binlog", "BINLOG statements have no such check")
        if values.get("skip_changed") and values["look_to"] == NOWHERE:
            raise conflict("skip-changed", "--look-to=none", "look for the changes that are to be skipped")
        output = standard_output(inputs.environment, inputs.outputs(), "Lead it into a file")
        from pybinlog.cli.undo.undoing import undo_or_redo

        return undo_or_redo(ctx, inputs, values, output, redo=redo)

    return Command(
        word, run, sections(word), about=about, examples=EXAMPLES.format(word=word) + ("" if redo else f"\n{ON_SERVER}")
    )


undo = command_of("undo", ABOUT)
redo = command_of("redo", REDO_ABOUT)
