"""The group of commands. `dump` is what is meant where no command is named."""

from __future__ import annotations

import os
from importlib import import_module

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["COMMANDS", "DEFAULT", "GROUPS", "ProgramError", "command_named", "near", "program"]

GROUPS = {
    "Read": {
        "dump": "Write logs as text, as mysqlbinlog does. This name may be left out.",
        "events": "Show the events of logs, as SHOW BINLOG EVENTS does.",
        "xa": "List XA transactions: prepared, decided, in doubt.",
        "export": "Write logs as tables: Parquet, CSV or JSON lines.",
    },
    "Keep": {
        "mirror": "Copy a server's logs as they come, for good.",
    },
    "Judge": {
        "check": "Look for what is wrong with logs.",
    },
    "Change": {
        "tag": "Write boundary markers into logs, or take them out.",
        "simulate": "Write the logs that a server would write, from a scenario.",
    },
    "The program": {
        "help": "Show this text, or that of a command.",
        "completion": "Write the script that completes all this in your shell.",
    },
}
"""The commands in groups, a line of each. The module of that name in `cli.commands` has the command as `command`; it is
imported only when it is run."""

COMMANDS = [name for group in GROUPS.values() for name in group]
DEFAULT = "dump"
HELP = ("--help", "-h", "-?")


class ProgramError(click.UsageError):
    """A command line that is wrong before any command has read it."""


class Program(click.Group):
    """Commands by name, and the default command for everything else: a file named like one is given as `./name`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            raise ProgramError("no log is given; name one or more, or - for standard input.")
        first, rest = args[0], args[1:]
        # -h with a word after it is mysqlbinlog's --host, which `dump` refuses.
        if first in HELP and (first != "-h" or not rest or rest[0] in COMMANDS):
            args = ["help", *(name for name in rest if name in COMMANDS)]
        elif first not in COMMANDS:
            if meant := near(first):
                raise ProgramError(f"{first} is no command and no file; did you mean {' or '.join(meant)}?")
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name) if cmd_name in COMMANDS else None


def command_named(name: str) -> Any:
    """The command of that name, one of COMMANDS."""
    return import_module(f"pybinlog.cli.commands.{name}").command


def near(word: str) -> list[str]:
    """Return the commands that a word which is neither a command nor a file may have been meant as.

    One letter is near the shortest command, and says nothing.
    """
    if len(word) < 2 or not word.isalpha() or os.path.lexists(word):
        return []
    from difflib import get_close_matches

    return get_close_matches(word.lower(), COMMANDS)


program = Program("pybinlog", add_help_option=False)
