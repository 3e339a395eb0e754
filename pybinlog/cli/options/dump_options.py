"""The options of `pybinlog dump`: declared here once, in the order in which the help text shows them."""

import click

from pybinlog.cli.options.filter_options import FILTERS, filters
from pybinlog.cli.options.option import (
    COLOR,
    PROGRESS,
    UTC,
    Kind,
    Option,
    flag,
    force_option,
    repeated,
    schema_options,
    which_files,
)
from pybinlog.cli.options.server_options import SERVER_REFUSED, STREAM, server_sections
from pybinlog.cli.options.spark_options import JOINED, OUTPUT_COMPRESSION, OUTPUT_DIR, SPARK, SPARK_REFUSED
from pybinlog.cli.options.values import BASE64_OUTPUT, REWRITE, NumberValue, PositionValue

SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        *which_files("Dump"),
        flag(
            "follow",
            "Follow the last log as its server writes it, and then the next ones: print each event as soon as it is "
            "complete. Ctrl-C ends this. With --index, begin with the last log that it lists.",
            excludes={
                "skip-force-if-open": "it reads a log that is in use",
                "progress": "a followed log has no end",
                "spark": "it follows a log on this machine",
            },
        ),
        flag(
            "force-if-open",
            "Dump a log that its server did not close; if its last event is incomplete, warn. On by default; "
            "--skip-force-if-open makes such a log an error.",
            letter="F",
            default=True,
        ),
        flag("force-read", "Print events of unknown types as unknown and continue.", letter="f"),
        flag("verify-binlog-checksum", "Check the checksum of every event.", letter="c"),
        flag(
            "recover",
            "If a log is damaged, warn, skip the damage and continue with the next valid event; exit with status 1. "
            "This verifies checksums.",
        ),
    ],
    "Which events": [
        Option(
            "start-position",
            "Begin at the event at this position of the first file. Example: -j 4096. In MariaDB's logs, you may give "
            "GTIDs instead, one for each domain, and begin after them. Example: -j 0-1-3,1-1-4.",
            letter="j",
            type=PositionValue(minimum=4),
            default=4,
        ),
        Option(
            "stop-position",
            "End before the event at this position of the last file. In MariaDB's logs, you may give GTIDs instead, "
            "one for each domain to print, and end with them. Example: --stop-position=0-1-9.",
            type=PositionValue(minimum=4),
        ),
        *filters("start-datetime", "stop-datetime"),
        UTC,
        flag(
            "whole-transactions",
            "If --start-position or --start-datetime falls inside a transaction, begin with that transaction's first "
            "event.",
            requires=["start-position", "start-datetime"],
        ),
        Option("offset", "Skip the first N events.", letter="o", type=NumberValue(), default=0),
        *filters("database", "table", "ignore-database", "ignore-table", "event-type", "operation", "server-id"),
        Option(
            "server-id-bits",
            "How many low bits of the server id to compare, 7 to 32.",
            type=NumberValue(7, 32),
            default=32,
        ),
        *filters("thread-id", "include-gtids", "exclude-gtids"),
        FILTERS["where"].with_rules(
            requires=["base64-output=decode-rows"],
            excludes={
                "hexdump": "it prints the bytes of whole events",
                "raw": "a raw copy has all events",
                "require-row-format": "--where drops all statements",
            },
        ),
        *filters("where-unknown", "time-zone"),
        flag(
            "require-row-format",
            "Stop with an error at an event that row-based logging does not write, and let the server that runs the "
            "text check the same.",
        ),
    ],
    "Form of the text": [
        Option(
            "verbose",
            "Print row events as statements, in comments; -vv adds column types and the original statements.",
            kind=Kind.COUNT,
            letter="v",
        ),
        flag(
            "column-names",
            "With -v, print the names of columns instead of @1, @2 ... if the log (binlog_row_metadata=FULL), its "
            "CREATE TABLE statements or --schema have them.",
            requires=["verbose"],
            excludes={
                "spark": "an executor sees only one log; dump on this machine",
                "output-dir": "it makes a text of each log by itself; write one text",
            },
        ),
        *schema_options("column-names"),
        Option(
            "base64-output",
            "When to write BINLOG statements with base64 text: auto (the default), never (an error at a row event), "
            "decode-rows (write none; with -v, rows appear only as statements in comments).",
            type=BASE64_OUTPUT,
            default="auto",
        ),
        flag("print-table-metadata", "Print the column names, keys and other metadata of Table_map events."),
        flag("hexdump", "Print each event's bytes, in comments.", letter="H"),
        flag(
            "tbm",
            "End each event's header line with its transaction boundary marker. On by default; --no-tbm prints exactly "
            "mysqlbinlog's text.",
            default=True,
            negative="no-tbm",
        ),
        flag(
            "statement-bits",
            "Also end each header line with the event's statement bits: whether it begins or ends a statement or a "
            "transaction. Warn of incomplete statements.",
        ),
        flag(
            "short-form",
            "Print only statements: no header lines, no row events. For tests; MySQL plans to remove this option.",
            letter="s",
        ),
    ],
    "Running the text": [
        flag("disable-log-bin", "Disable the server's binary log while the text runs.", letter="D"),
        flag("idempotent", "Ignore errors about rows that are missing or already exist.", letter="i"),
        Option(
            "resolve-xa",
            "Make text of cut logs runnable: commit or rollback the XA transactions that it leaves prepared, or hold "
            "them and say which they are. Skip decisions whose XA PREPARE is not in the text, and roll back a "
            "transaction that ends before its XA PREPARE.",
            type=click.Choice(["commit", "rollback", "hold"], case_sensitive=False),
            excludes={
                "follow": "a decision may still come",
                "stop-never": "a decision may still come",
                "spark": "an executor sees only one log; dump on this machine",
                "output-dir": "it makes a text of each log",
            },
        ),
        flag("skip-gtids", "Print no GTIDs: the transactions run as new ones."),
        repeated(
            "rewrite-db",
            "Apply the row events of one database to another. You may give it several times.",
            type=REWRITE,
        ),
        Option("set-charset", "Begin with SET NAMES for this character set.", metavar="NAME"),
        Option(
            "local-load",
            "Write the files of LOAD DATA statements to this folder instead of the one for temporary files.",
            letter="l",
            metavar="FOLDER",
        ),
        Option(
            "binlog-row-event-max-size",
            "The largest size of a row event in bytes, a multiple of 256.",
            type=NumberValue(minimum=256, block=256),
            default=4294967040,
        ),
    ],
    "Output": [
        Option(
            "result-file", "Write to this file; - is standard output.", letter="r", metavar="FILE", also=("output",)
        ),
        force_option(letter=""),  # -f is --force-read, as in the reference
        COLOR,
        Option(
            "jobs",
            "Print parts of a large log on this many threads (default: the number of cores); the text is the same.",
            type=click.IntRange(1, 256),
            metavar="N",
            excludes={"spark": "the master sets the number of tasks"},
        ),
        PROGRESS,
    ],
    **server_sections(*STREAM),
    "On Spark": [SPARK, OUTPUT_DIR, JOINED, OUTPUT_COMPRESSION],
    "The program": [Option("open-files-limit", "Accepted for old scripts; does nothing.", type=NumberValue())],
}

