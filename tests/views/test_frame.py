"""Frames of the library: the rows of exported files, as Python, Arrow, pandas and polars take them."""

import gc
import io
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.views.frame import Frame
from tests.cli.conftest import real
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
LOGS = sorted(
    path
    for kind in ("types-*", "row-*", "xa", "compression", "rows-query", "metadata-full", "mixed")
    for path in CORPUS.glob(f"{'mariadb-11.8' if kind == 'metadata-full' else 'mysql-9.7'}/{kind}/binlog.000001")
)
BASIC = CORPUS / "mysql-9.7" / "row-basic" / "binlog.000001"
TYPES = CORPUS / "mysql-9.7" / "types-decimal-float" / "binlog.000001"


@pytest.fixture(autouse=True)
def pyarrow() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pybinlog.BinlogWarning)
        yield pytest.importorskip("pyarrow")


def frames(log: pybinlog.Log) -> Iterator[tuple[str, str, Frame]]:
    """Each view of a log, its name, the table that it is of, and its frame."""
    yield "events", "", log.events()
    yield "transactions", "", log.transactions()
    yield "rows", "", log.rows()
    for table in sorted({f"{row['database']}.{row['table']}" for row in log.rows()}):
        yield "table", table, log.table(table, invalid_text="null")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_frame_has_the_rows_of_an_exported_file(path: Path, tmp_path: Path) -> None:
    from pyarrow import json_, parquet, string

    with pybinlog.open(path) as log:
        for view, table, frame in frames(log):
            file = tmp_path / "exported.parquet"
            more = [f"--table={table}", "--invalid-text=null"] if table else []
            done = real("export", f"--view={view}", *more, "--force", "-o", str(file), str(path))
            assert done.status == 0, done.err
            found, wanted = frame.to_arrow(), parquet.read_table(file)
            of_json = {name for name in frame.columns if frame.arrow_schema.field(name).type == json_()}
            assert {name for name in frame.columns if name in ("before", "after", "_before", "table_rows")} <= of_json
            assert {wanted.schema.field(name).type for name in of_json} <= {string()}
            assert found.cast(wanted.schema).equals(wanted)


def test_dictionaries_have_the_values_of_arrow() -> None:
    for path in (TYPES, CORPUS / "mysql-9.7" / "types-time" / "binlog.000001", BASIC):
        with pybinlog.open(path) as log:
            for view, _, frame in frames(log):
                if view == "rows":
                    continue  # their images have the values of Event.rows
                json_columns = {"_before", "table_rows"}
                found = [{name: row[name] for name in row if name not in json_columns} for row in frame]
                arrow = frame.to_arrow().drop_columns([name for name in frame.columns if name in json_columns])
                wanted = arrow.to_pylist()
                assert found == wanted
                assert [list(map(type, row.values())) for row in found] == [
                    list(map(type, row.values())) for row in wanted
                ]


def test_columns_times_gtids_and_operations_choose_rows() -> None:
    with pybinlog.open(BASIC) as log:
        every = log.rows().to_dicts()
        assert log.rows(columns=["after", "GTID"]).to_dicts() == [
            {"after": row["after"], "gtid": row["gtid"]} for row in every
        ]
        middle = sorted({row["timestamp"] for row in every})[0]
        gtid = every[3]["gtid"]
        assert log.rows(start=middle + timedelta(seconds=1)).to_dicts() == []
        assert log.rows(start=middle, stop=middle + timedelta(seconds=1)).to_dicts() == every
        assert log.rows(gtids=gtid).to_dicts() == [row for row in every if row["gtid"] == gtid] != []
        assert log.rows(operation=["delete", "UPDATE"]).to_dicts() == [
            row for row in every if row["operation"] in ("DELETE", "UPDATE")
        ]
        orders = log.table("shop.orders", columns=["total", "_op"], operation="update").to_dicts()
        assert orders == [
            {"total": row["after"]["total"], "_op": "UPDATE"}
            for row in every
            if (row["table"], row["operation"]) == ("orders", "UPDATE")
        ]
        named = {transaction["gtid"] for transaction in log.transactions("shop.orders", columns=["gtid"])}
        assert named >= {row["gtid"] for row in every if row["table"] == "orders"}
        assert log.events(columns=["digest"], gtids=gtid).columns == ("digest",)


