"""Transactions that a filter keeps or drops as a whole."""

import struct
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.check.logs import changed, events_of, log, signed
from tests.cli.conftest import real


@pytest.mark.parametrize("wanted", [True, False])
def test_a_corrupt_statement_is_an_error_if_its_server_is_wanted(wanted: bool, tmp_path: Path) -> None:
    events = events_of(log("mysql-9.7/row-basic"))
    server_id = struct.unpack_from("<I", events[0], 5)[0]
    begin = next(number for number, event in enumerate(events) if event[4] == EventType.QUERY and b"BEGIN" in event)
    position = 4 + sum(map(len, events[:begin]))
    events[begin] = signed(changed(events[begin], 19 + 8, b"\xff"))
    path = tmp_path / "binlog.000001"
    path.write_bytes(b"\xfebin" + b"".join(events))
    result = real("dump", f"--server-id={server_id + (not wanted)}", str(path))
    error = f"ERROR: {path}, at {position}: the Query event is corrupt: a length in it reaches beyond its end.\n"
    assert (result.status, error in result.err) == ((1, True) if wanted else (0, False))
