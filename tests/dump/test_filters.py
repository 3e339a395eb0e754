"""The conditions of a dump, as its options give them."""

import io
from typing import Any

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.filters import database_in_load, filter_of, gtid_filter, gtid_window, payload_filter_of
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.filters import NameRules
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.check.logs import changed
from tests.dump.test_rare import LOAD
from tests.layout.log_builder import MYSQL_5_0, LogBuilder

SET_HINT = "A GTID set looks like 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7, or for MariaDB 0-1-3,0-1-5:9"
POSITION_HINT = "A position by MariaDB's GTIDs names one for each domain, such as 0-1-3,1-1-4"


@pytest.mark.parametrize("option", ["include_gtids", "exclude_gtids"])
def test_a_gtid_set_that_cannot_be_read_is_an_error_of_its_option(option: str) -> None:
    with pytest.raises(BinlogError) as caught:
        filter_of(DumpOptions().replace(**{option: "x"}))
    assert (
        str(caught.value)
        == f"--{option.replace('_', '-')}: 'x' is neither a server's UUID nor a GTID of MariaDB. {SET_HINT}"
    )
    assert gtid_filter(None, "--include-gtids") is None


@pytest.mark.parametrize("positions", [("x", None), (None, "x"), ("0-1-3", "x")])
def test_a_position_by_gtids_that_cannot_be_read_is_an_error(positions: tuple[str | None, str | None]) -> None:
    with pytest.raises(BinlogError) as caught:
        gtid_window(*positions)
    assert str(caught.value) == f"a position by GTIDs: 'x' is not a GTID of MariaDB. {POSITION_HINT}"
    assert gtid_window(None, None) is None
    assert gtid_window("0-1-3", None) is not None
    assert gtid_window(None, "0-1-3") is not None


CONDITIONS: list[tuple[dict[str, Any], bool, bool, bool]] = [
    ({}, False, False, False),
    ({"offset": 1}, True, False, False),
    ({"start_datetime": 0}, True, False, False),
    ({"stop_datetime": 0}, True, False, True),
    ({"stop_position": 4}, True, False, False),
    ({"database": ""}, True, False, True),
    ({"server_id": 0}, True, False, True),
    ({"start_gtids": ""}, True, False, False),
    ({"stop_gtids": ""}, True, False, False),
    ({"include_gtids": ""}, True, False, False),
    ({"exclude_gtids": ""}, True, False, False),
    ({"names": NameRules()}, True, True, True),
    ({"event_types": frozenset()}, True, True, True),
    ({"operations": frozenset({"ddl"})}, True, True, True),
    ({"operations": frozenset()}, False, False, False),
    ({"thread_ids": frozenset()}, True, True, True),
    ({"server_ids": frozenset()}, True, True, True),
    ({"resolve_xa": "hold"}, True, True, True),
    ({"start_position": 5}, False, False, False),
    ({"skip_gtids": True}, False, False, False),
]


@pytest.mark.parametrize(
    ("options", "filters", "whole", "inside"), CONDITIONS, ids=[str(case[0]) for case in CONDITIONS]
)
def test_which_options_drop_events(options: dict[str, Any], filters: bool, whole: bool, inside: bool) -> None:
    made = DumpOptions().replace(**options)
    assert (made.filters, made.filters_transactions) == (filters, whole)
    assert (payload_filter_of(made) is not None) is inside


def batch_of(data: bytes) -> EventBatch:
    with open_source("-", io.BytesIO(data)) as source:
        return next(iter(Reader(source, Scanner())))


def test_the_database_of_a_load_is_known_if_the_event_can_be_read() -> None:
    builder = LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, {**LOAD, "db": "caf\udcff"})
    assert database_in_load(batch_of(builder.data), 1) == b"caf\xff"
    at = len(LogBuilder(MYSQL_5_0).data)
    event = changed(builder.data[at:], 19 + 12, b"\xff\xff")
    assert database_in_load(batch_of(builder.data[:at] + event), 1) is None
