"""Binary JSON and partial updates as text."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.text import quoted
from pybinlog.kernel.rows.json_value import json_text
from pybinlog.kernel.rows.rows_text import rows_text
from tests.check.payloads import lenenc
from tests.kernel.rows.row_events import rows, table_map
from tests.kernel.rows.test_number_value import server_form

ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def string_text(value: str) -> str:
    return '"' + "".join(ESCAPES.get(ord(c), f"\\u{ord(c):04x}" if c < " " else c) for c in value) + '"'


def text(value: Any) -> str:
    """The text that the server gives the value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, float):
        return server_form(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string_text(key)}: {text(item)}" for key, item in members(value)) + "}"
    return str(value)


def members(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(value.items(), key=lambda item: (len(item[0].encode()), item[0].encode()))


def length(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes(made) + bytes([number])


def binary(value: Any, large: bool) -> tuple[int, bytes]:
    """The type and the bytes of a value, containers all large or all small."""
    if value is None or isinstance(value, bool):
        return 4, bytes([{None: 0, True: 1, False: 2}[value]])
    if isinstance(value, int):
        for kind, form in ((5, "<h"), (6, "<H"), (7, "<i"), (8, "<I"), (9, "<q"), (10, "<Q")):
            try:
                return kind, struct.pack(form, value)
            except struct.error:
                continue
    if isinstance(value, float):
        return 11, struct.pack("<d", value)
    if isinstance(value, str):
        return 12, length(len(value.encode())) + value.encode()
    form = "<I" if large else "<H"
    width = 4 if large else 2
    items = members(value) if isinstance(value, dict) else [(None, item) for item in value]
    keys = [key.encode() for key, _ in items if key is not None]
    at = 2 * width + len(keys) * (width + 2) + len(items) * (width + 1)
    key_entries = value_entries = data = b""
    for key in keys:
        key_entries += struct.pack(form, at + len(data)) + struct.pack("<H", len(key))
        data += key
    for _, item in items:
        kind, made = binary(item, large)
        if kind in (4, 5, 6) or (large and kind in (7, 8)):
            value_entries += bytes([kind]) + made.ljust(width, b"\0")
        else:
            value_entries += bytes([kind]) + struct.pack(form, at + len(data))
            data += made
    head = struct.pack(form, len(items)) + struct.pack(form, at + len(data))
    return (0 if keys or isinstance(value, dict) else 2) + large, head + key_entries + value_entries + data


def document(value: Any, large: bool) -> bytes:
    kind, data = binary(value, large)
    return bytes([kind]) + data


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(1 << 63), (1 << 64) - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(codec="utf-8"), max_size=200),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=20), inner)
    ),
    max_leaves=20,
)


@given(values, st.booleans())
def test_documents_read_as_they_were_written(value: Any, large: bool) -> None:
    expected = value if isinstance(value, str) else text(value)
    made = document(value, large) if large else small_or_large(value)
    assert json_text(made) == expected.encode()


def small_or_large(value: Any) -> bytes:
    try:
        return document(value, False)
    except struct.error:  # too much for places of two bytes
        return document(value, True)


@given(values, st.data())
def test_damaged_documents_are_read_or_refused(value: Any, data: st.DataObject) -> None:
    made = bytearray(document(value, True))
    for _ in range(data.draw(st.integers(1, 4))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    del made[data.draw(st.integers(0, len(made))) :]
    found = json_text(bytes(made))
    assert found is None or len(found) <= 32 * len(made) + 4096


@pytest.mark.parametrize(("depth", "written"), [(99, True), (100, True), (101, False), (5000, False)])
def test_nesting_is_bounded_as_in_the_server(depth: int, written: bool) -> None:
    value: list[Any] = []
    made = b"\2" + b"\0\0\0\0\4\0\0\0"
    made = document(value, True)
    for _ in range(depth - 1):
        made = b"\3" + struct.pack("<IIBI", 1, 12 + len(made), made[0], 13) + made[1:]
    assert json_text(made) == (b"[" * depth + b"]" * depth if written else None)


def test_elements_that_share_their_bytes_do_not_multiply() -> None:
    """Each of 60 arrays holds 20 times the next one: 20 to the 60th elements in a few kilobytes."""
    levels, width = 60, 20
    size = 8 + 5 * width
    made = b""
    for level in range(levels):
        last = level == levels - 1
        rest = (levels - level) * size
        entry = b"\4\0\0\0\0" if last else b"\3" + struct.pack("<I", size)
        made += struct.pack("<II", width, rest) + entry * width
    assert json_text(b"\3" + made) is None


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (b"", b"null"),
        (b"\x0f\x0a\x08" + struct.pack("<q", ((2024 * 13 + 2) << 5 | 29) << 41), b"2024-02-29"),
        (b"\x0f\x0b\x08" + struct.pack("<q", -((12 << 12 | 34 << 6 | 56) << 24 | 789000)), b"-12:34:56.789000"),
        (b"\x0f\xf6\x05\x05\x02\x80\x01\x02", b"1.02"),
        (b"\x0f\xfd\x03abc", b"abc"),
        (b"\x0f\xfc\x03abc", b"base64:type252:YWJj"),
        (b"\x0f\xfc\x3a" + b"x" * 58, b"base64:type252:" + b"eHh4" * 19 + b"\neA=="),
        (b"\x02\x01\x00\x43\x00\x0f\x07\x00\xfc\x3a" + b"x" * 58, b'["base64:type252:' + b"eHh4" * 19 + b'\\neA=="]'),
        (b"\x02\x01\x00\x0c\x00\x0f\x07\x00\xfd\x03abc", b'["abc"]'),
        (b"\x0f\xf6\x03\x05\x02\x80", None),
        (b"\x04\x03", None),
        (b"\x0c\x7fabc", None),
        (b"\x0d", None),
    ],
)
def test_values_that_json_does_not_know(made: bytes, expected: bytes | None) -> None:
    assert json_text(made) == expected


