"""The options of commands that show rows (`cli.table_output`)."""

import click

from pybinlog.cli.options.option import AnswerFile, Option
from pybinlog.cli.options.values import NumberValue, ParsedValue
from pybinlog.export.text_format import TEXT_FORMATS


def limit(text: str) -> tuple[int, int | None]:
    """Return how many rows to skip and how many to show, as in SQL's LIMIT: `[OFFSET,]N`; None for N = 0: show all."""
    numbers = [part.strip() for part in text.split(",")]
    if len(numbers) > 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        raise ValueError(f"{text!r} is not a number of rows; give one such as 100, or 20,100 to skip 20.")
    return int(numbers[0]) if len(numbers) == 2 else 0, int(numbers[-1]) or None


TABLE = [
    Option(
        "format",
        "table (the default on a terminal), tsv (the default elsewhere), csv, json or jsonl. A table longer than the "
        "screen goes through $PAGER; tsv has the form of `mysql --batch`.",
        type=click.Choice(["table", *TEXT_FORMATS], case_sensitive=False),
        metavar="FORMAT",
    ),
    Option("columns", "Only these columns, in this order, separated by commas; or all.", metavar="NAMES"),
    Option(
        "sort",
        "Sort by this column; a - before it sorts in descending order: --sort=-Pos. Sorting keeps all rows in memory, "
        "or with --limit that many.",
        metavar="COLUMN",
    ),
    Option(
        "top",
        "Show the N rows with the largest values in the column of --sort, largest first.",
        type=NumberValue(minimum=1),
        excludes={"limit": ""},
    ),
    Option(
        "limit",
        "Show at most N rows, after the first OFFSET; 0 shows all. The default is 10000 on a terminal.",
        type=ParsedValue("[OFFSET,]N", limit),
    ),
    AnswerFile(),
]
