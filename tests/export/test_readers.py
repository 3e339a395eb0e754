"""Other readers of exported files read ours: DuckDB, polars, pandas and jq, as far as they are installed."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-full" / "binlog.000001"
COUNTED = ("position", "row", "operation", "table")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The view `rows` of a log in each format."""
    folder = tmp_path_factory.mktemp("exported")
    formats = ["csv", "jsonl"]
    if pytest.importorskip("pyarrow"):
        formats.append("parquet")
    for format in formats:
        done = real("export", "--view=rows", f"--format={format}", "-o", str(folder), str(LOG))
        assert done.status == 0, done.err
    return folder


@pytest.fixture(scope="module")
def wanted(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / f"{LOG.name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def some(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Of each row what no reader may change, and the row after the change."""
    found = []
    for row in rows:
        after = row["after"]
        values = json.loads(after) if isinstance(after, str) else None if after != after else after  # NaN is not a text
        found.append((*(row[name] for name in COUNTED), values))
    return found


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_duckdb(folder: Path, wanted: list[dict[str, Any]], format: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    names = ", ".join(f'"{name}"' for name in (*COUNTED, "after"))
    query = duckdb.sql(f"SELECT {names} FROM '{folder / LOG.name}.{format}' ORDER BY transaction_position, row")
    rows = [dict(zip(query.columns, row, strict=True)) for row in query.fetchall()]
    assert some(rows) == some(wanted)


def test_duckdb_takes_fields_of_json(folder: Path, wanted: list[dict[str, Any]]) -> None:
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(
        f"SELECT after->>'e' FROM '{folder / LOG.name}.parquet' WHERE \"table\" = 'signed_t' AND operation = 'INSERT'"
    ).fetchall()
    assert [text for (text,) in found] == [
        str(row["after"]["e"]) for row in wanted if (row["table"], row["operation"]) == ("signed_t", "INSERT")
    ]
    assert ("18446744073709551615",) in found


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_polars(folder: Path, wanted: list[dict[str, Any]], format: str) -> None:
    polars = pytest.importorskip("polars")
    read = polars.read_csv if format == "csv" else polars.read_parquet
    assert some(read(folder / f"{LOG.name}.{format}").to_dicts()) == some(wanted)


def test_polars_reads_the_lines_of_one_table(wanted: list[dict[str, Any]], tmp_path: Path) -> None:
    """Of several it would find columns of one name and two types."""
    polars = pytest.importorskip("polars")
    options = ["--view=rows", "--format=jsonl", "--table=meta.signed_t", "-o", str(tmp_path)]
    assert real("export", *options, str(LOG)).status == 0
    frame = polars.read_ndjson(tmp_path / f"{LOG.name}.jsonl", infer_schema_length=None)
    rows = [row for row in wanted if row["table"] == "signed_t"]
    assert frame["after"].to_list() == [row["after"] for row in rows]


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_pandas(folder: Path, wanted: list[dict[str, Any]], format: str) -> None:
    pandas = pytest.importorskip("pandas")
    path = folder / f"{LOG.name}.{format}"
    if format == "jsonl":
        frame = pandas.read_json(path, lines=True, convert_dates=False)
        assert frame["position"].tolist() == [row["position"] for row in wanted]
        return
    frame = pandas.read_csv(path) if format == "csv" else pandas.read_parquet(path)
    assert some(frame.astype(object).where(frame.notna(), None).to_dict("records")) == some(wanted)


def test_jq(folder: Path, wanted: list[dict[str, Any]]) -> None:
    jq = pytest.importorskip("jq")
    text = (folder / f"{LOG.name}.jsonl").read_text(encoding="utf-8")
    found = jq.compile("select(.after.e == 18446744073709551615) | [.table, .row]").input_text(text).all()
    assert [["signed_t", row["row"]] for row in wanted if (row["after"] or {}).get("e") == 2**64 - 1] == found
    assert found
