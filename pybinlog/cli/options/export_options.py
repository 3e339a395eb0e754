"""The options of `pybinlog export`: declared here once, in the order in which the help text shows them."""

from __future__ import annotations

import click

from pybinlog.cli.options.option import THE_PROGRAM, Kind, Option, force_option, index_option
from pybinlog.cli.options.spark_options import PART_SIZE, SPARK
from pybinlog.cli.options.values import TEXT, DatetimeValue, GtidSetValue

__all__ = ["OPTIONS", "SECTIONS"]

SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        index_option("Export"),
        Option(
            "recover",
            "Continue after damage: warn of what is passed over and export the rest.",
            kind=Kind.FLAG,
        ),
    ],
    "Which table": [
        Option(
            "view",
            "events (a row for every event, the default), transactions, or rows (a row for every changed row).",
            type=click.Choice(["events", "transactions", "rows"], case_sensitive=False),
            default="events",
            metavar="VIEW",
        ),
        Option(
            "columns",
            "These columns of the view only, in this order, with commas between; docs/export.md lists them.",
            type=TEXT,
            metavar="NAMES",
        ),
    ],
    "Which rows": [
        Option(
            "start-datetime",
            "Those whose timestamp (of transactions: commit_time) is not before this local date and time. Examples: "
            "'2024-12-25 11:25:56', 2024-12-25T11:25:56Z.",
            type=DatetimeValue(),
        ),
        Option("stop-datetime", "Those whose timestamp is before this local date and time.", type=DatetimeValue()),
        Option(
            "databases",
            "Those of these databases, with commas between. You may give it several times.",
            kind=Kind.LIST,
            letter="d",
            type=TEXT,
            metavar="NAMES",
        ),
        Option(
            "tables",
            "Those of these tables, each as table or database.table, with commas between. You may give it several "
            "times.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="NAMES",
        ),
        Option(
            "event-types",
            "Those of these event types, by the names that the dump prints. Example: --event-types=Query,Xid.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="TYPES",
        ),
        Option(
            "include-gtids",
            "Those of transactions in this GTID set. Examples: 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7; of MariaDB "
            "0-1-3,0-1-5:9.",
            type=GtidSetValue(),
        ),
    ],
    "What comes out": [
        Option(
            "format",
            "parquet (the default; needs pyarrow), csv or jsonl.",
            type=click.Choice(["parquet", "csv", "jsonl"], case_sensitive=False),
            default="parquet",
            metavar="FORMAT",
        ),
        Option(
            "csv-safe",
            "With --format=csv, for a spreadsheet: put an apostrophe before a text that begins with =, +, -, @, a tab "
            "or a line's end, so that it is not run as a formula. Numbers stay as they are.",
            kind=Kind.FLAG,
        ),
        Option(
            "output-dir",
            "The folder (or URL) that the files go to, one for each log: binlog.000001.parquet and so on.",
            required=True,
            letter="o",
            type=TEXT,
            metavar="DIR",
        ),
        force_option(),
    ],
    "On Spark": [SPARK, PART_SIZE],
    "The program": THE_PROGRAM,
}

OPTIONS = [option for section in SECTIONS.values() for option in section]
