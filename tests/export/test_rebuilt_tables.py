"""Random changes on a real server: a table rebuilt from the view `rows` alone is the server's, row for row."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.random_workload import ARGUMENTS, Rows, Workload, logged
from tests.server import Server, running


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    with running(request.param, "rebuilt-tables", *ARGUMENTS[request.param]) as server:
        yield request.param, server


def export(log: Path, folder: Path, format: str = "jsonl") -> Path:
    done = real("export", "--view=rows", f"--format={format}", "--table=w.t", "-o", str(folder), str(log))
    assert done.status == 0, done.err
    return folder / f"{log.name}.{format}"


def read(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line, parse_float=Decimal)
    return found


def normal(workload: Workload, rows: Rows) -> Rows:
    kinds = {column.name: column for column in workload.columns}
    return {
        key: {name: kinds[name].normal(value) if name in kinds else value for name, value in row.items()}
        for key, row in rows.items()
    }


def rebuilt(lines: list[dict[str, Any]]) -> Rows:
    """The rows by their key, change after change; an image may hold only some of the columns."""
    table: Rows = {}
    for line in lines:
        old = {} if line["before"] is None else table.pop(line["before"]["id"])
        if line["after"] is not None:
            row = old | (line["before"] or {}) | line["after"]
            table[row["id"]] = row
    return table


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("images", [("FULL",), ("FULL", "MINIMAL", "NOBLOB")], ids=["full", "all images"])
def test_change_after_change(server: tuple[str, Server], images: tuple[str, ...], seed: int, tmp_path: Path) -> None:
    workload = Workload(server[0], seed)
    log, wanted = logged(server[1], workload, tmp_path, images)
    assert wanted
    lines = [read(line) for line in export(log, tmp_path).read_text(encoding="utf-8").splitlines()]
    order = [(line["transaction_position"], line["row"]) for line in lines]
    assert order == sorted(set(order))
    assert normal(workload, rebuilt(lines)) == wanted


LAST_OF_EACH_KEY = """
WITH rows AS (SELECT * FROM read_csv('{}', all_varchar = true)),
changes AS (
    SELECT before->>'id' AS id, NULL AS now, transaction_position::BIGINT AS transaction, row::BIGINT AS row, 0 AS part
    FROM rows WHERE before IS NOT NULL
    UNION ALL
    SELECT after->>'id', after, transaction_position::BIGINT, row::BIGINT, 1 FROM rows WHERE after IS NOT NULL
)
SELECT now FROM (
    SELECT now, row_number() OVER (PARTITION BY id ORDER BY transaction DESC, row DESC, part DESC) AS place
    FROM changes
) WHERE place = 1 AND now IS NOT NULL
"""


@pytest.mark.parametrize("seed", range(10, 13))
def test_in_duckdb(server: tuple[str, Server], seed: int, tmp_path: Path) -> None:
    """From CSV, as text: from JSON, DuckDB makes a double of each number with a point."""
    duckdb = pytest.importorskip("duckdb")
    workload = Workload(server[0], seed)
    log, wanted = logged(server[1], workload, tmp_path, ("FULL",))
    found = duckdb.sql(LAST_OF_EACH_KEY.format(export(log, tmp_path, "csv"))).fetchall()
    rows = [read(text) for (text,) in found]
    assert normal(workload, {row["id"]: row for row in rows}) == wanted


LAST_BY_SEQUENCE = """
SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY _sequence DESC) AS place FROM '{0}')
WHERE place = 1 AND _op <> 'DELETE'
"""


def as_in_the_table_view(rows: Rows) -> Rows:
    """Rows as the view of the table has them: bytes as base64 alone, and no date that is in no calendar."""
    found: Rows = {}
    for key, row in rows.items():
        found[key] = {
            name: value["base64"]
            if isinstance(value, dict) and value.keys() == {"base64"}
            else None
            if isinstance(value, str) and ZERO_DATE.match(value)
            else value
            for name, value in row.items()
        }
    return found


ZERO_DATE = re.compile(r"\d{4}-00-|\d{4}-\d\d-00|0000-")


@pytest.mark.parametrize("seed", range(20, 24))
def test_the_last_row_of_each_key_in_the_view_of_the_table(
    server: tuple[str, Server], seed: int, tmp_path: Path
) -> None:
    workload = Workload(server[0], seed)
    log, wanted = logged(server[1], workload, tmp_path, ("FULL",))
    options = ("--view=table", "--table=w.t", "-o", str(tmp_path), str(log))
    done = real("export", "--format=jsonl", *options)
    assert done.status == 0, done.err
    last: dict[int, dict[str, Any]] = {}
    for line in (tmp_path / f"{log.name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = read(line)
        assert row["_missing"] is None
        if row["_sequence"] > last.get(row["id"], {}).get("_sequence", ""):
            last[row["id"]] = row
    rows = {
        key: {name: value for name, value in row.items() if not name.startswith("_")}
        for key, row in last.items()
        if row["_op"] != "DELETE"
    }
    found_rows, wanted_rows = normal(workload, rows), as_in_the_table_view(wanted)
    assert found_rows.keys() == wanted_rows.keys()
    for key, row in wanted_rows.items():
        assert [
            (name, found_rows[key][name], value) for name, value in row.items() if found_rows[key][name] != value
        ] == []
    duckdb = pytest.importorskip("duckdb")
    assert real("export", *options).status == 0
    found = duckdb.sql(LAST_BY_SEQUENCE.format(tmp_path / f"{log.name}.parquet")).fetchall()
    assert {key for (key,) in found} == set(wanted)