OPTIONS = [option for section in SECTIONS.values() for option in section]

REFUSED_LETTERS = {"#": "debug", "B": "flashback"}

REFUSED = {
    **SERVER_REFUSED,
    **SPARK_REFUSED,
    **dict.fromkeys(
        ("debug", "debug-check", "debug-info"), "{} works only in debug builds of mysqlbinlog; leave it out."
    ),
    "character-sets-dir": "{} is not needed: pybinlog has its character sets built in; leave it out.",
    # of mariadb-binlog
    "flashback": (
        "{} is not an option of the dump: `pybinlog undo` prints statements that take changes back, and "
        "`pybinlog undo --format=binlog` prints BINLOG statements, as mariadb-binlog does."
    ),
    "do-server-ids": "{} is --server-id here, given once for each server: --server-id=1 --server-id=2.",
    "ignore-server-ids": "{} is not supported: name the servers to keep with --server-id, once for each.",
    "do-domain-ids": "{} is not supported: name GTIDs of the domain with --include-gtids=DOMAIN-SERVER-FROM:TO.",
    "ignore-domain-ids": "{} is not supported: name GTIDs of the domain with --exclude-gtids=DOMAIN-SERVER-FROM:TO.",
    "gtid-strict-mode": "{} is not supported: `pybinlog check` reports GTIDs that are out of order.",
    "annotate-row-events": "{} is not supported: pybinlog always prints Annotate_rows events as comments.",
    "print-row-count": "{} is not supported: `pybinlog export --view=transactions` counts the rows of each "
    "transaction.",
    "print-row-event-positions": "{} is not needed: each event has its position in its `# at` line.",
    "ssl": "{} is --ssl-mode here: --ssl-mode=REQUIRED, or DISABLED for --skip-ssl.",
    "ssl-verify-server-cert": "{} is --ssl-mode=VERIFY_IDENTITY here.",
    **dict.fromkeys(("ssl-fp", "ssl-fplist"), "{} is not supported: give --ssl-ca with --ssl-mode=VERIFY_IDENTITY."),
}
