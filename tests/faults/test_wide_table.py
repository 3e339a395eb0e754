"""A table with as many columns as a server allows: every command reads it, and nothing is done anew for each column."""

import json
import struct
from pathlib import Path

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventType
from pybinlog.views.table_shape import TableShape
from pybinlog.views.view import Column, Kind
from tests.cli.conftest import real
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

COLUMNS = 4096
IMAGE = bytes(COLUMNS // 8) + struct.pack(f"<{COLUMNS}i", *range(COLUMNS))


@pytest.fixture(autouse=True)
def wide_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).begin().table_map([(ColumnType.LONG, None)] * COLUMNS)
    log.rows(EventType.WRITE_ROWS, IMAGE * 2, COLUMNS).commit(7)
    monkeypatch.chdir(tmp_path)
    Path("wide.000001").write_bytes(log.data)
    names = ", ".join(f"c{number} INT" for number in range(COLUMNS))
    Path("wide.sql").write_text(f"CREATE DATABASE test; USE test; CREATE TABLE t ({names});", encoding="utf-8")


def given(*arguments: str) -> str:
    done = real(*arguments, "wide.000001")
    assert done.status == 0, done.err
    return done.out.decode()


def test_every_command_reads_all_columns() -> None:
    assert given("dump", "-v").count("###   @4096=4095\n") == 2
    assert [json.loads(line)["after"][f"@{COLUMNS}"] for line in given("rows").splitlines()] == [4095, 4095]
    named = given("rows", "--schema=wide.sql", "--where=c4095 = 4095")
    assert [json.loads(line)["after"]["c4095"] for line in named.splitlines()] == [4095, 4095]
    table = given("export", "-o-", "--view=table", "--table=test.t", "--format=csv")
    assert [line.split(",")[:COLUMNS][-1] for line in table.splitlines()[1:]] == ["4095", "4095"]
    assert "4095" in given("undo", "--schema=wide.sql")
    assert given("check") == "1 log checked: no findings.\n" or "No findings" in given("check")


def test_the_view_of_a_shape_is_made_once() -> None:
    shape = TableShape("test", "t", (Column("a", Kind.LONG), Column("A", Kind.LONG), Column("b", Kind.LONG)))
    assert shape.view is shape.view
    assert [shape.number_of(name) for name in ("a", "A", "B", "c")] == [0, 0, 2, None]
