"""Rows that do not fit their Table_map: the text is the reference's, and an error names them."""

from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from pybinlog.layout.gtid import CompressionType, PayloadField
from tests.dump.one_log import dumped
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder, row

REMARK = b"***Corrupted replication event was detected"
LONGER = b"\xfc\x01\0\0\0\xc8one"
"""A row whose VARCHAR is longer than what is left of the event."""


OPTIONS: list[dict[str, Any]] = [{}, {"jobs": 3}, {"hexdump": True}, {"force_read": True}, {"recover": True}]


def transactions(*images: bytes) -> tuple[bytes, list[int]]:
    """Return a log with one row event for each of these images, and where they stand."""
    builder = LogBuilder(MYSQL_9_7)
    places = []
    for number, image in enumerate(images, 1):
        builder.gtid(number).begin().table_map(INT_AND_TEXT)
        places.append(len(builder.data))
        builder.rows(EventType.WRITE_ROWS, image, 2).commit(number)
    return builder.data, places


@pytest.mark.parametrize(
    "options", [{}, {"jobs": 3}, {"hexdump": True}, {"force_read": True}, {"recover": True}], ids=str
)
def test_the_error_names_the_first_event_and_counts_the_others(options: dict[str, Any], tmp_path: Path) -> None:
    data, places = transactions(row(1, "one"), LONGER, row(2, "two"), LONGER, LONGER, row(3, "three"))
    found = dumped(data, tmp_path, verbose=1, **options)
    assert str(found.error) == (
        f"{tmp_path}/binlog.000001, at {places[1]}: a row of the Write_rows event cannot be read, nor those of 2 later "
        "events; the text says so in its place"
    )
    assert found.text.count(REMARK) == 3
    assert b"@2='three'" in found.text
    one = dumped(transactions(row(1, "one"), LONGER)[0], tmp_path, verbose=1, **options)
    assert one.error is not None
    assert one.error.message == "a row of the Write_rows event cannot be read; the text says so in its place"


def test_a_dump_without_rows_does_not_read_them(tmp_path: Path) -> None:
    assert dumped(transactions(LONGER)[0], tmp_path).error is None


def test_a_row_in_a_payload_is_named_by_the_payloads_place(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).gtid(1)
    place = len(builder.data)
    inside = LogBuilder(MYSQL_9_7.without_checksum(), inside_payload=True)
    start = len(inside.data)
    inside.begin().table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, LONGER, 2).commit(1)
    data = inside.data[start:]
    fields = [
        {"type": PayloadField.COMPRESSION_TYPE, "value": CompressionType.NONE},
        {"type": PayloadField.PAYLOAD_SIZE, "value": len(data)},
        {"type": PayloadField.UNCOMPRESSED_SIZE, "value": len(data)},
        {"type": PayloadField.END_MARK},
    ]
    builder.add(EventType.TRANSACTION_PAYLOAD, {"fields": fields, "payload": data})
    found = dumped(builder.data, tmp_path, verbose=1)
    assert found.text.count(REMARK) == 1
    assert str(found.error) == (
        f"{tmp_path}/binlog.000001, at {place}: a row of the Write_rows event cannot be read; the text says so in "
        "its place"
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_of_a_large_statement_are_counted_once(jobs: int, tmp_path: Path) -> None:
    """The events of a statement above 4 MiB are read again."""
    builder = LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT)
    many = row(1, "some words and more") * 20_000
    places = []
    for image in (many + LONGER, many, many, many, many + LONGER, many):
        places.append(len(builder.data))
        builder.rows(EventType.WRITE_ROWS, image, 2, flags=0)
    data = builder.rows(EventType.WRITE_ROWS, row(2, "last"), 2).commit(1).data
    found = dumped(data, tmp_path, verbose=1, jobs=jobs)
    assert found.text.count(REMARK) == 2
    assert found.error is not None
    assert found.error.position == places[0]
    assert "nor those of 1 later event;" in found.error.message
