"""BINLOG statements: the event's bytes in base64, in lines of 76 characters, however large the event is."""

import io
from base64 import b64decode
from pathlib import Path

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.dump import DumpOptions, run
from pybinlog.event_types import EventType
from tests.layout.log_builder import MYSQL_9_7, LogBuilder


@pytest.mark.parametrize("size", [0, 1, 56, 57, 58, 933_000, 934_000, 3_000_001])
def test_the_lines_are_the_events(size: int, tmp_path: Path) -> None:
    value = bytes(number * 7 % 251 for number in range(size))
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).begin()
    builder.table_map([(ColumnType.BLOB, {"length_bytes": 4})])
    begin = len(builder.data)
    image = b"\xfe" + size.to_bytes(4, "little") + value
    row_event = builder.rows(EventType.WRITE_ROWS, image, 1).data[begin:]
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.commit(3).rotate().data)
    text = io.BytesIO()
    run([str(log)], DumpOptions(), text, lambda _: None)
    lines = text.getvalue().rpartition(b"BINLOG '\n")[2].partition(b"'")[0].splitlines()
    decoded = b"".join(map(b64decode, lines))
    assert decoded.endswith(row_event)
    of_event = lines[-((len(row_event) + 56) // 57) :]
    assert {len(line) for line in of_event[:-1]} <= {76}
    assert 0 < len(of_event[-1]) <= 76