def column_text(value: bytes) -> bytes:
    column = struct.pack("<I", len(value)) + value
    found = rows_text([table_map([245, 3], b"\4"), rows(2, b"\0" + column + b"\2\0\0\0")], 2)[1]
    assert isinstance(found, bytes)
    return found.partition(b"@1=")[2]


def test_a_column_quotes_its_document() -> None:
    assert column_text(document(["it's", '"'], False)).startswith(b'\'["it\\\'s", "\\\\""]\' /* JSON meta=4')


def test_a_document_that_is_none_ends_the_row() -> None:
    assert column_text(b"\x04\x09") == b"Invalid JSON\n"


def test_a_document_that_is_wrong_inside_does_not() -> None:
    found = column_text(b"\x02\x01\x00\x07\x00\x0c\x07\x00\x01")
    assert found.startswith(
        b"Failed to format JSON object as string.\n /* JSON meta=4 nullable=1 is_null=0 */\n###   @2=2"
    )


LARGE = [
    ["it's \x01\\ " * 200_000, {"a" * 70: "b" * 1_100_000, "c": [1, -2, None, True, 1.5]}],
    [list(range(-70_000, 70_000, 200))] * 320,
    [["x"] * 1000] * 160,
    "it's\n" * 500_000,
]


@pytest.mark.parametrize("value", LARGE, ids=["strings", "numbers", "arrays", "a string"])
def test_a_large_document_has_the_text_that_a_small_one_has(value: Any) -> None:
    data = document(value, True)
    assert len(data) > 1 << 20
    expected = json_text(data)
    assert expected is not None
    if not isinstance(value, str):
        assert expected == text(value).encode()
    assert column_text(data).partition(b" /* JSON meta=4")[0] == quoted(expected)
    form = b"CAST(%s AS JSON)" if not isinstance(value, str) else b"%s"
    assert update_text(operation(0, b"$.a", data)) == b"JSON_REPLACE(@1, '$.a', " + form % quoted(expected) + b")\n"


def test_a_large_document_that_cannot_be_written_leaves_nothing() -> None:
    overlapping = b"\x03" + struct.pack("<II", 200_000, 8 + 5 * 200_000 + 300_005)
    string = struct.pack("<I", 8 + 5 * 200_000)
    overlapping += (b"\x0c" + string) * 200_000 + b"\xdd\xa7\x12" + b"a" * 300_002
    assert column_text(overlapping).startswith(b"Failed to format JSON object as string.\n /* JSON")
    assert update_text(operation(0, b"$.a", overlapping)) == (
        b"JSON_REPLACE(@1, '$.a', Error converting json to string while printing JSON diff\n\n"
    )


def operation(kind: int, path: bytes, value: bytes | None = None) -> bytes:
    return bytes([kind]) + lenenc(len(path)) + path + (b"" if value is None else lenenc(len(value)) + value)


def update_text(diff: bytes) -> bytes:
    column = struct.pack("<I", len(diff)) + diff
    images = b"\0\2\0\0\0\4\0" + b"\1\1\0" + column
    found = rows_text([table_map([245], b"\4"), rows(1, images, 39)])[1]
    assert isinstance(found, bytes)
    return found.partition(b"### SET\n###   @1=")[2]


def test_partial_updates_nest_their_functions() -> None:
    diff = (
        operation(0, b"$.a", document(1, False))
        + operation(0, b"$.b", document("it's", False))
        + operation(2, b"$.c")
        + operation(1, b"$.d", document([1], False))
        + operation(1, b"$.e[2]", document(None, False))
        + operation(1, b"$.f[3]", b"\x0f\xf6\x05\x05\x02\x80\x01\x02")
    )
    assert update_text(diff) == (
        b"JSON_ARRAY_INSERT(\n###      JSON_INSERT(\n###      JSON_REMOVE(\n###      JSON_REPLACE(@1, '$.a', 1,\n"
        b"###      '$.b', 'it\\'s'),\n###      '$.c'),\n###      '$.d', CAST('[1]' AS JSON)),\n"
        b"###      '$.e[2]', null,\n###      '$.f[3]', 1.02)\n"
    )


def test_an_update_without_operations_is_the_column() -> None:
    assert update_text(b"") == b"@1\n"


@pytest.mark.parametrize(
    ("diff", "error"),
    [
        (b"\x03", b"reading operation type (invalid operation code)"),
        (b"\x00", b"reading path length to skip"),
        (b"\x00\x05a", b"skipping path"),
        (b"\x00\x01a", b"reading value length to skip"),
        (b"\x00\x01a\x05a", b"skipping value"),
    ],
)
def test_operations_that_cannot_be_read_are_told(diff: bytes, error: bytes) -> None:
    assert update_text(diff) == b"Error " + error + b" while printing JSON diff\n\n"


def test_a_value_that_cannot_be_written_is_named_in_its_place() -> None:
    assert update_text(operation(0, b"$", b"\x04\x09")) == (
        b"JSON_REPLACE(@1, '$', Error parsing json value while printing JSON diff\n\n"
    )


@given(st.binary(max_size=60))
def test_any_bytes_as_an_update_are_read(diff: bytes) -> None:
    assert update_text(diff).endswith(b"\n")
