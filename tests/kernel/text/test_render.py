"""Rare events, whose text is made in Python, share the current database with the others."""

from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.dump.one_log import dumped
from tests.dump.test_rare import create_file
from tests.layout.log_builder import MYSQL_5_0, LogBuilder


@pytest.mark.parametrize("length", [0, 1, 254, 255])
def test_a_load_uses_its_database_once(length: int, tmp_path: Path) -> None:
    """A name has at most 255 bytes; without one the current database stays."""
    name, other = "d" * length, "e" * length
    builder = LogBuilder(MYSQL_5_0)
    for number, db in enumerate((name, name, other, name)):
        create_file(builder, number, b"1", db=db).add(EventType.EXECUTE_LOAD, {"file_id": number})
    text = dumped(builder.query("DO 1", db=name).data, tmp_path).text
    used = [line for line in text.splitlines() if line.startswith(b"use ")]
    assert used == [b"use `%b`/*!*/;" % db.encode() for db in (name, other, name) if db]
