"""Rows as JSON: each value exact, of its type, and valid JSON whatever the bytes are."""

import ctypes
import json
import math
import random
import struct
from base64 import b64encode
from decimal import Decimal
from functools import cache
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pybinlog.column_types import ColumnType
from pybinlog.kernel.rows.number_value import float_text
from pybinlog.kernel.rows.row_values import images_as_json
from pybinlog.layout import MetadataType
from tests.check.payloads import lenenc
from tests.kernel.rows.row_events import field, rows, table_map
from tests.kernel.rows.test_rows_hostile import PAIRS

BINARY, LATIN1, UTF8MB4, SJIS = 63, 8, 255, 13
UNSIGNED = field(MetadataType.SIGNEDNESS, b"\x80")


def value_of(kind: int, metadata: bytes, data: bytes | None, optional: bytes = b"") -> Any:
    """A value of a table's only column, as text of JSON."""
    events = [table_map([kind], metadata, optional=optional), rows(1, b"\1" if data is None else b"\0" + data)]
    ((image,),) = images_as_json(events)
    assert image is not None
    text = image.decode()
    assert text.startswith('{"@1":')
    assert list(json.loads(text)) == ["@1"]
    return text[len('{"@1":') : -1]


def collation(number: int) -> bytes:
    return field(MetadataType.DEFAULT_CHARSET, lenenc(number))


def base64(data: bytes) -> str:
    return f'{{"base64":"{b64encode(data).decode()}"}}'


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (ColumnType.TINY, 1),
        (ColumnType.SHORT, 2),
        (ColumnType.INT24, 3),
        (ColumnType.LONG, 4),
        (ColumnType.LONGLONG, 8),
    ],
)
def test_integers_have_their_signs(kind: int, size: int) -> None:
    bits = 8 * size
    for number in (0, 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2**bits - 1):
        data = number.to_bytes(size, "little")
        assert value_of(kind, b"", data, UNSIGNED) == str(number)
        signed = number - 2**bits if number >> bits - 1 else number
        assert value_of(kind, b"", data) == str(signed)
        assert value_of(kind, b"", data, field(MetadataType.SIGNEDNESS, b"\0")) == str(signed)


def test_null_is_null_in_every_type() -> None:
    for kind in ColumnType:
        assert value_of(kind, bytes(4), None) == "null"


@given(st.floats())
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(2.0**63)
@example(0.1)
def test_doubles_are_the_shortest_that_read_back(number: float) -> None:
    text = value_of(ColumnType.DOUBLE, b"\x08", struct.pack("<d", number))
    if math.isfinite(number):
        assert Decimal(text) == Decimal(repr(number))
        assert math.copysign(1, float(text)) == math.copysign(1, number)
    else:
        assert text == ('"NaN"' if math.isnan(number) else '"Infinity"' if number > 0 else '"-Infinity"')


