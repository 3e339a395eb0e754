"""The Python values of row images, beside those that are decoded in plain Python."""

import struct
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from pybinlog.json_values import JSON_NULL
from pybinlog.kernel.rows.row_values import event_rows
from pybinlog.layout import Format, parse_body
from tests.corpus import Scenario, scenarios
from tests.kernel.rows.row_events import TABLE_MAP, field, row_events, rows, table_map
from tests.layout.row_oracle import decode_rows

FORMAT = Format.default()
SOME_EVENTS = 400  # of a large log
UNREADABLE = (None, None)


def read(table: bytes, event: bytes) -> Any:
    return event_rows(table, event, None, False, None)


def inserted(table: bytes, event: bytes) -> Any:
    """The values of the one row that is inserted."""
    ((before, after),) = read(table, event)
    assert before is None
    return after


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact], ids=str)
def test_values_are_those_that_plain_python_decodes(scenario: Scenario) -> None:
    for log in scenario.logs:
        tables: dict[int, bytes] = {}
        for event in row_events(log)[:SOME_EVENTS]:
            body = parse_body(event[4], event[19:], FORMAT)
            if event[4] == TABLE_MAP:
                tables[body.table_id] = event
                continue
            table = tables[body.table_id]
            found = event_rows(table, event, None, False, None)
            assert found is not None
            expected = decode_rows(body, parse_body(TABLE_MAP, table[19:], FORMAT))
            assert repr(found) == repr([tuple(row) for row in expected] or [(None, {})])


def kinds_of(name: str) -> Counter[str]:
    """The types of the values in the logs of a scenario."""
    kinds: Counter[str] = Counter()
    for scenario in scenarios():
        for log in scenario.logs if scenario.intact and scenario.folder.name == name else []:
            tables: dict[bytes, bytes] = {}
            for event in row_events(log):
                if event[4] == TABLE_MAP:
                    tables[event[19:25]] = event
                    continue
                for row in read(tables[event[19:25]], event):
                    kinds.update(type(value).__name__ for image in row if image for value in image.values())
    return kinds


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("types-int", {"int", "NoneType"}),
        ("types-string", {"str", "bytes"}),
        ("types-blob", {"bytes"}),
        ("types-time", {"date", "datetime", "timedelta", "int"}),
        ("types-decimal-float", {"Decimal", "float"}),
        ("types-json", {"dict", "list"}),
        ("partial-json-minimal", {"JsonDiff"}),
        ("types-geometry-vector", {"bytes", "list"}),
    ],
)
def test_each_type_has_its_kind(name: str, kinds: set[str]) -> None:
    assert kinds <= kinds_of(name).keys()


def test_an_integer_is_read_as_the_event_says() -> None:
    value = b"\xff\xff\xff\xff"
    event = rows(2, b"\0" + value * 2)
    assert inserted(table_map([3, 3], optional=field(1, b"\x40")), event) == {"@1": -1, "@2": 0xFFFFFFFF}
    assert inserted(table_map([3, 3]), event) == {"@1": -1, "@2": -1}


def test_a_string_has_its_collation() -> None:
    # A default of 255, and 63 for the second string; the number between them is in no list of strings.
    table = table_map(
        [15, 3, 15, 254], b"\x14\0\x14\0\xf7\x01", optional=field(2, b"\xfc\xff\0\x01\x3f") + field(10, b"\x21")
    )
    assert inserted(table, rows(4, b"\0\1a\7\0\0\0\1b\3")) == {"@1": "a", "@2": 7, "@3": b"b", "@4": 3}


def test_a_binary_has_the_zeros_that_the_log_leaves_out() -> None:
    table = table_map([254], b"\xfe\x04", optional=field(2, b"\x3f"))
    assert inserted(table, rows(1, b"\0\2ab")) == {"@1": b"ab\0\0"}


def test_columns_that_an_image_leaves_out_are_not_there() -> None:
    event = rows(3, b"\0\1\0\0\0\1\2\0\0\0", 31, present=b"\1", after=b"\6")
    assert read(table_map([3, 3, 3]), event) == [({"@1": 1}, {"@2": None, "@3": 2})]


def test_bits_are_numbers() -> None:
    assert inserted(table_map([16], b"\2\1"), rows(1, b"\0\xff\x05")) == {"@1": 0x305}


def test_times_of_old_servers_may_be_negative() -> None:
    value = (-1123456).to_bytes(3, "little", signed=True)
    time = -timedelta(hours=112, minutes=34, seconds=56)
    assert inserted(table_map([11]), rows(1, b"\0" + value)) == {"@1": time}


def test_a_decimal_with_impossible_digits_is_its_bytes() -> None:
    table = table_map([246], b"\x0b\x02")
    assert inserted(table, rows(1, b"\0\xff\xff\xff\xff\xff")) == {"@1": b"\xff" * 5}
    assert inserted(table, rows(1, b"\0\x80\0\0\7\x32")) == {"@1": Decimal("7.50")}


def test_json_that_cannot_be_read_is_its_bytes() -> None:
    assert inserted(table_map([245], b"\4"), rows(1, b"\0\2\0\0\0\x0e\1")) == {"@1": b"\x0e\1"}


MEMBER = b"\0\1\0\x0c\0\x0b\0\1\0\5\7\0k"
"""{"k": 7}; the key's offset stands in the bytes 5 and 6, its length in 7 and 8."""


def document(data: bytes) -> Any:
    """The value of a document in a column of JSON."""
    return inserted(table_map([245], b"\4"), rows(1, b"\0" + len(data).to_bytes(4, "little") + data))["@1"]


