"""Topics: options that many commands share. `pybinlog help TOPIC` describes them; a command's help names them."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click

from pybinlog.cli.options.as_of_options import AT_A_MOMENT
from pybinlog.cli.options.export_options import SECTIONS as EXPORT
from pybinlog.cli.options.filter_options import FILTERS
from pybinlog.cli.options.option import UTC, Option, schema_options, which_files
from pybinlog.cli.options.server_options import CONNECTION

FEWEST = 2
"""Options of a topic that a section of a command's help only names."""


class Topic(NamedTuple):
    title: str
    about: str
    options: Sequence[Option]
    most: int = 20
    """Options that a command's help names."""


TOPICS = {
    "connection": Topic(
        "How to reach the server",
        "The options by which commands reach a server: with -R (read logs from it), with mysql:// URLs, and to mirror "
        "it. Option files of MySQL's programs set them, too.",
        CONNECTION,
        most=6,
    ),
    "filters": Topic(
        "Which events, transactions or rows",
        "The options by which commands choose. Several options must all match; several values of one option may each "
        "match. docs/filters.md says how they apply to transactions and rows.",
        [*FILTERS.values(), UTC, *(option for option in EXPORT["Which rows"] if option.name.endswith("-position"))],
    ),
    "files": Topic(
        "Which files, and the names of their columns",
        "The options by which commands read log files: a FILE is a log, plain or compressed, a folder, a pattern in "
        "quotes, a URL, or - for standard input.",
        [*which_files("Read"), *schema_options()],
    ),
    "moment": Topic(
        "Rows at a moment",
        "The options by which `rows` and `export` show the rows of one table as they were at a moment. docs/asof.md "
        "says what logs tell of a row.",
        AT_A_MOMENT,
    ),
}


def help_of(name: str) -> str:
    """Return the help text of a topic."""
    topic = TOPICS[name]
    formatter = click.HelpFormatter()
    formatter.write_text(topic.about)
    with formatter.section(topic.title):
        formatter.write_dl([option.help_record() for option in topic.options], col_max=24)
    return formatter.getvalue()


def described(options: Iterable[Option]) -> tuple[list[Option], dict[str, list[Option]]]:
    """Return the options that a command's help describes, and by topic those that it only names."""
    rest = list(options)
    named: dict[str, list[Option]] = {}
    for name, topic in TOPICS.items():
        names = {option.name for option in topic.options}
        found = [option for option in rest if option.name in names]
        if len(found) >= FEWEST:
            named[name] = found
            rest = [option for option in rest if option.name not in names]
    return rest, named


def names(options: Sequence[Option], topic: str, width: int) -> list[str]:
    """Return the lines that name the options of a topic, and where they are described."""
    spelled = [(f"-{option.letter}, " if option.letter else "") + f"--{option.name}" for option in options]
    most = TOPICS[topic].most
    more = " and others" if len(spelled) > most else ""
    text = f"{', '.join(spelled[:most])}{more}: see pybinlog help {topic}"
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
