"""The options of `pybinlog dump`: declared here once, in the order in which the help text shows them."""

from __future__ import annotations

import click

from pybinlog.cli.options.filter_options import filters
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
from pybinlog.cli.options.server_options import (
    CONNECTION,
    FROM_SERVER,
    SERVER_REFUSED,
    STREAM,
    TO_LAST_LOG,
)
from pybinlog.cli.options.spark_options import JOINED, OUTPUT_COMPRESSION, OUTPUT_DIR, SPARK, SPARK_REFUSED
from pybinlog.cli.options.values import (
    TEXT,
    Base64Value,
    NumberValue,
    PositionValue,
    RewriteValue,
)

__all__ = ["OPTIONS", "REFUSED", "REFUSED_LETTERS", "SECTIONS"]

FLAG = Kind.FLAG
LIST = Kind.LIST

SECTIONS: dict[str, list[Option]] = {
    "Which files": [
        index_option("Dump"),
        *KEYRING_OPTIONS,
        Option(
            "follow",
            "At the end of the last log, wait for what its server appends, and print each event as soon as it is "
            "there; then continue with the next log. Ctrl-C ends it. With --index, begin with the last log that it "
            "lists.",
            kind=FLAG,
            excludes={
                "skip-force-if-open": "it reads a log that is in use",
                "progress": "it has no end",
                "spark": "it waits on this machine",
            },
        ),
        Option(
            "force-if-open",
            "Dump a log that a server has open or left open, and let a cut last event pass with a warning. On by "
            "default; --skip-force-if-open makes such a log an error.",
            kind=FLAG,
            letter="F",
            default=True,
        ),
        Option("force-read", "Show events of unknown types as such and continue.", kind=FLAG, letter="f"),
        Option("verify-binlog-checksum", "Check the checksum of every event.", kind=FLAG, letter="c"),
        Option(
            "recover",
            "If a log is damaged, warn and continue with the next sound events; the status is 1 at "
            "the end. Checksums are verified.",
            kind=FLAG,
        ),
    ],
    "Which events": [
        Option(
            "start-position",
            "Begin at the event at this position of the first file. Example: -j 4096. In MariaDB's logs also after "
            "these GTIDs, one for each domain. Example: -j 0-1-3,1-1-4.",
            letter="j",
            type=PositionValue(minimum=4),
            default=4,
        ),
        Option(
            "stop-position",
            "End before the event at this position of the last file. In MariaDB's logs also with these GTIDs, one for "
            "each domain that you want. Example: --stop-position=0-1-9.",
            type=PositionValue(minimum=4),
        ),
        *filters("start-datetime", "stop-datetime"),
        Option(
            "whole-transactions",
            "If --start-position or --start-datetime falls inside a transaction, begin with that transaction's first "
            "event.",
            kind=FLAG,
            requires=["start-position", "start-datetime"],
        ),
        Option("offset", "Skip the first N events.", letter="o", type=NumberValue(), default=0),
        *filters("database", "table", "ignore-database", "ignore-table", "event-type", "operation", "server-id"),
        Option(
            "server-id-bits",
            "How many low bits of the server id count, 7 to 32.",
            type=NumberValue(7, 32),
            default=32,
        ),
        *filters("thread-id", "include-gtids", "exclude-gtids"),
        Option(
            "require-row-format",
            "End with an error at an event that row-based logging does not write, and make the server that runs the "
            "text check the same.",
            kind=FLAG,
        ),
    ],
    "Form of the text": [
        Option(
            "verbose",
            "Show row events as statements, in comments; twice (-vv): column types and the statement's text, too.",
            kind=Kind.COUNT,
            letter="v",
        ),
        Option(
            "base64-output",
            "When to write BINLOG statements with base64 text: auto (the default), never (an error at a row event), "
            "decode-rows (leave them out; with -v, rows show as statements only).",
            type=Base64Value(),
            default="auto",
        ),
        Option("print-table-metadata", "Show the column names, keys and so on of Table_map events.", kind=FLAG),
        Option("hexdump", "Show each event's bytes, in comments.", kind=FLAG, letter="H"),
        Option(
            "tbm",
            "End each event's header line with its transaction boundary marker. On by default; --no-tbm gives the "
            "text of mysqlbinlog.",
            kind=FLAG,
            default=True,
            negative="no-tbm",
        ),
        Option(
            "statement-bits",
            "End each header line with the event's statement bits, too: whether it begins or ends a statement or a "
            "transaction. Statements that are not whole give a warning.",
            kind=FLAG,
        ),
        Option(
            "short-form",
            "Statements only: no header lines, no row events. For tests; MySQL plans to remove this option.",
            kind=FLAG,
            letter="s",
        ),
    ],
    "What the text does when it is run": [
        Option("disable-log-bin", "Do not log its statements again.", kind=FLAG, letter="D"),
        Option("idempotent", "Let row events pass whose rows are missing or already there.", kind=FLAG, letter="i"),
        Option("skip-gtids", "Leave out GTIDs: the transactions run as new ones.", kind=FLAG),
        Option(
            "rewrite-db",
            "Apply the row events of one database to another. You may give it several times.",
            kind=LIST,
            type=RewriteValue(),
        ),
        Option("set-charset", "Begin with SET NAMES for this character set.", type=TEXT, metavar="NAME"),
        Option(
            "local-load",
            "Put the files of LOAD DATA statements into this folder, instead of the one for temporary files.",
            letter="l",
            type=TEXT,
            metavar="FOLDER",
        ),
        Option(
            "binlog-row-event-max-size",
            "Size in bytes up to which rows go into one event, a multiple of 256.",
            type=NumberValue(minimum=256, block=256),
            default=4294967040,
        ),
    ],
    "Where the text goes": [
        Option(
            "result-file",
            "Write to this file, not to standard output, which - is.",
            letter="r",
            type=TEXT,
            metavar="FILE",
        ),
        force_option(letter=""),  # -f is --force-read, as in the reference
        COLOR,
        Option(
            "jobs",
            "Print parts of a large log on this many threads (default: the number of cores); the text is the same.",
            type=click.IntRange(1, 256),
            metavar="N",
            excludes={"spark": "its master says how much is done at once"},
        ),
        PROGRESS,
    ],
    "From a live server": [*FROM_SERVER, TO_LAST_LOG, *STREAM],
    "How to reach the server": CONNECTION,
    "On Spark": [SPARK, OUTPUT_DIR, JOINED, OUTPUT_COMPRESSION],
    "The program": [
        *THE_PROGRAM,
        Option("open-files-limit", "Accepted for old scripts; does nothing.", type=NumberValue(), metavar="N"),
    ],
}

