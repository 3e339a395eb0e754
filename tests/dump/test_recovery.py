"""`pybinlog dump --recover` after events that are in order but for what they hold."""

import re
import struct
from pathlib import Path

import pytest

from pybinlog.dump.recovery import OF_A_STATEMENT, Recovery
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan import scan
from pybinlog.log.recover import Damage
from tests.check.logs import changed, events_of, first, joined, log
from tests.check.payloads import inside, payload
from tests.cli.conftest import Result, real

BASIC = "mysql-9.7/row-basic"
HEADER = 19


def dumped(path: Path, events: list[bytes], *options: str) -> Result:
    target = path / "binlog.000001"
    target.write_bytes(joined(events))
    return real(str(target), "--recover", *options)


def places(out: bytes) -> list[int]:
    return [int(place) for place in re.findall(rb"^# at (\d+)$", out, re.MULTILINE)]


def position(events: list[bytes], index: int) -> int:
    return 4 + sum(map(len, events[:index]))


@pytest.mark.parametrize(
    ("kind", "at", "lie"),
    [
        (EventType.QUERY, 8, b"\xff"),  # the length of the database's name
        (EventType.QUERY, 11, b"\xff\xff"),  # the length of the status variables
        (EventType.TABLE_MAP, 8, b"\xff"),  # the length of the database's name
        (EventType.WRITE_ROWS, 8, b"\xff\xff"),  # the length of the extra data
        (EventType.UPDATE_ROWS, 10, b"\xfd\xff\xff\xff"),  # the number of columns
    ],
)
@pytest.mark.parametrize("options", [(), ("-vv",), ("-vv", "--base64-output=decode-rows")])
def test_the_events_around_a_lying_length_are_printed(
    tmp_path: Path, kind: EventType, at: int, lie: bytes, options: tuple[str, ...]
) -> None:
    events = events_of(log(BASIC))
    whole = places(dumped(tmp_path, events, *options).out)
    index = first(events, kind, 1)
    lying = position(events, index)
    events[index] = changed(events[index], HEADER + at, lie)
    assert real(str(tmp_path / "binlog.000001"), *options).status == 0
    result = dumped(tmp_path, events, *options)
    assert result.status == 1
    assert places(result.out) == [place for place in whole if place != lying]
    name = {30: "Write_rows", 31: "Update_rows", 19: "Table_map", 2: "Query"}[kind]
    path = tmp_path / "binlog.000001"
    assert result.err.splitlines() == [
        f"WARNING: The {name} event is corrupt: a length in it reaches beyond its end; it is skipped. "
        f"[{path}, at {lying}]",
        f"ERROR: {path}, at {lying}: the log is damaged from here on: 1 event was skipped.",
    ]
    assert real(str(path), *options).status == 1
    assert max(places(real(str(path), *options).out)) < lying


def test_a_statement_whose_last_rows_are_lost_ends_before_its_commit(tmp_path: Path) -> None:
    events = events_of(log(BASIC))
    rows = first(events, EventType.WRITE_ROWS)
    open_rows = bytearray(events[rows])
    (flags,) = struct.unpack_from("<H", open_rows, HEADER + 6)
    struct.pack_into("<H", open_rows, HEADER + 6, flags & ~1)
    lost = changed(events[rows], HEADER + 8, b"\xff\xff")
    events[rows : rows + 1] = [bytes(open_rows), lost]
    out = dumped(tmp_path, events, "-v").out
    after = out[out.index(b"# at %d\n" % position(events, rows)) :]
    statement, _, rest = after.partition(b"COMMIT/*!*/;")
    assert statement.count(b"BINLOG '") == statement.count(b"\n'/*!*/;\n") == 1
    assert b"### INSERT INTO" in statement
    for text in rest.split(b"BINLOG '")[1:]:
        assert text.count(b"\n'/*!*/;\n") == 1


