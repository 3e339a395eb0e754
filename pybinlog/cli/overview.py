"""The program's help text: its commands, the most used options, and pointers to the rest."""

import click

from pybinlog.cli.options.dump_options import OPTIONS
from pybinlog.cli.program import COMMANDS, GROUPS

ABOUT = "Show the contents of MySQL and MariaDB binary logs, and each event's place in its transaction."

MOST_USED = {
    "verbose": "Show rows as statements (-vv: and types).",
    "base64-output": "decode-rows prints no BINLOG statements.",
    "start-datetime": "Begin at this time; 10:00 is today at ten.",
    "database": "Only events of this database.",
    "include-gtids": "Only these transactions.",
}
"""Options of dump, each with its meaning in one line."""

MORE = {
    "pybinlog dump --help": "all options of dump, with examples",
    "pybinlog help COMMAND": "the options of another command",
    "pybinlog help filters": "which events, transactions or rows",
    "pybinlog help connection": "how to reach a server",
}
WIDTH = 80


def overview() -> str:
    """Return the text; it fits 80 columns."""
    formatter = click.HelpFormatter(width=WIDTH)
    formatter.write_usage("pybinlog", "[COMMAND] [OPTIONS] FILE...")
    formatter.write_paragraph()
    formatter.write_text(ABOUT)
    longest = max(map(len, COMMANDS))
    for title, commands in GROUPS.items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(longest), text) for name, text in commands.items()])
    declared = {option.name: option for option in OPTIONS}
    with formatter.section("Most used options of dump"):
        formatter.write_dl([(declared[name].help_record()[0], text) for name, text in MOST_USED.items()])
    with formatter.section("More"):
        formatter.write_dl(list(MORE.items()))
    return formatter.getvalue()
