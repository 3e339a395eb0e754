"""The options of `pybinlog check`: declared here once, in the order in which the help text shows them."""

import click

from pybinlog.cli.options.option import ANSWER, COLOR, PROGRESS, AnswerFile, Option, force_option, repeated, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.spark_options import SPARK
from pybinlog.cli.options.values import NumberValue

FORMATS = ["text", "json", "jsonl", "junit", "sarif", "github", "gitlab"]

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Check", as_series=False),
    "Which findings": [
        repeated(
            "select",
            "Report only these findings: codes or prefixes of codes, separated by commas. Example: --select=B,S001.",
            metavar="CODES",
        ),
        repeated(
            "ignore",
            "Do not report these findings, in the same form. If a code matches both options, the longer prefix "
            "decides.",
            metavar="CODES",
        ),
        repeated(
            "replica",
            "Report what replicas of these versions cannot read: events that stop them (V001) or that they ignore "
            "(V002). Versions are separated by commas: 5.5 to 9.7, mariadb-10.5, mariadb-11.8 ... Example: "
            "--replica=5.7,mariadb-10.11.",
            metavar="SERVERS",
        ),
        Option("baseline", "Do not report the findings that this file lists.", metavar="FILE"),
        Option(
            "write-baseline",
            "Write all findings of this run to a baseline file; none of them makes the status 1.",
            metavar="FILE",
        ),
        Option(
            "limit",
            "Show at most N findings of each code, and count the rest; 0 shows all. The default is 1000.",
            type=NumberValue(),
            default=1000,
        ),
    ],
    "Output": [
        Option(
            "format",
            "text (the default), json, jsonl, junit, sarif, gitlab (Code Quality) or github, which is the default in "
            "GitHub Actions.",
            type=click.Choice(FORMATS, case_sensitive=False),
            metavar="FORMAT",
        ),
        AnswerFile(help=ANSWER.format("the report")),
        force_option(),
        COLOR,
        Option(
            "fail-on",
            "Exit with status 1 if a finding has at least this severity: error (the default), warning, info; or never.",
            type=click.Choice(["error", "warning", "info", "never"], case_sensitive=False),
            default="error",
            metavar="SEVERITY",
        ),
    ],
    "Execution": [
        Option(
            "jobs",
            "Check this many logs at once, each in a process of its own; the report is the same. This pays off from "
            "some hundred megabytes. Standard input and URLs use one process.",
            type=click.IntRange(1, 256),
            default=1,
            metavar="N",
            excludes={"spark": "the master sets the number of tasks"},
        ),
        PROGRESS,
    ],
    **server_sections(),
    "On Spark": [SPARK],
}
