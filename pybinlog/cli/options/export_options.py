"""The options of `pybinlog export`: declared here once, in the order in which the help text shows them."""

from __future__ import annotations

import click

from pybinlog.cli.options.filter_options import filters
from pybinlog.cli.options.option import (
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
from pybinlog.views.schema import ALL_VIEWS, EVENTS

__all__ = ["OPTIONS", "SECTIONS"]


def views_with(option: str) -> list[str]:
    """The condition that an option requires which only some views have."""
    return [f"view={view.name}" for view in ALL_VIEWS.values() if option in view.options]


SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        index_option("Export"),
        *KEYRING_OPTIONS,
        Option(
            "recover",
            "Continue after damage: warn of what is passed over and export the rest.",
            kind=Kind.FLAG,
        ),
    ],
    "Which table": [
        Option(
            "view",
            f"{', '.join(f'{view.name} ({view.about})' for view in ALL_VIEWS.values())}.",
            type=click.Choice(list(ALL_VIEWS), case_sensitive=False),
            default=EVENTS.name,
            metavar="VIEW",
        ),
        Option(
            "columns",
            "These columns of the view only, in this order, with commas between; docs/export.md lists them.",
            type=TEXT,
            metavar="NAMES",
        ),
        Option(
            "ddl",
            "Statements that define something (CREATE, ALTER, DROP, RENAME, TRUNCATE) are rows, too, in their place "
            "among the others, with the operation DDL and their text in query.",
            kind=Kind.FLAG,
            requires=views_with("ddl"),
        ),
        Option(
            "committed",
            "Leave out the rows of transactions that were rolled back, such as XA transactions after they were "
            "prepared. The logs are read twice.",
            kind=Kind.FLAG,
            requires=views_with("committed"),
        ),
        Option(
            "schema",
            "The CREATE TABLE statements of the tables, as `mysqldump --no-data --databases shop` prints them, a "
            "folder of mydumper, or a server (mysql://user@host). They give names, types and character sets of columns "
            "to logs that have none (MySQL 5.x, binlog_row_metadata=MINIMAL, MariaDB). Repeatable.",
            kind=Kind.LIST,
            type=TEXT,
            metavar="FILE",
            requires=views_with("schema"),
        ),
        Option(
            "schema-of",
            "The tables were so at the start of the logs, or are so at their end. By default the dump says it "
            "(--source-data), or it gives names where both say the same.",
            type=click.Choice(["start", "end"], case_sensitive=False),
            metavar="WHEN",
            requires=["schema"],
        ),
    ],
    "One table": [
        Option(
            "zero-dates",
            "How to handle 0000-00-00 and other dates that are in no calendar: null (the default) or error.",
            type=click.Choice(["null", "error"], case_sensitive=False),
            metavar="HOW",
            requires=views_with("zero-dates"),
        ),
        Option(
            "invalid-text",
            "How to handle bytes that are invalid in the column's character set: error (the default) or null.",
            type=click.Choice(["error", "null"], case_sensitive=False),
            metavar="HOW",
            requires=views_with("invalid-text"),
        ),
    ],
    "Which rows": [
        *filters("start-datetime", "stop-datetime"),
        Option(
            "start-position",
            "Only what begins at this position of the log, or after it; for one log.",
            letter="j",
            type=NumberValue(minimum=4),
        ),
        Option("stop-position", "Only what begins before this position; for one log.", type=NumberValue(minimum=4)),
        *filters("database", "table", "ignore-database", "ignore-table", "event-type", "operation", "server-id"),
        *filters("thread-id", "include-gtids", "exclude-gtids"),
    ],
    "What comes out": [
        Option(
            "format",
            "parquet (needs pyarrow), csv or jsonl. The default is parquet, and jsonl for standard output.",
            type=click.Choice(["parquet", "csv", "jsonl"], case_sensitive=False),
            metavar="FORMAT",
        ),
        Option(
            "compression",
            "Of Parquet: zstd (the default), snappy, gzip, lz4 or none.",
            type=click.Choice(["zstd", "snappy", "gzip", "lz4", "none"], case_sensitive=False),
            metavar="CODEC",
        ),
        Option(
            "row-group-size",
            "Of Parquet: write a row group when its rows take about this many bytes of memory (128M), or are 1048576. "
            "Smaller ones need less memory, larger ones are read faster.",
            type=NumberValue(minimum=1 << 16),
            metavar="BYTES",
        ),
        Option(
            "csv-safe",
            "With --format=csv, for a spreadsheet: put an apostrophe before a text that begins with =, +, -, @, a tab "
            "or a line's end, so that it is not run as a formula. Numbers stay as they are.",
            kind=Kind.FLAG,
        ),
        Option(
            "output-dir",
            "The folder (or URL) that the files go to, one for each log: binlog.000001.parquet and so on. A name that "
            "ends with .parquet, .csv or .jsonl is one file of all logs; .csv and .jsonl may be compressed: "
            "rows.jsonl.zst, .gz, .xz, .bz2. A folder that is to be called so ends with /. With - all rows go to "
            "standard output, as one stream, each line as soon as its row is there.",
            required=True,
            letter="o",
            type=TEXT,
            metavar="DIR",
        ),
        Option(
            "partition-by",
            "Put the files in folders named after values, as Hive has them: database=shop/table=orders/"
            "date=2026-11-22/binlog.000001.parquet. NAMES are some of database, table and date (in UTC), with commas "
            "between; the files leave them out.",
            type=TEXT,
            metavar="NAMES",
            excludes={"spark": "", "output-dir=-": ""},
        ),
        force_option(),
        PROGRESS,
    ],
    "From a live server": [*FROM_SERVER, TO_LAST_LOG],
    "How to reach the server": CONNECTION,
    "On Spark": [SPARK],
    "The program": THE_PROGRAM,
}

OPTIONS = [option for section in SECTIONS.values() for option in section]
