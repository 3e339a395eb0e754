"""Events of damaged logs, and those inside payloads."""

from pathlib import Path

import pytest

import pybinlog
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from tests.check.logs import changed, events_of, first, joined, log

BASIC, COMPRESSION = "mysql-9.7/row-basic", "mysql-9.7/compression"


def event(folder: Path, name: str, kind: EventType, edit: object) -> pybinlog.Event:
    """The first event of that type, once it is edited."""
    events = events_of(log(name))
    at = first(events, kind)
    assert callable(edit)
    (path := folder / "binlog.000001").write_bytes(joined([*events[:at], edit(events[at]), *events[at + 1 :]]))
    with pybinlog.open(path) as opened:
        return next(one for one in opened if one.type == kind)


def cut(size: int) -> object:
    return lambda data: data[: -4 - size] + data[-4:]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (40, "the Write_rows event is corrupt: a length in it reaches beyond its end"),
        (12, "row 1 of the Write_rows event cannot be read"),
        (1, "row 1 of the Write_rows event cannot be read"),
    ],
)
def test_rows_that_are_cut_are_corrupt(size: int, message: str, tmp_path: Path) -> None:
    rows = event(tmp_path, BASIC, EventType.WRITE_ROWS, cut(size))
    with pytest.raises(CorruptEventError) as caught:
        rows.rows  # noqa: B018
    assert str(caught.value) == f"{tmp_path}/binlog.000001, at 1230: {message}"


def test_fields_that_are_cut_are_corrupt(tmp_path: Path) -> None:
    rows = event(tmp_path, BASIC, EventType.WRITE_ROWS, cut(40))
    with pytest.raises(CorruptEventError) as caught:
        rows.body  # noqa: B018
    assert str(caught.value) == (
        f"{tmp_path}/binlog.000001, at 1230: Write_rows: 2 bytes are needed, 0 are left (in flags)"
    )


def test_a_payload_that_is_damaged_is_an_error_at_its_position(tmp_path: Path) -> None:
    payload = event(
        tmp_path, COMPRESSION, EventType.TRANSACTION_PAYLOAD, lambda data: changed(data, len(data) - 20, bytes(4))
    )
    with pytest.raises(CorruptEventError) as caught:
        list(payload.events())
    assert str(caught.value).startswith(
        f"{tmp_path}/binlog.000001, at 643: the payload cannot be decompressed: decompression error"
    )
    assert repr(payload) == "<Event Transaction_payload at 643, End Transaction, inferred>"


def test_events_inside_a_payload_have_its_position_and_their_own_headers(tmp_path: Path) -> None:
    payload = event(tmp_path, COMPRESSION, EventType.TRANSACTION_PAYLOAD, lambda data: data)
    inside = list(payload.events())
    assert [(one.position, one.end_log_pos, one.size == len(one.data), one.checksum) for one in inside] == [
        (643, 0, True, None)
    ] * len(inside)
    places = [
        (one.type_name, one.boundary.printed_name, one.starts.printed_name, one.ends.printed_name) for one in inside
    ]
    assert places == [
        ("Query", "Inside Transaction", "No_start", "Statement_end"),
        ("Table_map", "Inside Transaction", "Statement_start", "No_end"),
        ("Write_rows", "Inside Transaction", "No_start", "Statement_end"),
        ("Xid", "End Transaction", "No_start", "Transaction_commit"),
    ]
    assert payload.ends.printed_name == "Transaction_commit"
