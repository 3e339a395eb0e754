"""Events as wholes: formats, headers and checksums, and errors that name the field."""

import zlib
from typing import Any

import pytest

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, build_event, crc32, new_event, parse_body, parse_event

FORMAT = Format.default()
FORMAT_BODY = {
    "binlog_version": 4,
    "server_version": "9.7.0",
    "create_timestamp": 7,
    "header_length": 19,
    "post_header_lengths": FORMAT.post_header_lengths,
    "checksum_algorithm": 1,
}
TAGGED = {"serialization_version": 1, "last_non_ignorable_field_id": 0}


def format_event(**changes: Any) -> bytes:
    return new_event(EventType.FORMAT_DESCRIPTION, {**FORMAT_BODY, **changes}, FORMAT)


@pytest.mark.parametrize(
    ("changes", "algorithm", "length"),
    [
        ({}, 1, 4),
        ({"checksum_algorithm": 0}, 0, 0),
        ({"checksum_algorithm": 255}, 255, 0),
        ({"server_version": "5.5.0", "checksum_algorithm": None}, 255, 0),
    ],
)
def test_a_format_is_what_its_event_says(changes: dict[str, Any], algorithm: int, length: int) -> None:
    found = Format.from_event(format_event(**changes))
    version = changes.get("server_version", "9.7.0")
    assert found == Format.of(version, algorithm, FORMAT.post_header_lengths)
    assert (found.checksum_length, found.header_length, found.mariadb) == (length, 19, False)
    assert found.without_checksum().checksum_length == 0
    assert found.without_checksum().checksum_algorithm == (0 if length else algorithm)


def test_a_format_by_its_server_s_version() -> None:
    assert [Format.of(version).checksum_algorithm for version in ("5.6.0", "5.6.1", "5.3.0-MariaDB")] == [255, 1, 1]
    assert [Format.of(version).mariadb for version in ("9.7.0", "11.8.1-MariaDB", "10.0-mariadb-log")] == [
        False,
        True,
        True,
    ]
    assert Format.of("11.8.1-MariaDB-log").version == (11, 8, 1)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (new_event(EventType.XID, {"xid": 1}, FORMAT), "event type 16 is not a Format_description"),
        (format_event(header_length=18), "Format_description: a common header of 18 bytes"),
        (format_event()[:18], "an event of 18 bytes: the header alone has 19"),
        (format_event()[:19], "the event says that it has 122 bytes, and has 19"),
    ],
)
def test_an_event_that_is_no_format_is_an_error(data: bytes, sentence: str) -> None:
    with pytest.raises(CorruptEventError) as caught:
        Format.from_event(data)
    assert caught.value.message == sentence.replace("122", str(len(format_event())))


@pytest.mark.parametrize(
    ("lengths", "event_type", "expected"),
    [
        (b"\x01\x02\x03", 1, 1),
        (b"\x01\x02\x03", 3, 3),
        (b"\x01\x02\x03", 4, 0),
        (b"\x01\x02\x03", 0, 0),
        (b"", EventType.WRITE_ROWS_V1 - 1, 0),
        (b"", EventType.WRITE_ROWS_V1, 8),
        (b"", EventType.DELETE_ROWS_V1, 8),
        (b"", EventType.DELETE_ROWS_V1 + 1, 0),
        (b"\x06" * 40, EventType.WRITE_ROWS_V1, 6),
    ],
)
def test_the_length_of_a_post_header(lengths: bytes, event_type: int, expected: int) -> None:
    assert Format.of("9.7.0", post_header_lengths=lengths).post_header_length(event_type) == expected


