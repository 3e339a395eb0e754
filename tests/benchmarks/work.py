"""Work: what is timed, and what beside it. One entry of a list here is one row of the tables."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COSTS", "DECODED", "RACES", "Cost", "Race"]

UNDO = ("undo", "--format=binlog")
DECODE = ("-vv", "--base64-output=DECODE-ROWS")
DECODED = ("-v", "--base64-output=DECODE-ROWS")


@dataclass(frozen=True)
class Race:
    """The same options for the reference and for pybinlog: the ratio of their times is to be `aim` or more."""

    name: str
    log: str
    options: tuple[str, ...] = ()
    aim: float | None = None
    piped: bool = False
    """True if the text goes into `wc -c` and not to /dev/null."""
    reference_options: tuple[str, ...] | None = None
    """The reference's options if they are others."""
    text: bool = True
    """True if there is enough text for a useful comparison with `cat`."""

    @property
    def tool(self) -> str:
        """The reference of this row: that of the log's server."""
        return "mariadb-binlog" if self.log.startswith("mariadb") else "mysqlbinlog"


@dataclass(frozen=True)
class Cost:
    """Runs of pybinlog against something that needs no parsing: the ratio is to be `limit` or less.

    `beside` names what is timed beside it: their times are added. "plain": pybinlog with the plain file; "unzstd": the
    decompressor alone; "check": a check; "click": an interpreter that imports click; "quarter": a log a
    quarter of the size; "rows": the text of all rows. Where it is empty, `limit` is in seconds.
    """

    name: str
    log: str
    beside: tuple[str, ...]
    limit: float
    options: tuple[str, ...] = ()
    source: str = "file"
    """How pybinlog gets the log: "file", "stdin", "zstd" (a compressed file), or "before": as one after a small log."""
    times: int = 1
    """The size of the log, in usual sizes."""
    near_end: bool = False
    """True if it starts at the log's last transaction."""


RACES = [
    Race("default", "large", aim=4),
    Race("pipe", "large", aim=2.5, piped=True),
    Race("verbose", "large", ("-v",), aim=4),
    Race("decode", "large", DECODE, aim=4),
    Race("verify", "large", ("--verify-binlog-checksum",)),
    Race("database", "large", ("--database=no_such_database",), aim=8, text=False),
    Race("large-rows", "large-rows", aim=1.5),
    Race("large-rows-verbose", "large-rows", ("-v",), aim=4),
    Race("statement", "statement", aim=5),
    Race("compressed", "compressed", aim=10),
    Race("compressed-verbose", "compressed", ("-v",), aim=10),
    Race("mariadb", "mariadb", aim=8),
    Race("mariadb-verbose", "mariadb", ("-v",), aim=8),
    Race("mariadb-decode", "mariadb", DECODE, aim=8),
    Race("mariadb-database", "mariadb", ("--database=no_such_database",), aim=6, text=False),
    Race("mariadb-statement", "mariadb-statement", aim=6),
    Race("mariadb-compressed", "mariadb-compressed", aim=5),
    Race("mariadb-compressed-verbose", "mariadb-compressed", ("-v",), aim=5),
    Race(
        "mariadb-undo",
        "mariadb-undo",
        (*UNDO, "--look-to=none"),
        aim=5,
        reference_options=("--flashback",),
        text=False,
    ),
    Race("small", "small", text=False),
]

COSTS = [
    Cost("verify-cost", "large", ("plain",), 1.1, ("--verify-binlog-checksum",)),
    Cost("stdin", "large", ("plain",), 1.3, source="stdin"),
    Cost("zstd", "large", ("plain", "unzstd"), 1.3, source="zstd"),
    Cost("where", "large", ("rows",), 0.55, (*DECODED, "--where=@1 = -1")),
    Cost("where-rows", "large-rows", ("rows",), 0.45, (*DECODED, "--where=@1 = -1")),
    Cost("where-like", "large-rows", ("rows",), 0.55, (*DECODED, "--where=@2 LIKE 'zz%'")),
    Cost("near-end", "large", (), 0.06, near_end=True),
    Cost("near-end-of-4x", "large", (), 0.06, near_end=True, times=4),
    Cost("4x", "large", ("quarter",), 4.2, times=4),
    Cost("undo-scan", "mariadb-undo", ("check",), 2, (*UNDO, "--overwrite-later-changes", "--dry-run"), "before"),
    Cost("start-up", "small", ("click",), 1.6),
]
