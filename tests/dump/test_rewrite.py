"""--rewrite-db: the text is that of a log whose databases have the other names from the beginning."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from pybinlog.layout import Format
from tests.dump.one_log import dumped
from tests.layout.log_builder import (
    INT_AND_TEXT,
    MARIADB_10_11,
    MYSQL_5_0,
    MYSQL_5_1_EARLY,
    MYSQL_5_5,
    MYSQL_5_6,
    MYSQL_9_7,
    LogBuilder,
    row,
)

FORMATS = {
    "5.0": MYSQL_5_0,
    "5.1.15": MYSQL_5_1_EARLY,
    "5.5": MYSQL_5_5,
    "5.6": MYSQL_5_6,
    "5.6 without checksums": MYSQL_5_6.without_checksum(),
    "9.7": MYSQL_9_7,
    "9.7 without checksums": MYSQL_9_7.without_checksum(),
    "MariaDB": MARIADB_10_11,
    "MariaDB without checksums": MARIADB_10_11.without_checksum(),
}
ROWS = {"9.7": EventType.WRITE_ROWS, "5.6": EventType.WRITE_ROWS, "5.5": EventType.WRITE_ROWS_V1}


def log_of(format: Format, name: str, rows: EventType | None) -> bytes:
    """A statement in a database, and rows of the database `test`."""
    builder = LogBuilder(format).query("CREATE TABLE u (a INT)", db="shop" if name == "test" else name)
    if rows is not None:
        builder.query("BEGIN").table_map(INT_AND_TEXT)
        builder.rows(rows, row(1, "one"), 2).commit(7)
    return builder.data


@pytest.mark.parametrize("name", FORMATS)
def test_statements_are_in_the_other_database(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    wanted = dumped(log_of(format, "elsewhere", None), tmp_path)
    found = dumped(log_of(format, "shop", None), tmp_path, rewrite_db=(("shop", "elsewhere"),))
    assert (wanted.error, found.error, found.warnings) == (None, None, wanted.warnings)
    assert found.events[-1].replace(b"end_log_pos", b"") == wanted.events[-1].replace(b"end_log_pos", b"")
    assert b"use `elsewhere`" in found.text
    assert b"CREATE TABLE u (a INT)\n" in found.text


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_of_the_other_database(name: str, tmp_path: Path) -> None:
    log = log_of(FORMATS[name], "test", ROWS[name])
    plain = dumped(log, tmp_path, verbose=1)
    found = dumped(log, tmp_path, verbose=1, rewrite_db=(("test", "x"),))
    assert (plain.error, found.error) == (None, None)
    rows = [line for line in found.text.splitlines() if line.startswith(b"###")]
    assert rows == [line.replace(b"`test`", b"`x`") for line in plain.text.splitlines() if line.startswith(b"###")]
    assert rows[0] == b"### INSERT INTO `x`.`t`"