OPTIONS = [option for section in SECTIONS.values() for option in section]

REFUSED_LETTERS = {"#": "debug", "B": "flashback"}

REFUSED = {
    **SERVER_REFUSED,
    **SPARK_REFUSED,
    **dict.fromkeys(
        ("debug", "debug-check", "debug-info"), "{} works only in debug builds of mysqlbinlog; leave it out."
    ),
    "character-sets-dir": "{} is not needed, for pybinlog has its character sets built in; leave it out.",
    # of mariadb-binlog
    "flashback": (
        "{} is not possible: pybinlog prints what a log says, not its reverse. "
        "`pybinlog export --view=rows` gives each row before and after its change."
    ),
    "do-server-ids": "{} is --server-id here, given once for each server: --server-id=1 --server-id=2.",
    "ignore-server-ids": "{} is not possible: name the servers to keep with --server-id, once for each.",
    "do-domain-ids": "{} is not possible: name GTIDs of the domain with --include-gtids=DOMAIN-SERVER-FROM:TO.",
    "ignore-domain-ids": "{} is not possible: name GTIDs of the domain with --exclude-gtids=DOMAIN-SERVER-FROM:TO.",
    "gtid-strict-mode": "{} is not possible: `pybinlog check` reports GTIDs that are out of order.",
    "annotate-row-events": "{} is not possible: Annotate_rows events are printed as comments.",
    "print-row-count": "{} is not possible: `pybinlog export --view=transactions` counts the rows of each transaction.",
    "print-row-event-positions": "{} is not needed: each event has its position in its `# at` line.",
    "ssl": "{} is --ssl-mode here: --ssl-mode=REQUIRED, or DISABLED for --skip-ssl.",
    "ssl-verify-server-cert": "{} is --ssl-mode=VERIFY_IDENTITY here.",
    **dict.fromkeys(("ssl-fp", "ssl-fplist"), "{} is not possible: give --ssl-ca with --ssl-mode=VERIFY_IDENTITY."),
}
