"""Random changes on a real server: a table rebuilt from the view `rows` alone is the server's, row for row."""

from __future__ import annotations

import json
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


def export(log: Path, folder: Path) -> Path:
    done = real("export", "--view=rows", "--format=jsonl", "--table=w.t", "-o", str(folder), str(log))
    assert done.status == 0, done.err
    return folder / f"{log.name}.jsonl"


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
WITH changes AS (
    SELECT before->>'id' AS id, NULL AS now, transaction_position, row, 0 AS part FROM read_json('{0}', {1})
    WHERE before IS NOT NULL
    UNION ALL
    SELECT after->>'id', after, transaction_position, row, 1 FROM read_json('{0}', {1}) WHERE after IS NOT NULL
)
SELECT now FROM (
    SELECT now, row_number() OVER (PARTITION BY id ORDER BY transaction_position DESC, row DESC, part DESC) AS place
    FROM changes
) WHERE place = 1 AND now IS NOT NULL
"""


@pytest.mark.parametrize("seed", range(10, 13))
def test_in_duckdb(server: tuple[str, Server], seed: int, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    workload = Workload(server[0], seed)
    log, wanted = logged(server[1], workload, tmp_path, ("FULL",))
    columns = "columns = {transaction_position: 'BIGINT', row: 'BIGINT', before: 'JSON', after: 'JSON'}"
    found = duckdb.sql(LAST_OF_EACH_KEY.format(export(log, tmp_path), columns)).fetchall()
    rows = [read(text) for (text,) in found]
    assert normal(workload, {row["id"]: row for row in rows}) == wanted
