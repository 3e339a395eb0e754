"""The options of `pybinlog mirror` about logs that are finished."""

from __future__ import annotations

import click

from pybinlog.cli.options.option import Kind, Option
from pybinlog.cli.options.values import TEXT

__all__ = ["FINISHED", "FORMS"]

FORMS = ("types", "bits")
"""Of markers."""
FINISHED = [
    Option(
        "tag",
        "Write boundary markers into each finished log, as `pybinlog tag` does: types (the default) or bits. What "
        "--verify compares are the server's bytes, which `pybinlog tag --clear` gives again.",
        kind=Kind.MAYBE,
        type=TEXT,
        metavar="FORM",
        looks_right=lambda word: word in FORMS,
    ),
    Option(
        "check",
        "Look at each finished log as `pybinlog check` does, and warn of what is found.",
        kind=Kind.FLAG,
    ),
    Option(
        "compress",
        "Compress finished logs. Each is read back and compared before the plain one is removed; every command reads "
        "it as it is.",
        type=click.Choice(["zstd"]),
        metavar="zstd",
    ),
    Option(
        "on-log",
        "Run this command with the path of each finished log as its last argument, after --tag, --check and "
        "--compress, until it ends with status 0. No shell runs it. Example: --on-log='/usr/local/bin/upload --bucket "
        "backup'.",
        type=TEXT,
        metavar="COMMAND",
    ),
    Option(
        "keep",
        "How many finished logs stay, or for how long: hours (h), days (d) or weeks (w) after the last byte. Others "
        "are removed, the oldest first, but none whose --on-log command has failed. Examples: --keep=100, --keep=30d.",
        type=TEXT,
        metavar="N|TIME",
    ),
]
