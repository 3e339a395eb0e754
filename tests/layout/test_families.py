"""For each family of events: whatever is built is parsed as it was meant, and built the same again."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given, settings

import pybinlog.layout
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, build_event, crc32, new_event, parse_body, parse_event
from pybinlog.layout.integer import LengthEncodedInteger, VarlenSigned, VarlenUnsigned
from pybinlog.layout.primitive import DECLARATIONS
from tests.event_examples import EXAMPLES
from tests.layout.compression import compress, uncompress

from .families import FAMILIES, blobs, lenenc, signed

FORMAT = Format.default()
FIVE = Format.of(
    "5.5.62", post_header_lengths=bytes.fromhex("380d0008001200040404041200009200041a08000000080808020000")
)


def holds(parsed: Any, given_value: Any) -> bool:
    """Return True if the parsed container contains the given values; fields that follow from others are not given."""
    if isinstance(given_value, dict):
        return all(holds(parsed[key], value) for key, value in given_value.items())
    if isinstance(given_value, list):
        return len(parsed) == len(given_value) and all(map(holds, parsed, given_value))
    return bool(parsed == given_value)


OF_MANY_PARTS = {EventType.QUERY, EventType.GTID_TAGGED, EventType.TABLE_MAP, EventType.MARIA_GTID}
"""Some examples have to show each kind of part."""


@pytest.mark.parametrize(
    ("event_type", "bodies"), FAMILIES, ids=[f"{index}-{kind.name}" for index, (kind, _) in enumerate(FAMILIES)]
)
def test_what_is_built_is_parsed_as_it_was_meant(event_type: EventType, bodies: Any) -> None:
    @settings(max_examples=60 if event_type in OF_MANY_PARTS else 20)
    @given(body=bodies)
    def check(body: dict[str, Any]) -> None:
        data = build_body(event_type, body, FORMAT)
        parsed = parse_body(event_type, data, FORMAT)
        assert holds(parsed, body)
        assert "trailing" not in parsed
        assert build_body(event_type, parsed, FORMAT) == data

    check()


def test_the_package_alone_declares_every_body() -> None:
    code = "import pybinlog.layout, pybinlog.layout.primitive as own; print(*sorted(map(int, own.DECLARATIONS)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for module in iter_modules(pybinlog.layout.__path__):
        import_module(f"pybinlog.layout.{module.name}")
    assert done.stdout.split() == [str(int(kind)) for kind in sorted(DECLARATIONS)]


def test_every_declared_type_stands_in_a_family() -> None:
    same = {
        EventType.UPDATE_ROWS_V0,
        EventType.DELETE_ROWS_V0,
        EventType.DELETE_ROWS_V1,
        EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1,
        EventType.MARIA_DELETE_ROWS_COMPRESSED_V1,
        EventType.MARIA_WRITE_ROWS_COMPRESSED,
    }
    examples = {example.kind for example in EXAMPLES}
    assert set(DECLARATIONS) == {kind for kind, _ in FAMILIES if kind} | same | examples
    assert set(EventType) - set(DECLARATIONS) == {EventType.UNKNOWN}


@given(lenenc)
def test_integers_of_variable_length(number: int) -> None:
    for construct in (LengthEncodedInteger(), VarlenUnsigned()):
        assert construct.parse(construct.build(number)) == number


@given(signed)
def test_signed_integers_of_variable_length(number: int) -> None:
    assert VarlenSigned().parse(VarlenSigned().build(number)) == number


@pytest.mark.parametrize("data", [b"\xfc\x05\x00", b"\xfd\x05\x00\x00", b"\xfe\x05" + bytes(7)])
def test_a_wide_length_encoded_integer_keeps_its_width(data: bytes) -> None:
    number = LengthEncodedInteger().parse(data)
    assert number == 5
    assert LengthEncodedInteger().build(number) == data


@given(blobs)
def test_mariadb_compression(data: bytes) -> None:
    assert uncompress(compress(data)) == data


@pytest.mark.parametrize("format", [FORMAT, FIVE, FORMAT.without_checksum()], ids=["crc32", "5.5", "none"])
def test_a_new_event_has_its_size_position_and_checksum(format: Format) -> None:
    data = new_event(EventType.XID, {"xid": 77}, format, timestamp=1, server_id=2, flags=4, position=100)
    event = parse_event(data, format)
    assert event.header.event_size == len(data)
    assert event.header.end_log_pos == 100 + len(data)
    assert (event.header.timestamp, event.header.server_id, event.header.flags) == (1, 2, 4)
    assert event.body.xid == 77
    assert event.checksum == (crc32(data[:-4]) if format is FORMAT else None)
    assert build_event(event, format) == data


def test_a_changed_event_gets_its_new_size_and_checksum() -> None:
    data = new_event(EventType.ROTATE, {"position": 4, "new_log_ident": "binlog.000002"}, FORMAT)
    event = parse_event(data, FORMAT)
    event.body.new_log_ident = "another-name.000002"
    changed = build_event({**event, "checksum": None}, FORMAT)
    again = parse_event(changed, FORMAT)
    assert len(changed) == len(data) + 6
    assert again.body.new_log_ident == "another-name.000002"
    assert again.checksum == crc32(changed[:-4])


def test_bytes_after_the_declared_fields_are_kept() -> None:
    body = parse_body(EventType.XID, bytes(8) + b"new", FORMAT)
    assert body.trailing == b"new"
    assert build_body(EventType.XID, body, FORMAT) == bytes(8) + b"new"


def test_a_missing_field_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="cannot build Xid"):
        build_body(EventType.XID, {}, FORMAT)
