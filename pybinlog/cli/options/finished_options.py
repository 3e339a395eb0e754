"""The options of `pybinlog mirror` about logs that are finished."""

from __future__ import annotations

import click

from pybinlog.cli.options.option import Kind, Option
from pybinlog.cli.options.values import TEXT

FORMS = ("types", "bits")
"""The forms of markers."""
FINISHED = [
    Option(
        "tag",
        "Write boundary markers into each finished log, as `pybinlog tag` does: types (the default) or bits. --verify "
        "still compares the server's bytes, which `pybinlog tag --clear` restores.",
        kind=Kind.MAYBE,
        type=TEXT,
        metavar="FORM",
        looks_right=lambda word: word in FORMS,
    ),
    Option(
        "check",
        "Check each finished log as `pybinlog check` does, and warn of the findings.",
        kind=Kind.FLAG,
    ),
    Option(
        "compress",
        "Compress finished logs. pybinlog reads each one back and compares it before it removes the original. Every "
        "command reads compressed logs.",
        type=click.Choice(["zstd"]),
        metavar="zstd",
    ),
    Option(
        "on-log",
        "Run this command with each finished log's path as its last argument, after --tag, --check and --compress. Run "
        "it again until it exits with status 0. It runs without a shell. Example: --on-log='/usr/local/bin/upload "
        "--bucket "
        "backup'.",
        type=TEXT,
        metavar="COMMAND",
    ),
    Option(
        "keep",
        "How many finished logs to keep, or for how long: hours (h), days (d) or weeks (w) after the last byte. The "
        "mirror removes others, oldest first, but none whose --on-log command failed. Examples: --keep=100, "
        "--keep=30d.",
        type=TEXT,
        metavar="N|TIME",
    ),
]
