"""The options of `pybinlog export`: declared here once, in the order in which the help text shows them."""

import click

from pybinlog.cli.options.as_of_options import of_export
from pybinlog.cli.options.filter_options import filters
from pybinlog.cli.options.option import PROGRESS, UTC, Option, flag, force_option, schema_options, which_files
from pybinlog.cli.options.server_options import server_sections
from pybinlog.cli.options.spark_options import SPARK
from pybinlog.cli.options.values import NumberValue
from pybinlog.export.text_format import FILE_FORMATS
from pybinlog.views.schema import ALL_VIEWS, EVENTS


def views_with(option: str) -> list[str]:
    """Return the conditions under which a view has this option."""
    return [f"view={view.name}" for view in ALL_VIEWS.values() if option in view.options]


DDL = flag(
    "ddl",
    "Also write DDL statements (CREATE, ALTER, DROP, RENAME, TRUNCATE) as rows, in their place among the "
    "others: with the operation DDL and their text in the column query.",
    requires=views_with("ddl"),
)
SCHEMA = schema_options(*views_with("schema"))
COMMITTED = flag(
    "committed",
    "Drop the rows of transactions that were rolled back, such as XA transactions after XA PREPARE. This reads "
    "the logs twice.",
    requires=views_with("committed"),
)

SECTIONS: dict[str, list[Option]] = {
    "Which files": which_files("Export", "If a log is damaged, warn, skip the damage and export the rest."),
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
            "Write only these columns, in this order, separated by commas; docs/views.md lists them.",
            metavar="NAMES",
        ),
        DDL,
        COMMITTED,
        *SCHEMA,
    ],
    "One table": [
        *of_export(),
        Option(
            "zero-dates",
            "How to handle 0000-00-00 and other invalid dates: null (the default) or error.",
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
        UTC,
        Option(
            "start-position",
            "Only events that begin at or after this position; requires a single log.",
            letter="j",
            type=NumberValue(minimum=4),
        ),
        Option(
            "stop-position",
            "Only events that begin before this position; requires a single log.",
            type=NumberValue(minimum=4),
        ),
        *filters("database", "table", "ignore-database", "ignore-table", "event-type", "operation", "server-id"),
        *filters("thread-id", "include-gtids", "exclude-gtids"),
    ],
    "Which values": filters("where", "where-unknown", "time-zone"),
    "Output": [
        Option(
            "format",
            "parquet (needs pyarrow), csv or jsonl. The default is parquet, and jsonl for standard output.",
            type=click.Choice(FILE_FORMATS, case_sensitive=False),
            metavar="FORMAT",
        ),
        Option(
            "compression",
            "The compression of Parquet: zstd (the default), snappy, gzip, lz4 or none.",
            type=click.Choice(["zstd", "snappy", "gzip", "lz4", "none"], case_sensitive=False),
            metavar="CODEC",
        ),
        Option(
            "row-group-size",
            "Write a row group of Parquet when its rows take about this many bytes of memory (default: 128M), or at "
            "1048576 rows. Smaller groups need less memory; readers are faster with larger ones.",
            type=NumberValue(minimum=1 << 16),
            metavar="BYTES",
        ),
        flag(
            "csv-safe",
            "With --format=csv, for a spreadsheet: put an apostrophe before a text that begins with =, +, -, @, a tab "
            "or a line break, so that no text runs as a formula. Numbers do not change.",
        ),
        Option(
            "output-dir",
            "The folder (or URL) for the files, one for each log: binlog.000001.parquet and so on. A name that ends in "
            ".parquet, .csv or .jsonl is one file for all logs; .csv and .jsonl may be compressed: rows.jsonl.zst, "
            ".gz, .xz, .bz2. End the name with / for a folder of such a name. With -, write all rows to standard "
            "output, each line as soon as its row is read.",
            required=True,
            letter="o",
            metavar="DIR",
            also=("output",),
        ),
        Option(
            "partition-by",
            "Put the files into folders named after values, in Hive's form: "
            "database=shop/table=orders/date=2026-11-22/binlog.000001.parquet. NAMES are database, table and date (in "
            "UTC), or some of them, separated by commas; the files do not repeat these columns.",
            metavar="NAMES",
            excludes={"spark": "", "output-dir=-": ""},
        ),
        force_option(),
        PROGRESS,
    ],
    **server_sections(),
    "On Spark": [SPARK],
}