def test_variables_of_a_lost_statement_are_not_those_of_the_next(tmp_path: Path) -> None:
    events = events_of(log("mysql-9.7/statement"))
    variable = first(events, EventType.INTVAR)
    query = next(index for index in range(variable, len(events)) if events[index][4] == EventType.QUERY)
    whole = dumped(tmp_path, events).out
    events[query] = changed(events[query], HEADER + 8, b"\xff")
    lost = dumped(tmp_path, events).out
    assert whole.count(b"SET INSERT_ID=") == lost.count(b"SET INSERT_ID=") + 1


def compressed(edit: str) -> list[bytes]:
    """A log with a Transaction_payload in which something is wrong."""
    events = events_of(log("mysql-9.7/compression"))
    at = first(events, EventType.TRANSACTION_PAYLOAD)
    inner = inside(events[at])
    if edit == "event":
        table = first(inner, EventType.TABLE_MAP)
        inner[table] = changed(inner[table], HEADER + 8, b"\xff")
        events[at] = payload(events[at], inner)
    else:
        events[at] = payload(events[at], inner)
        events[at] = changed(events[at], len(events[at]) - 40, bytes(20))
    return events


def test_a_corrupt_event_inside_a_payload_is_passed_over_alone(tmp_path: Path) -> None:
    result = dumped(tmp_path, compressed("event"), "-v")
    assert result.status == 1
    assert "The Table_map event inside the payload is corrupt" in result.err
    text = result.out[result.out.index(b"# Start of compressed events.") :]
    text = text[: text.index(b"# End of compressed events.")]
    assert b"Write_rows: table id" in text
    assert b"COMMIT" in text


def test_a_payload_that_cannot_be_inflated_is_passed_over(tmp_path: Path) -> None:
    events = compressed("zstd")
    result = dumped(tmp_path, events)
    assert result.status == 1
    assert "cannot be decompressed" in result.err
    assert "; the rest of the payload is skipped. [" in result.err
    assert places(result.out)[-1] == position(events, len(events) - 1)


def test_what_was_skipped_is_added_up() -> None:
    warnings: list[str] = []
    recovery = Recovery(warnings.append)
    error = CorruptEventError("it is wrong", file="a.000001", position=70)
    told = [str(recovery.damage)]
    for skip, values in (
        (recovery.event, (error,)),
        (recovery.event, (error, "the rest of the payload is skipped")),
        (recovery.bytes, (Damage(error, 90, 100, 10, False, 2, scan.SCAN_BAD_SIZE, False),)),
        (recovery.bytes, (Damage(error, 200, None, 5, False, 2, scan.SCAN_BAD_SIZE, False, 3),)),
    ):
        skip(*values)
        told.append(str(recovery.damage))
    start = "a.000001, at 70: the log is damaged from here on:"
    assert told == [
        "None",
        f"{start} 1 event was skipped",
        f"{start} 2 events were skipped",
        f"{start} 10 bytes and 2 events were skipped",
        f"{start} 15 bytes and 2 events were skipped",
    ]
    assert warnings == [
        "It is wrong; it is skipped. [a.000001, at 70]",
        "It is wrong; the rest of the payload is skipped. [a.000001, at 70]",
        "It is wrong; 10 bytes are skipped, up to 100. [a.000001, at 90]",
        "It is wrong; the 5 bytes up to the log's end are skipped (3 of them are a hole of the sparse file). "
        "[a.000001, at 200]",
    ]


def test_bytes_alone_were_skipped() -> None:
    recovery = Recovery(lambda warning: None)
    error = CorruptEventError("it is wrong", file="a.000001", position=90)
    recovery.bytes(Damage(error, 90, 91, 1, False, 2, scan.SCAN_BAD_SIZE, False))
    assert str(recovery.damage) == "a.000001, at 90: the log is damaged from here on: 1 bytes were skipped"


def test_the_events_that_continue_a_statement() -> None:
    """Table_maps and rows: of old servers, of all others, and MariaDB's compressed ones, or parts of them."""
    assert sorted(OF_A_STATEMENT) == [*range(19, 26), 30, 31, 32, 39, *range(166, 173)]
