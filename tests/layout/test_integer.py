"""The integers of the format by their bytes, at the bounds of each width, and values that they cannot hold."""

import pytest
from construct import Construct, FormatFieldError, IntegerError

from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body
from pybinlog.layout.integer import FlaggedPair, LengthEncodedInteger, VarlenSigned, VarlenUnsigned, WideInteger

MOST = (1 << 64) - 1
LENGTH_ENCODED = [
    (0, b"\0"),
    (250, b"\xfa"),
    (251, b"\xfc\xfb\0"),
    (0xFFFF, b"\xfc\xff\xff"),
    (0x10000, b"\xfd\0\0\1"),
    (0xFFFFFF, b"\xfd\xff\xff\xff"),
    (0x1000000, b"\xfe\0\0\0\1\0\0\0\0"),
    (MOST, b"\xfe" + b"\xff" * 8),
]
VARLEN = [
    (0, b"\0"),
    (127, b"\xfe"),
    (128, b"\x01\x02"),
    ((1 << 14) - 1, b"\xfd\xff"),
    (1 << 14, b"\x03\0\x02"),
    ((1 << 56) - 1, b"\x7f" + b"\xff" * 7),
    (1 << 56, b"\xff" + bytes(7) + b"\1"),
    (MOST, b"\xff" * 9),
]
SIGNED = [(0, b"\0"), (-1, b"\x02"), (1, b"\x04"), (63, b"\xfc"), (-64, b"\xfe"), (64, b"\x01\x02"), (-65, b"\x05\x02")]
PAIRS = [((1, 1), b"\1\0"), ((0x7FFF, 0x7FFF), b"\xff\x7f"), ((1, 2), b"\1\x80\2\0"), ((0, 0xFFFF), b"\0\x80\xff\xff")]


@pytest.mark.parametrize(
    ("construct", "value", "data"),
    [
        *((LengthEncodedInteger(), value, data) for value, data in LENGTH_ENCODED),
        *((VarlenUnsigned(), value, data) for value, data in VARLEN),
        *((VarlenSigned(), value, data) for value, data in SIGNED),
        *((FlaggedPair(2), value, data) for value, data in PAIRS),
    ],
)
def test_a_value_has_these_bytes(construct: Construct, value: int | tuple[int, int], data: bytes) -> None:
    assert construct.build(value) == data
    found = construct.parse(data)
    assert found == value
    assert not isinstance(found, WideInteger)


@pytest.mark.parametrize(
    ("construct", "value", "width", "data"),
    [
        (LengthEncodedInteger(), 250, 2, b"\xfc\xfa\0"),
        (LengthEncodedInteger(), 0xFFFF, 3, b"\xfd\xff\xff\0"),
        (LengthEncodedInteger(), 0xFFFFFF, 8, b"\xfe\xff\xff\xff" + bytes(5)),
        (VarlenUnsigned(), 127, 2, b"\xfd\1"),
        (VarlenUnsigned(), 1, 9, b"\xff\1" + bytes(7)),
        (VarlenSigned(), -1, 2, b"\x05\0"),
    ],
)
def test_a_value_in_more_bytes_than_it_needs_keeps_them(
    construct: Construct, value: int, width: int, data: bytes
) -> None:
    found = construct.parse(data)
    assert (found, found.width, construct.build(found)) == (value, width, data)


@pytest.mark.parametrize(
    ("construct", "value", "sentence"),
    [
        (LengthEncodedInteger(), -1, "-1 cannot be a length-encoded integer"),
        (LengthEncodedInteger(), MOST + 1, f"{MOST + 1} cannot be a length-encoded integer"),
        (VarlenUnsigned(), -1, "-1 does not fit in 64 bits"),
        (VarlenUnsigned(), MOST + 1, f"{MOST + 1} does not fit in 64 bits"),
        (FlaggedPair(2), (-1, 0), "(-1, 0) does not fit in 15 bits"),
        (FlaggedPair(2), (0x8000, 0), "(32768, 0) does not fit in 15 bits"),
        (FlaggedPair(2), (0, -1), "(0, -1) does not fit in 15 bits"),
        (FlaggedPair(2), (0, 0x10000), "(0, 65536) does not fit in 15 bits"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error(
    construct: Construct, value: int | tuple[int, int], sentence: str
) -> None:
    with pytest.raises(IntegerError) as caught:
        construct.build(value)
    assert str(caught.value).splitlines()[-1] == sentence


@pytest.mark.parametrize("first", [251, 255])
def test_a_first_byte_of_no_length_is_an_error(first: int) -> None:
    with pytest.raises(FormatFieldError) as caught:
        LengthEncodedInteger().parse(bytes((first,)) + bytes(8))
    assert str(caught.value).splitlines()[-1] == f"{first} does not begin a length-encoded integer"


@pytest.mark.parametrize(("post_header", "width"), [(6, 4), (5, 6), (7, 6), (8, 6)])
def test_a_table_id_has_the_width_of_its_post_header(post_header: int, width: int) -> None:
    lengths = bytes(EventType.TABLE_MAP - 1) + bytes((post_header,))
    format = Format.of("9.7.0", post_header_lengths=lengths)
    body = {
        "flags": 1,
        "db": "d",
        "table": "t",
        "column_types": [3],
        "column_metadata": [None],
        "null_bits": b"\1",
        "optional_metadata": [],
    }
    most = (1 << 8 * width) - 1
    data = build_body(EventType.TABLE_MAP, {**body, "table_id": most}, format)
    assert data == b"\xff" * width + b"\1\0\1d\0\1t\0\1\3\0\1"
    for wrong in (-1, most + 1):
        with pytest.raises(ValueError, match=r"^cannot build Table_map: ") as caught:
            build_body(EventType.TABLE_MAP, {**body, "table_id": wrong}, format)
        assert str(caught.value) == (
            f"cannot build Table_map: table id {wrong} does not fit in {width} bytes (in table_id)"
        )
