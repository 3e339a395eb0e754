"""Rows whose images have no column."""

from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.cli.conftest import real
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """An INSERT that sets nothing, as it is logged with a minimal image."""
    builder = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS, b"", 2, columns_before_image=b"\0").commit(1)
    path = tmp_path / "binlog.000001"
    path.write_bytes(builder.data)
    (tmp_path / "schema.sql").write_text("CREATE DATABASE test; USE test; CREATE TABLE t (a INT, b VARCHAR(20));")
    return path


def test_an_insert_without_columns_is_made_again_without_values(log: Path) -> None:
    result = real("redo", f"--schema={log.with_name('schema.sql')}", str(log))
    assert (result.status, result.err) == (0, "")
    assert [line for line in result.out.decode().splitlines() if line.startswith("INSERT")] == [
        "INSERT INTO `test`.`t` () VALUES ();"
    ]


@pytest.mark.parametrize("form", ["sql", "binlog"])
def test_an_insert_without_columns_cannot_be_taken_back(form: str, log: Path) -> None:
    result = real("undo", f"--format={form}", f"--schema={log.with_name('schema.sql')}", str(log))
    assert (result.status, result.out) == (1, b"")
    assert result.err == (
        f"ERROR: {log}, at 325: the INSERT of test.t has no value of a, b in its row images. The session had a "
        "binlog_row_image other than FULL; such rows are in a backup only.\n"
    )
