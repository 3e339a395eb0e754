"""The values that a condition needs of a row image, read without a look at the others."""

from pathlib import Path

import pytest

import pybinlog
from pybinlog.column_types import ColumnType
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.log.reader import Reader
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

INT, TEXT = (ColumnType.LONG, None), (ColumnType.VARCHAR, {"max_length": 20})
IMAGE = b"\xf8\1\0\0\0\3abc\2\0\0\0"


@pytest.mark.parametrize("size", range(1, len(IMAGE) + 1))
def test_no_value_is_read_beyond_an_image_that_is_cut_short(
    size: int, border: memoryview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = LogBuilder(MYSQL_9_7.without_checksum()).begin().table_map([INT, TEXT, INT])
    builder.rows(EventType.WRITE_ROWS, IMAGE[:size], 3)
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.data)
    buffers = iter([border[len(border) - len(builder.data) :]])
    monkeypatch.setattr(Reader, "new_buffer", lambda _, size: next(buffers, memoryview(bytearray(size))))
    rows = pybinlog.open(str(log)).rows(where="NOT (NOT (@3 = 2))")  # a plain `@3 = 2` is looked at before the others
    if size == len(IMAGE):
        assert [row["after"] for row in rows] == [{"@1": 1, "@2": b"abc", "@3": 2}]
    else:
        with pytest.raises(CorruptEventError, match="a row of the Write_rows event cannot be read"):
            list(rows)
