"""Bytes that contradict themselves give a CorruptEventError that names the field, and never another error."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from pybinlog.column_types import ColumnType
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, WRITE_TYPES, EventType
from pybinlog.layout import Format, new_event, parse_body, parse_event
from tests.layout.compression import compress, payload_event_bytes, payload_events, uncompress
from tests.layout.cursor import LieError
from tests.layout.json_reader import read_json, read_json_diff
from tests.layout.row_oracle import decode_rows

from ..corpus import scenarios
from .logs import event_bytes
from .test_values import rows, table

FORMAT = Format.default()
ROWS = WRITE_TYPES | UPDATE_TYPES | DELETE_TYPES
MUTATED = ("row-basic", "row-v1", "types-json", "partial-json-minimal", "compression", "compressed", "statement", "ddl")


@pytest.mark.parametrize(
    ("event_type", "data", "message"),
    [
        (EventType.XID, b"123", "Xid: 8 bytes are needed, 3 are left (in xid)"),
        (EventType.GTID, bytes(10), "Gtid: 16 bytes are needed, 9 are left (in sid)"),
        (EventType.PREVIOUS_GTIDS, b"\xff" * 8, "Previous_gtids: a GTID set of unknown format 255 (in header)"),
        (
            EventType.PREVIOUS_GTIDS,
            b"\xff" * 6 + b"\0\0",
            "Previous_gtids: 16 bytes are needed, 0 are left (in sources[0].sid)",
        ),
        (
            EventType.GTID_TAGGED,
            b"\2\4\0\0",
            "Gtid_tagged_log_event: 1 bytes are needed, 0 are left (in fields[0].value)",
        ),
        (EventType.WRITE_ROWS, bytes(8) + b"\1\0", "Write_rows: extra row info of 1 bytes (in extra_row_info)"),
        (EventType.TABLE_MAP, bytes(8) + b"\xff", "Table_map: 255 does not begin a length-encoded integer (in db)"),
        (
            EventType.TABLE_MAP,
            bytes(8) + b"\1d\0\1t\0\1\x0f\1\x01\0",
            "Table_map: 2 bytes are needed, 1 are left (in column_metadata[0].max_length)",
        ),
        (
            EventType.TABLE_MAP,
            bytes(8) + b"\1d\0\1t\0\1\x03\2\x01\0\0",
            "Table_map: 2 of 2 bytes are left over (in column_metadata)",
        ),
        (EventType.QUERY, bytes(8) + b"\1\0\0\0\0dxSELECT", "Query: byte 120 in place of the NUL after it (in db)"),
        (
            EventType.QUERY,
            bytes(11) + b"\3\0" + b"\0\1\2d\0",
            "Query: 4 bytes are needed, 2 are left (in status_vars[0].value)",
        ),
    ],
)
def test_a_body_that_lies_names_the_field(event_type: EventType, data: bytes, message: str) -> None:
    with pytest.raises(CorruptEventError) as raised:
        parse_body(event_type, data, FORMAT)
    assert raised.value.message == message


def test_an_event_that_lies_of_its_size() -> None:
    data = new_event(EventType.XID, {"xid": 1}, FORMAT)
    with pytest.raises(CorruptEventError, match="says that it has 31 bytes, and has 30"):
        parse_event(data[:-1], FORMAT)
    with pytest.raises(CorruptEventError, match="the header alone has 19"):
        parse_event(data[:18], FORMAT)
    with pytest.raises(CorruptEventError, match="no room for its header and checksum"):
        parse_event(data[:9] + b"\x15\0\0\0" + data[13:21], FORMAT)


@pytest.mark.parametrize(
    ("kind", "metadata", "data", "message"),
    [
        (ColumnType.LONG, None, b"\0\1\2", "4 bytes are needed, 2 are left (in rows[0].after.@1)"),
        (ColumnType.VARCHAR, {"max_length": 9}, b"\0\5ab", "5 bytes are needed, 2 are left (in rows[0].after.@1)"),
        (ColumnType.BLOB, {"length_bytes": 9}, b"\0", "a length of 9 bytes (in rows[0].after.@1)"),
        (ColumnType.NEWDECIMAL, {"precision": 99, "decimals": 2}, b"\0", "there is no DECIMAL(99,2)"),
        (ColumnType.NEWDECIMAL, {"precision": 2, "decimals": 0}, b"\0\xff", "127 is not a group of 2 decimal digits"),
        (ColumnType.DATETIME2, {"decimals": 9}, b"\0", "9 fractional digits of a second"),
        (ColumnType.STRING, {"real_type": 247, "length": 3}, b"\0\1\1\1", "an ENUM of 3 bytes"),
        (ColumnType.VECTOR, {"length_bytes": 1}, b"\0\3abc", "a vector of 3 bytes"),
        (222, None, b"\0\1", "column type 222 is not known"),
    ],
)
def test_a_row_that_lies_names_row_and_column(kind: int, metadata: Any, data: bytes, message: str) -> None:
    with pytest.raises(CorruptEventError) as raised:
        decode_rows(rows(data), table((kind, metadata)))
    assert message in raised.value.message
    assert "in rows[0].after.@1" in raised.value.message


def test_rows_of_another_table() -> None:
    with pytest.raises(CorruptEventError, match="2 columns for a Table_map of 1"):
        decode_rows(rows(b"\0\1\2", 2), table((ColumnType.TINY, None)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x63", "JSON type 99"),
        (b"\4\7", "JSON literal 7"),
        (b"\x0c\x80\x80\x80\x80\x80\1", "a JSON length of more than five bytes"),
        (b"\x02\1\0\xff\0\4\0\0", "a JSON container of 255 bytes"),
        (b"\x02\1\0\7\0\2\xff\0", "a JSON value at 255 of 7 bytes"),
        (b"\x02\1\0\7\0\2\0\0", "JSON nested deeper than 100"),
        (b"\x02\4\0\x1b\0" + b"\x0c\x11\0" * 4 + b"\x0aabcdefghij", "parts of a JSON document overlap"),
    ],
)
def test_a_json_document_that_lies(data: bytes, message: str) -> None:
    with pytest.raises(LieError, match=message):
        read_json(data)


def test_a_partial_json_update_that_lies() -> None:
    with pytest.raises(LieError, match="operation 3"):
        read_json_diff(b"\3")
    with pytest.raises(LieError, match="9 bytes are needed"):
        read_json_diff(b"\0\x09$")


def test_compressed_data_that_lies_of_its_length() -> None:
    short = compress(b"x" * 1000)
    short.uncompressed_length = 10
    with pytest.raises(CorruptEventError, match="do not inflate to their 10 bytes"):
        uncompress(short)
    short.data = b"no zlib"
    with pytest.raises(CorruptEventError, match="cannot be inflated"):
        uncompress(short)


def test_a_payload_that_lies() -> None:
    def payload(data: bytes, kind: int, size: int) -> Any:
        values = [{"type": 1, "value": size}, {"type": 2, "value": kind}, {"type": 0, "value": None}]
        event = new_event(EventType.TRANSACTION_PAYLOAD, {"fields": values, "payload": data}, FORMAT)
        return parse_event(event, FORMAT).body

    xid = new_event(EventType.XID, {"xid": 5}, FORMAT.without_checksum())
    assert list(payload_event_bytes(payload(xid + xid, 255, 2 * len(xid)))) == [xid, xid]
    for body, message in (
        (payload(xid, 255, 99), "size or compression is missing or wrong"),
        (payload(xid, 77, len(xid)), "unknown compression type 77"),
        (payload(xid, 0, len(xid)), "cannot be inflated"),
        (payload(xid[:-1], 255, len(xid) - 1), "goes past the payload's end"),
        (payload(bytes(19), 255, 19), "an event of 0 bytes inside"),
    ):
        with pytest.raises(CorruptEventError, match=message):
            list(payload_event_bytes(body))


@cache
def _events() -> list[tuple[bytes, Format, dict[int, bytes]]]:
    """Events of some scenarios, each with the Table_maps before it."""
    events: list[tuple[bytes, Format, dict[int, bytes]]] = []
    for scenario in scenarios():
        if scenario.folder.name in MUTATED:
            for log in scenario.logs:
                tables: dict[int, bytes] = {}
                for _position, data, format in event_bytes(log):
                    if data[4] == EventType.TABLE_MAP:
                        tables = {**tables, parse_event(data, format).body.table_id: data}
                    events.append((data, format, tables))
    return events


@st.composite
def _mutated(draw: st.DrawFn, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        if len(changed) <= 19:
            break
        place = draw(st.integers(19, len(changed) - 1))
        how = draw(st.sampled_from(("set", "cut", "insert")))
        if how == "set":
            changed[place] = draw(st.integers(0, 255))
        elif how == "cut":
            del changed[place:]
        else:
            changed[place:place] = draw(st.binary(min_size=1, max_size=8))
    changed[9:13] = len(changed).to_bytes(4, "little")
    return bytes(changed)


@settings(max_examples=600)
@given(st.data())
def test_a_mutated_event_is_read_or_is_corrupt(data: st.DataObject) -> None:
    events = _events()
    original, format, tables = events[data.draw(st.integers(0, len(events) - 1))]
    changed = data.draw(_mutated(original))
    try:
        event = parse_event(changed, format)
        kind = event.header.event_type
        if kind in ROWS and event.body.table_id in tables:
            table_map = tables[event.body.table_id]
            if data.draw(st.booleans()):
                table_map, event = data.draw(_mutated(table_map)), parse_event(original, format)
            decode_rows(event.body, parse_event(table_map, format).body)
        elif kind == EventType.TRANSACTION_PAYLOAD:
            list(payload_events(event.body, format))
        elif kind == EventType.FORMAT_DESCRIPTION:
            Format.from_event(changed)
    except CorruptEventError as error:
        note(str(error))