def test_a_wrong_argument_is_refused_at_once() -> None:
    with pybinlog.open(BASIC) as log:
        wrongs: list[tuple[Callable[[], object], str]] = [
            (lambda: log.rows(columns=["nosuch"]), "the view rows has no column 'nosuch'; it has gtid, file"),
            (lambda: log.events(columns=["gtid", "GTID"]), "names a column twice"),
            (lambda: log.rows(start=datetime(2026, 1, 1)), "has no time zone"),
            (lambda: log.rows(operation="upsert"), "'upsert' is unknown; valid operations: delete, insert, update"),
            (lambda: log.rows(gtids="x"), "GTID"),
            (lambda: log.table("a,b"), "'a,b' is not one table"),
        ]
        for wrong, message in wrongs:
            with pytest.raises(ValueError, match=message):
                wrong()
        with pytest.raises(ValueError, match="has no column 'nosuch'"):
            log.table("shop.orders", columns=["nosuch"]).to_arrow()
        with pytest.raises(pybinlog.BinlogError, match="no rows of the table"):
            log.table("shop.nosuch").to_arrow()
    with pybinlog.open(io.BytesIO(BASIC.read_bytes())) as log:
        assert log.table("shop.orders").to_arrow().num_rows > 0


def test_next_reads_on_where_it_was() -> None:
    with pybinlog.open(BASIC) as log:
        rows = log.rows()
        assert [next(rows), next(rows)] == log.rows().to_dicts()[:2]
        assert [*rows] == log.rows().to_dicts()[2:]
        assert len([*rows]) == len(rows.to_dicts()) == 23


def test_other_libraries_take_a_frame_as_it_is() -> None:
    duckdb, pandas, polars = map(pytest.importorskip, ("duckdb", "pandas", "polars"))
    with pybinlog.open(BASIC) as log:
        wanted = log.rows().to_arrow()
        rows = log.rows()
        assert duckdb.sql("SELECT after->>'$.id', \"table\" FROM rows").fetchall() == [
            (None if after is None else after.partition(":")[2].partition(",")[0], table)
            for after, table in zip(wanted["after"].to_pylist(), wanted["table"].to_pylist(), strict=True)
        ]
        assert polars.DataFrame(rows)["gtid"].to_list() == wanted["gtid"].to_pylist()
        assert rows.to_polars().schema["after"] == polars.String
        assert rows.to_polars()["after"].to_list() == wanted["after"].to_pylist()
        assert rows.to_pandas()["commit_time"].dt.tz is not None
        if hasattr(pandas.DataFrame, "from_arrow"):
            assert list(pandas.DataFrame.from_arrow(rows)["position"]) == wanted["position"].to_pylist()


def test_wide_decimals_are_text_where_few_know_them(pyarrow: Any) -> None:
    duckdb, polars = map(pytest.importorskip, ("duckdb", "polars"))
    with pybinlog.open(TYPES) as log:
        table = next(table for _, table, frame in frames(log) if table and has_wide(frame, pyarrow))
        frame = log.table(table)
        name = next(field.name for field in frame.arrow_schema if pyarrow.types.is_decimal256(field.type))
        wanted = [None if value is None else f"{value:f}" for value in frame.to_arrow()[name].to_pylist()]
        assert any(len(value or "") > 40 for value in wanted)
        assert [row for (row,) in duckdb.sql(f'SELECT "{name}" FROM frame').fetchall()] == wanted
        assert frame.to_polars()[name].to_list() == wanted
        assert polars.DataFrame(frame)[name].to_list() == wanted
        assert [None if text is None else Decimal(text) for text in wanted] == [row[name] for row in frame]


def has_wide(frame: Frame, pyarrow: Any) -> bool:
    return any(pyarrow.types.is_decimal256(field.type) for field in frame.arrow_schema)


def test_batches_are_let_go_one_by_one(tmp_path: Path, pyarrow: Any) -> None:
    """A hundred times the rows take no more of Arrow's memory at once."""

    def peak(log: pybinlog.Log, take: Callable[[Frame], Any]) -> int:
        most = 0
        for batch in take(log.rows()):
            gc.collect()
            most = max(most, batch.nbytes + pyarrow.total_allocated_bytes())
            del batch
        return most

    logs = [BASIC] * 100
    with pybinlog.open(BASIC, allow_gaps=True) as one, pybinlog.open(logs, allow_gaps=True) as many:
        for take in (Frame.to_batches, pyarrow.RecordBatchReader.from_stream):
            assert sum(batch.num_rows for batch in take(many.rows())) == 2300
            assert peak(many, take) <= 2 * peak(one, take) > 0


def test_damage_ends_a_frame_with_its_place(pyarrow: Any) -> None:
    path = CORPUS / "mysql-9.7" / "damaged-body" / "binlog.000001"
    with pybinlog.open(path) as log:
        batches = log.rows().to_batches()
        assert next(batches).num_rows > 0
        with pytest.raises(pybinlog.ChecksumError, match=r"binlog.000001.*1985"):
            list(batches)
        with pytest.raises(pybinlog.ChecksumError):
            log.rows().to_arrow()
        with pytest.raises(Exception, match="1985"):  # Arrow's stream has no class for it
            pyarrow.RecordBatchReader.from_stream(log.rows()).read_all()


def test_times_are_aware_in_utc() -> None:
    with pybinlog.open(BASIC) as log:
        (row, *_) = log.events(columns=["timestamp"]).to_dicts()
        assert row["timestamp"].tzinfo is timezone.utc
