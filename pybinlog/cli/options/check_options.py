"""The options of `pybinlog check`: declared here once, in the order in which the help text shows them."""

from __future__ import annotations

import click

from pybinlog.cli.options.option import (
    COLOR,
    KEYRING_OPTIONS,
    PROGRESS,
    THE_PROGRAM,
    Kind,
    Option,
    force_option,
    index_option,
)
from pybinlog.cli.options.server_options import CONNECTION, FROM_SERVER, TO_LAST_LOG
from pybinlog.cli.options.spark_options import SPARK
from pybinlog.cli.options.values import TEXT, NumberValue

__all__ = ["OPTIONS", "SECTIONS"]

FORMATS = ["text", "json", "jsonl", "junit", "sarif", "github", "gitlab"]

SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        index_option("Check"),
        *KEYRING_OPTIONS,
    ],
    "Which findings": [
        Option(
            "select",
            "Look for these only: codes or beginnings of codes, with commas between. Example: --select=B,S001.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="CODES",
        ),
        Option(
            "ignore",
            "Leave these out, in the same form. If both options fit, the longer beginning decides.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="CODES",
        ),
        Option(
            "replica",
            "Say what replicas of these versions do not know of the logs, and stop at or ignore (V001, V002), with "
            "commas between: 5.5 to 9.7, mariadb-10.5, mariadb-11.8 ... Example: --replica=5.7,mariadb-10.11.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="SERVERS",
        ),
        Option("baseline", "Leave out the findings that this file lists.", type=TEXT, metavar="FILE"),
        Option(
            "write-baseline",
            "Write all findings of this run to such a file, and let them pass this time.",
            type=TEXT,
            metavar="FILE",
        ),
        Option(
            "limit",
            "Show at most N findings of one code, and count the rest; 0 shows all. 1000 is the default.",
            type=NumberValue(),
            default=1000,
        ),
    ],
    "What comes out": [
        Option(
            "format",
            "text (the default), json, jsonl, junit, sarif, gitlab (Code Quality) or github, which is the default in "
            "GitHub Actions.",
            type=click.Choice(FORMATS, case_sensitive=False),
            metavar="FORMAT",
        ),
        Option(
            "output",
            "Write the report to this file, which gets its name when it is whole; - is standard output.",
            letter="o",
            type=TEXT,
            metavar="FILE",
        ),
        force_option(),
        COLOR,
        Option(
            "fail-on",
            "The lowest severity of findings that makes the status 1: error (the default), warning, info, never.",
            type=click.Choice(["error", "warning", "info", "never"], case_sensitive=False),
            default="error",
            metavar="SEVERITY",
        ),
    ],
    "How": [
        Option(
            "jobs",
            "Check this many logs at once, each in a process; the report is the same. Worth it from some hundred "
            "megabytes on. Standard input and URLs are checked by one process.",
            type=click.IntRange(1, 256),
            default=1,
            metavar="N",
            excludes={"spark": "its master says how much is done at once"},
        ),
        PROGRESS,
    ],
    "From a live server": [*FROM_SERVER, TO_LAST_LOG],
    "How to reach the server": CONNECTION,
    "On Spark": [SPARK],
    "The program": THE_PROGRAM,
}

OPTIONS = [option for section in SECTIONS.values() for option in section]
