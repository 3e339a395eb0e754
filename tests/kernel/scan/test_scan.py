"""The scanner: bytes into batches of events."""

import pickle
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.boundary import GroupState, StreamState
from pybinlog.event_header import EventHeader
from pybinlog.kernel.scan import scan
from pybinlog.kernel.scan.boundary_state import stream_number
from pybinlog.kernel.scan.scan import Scanner
from tests.check.logs import events_of, joined
from tests.corpus import scenarios

PREVIOUS_GTIDS, ROTATE = 35, 4
HEADER = struct.Struct("<IBIIIH")
LOG = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/mixed").logs[0].read_bytes()


def headers(data: bytes, pieces: list[int]) -> list[EventHeader]:
    """Every event's header, the log given to the scanner up to one offset after another."""
    scanner = Scanner()
    scanner.new_log(4)
    found: list[EventHeader] = []
    begin = 4
    for end in [*pieces, len(data)]:
        while True:
            batch = scanner.scan(data, begin, max(begin, end), "log")
            begin += scanner.consumed
            found += [batch.header(i) for i in range(len(batch))]
            if scanner.error_code != scan.SCAN_RESCAN:
                break
    assert scanner.error_code == scan.SCAN_NEED_MORE
    return found


def test_the_headers_are_those_of_the_bytes() -> None:
    position = 4
    for header in headers(LOG, []):
        timestamp, kind, server_id, size, end_log_pos, flags = HEADER.unpack_from(LOG, position)
        assert header[:7] == (position, timestamp, kind, server_id, size, end_log_pos, flags)
        assert header.event_size == size
        assert header.end == position + size
        position += size
    assert position == len(LOG)


def test_a_header_is_a_tuple_with_names_that_can_be_pickled() -> None:
    header = headers(LOG, [])[1]
    again = pickle.loads(pickle.dumps(header))
    assert type(header) is type(again) is EventHeader
    position, timestamp, type_code, server_id, size, end_log_pos, flags, boundary, inferred = header
    assert again._asdict() == {
        "position": position,
        "timestamp": timestamp,
        "type": type_code,
        "server_id": server_id,
        "event_size": size,
        "end_log_pos": end_log_pos,
        "flags": flags,
        "boundary": boundary,
        "inferred": inferred,
    }
    assert hash(header) == hash(tuple(header))


def test_the_type_alone_is_the_header_s() -> None:
    scanner = Scanner()
    batch = scanner.scan(LOG, 4, len(LOG), "log")
    assert [batch.type(i) for i in range(len(batch))] == [batch.header(i).type for i in range(len(batch))]


def test_the_stored_bytes_are_those_of_the_log() -> None:
    scanner = Scanner()
    scanner.new_log(4)
    first = scanner.scan(LOG, 4, 1000, "log")
    assert first.stored == LOG[4 : 4 + scanner.consumed]
    begin = 4 + scanner.consumed
    second = scanner.scan(memoryview(LOG), begin, len(LOG) - 1, "log")
    assert second.stored == LOG[begin : begin + scanner.consumed]
    assert scanner.scan(LOG, len(LOG), len(LOG), "log").stored == b""
    first.replace_data(0, first.data(0))
    with pytest.raises(BufferError):
        _ = first.stored


@settings(max_examples=50)
@given(st.lists(st.integers(4, len(LOG)), max_size=12).map(sorted))
def test_pieces_of_any_size_give_the_same_events(pieces: list[int]) -> None:
    assert headers(LOG, pieces) == headers(LOG, [])


def test_a_full_batch_ends_after_an_event_group_where_that_is_asked_for() -> None:
    """A batch holds 16,384 events; this log has three times as many, in groups of several."""
    opening, *events = events_of(LOG)
    whole = [event for event in events if event[4] not in (PREVIOUS_GTIDS, ROTATE)]
    data = joined([opening, *whole * (3 * 16384 // len(whole) + 1)])
    for asked in (False, True):
        scanner = Scanner()
        scanner.new_log(4)
        scanner.whole_groups = asked
        begin, ends, count = 4, [], 0
        while True:
            batch = scanner.scan(data, begin, len(data), "log")
            begin += scanner.consumed
            count += len(batch)
            if scanner.error_code != scan.SCAN_RESCAN:
                break
            ends.append(StreamState.of_number(stream_number(scanner)).group is GroupState.NONE)
        assert (begin, count) == (len(data), len(events_of(data)))
        assert len(ends) == 3
        assert all(ends) == asked


def changed(offset: int, value: bytes) -> bytes:
    return LOG[:offset] + value + LOG[offset + len(value) :]


@pytest.mark.parametrize(
    ("name", "data", "error_code"),
    [
        ("fewer bytes than a header", changed(4 + 9, b"\x12\0\0\0"), scan.SCAN_BAD_SIZE),
        ("more than any server writes", changed(4 + 9, b"\xff\xff\xff\x7f"), scan.SCAN_TOO_BIG),
        ("a Format_description of version 3", changed(4 + 19, b"\3\0"), scan.SCAN_BAD_FORMAT_DESCRIPTION),
        (
            "a type that is not known",
            changed(127 + 4, b"\xc8") if LOG[127 + 17] & 0x80 == 0 else b"",
            scan.SCAN_UNKNOWN_TYPE,
        ),
    ],
)
def test_an_event_that_cannot_be_stops_the_scan_before_it(name: str, data: bytes, error_code: int) -> None:
    if not data:  # Previous_gtids carries the ignorable flag: take the next event
        at = 127 + struct.unpack_from("<I", LOG, 127 + 9)[0]
        data = changed(at + 4, b"\xc8")
    scanner = Scanner()
    scanner.new_log(4)
    begin = 4
    while True:
        scanner.scan(data, begin, len(data), "log")
        begin += scanner.consumed
        if scanner.error_code != scan.SCAN_RESCAN:
            break
    assert scanner.error_code == error_code
    assert scanner.position == begin


def test_a_wrong_checksum_is_seen_only_where_it_was_asked_for() -> None:
    damaged = LOG[:-5] + bytes([LOG[-5] ^ 1]) + LOG[-4:]
    for verify, error_code in ((False, scan.SCAN_NEED_MORE), (True, scan.SCAN_BAD_CHECKSUM)):
        scanner = Scanner()
        scanner.verify_checksum = verify
        scanner.new_log(4)
        scanner.scan(damaged, 4, len(damaged), "log")
        assert scanner.error_code == error_code


def test_a_batch_refuses_an_index_beyond_its_events() -> None:
    scanner = Scanner()
    batch = scanner.scan(LOG, 4, 200, "log")
    for index in (-1, len(batch)):
        with pytest.raises(IndexError):
            batch.header(index)


@pytest.mark.parametrize(
    "path", [path for s in scenarios() if s.intact for path in s.logs if s.folder.name != "large"], ids=str
)
def test_every_intact_log_is_taken_to_its_last_byte(path: Path) -> None:
    data = path.read_bytes()
    last = headers(data, [])[-1]
    assert last.end == len(data)