@pytest.mark.parametrize(
    ("offset", "length", "found"),
    [(11, 1, {"k": 7}), (11, 0, {"": 7}), (12, 0, {"": 7}), (10, 1, None), (0, 0, None), (13, 0, None), (11, 2, None)],
)
def test_an_object_with_a_key_in_an_impossible_place_is_its_bytes(offset: int, length: int, found: Any) -> None:
    data = MEMBER[:5] + bytes([offset, 0, length, 0]) + MEMBER[9:]
    assert document(data) == (data if found is None else found)


def packed(kind: int, year: int, month: int, day: int, fraction: int = 0) -> bytes:
    """A date and time in a document, as MySQL packs it."""
    number = ((year * 13 + month) << 5 | day) << 41 | fraction
    return bytes([15, kind, 8]) + number.to_bytes(8, "little", signed=True)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (packed(10, 2024, 2, 29), date(2024, 2, 29)),
        (packed(10, 9999, 12, 31), date(9999, 12, 31)),
        (packed(10, 2023, 2, 29), "2023-02-29"),
        (packed(12, 2024, 2, 29, 999_999), datetime(2024, 2, 29, 0, 0, 0, 999_999)),
        (packed(12, 2024, 2, 29, 1_000_000), None),
        (packed(10, 10_000, 1, 1), None),
        (packed(12, 10_082, 5, 5), None),
        (packed(10, -1, 5, 5), None),
    ],
)
def test_a_date_in_json_that_no_server_can_have_written_is_its_bytes(data: bytes, found: Any) -> None:
    assert document(data) == (data if found is None else found)


def test_the_rows_end_with_one_that_cannot_be_read() -> None:
    table = table_map([3, 0, 3])
    assert read(table, rows(3, b"\0\1\0\0\0\2\0\0\0")) == [UNREADABLE]
    assert read(table_map([3, 3]), rows(2, b"\0\1\0\0\0\2\0\0\0" + b"\0\1\0")) == [
        (None, {"@1": 1, "@2": 2}),
        UNREADABLE,
    ]
    assert read(table, rows(1, b"")[:25]) is None
    assert read(table_map([3])[:22], rows(1, b"\0\1\0\0\0")) is None


def test_a_row_of_a_table_without_columns_is_one() -> None:
    assert read(table_map([3]), rows(1, b"", present=b"\0")) == [(None, {})]


@pytest.mark.parametrize(
    ("kind", "size", "value"),
    [(5, 2, -2), (6, 2, 0xFFFE), (7, 4, -2), (8, 4, 0xFFFFFFFE), (9, 8, -2), (10, 8, 0xFFFFFFFFFFFFFFFE)],
)
def test_a_number_in_json_has_all_its_bytes(kind: int, size: int, value: int) -> None:
    data = (-2).to_bytes(size, "little", signed=True)
    assert document(bytes([kind]) + data) == value
    assert document(bytes([kind]) + data[1:]) == bytes([kind]) + data[1:]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x0b" + struct.pack("<d", -1.5), -1.5),
        (b"\x0b" + struct.pack("<d", -1.5)[1:], None),
        (b"\4\0", JSON_NULL),
        (b"\4\1", True),
        (b"\4\2", False),
        (b"\4\3", None),
        (b"\4", None),
        (b"\x0c\2ab", "ab"),
        (b"\x0c\3ab", None),
        (b"\x0c\0", ""),
        (b"\x0c", None),
        (b"\x0e\1", None),
        (b"\x10\1", None),
        (b"", JSON_NULL),
    ],
)
def test_a_scalar_in_json_is_itself_or_its_bytes(data: bytes, value: Any) -> None:
    found = document(data)
    assert (type(found), found) == ((bytes, data) if value is None else (type(value), value))


@pytest.mark.parametrize("data", [b"", b"1234", b"12345678", b"123", b"12345"])
def test_bytes_without_a_type_of_values_stay_bytes(data: bytes) -> None:
    event = rows(1, b"\0" + len(data).to_bytes(4, "little") + data)
    assert inserted(table_map([255], b"\4"), event) == {"@1": data}
    numbers = list(struct.unpack(f"<{len(data) // 4}f", data)) if len(data) % 4 == 0 else data
    assert inserted(table_map([242], b"\4"), event) == {"@1": numbers}


@pytest.mark.parametrize(
    ("kind", "metadata", "size", "text"),
    [
        (7, b"", 4, "0000-00-00 00:00:00"),
        (17, b"\0", 4, "0000-00-00 00:00:00"),
        (17, b"\1", 5, "0000-00-00 00:00:00.0"),
        (17, b"\6", 7, "0000-00-00 00:00:00.000000"),
        (18, b"\0", 5, "0000-00-00 00:00:00"),
        (10, b"", 3, "0000-00-00"),
        (12, b"", 8, "0000-00-00 00:00:00"),
    ],
)
def test_a_date_of_zeros_is_a_text(kind: int, metadata: bytes, size: int, text: str) -> None:
    value = b"\x80" + bytes(size - 1) if kind == 18 else bytes(size)
    assert inserted(table_map([kind], metadata), rows(1, b"\0" + value)) == {"@1": text}


@pytest.mark.parametrize(("depth", "is_read"), [(1, True), (4, True), (5, False), (12, False)])
def test_a_document_has_no_more_values_than_bytes(depth: int, is_read: bool) -> None:
    """Each array has two cells in the same place."""
    data, value = b"\0\0\4\0", list[Any]()
    for _ in range(depth):
        data = struct.pack("<HHBHBH", 2, 10 + len(data), 2, 10, 2, 10) + data
        value = [value, value]
    assert document(b"\2" + data) == (value if is_read else b"\2" + data)
