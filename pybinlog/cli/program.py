"""The group of commands. Without a command, it runs `dump`."""

import os
from importlib import import_module
from typing import Any

import click

GROUPS = {
    "Read": {
        "dump": "Print logs as text, as mysqlbinlog does. The default command.",
        "events": "Show the events of logs, as SHOW BINLOG EVENTS does.",
        "find": "Find a GTID, a time, an xid or a GTID set's place in logs.",
        "summary": "Show what logs hold at first sight: tables, transactions, doubts.",
        "stats": "Count transactions, rows and bytes by table, time, connection ...",
        "transactions": "List transactions: the longest, the largest, those of a table.",
        "rows": "Show changed rows, a line each.",
        "report": "Write a page of pictures, as one file.",
        "diff": "Compare two logs, folders or servers: transactions and rows.",
        "xa": "List XA transactions: prepared, decided, in doubt.",
        "sql": "Ask logs in SQL: events, transactions, rows and your tables.",
        "export": "Write logs as tables: Parquet, CSV or JSON lines.",
    },
    "Keep": {
        "mirror": "Copy a server's logs continuously into a folder.",
        "serve": "Send logs to replicas and other clients, as their server did.",
        "recover": "Bring a server from a backup to a moment in its logs.",
    },
    "Check": {"check": "Report damage, gaps and broken transactions."},
    "Change": {
        "redact": "Write copies of logs that may be shown to others.",
        "tag": "Write boundary markers into logs, or remove them.",
        "undo": "Print SQL that takes changes back.",
        "redo": "Print SQL that makes changes again.",
        "simulate": "Write a server's logs from a scenario of statements.",
    },
    "The program": {
        "help": "Show this text, or the help of a command.",
        "completion": "Print a completion script for your shell.",
    },
}
"""The commands in groups, a line of each. The module of that name in `cli.commands` has the command, under its name;
it is imported only when it is run."""

MODULES = {"help": "completion", "redo": "undo"}
"""Commands that another one's module has."""
COMMANDS = [name for group in GROUPS.values() for name in group]
DEFAULT = "dump"
HELP = ("--help", "-h", "-?")
COMPLETE = "_PYBINLOG_COMPLETE"
"""The variable by which a shell's script asks for completions; its value is `SHELL_complete`."""


class ProgramError(click.UsageError):
    """A command line that is wrong before any command reads it."""


class Program(click.Group):
    """Commands by name, and the default command for everything else. Give a file named like a command as `./name`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            raise ProgramError("no log is given; name one or more, or - for standard input.")
        first, rest = args[0], args[1:]
        # -h with a word after it is mysqlbinlog's --host, which `dump` refuses.
        if first in HELP and (first != "-h" or not rest or rest[0] in COMMANDS):
            args = ["help", *(name for name in rest if name in COMMANDS)]
        elif first not in COMMANDS:
            if meant := near(first):
                raise ProgramError(f"{first} is neither a command nor a file; did you mean {' or '.join(meant)}?")
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name) if cmd_name in COMMANDS else None


def command_named(name: str) -> Any:
    """Return the command of that name, one of COMMANDS."""
    return getattr(import_module(f"pybinlog.cli.commands.{MODULES.get(name, name)}"), name)


def near(word: str) -> list[str]:
    """Return the commands that a word which is neither a command nor a file may have been meant as.

    One letter is near the shortest command, and says nothing.
    """
    if len(word) < 2 or not word.isalpha() or os.path.lexists(word):
        return []
    from difflib import get_close_matches

    return get_close_matches(word.lower(), COMMANDS)


program = Program("pybinlog", add_help_option=False)