@given(st.integers(0, 2**32 - 1))
@example(0x80000000)
@example(0x4B7FFFFF)  # 16777215
@example(0x4F000000)  # a power of two, below which floats lie closer
@example(0x00000001)
@example(0x7F7FFFFF)
@example(0x501502F9)  # 1e10
def test_floats_are_the_shortest_that_read_back(bits: int) -> None:
    (number,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    text = value_of(ColumnType.FLOAT, b"\x04", bits.to_bytes(4, "little"))
    if not math.isfinite(number):
        assert text in ('"NaN"', '"Infinity"', '"-Infinity"')
        return
    assert ctypes.c_float(float(text)).value == number
    assert math.copysign(1, float(text)) == math.copysign(1, number)
    digits = len(text.lstrip("-").partition("e")[0].replace(".", "").strip("0"))
    assert digits <= 1 or ctypes.c_float(float(f"{number:.{digits - 1}g}")).value != number


def test_every_power_of_two_is_the_shortest_float() -> None:
    for exponent in range(-149, 128):
        number = math.ldexp(1.0, exponent)
        text = float_text("shortest float", number).decode()
        assert ctypes.c_float(float(text)).value == number
        digits = len(text.partition("e")[0].replace(".", "").strip("0"))
        assert digits <= min(n for n in range(1, 10) if ctypes.c_float(float(f"{number:.{n}g}")).value == number)


def test_a_decimal_of_65_digits() -> None:
    data = bytes((0x80 | 99,)) + (999999999).to_bytes(4, "big") * 7
    assert value_of(ColumnType.NEWDECIMAL, b"\x41\0", data) == "9" * 65
    assert value_of(ColumnType.NEWDECIMAL, b"\x41\0", bytes(255 - byte for byte in data)) == "-" + "9" * 65
    assert value_of(ColumnType.NEWDECIMAL, b"\x05\2", b"\x80\0\5") == "0.05"


def test_a_decimal_that_is_no_number_is_its_bytes() -> None:
    assert value_of(ColumnType.NEWDECIMAL, b"\x09\0", b"\xff\xff\xff\xff") == base64(b"\xff\xff\xff\xff")


@pytest.mark.parametrize(
    ("kind", "metadata", "data", "text"),
    [
        (ColumnType.DATE, b"", bytes(3), '"0000-00-00"'),
        (ColumnType.DATE, b"", (2024 << 9 | 2 << 5).to_bytes(3, "little"), '"2024-02-00"'),
        (ColumnType.TIMESTAMP2, b"\0", bytes(4), '"0000-00-00 00:00:00"'),
        (ColumnType.TIMESTAMP2, b"\3", bytes(6), '"0000-00-00 00:00:00.000"'),
        (ColumnType.TIMESTAMP2, b"\0", b"\0\0\0\1", '"1970-01-01 00:00:01Z"'),
        (ColumnType.TIMESTAMP2, b"\6", b"\xff\xff\xff\xff\x0f\x42\x3f", '"2106-02-07 06:28:15.999999Z"'),
        (ColumnType.TIMESTAMP, b"", (951782400).to_bytes(4, "little"), '"2000-02-29 00:00:00Z"'),
        (ColumnType.DATETIME, b"", (20240229123456).to_bytes(8, "little"), '"2024-02-29 12:34:56"'),
        (ColumnType.DATETIME2, b"\2", b"\x80\0\0\0\0\0", '"0000-00-00 00:00:00.00"'),
        (ColumnType.TIME, b"", (-8385959 & 0xFFFFFF).to_bytes(3, "little"), '"-838:59:59"'),
        (ColumnType.TIME2, b"\0", (0x800000 - (838 << 12 | 59 << 6 | 59)).to_bytes(3, "big"), '"-838:59:59"'),
        (ColumnType.YEAR, b"", b"\0", "0"),
        (ColumnType.YEAR, b"", b"\xff", "2155"),
        (ColumnType.BIT, b"\0\x08", b"\xff" * 8, "18446744073709551615"),
        (ColumnType.BIT, b"\1\0", b"\1", "1"),
        (ColumnType.VECTOR, b"\4", b"\x08\0\0\0" + struct.pack("<2f", 0.1, -0.0), "[0.1,-0.0]"),
        (ColumnType.VECTOR, b"\4", b"\x04\0\0\0\0\0\xc0\x7f", '["NaN"]'),
        (ColumnType.VECTOR, b"\4", b"\x01\0\0\0a", base64(b"a")),
        (ColumnType.GEOMETRY, b"\1", b"\2ab", base64(b"ab")),
    ],
)
def test_edge_values(kind: int, metadata: bytes, data: bytes, text: str) -> None:
    assert value_of(kind, metadata, data) == text


def test_text_is_decoded_by_its_character_set() -> None:
    def varchar(data: bytes, optional: bytes = b"") -> Any:
        return value_of(ColumnType.VARCHAR, b"\x64\0", bytes((len(data),)) + data, optional)

    assert varchar(b"\xc3\xa9", collation(UTF8MB4)) == '"é"'
    assert varchar(b"\xc3\xa9", collation(LATIN1)) == '"Ã©"'
    assert varchar(b'\x80"\n', collation(LATIN1)) == '"€\\"\\n"'
    assert varchar(b"\x83\\", collation(SJIS)) == '"ソ"'
    assert varchar(b"abc", collation(BINARY)) == base64(b"abc")
    # of an unknown character set
    assert varchar(b"\xc3\xa9") == '"é"'
    assert varchar(b"\xc3\xa9", collation(2000)) == '"é"'
    assert varchar(b"\xe9") == base64(b"\xe9")
    # bytes that do not decode: half a character, a surrogate, one beyond the last, one that is too long
    for data in (b"ab\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"a\xff" + b"a" * 20):
        assert varchar(data, collation(UTF8MB4)) == base64(data)


@given(st.text(max_size=60))
@example("".join(map(chr, range(160))))
@example("a" * 7 + '"' + "b" * 8 + "\\" + "\x1f" + "\u2028\U0010ffff")
def test_any_text_comes_back(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    found = json.loads(value_of(ColumnType.VARCHAR, b"\xe8\3", len(data).to_bytes(2, "little") + data))
    assert found == (text if data.decode("utf-8", "ignore") == text else {"base64": b64encode(data).decode()})


@given(st.binary(max_size=400))
def test_any_bytes_come_back(data: bytes) -> None:
    text = value_of(ColumnType.BLOB, b"\2", len(data).to_bytes(2, "little") + data, collation(BINARY))
    assert text == base64(data)


def test_a_binary_is_filled_up_to_its_length() -> None:
    assert value_of(ColumnType.STRING, b"\xfe\5", b"\2ab", collation(BINARY)) == base64(b"ab\0\0\0")
    assert value_of(ColumnType.STRING, b"\xfe\5", b"\2ab", collation(UTF8MB4)) == '"ab"'


def members(*names: bytes) -> bytes:
    return lenenc(len(names)) + b"".join(lenenc(len(name)) + name for name in names)


def test_members_are_names_where_they_are_known() -> None:
    known = field(MetadataType.ENUM_STR_VALUE, members(b"a", b'\xe9"')) + field(
        MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, lenenc(LATIN1)
    )
    found = [value_of(ColumnType.STRING, b"\xf7\1", bytes((number,)), known) for number in range(4)]
    assert found == ['""', '"a"', '"é\\""', "3"]
    assert [value_of(ColumnType.STRING, b"\xf7\1", bytes((number,))) for number in range(2)] == ["0", "1"]
    sets = field(MetadataType.SET_STR_VALUE, members(b"a", b"b", b""))
    found = [value_of(ColumnType.STRING, b"\xf8\1", bytes((number,)), sets) for number in range(9)]
    assert found == ["[]", '["a"]', '["b"]', '["a","b"]', '[""]', '["a",""]', '["b",""]', '["a","b",""]', "8"]
    assert value_of(ColumnType.STRING, b"\xf8\x08", b"\xff" * 8) == "18446744073709551615"


def test_keys_are_names_with_escapes() -> None:
    names = field(MetadataType.COLUMN_NAME, lenenc(3) + b'a"\n' + lenenc(2) + b"\xff\xe9")
    events = [table_map([ColumnType.TINY] * 3, optional=names), rows(3, b"\0\1\2\3")]
    assert images_as_json(events) == [['{"a\\"\\n":1,"\ufffd\ufffd":2,"@3":3}'.encode()]]


def test_columns_that_the_image_leaves_out_have_no_key() -> None:
    events = [table_map([ColumnType.TINY] * 9), rows(9, b"\0\1\2", present=b"\x80\1"), rows(9, b"", present=b"\0\0")]
    assert images_as_json(events) == [[b'{"@8":1,"@9":2}'], []]


def test_json_documents_of_any_bytes_are_json() -> None:
    dice = random.Random(1)
    for _ in range(3000):
        data = bytes((dice.randrange(16), *(dice.choice((0, 1, 2, 4, 255, 34, 92, 7)) for _ in range(20))))
        value_of(ColumnType.JSON, b"\4", len(data).to_bytes(4, "little") + data)


def whole_images(table: bytes, event: bytes) -> list[bytes]:
    """The images that can be read, up to the first that cannot."""
    (images,) = images_as_json([table, event]) or ([],)
    return list(takewhile(bool, images))


@cache
def ends_of_images(table: bytes, event: bytes) -> list[int]:
    """For each image the size of an event that ends with it."""
    ends: list[int] = []
    for size in range(19, len(event) + 1):
        ends += [size] * (len(whole_images(table, event[:size])) - len(ends))
    return ends


SMALL_PAIRS = [(table, event) for table, event in PAIRS if len(event) < 400 and len(whole_images(table, event)) > 1]


def test_an_event_that_is_cut_has_the_images_before_that() -> None:
    """Each byte more adds an image or none, and those that are there stay as they are."""
    assert len(SMALL_PAIRS) > 20
    for table, event in SMALL_PAIRS:
        whole = whole_images(table, event)
        ends = ends_of_images(table, event)
        assert len(ends) == len(whole)
        assert ends == sorted(set(ends))
        assert ends[-1] == len(event)
        for size in range(19, len(event)):
            found = whole_images(table, event[:size])
            assert found == whole[: sum(end <= size for end in ends)]


@pytest.mark.parametrize("table", [False, True])
def test_what_real_events_become_under_damage_is_json(table: bool) -> None:
    """Changed bytes in events of every log: each image is JSON of UTF-8, or cannot be read."""
    dice = random.Random(2)
    for pair in PAIRS:
        for _ in range(20):
            events = [bytearray(event) for event in pair]
            changed = events[not table]
            for _ in range(dice.choice((1, 1, 2, 8))):
                if len(changed) > 19 + 8:
                    changed[dice.randrange(19 + 8, len(changed))] = dice.randrange(256)
            for images in images_as_json([bytes(event) for event in events]):
                for image in images:
                    if image is not None:
                        json.loads(image.decode())


def test_damage_does_not_reach_the_images_before_it() -> None:
    dice = random.Random(3)
    for table, event in SMALL_PAIRS:
        whole, ends = whole_images(table, event), ends_of_images(table, event)
        for number in range(1, len(whole)):
            changed = bytearray(event)
            at = dice.randrange(ends[number - 1], ends[number])
            changed[at] ^= 1 << dice.randrange(8)
            assert whole_images(table, bytes(changed))[:number] == whole[:number]
