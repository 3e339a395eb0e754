"""The answers of real servers to conditions on typed tables, stored with the tables' logs in testdata/where.

    .venv/bin/python -m tests.where.answers

asks a MySQL 9.7 and a MariaDB 11.8 again. A test compares what is stored, another one asks running servers.
"""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

import pybinlog
from pybinlog.errors import BinlogWarning
from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.where import Condition
from tests.corpus import TESTDATA
from tests.server import Server, running
from tests.where.tables import conditions, create, each_comparison, rows_sql

FOLDER = TESTDATA / "where"
SESSION = {"mysql": "SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci;", "mariadb": "SET NAMES utf8mb4;"}
PREPARE = "SET time_zone='+00:00'; SET sql_mode=''; USE w;"
STORED = 250


@contextmanager
def filled(kind: str) -> Iterator[tuple[Server, Path]]:
    """A server with the table, and the log of its rows."""
    more = ["--binlog-row-metadata=FULL", "--character-set-server=utf8mb4", "--binlog-format=ROW"]
    with running(kind, f"where-{kind}", *more) as server:
        server.sql(f"{SESSION[kind]} DROP DATABASE IF EXISTS w; CREATE DATABASE w; {PREPARE} {create(kind)}")
        log = server.next_log()
        server.sql(f"{SESSION[kind]} {PREPARE} {rows_sql(kind)}")
        server.next_log()
        yield server, server.folder() / log


def selected(server: Server, kind: str, asked: list[str]) -> list[list[int]]:
    """The ids of the rows that the server selects by each condition."""
    queries = ";".join(f"SELECT IFNULL(GROUP_CONCAT(id ORDER BY id), '') FROM t WHERE {text}" for text in asked)
    lines = server.sql(f"{SESSION[kind]} {PREPARE} SET group_concat_max_len=100000; {queries}").split("\n")
    return [[int(number) for number in line.split(",") if number] for line in lines[: len(asked)]]


def kept(log: Path | str, condition: str, unknown: str = "keep") -> list[int]:
    """The ids of the rows that the condition keeps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinlogWarning)
        rows = pybinlog.open(str(log)).rows(where=condition, where_unknown=unknown)  # type: ignore[arg-type]
        return sorted(row["after"]["id"] for row in rows)


def kept_of_table(log: Path, condition: str) -> list[int]:
    """The ids of the rows of a stored or a new table that the condition keeps. The first row has the id 0.

    Without the values of the rows: for thousands of conditions.
    """
    options = ViewOptions(view="rows", columns=("row",), where=Condition(condition, "UTC", True))
    batches = ViewReader(options).batches(Span((str(log),)))
    return [number - 1 for batch in batches for (number,) in batch.rows()]


def some(kind: str, count: int) -> list[str]:
    """So many conditions, the same ones each time."""
    found: dict[str, None] = {}

    @seed(34)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(conditions(kind))
    def collect(condition: str) -> None:
        found.setdefault(condition)

    collect()
    return list(found)


def main() -> None:
    """Write the logs and the answers."""
    FOLDER.mkdir(exist_ok=True)
    for kind in SESSION:
        with filled(kind) as (server, log):
            asked = list(dict.fromkeys([*each_comparison(kind), *some(kind, STORED)]))
            answers = zip(asked, selected(server, kind, asked), strict=True)
            (FOLDER / f"{kind}.000001").write_bytes(log.read_bytes())
            lines = ",\n".join(
                f'{json.dumps(text, ensure_ascii=False)}: "{sum(1 << number for number in ids):x}"'
                for text, ids in answers
            )
            (FOLDER / f"{kind}.json").write_text(f"{{\n{lines}\n}}\n")


def stored(kind: str) -> dict[str, list[int]]:
    """Condition -> the ids that the server selected. In the file they are the bits of a hexadecimal number."""
    text = (FOLDER / f"{kind}.json").read_text(encoding="utf-8")
    return {asked: [n for n in range(64) if int(ids, 16) >> n & 1] for asked, ids in json.loads(text).items()}


if __name__ == "__main__":
    main()
