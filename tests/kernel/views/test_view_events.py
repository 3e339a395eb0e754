"""The connections of events, as far as they are known."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from tests.cli.conftest import real
from tests.layout.log_builder import INT_AND_TEXT, MARIADB_10_11, MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image


def with_row(builder: LogBuilder, kind: EventType, **fields: Any) -> LogBuilder:
    return builder.table_map(INT_AND_TEXT).rows(kind, image(1, "a"), 2, **fields)


@pytest.mark.parametrize(
    ("builder", "threads"),
    [
        (with_row(LogBuilder(MYSQL_9_7).gtid(1).begin(), EventType.WRITE_ROWS), {"": 1, "3": 4}),
        (with_row(LogBuilder(MYSQL_9_7), EventType.WRITE_ROWS), {"": 3}),
        (with_row(LogBuilder(MARIADB_10_11).maria_gtid(1), EventType.WRITE_ROWS_V1, extra_row_info=None), {"": 4}),
        (LogBuilder(MYSQL_9_7).rotate(), {"": 2}),
    ],
)
def test_an_event_outside_of_transactions_has_no_connection(
    builder: LogBuilder, threads: dict[str, int], tmp_path: Path
) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.data)
    result = real("stats", "--by=thread", "--format=csv", str(log))
    rows = csv.DictReader(io.StringIO(result.out.decode()))
    assert {row["thread"]: int(row["events"]) for row in rows} == threads
