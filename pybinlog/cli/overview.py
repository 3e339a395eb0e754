"""The help text of the program as a whole: its commands, the options that are used most, and where the rest is."""

from __future__ import annotations

import click

from pybinlog.cli.options.dump_options import OPTIONS
from pybinlog.cli.program import COMMANDS, GROUPS

__all__ = ["overview"]

ABOUT = "Shows what is in the binary logs of MySQL and MariaDB, and where each event stands in its transaction."

MOST_USED = {
    "verbose": "Show rows as statements (-vv: and types).",
    "base64-output": "decode-rows leaves out BINLOG statements.",
    "start-datetime": "Begin here; 10:00 is ten o'clock today.",
    "database": "Only events of this database.",
    "include-gtids": "Only these transactions.",
}
"""Options of the dump, and what they do in a line."""

MORE = {
    "pybinlog dump --help": "all options of dump, with examples",
    "pybinlog help COMMAND": "those of another command",
}
WIDTH = 80


def overview() -> str:
    """The text; it fits 80 columns."""
    formatter = click.HelpFormatter(width=WIDTH)
    formatter.write_usage("pybinlog", "[COMMAND] [OPTIONS] FILE...")
    formatter.write_paragraph()
    formatter.write_text(ABOUT)
    longest = max(map(len, COMMANDS))
    for title, commands in GROUPS.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(longest), text) for name, text in commands.items()])
    declared = {option.name: option for option in OPTIONS}
    with formatter.section("Options of dump that are used most"):
        formatter.write_dl([(declared[name].help_record()[0], text) for name, text in MOST_USED.items()])
    with formatter.section("More"):
        formatter.write_dl(list(MORE.items()))
    return formatter.getvalue()
