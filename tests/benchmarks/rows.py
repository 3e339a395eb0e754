"""Rows: what is timed, and what beside it. One entry of the list is one row of the table."""

from dataclasses import dataclass

REFERENCE = "{tool} {options} {log.inner}"
PLAIN = "{pybinlog} {log}"
DECODE = "-vv --base64-output=DECODE-ROWS"
ALL_ROWS = "{pybinlog} -v --base64-output=DECODE-ROWS {log}"
NO_ROWS = "-v --base64-output=DECODE-ROWS --where='@1 = -1'"
READ_VIEW = (
    "{python} -c 'import sys; from pybinlog.views.options import ViewOptions; "
    "from pybinlog.views.reader import ViewReader; "
    "from pybinlog.feed.span import Span; view, log = sys.argv[1:]; "
    "sum(1 for _ in ViewReader(ViewOptions(view=view)).read(Span((log,))))' {options} {log}"
)
"""The program that reads a view of a log with the library, and drops its rows."""
TO_ARROW = (
    "{python} -c 'import sys, pyarrow, pybinlog; frame = pybinlog.open(sys.argv[1]).rows(); "
    "sum(1 for _ in pyarrow.RecordBatchReader.from_stream(frame))' {log}"
)
TO_PARQUET = "{pybinlog} export --view=rows -f -o {log.folder}/parquet {log}"
WITH_DUCKDB = "{python} -c 'import duckdb, pyarrow.dataset'; {pybinlog} "
"""A command beside `pybinlog sql` that imports what it does."""


@dataclass(frozen=True)
class Row:
    """A command on a log, and another one beside it: as a rule, the reference with the same options.

    Commands are for a shell, and have words for the programs and the log's files (`logs.Log`). `least` is the aim for
    the time of the other one divided by pybinlog's.
    """

    name: str
    log: str
    options: str = ""
    least: float | None = None
    beside: str = REFERENCE
    command: str = "{pybinlog} {options} {log}"

    @property
    def server(self) -> str:
        """The server whose logs and tool these are."""
        return "mariadb" if self.log.startswith("mariadb") else "mysql"

    @property
    def has_text(self) -> bool:
        """True if there is enough text for a useful comparison with `cat` of it."""
        return self.beside == REFERENCE and "--database" not in self.options and self.log not in ("small", "server")


def of_bulk(log: str, least: tuple[float, float, float]) -> list[Row]:
    """The rows of a log that one statement fills: default, -v, decoded; and all threads beside one."""
    return [
        Row(log, log, least=least[0]),
        Row(f"{log}-verbose", log, "-v", least[1]),
        Row(f"{log}-decode", log, DECODE, least[2]),
        Row(f"{log}-threads", log, "", 1, "{pybinlog} --jobs=1 {log}"),
    ]


def of_small(log: str) -> list[Row]:
    """The rows of many small logs in a folder."""
    beside = "{tool.root}sh -c '{tool.name} {options} {log.inner}/*'"
    return [Row(log, log, "", 1.5, beside), Row(f"{log}-verbose", log, "-v", 1.5, beside)]


ROWS = [
    Row("default", "large", least=4),
    Row("pipe", "large", "", 2.5, REFERENCE + " | wc -c", PLAIN + " | wc -c"),
    Row("verbose", "large", "-v", 4),
    Row("decode", "large", DECODE, 4),
    Row("verify", "large", "--verify-binlog-checksum"),
    Row("database", "large", "--database=no_such_database", 8),
    Row("verify-cost", "large", "--verify-binlog-checksum", 0.9, PLAIN),
    Row("stdin", "large", "", 0.75, PLAIN, "{pybinlog} - < {log}"),
    Row("zstd", "large", "", 0.75, PLAIN + "; zstd -dc {log.zstd}", "{pybinlog} {log.zstd}"),
    Row("where", "large", NO_ROWS, 1.8, ALL_ROWS),
    Row("near-end", "large", "--start-position={log.last_transaction}", 5, PLAIN),
    Row("view-events", "large", "events", None, "{pybinlog} check {log}", READ_VIEW),
    Row("view-transactions", "large", "transactions", None, "{pybinlog} check {log}", READ_VIEW),
    Row("view-rows", "large", "rows", None, "{pybinlog} check {log}", READ_VIEW),
    Row(
        "sql-count",
        "large",
        "--table=sb1",
        0.77,
        WITH_DUCKDB + "stats {options} {log}",
        """{pybinlog} sql "SELECT count(*) FROM rows WHERE \\"table\\" = 'sb1'" {log}""",
    ),
    Row("sql-scan", "large", "", 0.9, TO_PARQUET, TO_ARROW),
    Row("4x", "large-4x", "", 0.24, "{pybinlog} {log.quarter}"),
    Row("large-rows", "large-rows", least=1.5),
    Row("large-rows-verbose", "large-rows", "-v", 4),
    Row("where-rows", "large-rows", NO_ROWS, 2.2, ALL_ROWS),
    Row("where-like", "large-rows", NO_ROWS.replace("@1 = -1", '@2 LIKE "zz%"'), 1.8, ALL_ROWS),
    Row("statement", "statement", least=5),
    Row("compressed", "compressed", least=10),
    Row("compressed-verbose", "compressed", "-v", 10),
    Row("mariadb", "mariadb", least=8),
    Row("mariadb-verbose", "mariadb", "-v", 8),
    Row("mariadb-decode", "mariadb", DECODE, 8),
    Row("mariadb-database", "mariadb", "--database=no_such_database", 6),
    Row("mariadb-statement", "mariadb-statement", least=6),
    Row("mariadb-compressed", "mariadb-compressed", least=5),
    Row("mariadb-compressed-verbose", "mariadb-compressed", "-v", 5),
    Row("mariadb-undo", "mariadb-undo", "undo --format=binlog --look-to=none", 5, "{tool} --flashback {log.inner}"),
    Row(
        "undo-scan",
        "mariadb-undo",
        "undo --format=binlog --overwrite-later-changes --allow-gaps --dry-run",
        0.5,
        "{pybinlog} check {log}",
        "{pybinlog} {options} {log.before}",
    ),
    Row("small", "small"),
    Row("start-up", "small", "", 0.6, "{python} -c 'import click'"),
    *of_bulk("bulk-wide", (2.5, 4, 6)),
    *of_bulk("bulk-narrow", (1.5, 8, 9)),
    *of_bulk("mariadb-bulk-wide", (2.5, 3, 3.5)),
    *of_bulk("mariadb-bulk-narrow", (2.5, 5, 7)),
    *of_small("small-logs"),
    *of_small("mariadb-small-logs"),
    Row("server", "server", "-R --ssl-mode=REQUIRED", 4),
    Row("server-plain", "server", "-R --ssl-mode=DISABLED", 4),
    Row("server-verbose", "server", "-R --ssl-mode=REQUIRED -vv"),
    Row(
        "server-raw",
        "server",
        "-R --ssl-mode=REQUIRED --raw",
        None,
        "{tool} {options} --result-file={log.copy} {log.inner}",
        "{pybinlog} {options} --force --result-file={log.folder}/ {log}",
    ),
    Row(
        "server-mirror",
        "server",
        "mirror --ssl-mode=REQUIRED --once --fsync=log",
        None,
        "{tool} -R --ssl-mode=REQUIRED --raw --result-file={log.copy} {log.inner}",
        "rm -rf {log.folder}/mirror; {pybinlog} {options} --to={log.folder}/mirror {log}",
    ),
]