def test_an_event_has_a_header_of_the_length_of_its_log_and_a_checksum() -> None:
    format = Format.of("9.7.0", header_length=21)
    header = {
        "timestamp": 1,
        "event_type": EventType.XID,
        "server_id": 2,
        "end_log_pos": 3,
        "flags": 4,
        "extra_headers": b"ab",
    }
    data = build_event({"header": header, "body": {"xid": 5}}, format)
    start = b"\1\0\0\0\x10\2\0\0\0\x21\0\0\0\3\0\0\0\4\0ab\5\0\0\0\0\0\0\0"
    assert data == start + zlib.crc32(start).to_bytes(4, "little")
    event = parse_event(data, format)
    assert (event.body.xid, event.checksum, event.header.extra_headers) == (5, zlib.crc32(start), b"ab")
    plain = parse_event(
        build_event({"header": header, "body": {"xid": 5}}, format.without_checksum()), format.without_checksum()
    )
    assert (plain.checksum, plain.header.event_size) == (None, 29)
    assert build_event({**event, "checksum": 7}, format)[-4:] == b"\7\0\0\0"


def test_the_checksum_of_a_format_omits_its_flag_of_use() -> None:
    data = format_event()
    in_use = data[:17] + b"\1" + data[18:]
    assert crc32(in_use[:-4]) == crc32(data[:-4]) == zlib.crc32(data[:-4])
    other = data[:17] + b"\3" + data[18:]
    assert crc32(other[:-4]) == zlib.crc32(data[:17] + b"\2" + data[18:-4])
    xid = new_event(EventType.XID, {"xid": 1}, FORMAT, flags=1)
    assert crc32(xid[:-4]) == zlib.crc32(xid[:-4])


def test_a_new_event_ends_where_its_position_says() -> None:
    def end(**place: int) -> int:
        return int(parse_event(new_event(EventType.XID, {"xid": 1}, FORMAT, **place), FORMAT).header.end_log_pos)

    assert (end(), end(position=100), end(end_log_pos=7, position=100), end(position=(1 << 32) - 31)) == (0, 131, 7, 0)
    assert (end(end_log_pos=0, position=100), end(position=(1 << 32) - 32)) == (0, 0xFFFFFFFF)
    header = parse_event(new_event(EventType.XID, {"xid": 1}, FORMAT), FORMAT).header
    assert (header.timestamp, header.server_id, header.flags) == (0, 1, 0)


@pytest.mark.parametrize(
    ("event_type", "body", "sentence"),
    [
        (EventType.XID, {}, "cannot build Xid: KeyError 'xid'"),
        (EventType.XID, {"xid": "a"}, "cannot build Xid: struct '<Q' error during building, given value 'a' (in xid)"),
        (EventType.XID, {"xid": -1}, "cannot build Xid: struct '<Q' error during building, given value -1 (in xid)"),
    ],
)
def test_a_body_that_does_not_fit_is_an_error(event_type: EventType, body: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^cannot build") as caught:
        build_body(event_type, body, FORMAT)
    assert str(caught.value) == sentence


def test_a_header_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^cannot build the header of Xid: ") as caught:
        new_event(EventType.XID, {"xid": 1}, FORMAT, server_id=-1)
    assert "server_id" in str(caught.value)


@pytest.mark.parametrize(("length", "size"), [(122, 127), (123, 129), (8000, 8007)])
def test_a_tagged_gtid_counts_the_bytes_of_its_size(length: int, size: int) -> None:
    fields = [{"id": 3, "value": "t" * length}]
    data = build_body(EventType.GTID_TAGGED, {**TAGGED, "fields": fields}, FORMAT)
    body = parse_body(EventType.GTID_TAGGED, data, FORMAT)
    assert body.message_size == len(data) == size


@pytest.mark.parametrize(("sources", "header"), [(0, bytes(8)), (1, b"\1" + bytes(7))])
def test_previous_gtids_count_their_sources(sources: int, header: bytes) -> None:
    source = {"sid": bytes(16), "intervals": [{"start": 1, "end": 6}]}
    data = build_body(EventType.PREVIOUS_GTIDS, {"sources": [source] * sources}, FORMAT)
    assert data == header + (bytes(16) + b"\1" + bytes(7) + b"\1" + bytes(7) + b"\6" + bytes(7)) * sources
    tagged = build_body(EventType.PREVIOUS_GTIDS, {"sources": [{**source, "tag": "x"}] * sources}, FORMAT)
    if sources:
        assert tagged[:8] == b"\1\1" + bytes(5) + b"\1"
        assert parse_body(EventType.PREVIOUS_GTIDS, tagged, FORMAT).sources[0].tag == "x"
