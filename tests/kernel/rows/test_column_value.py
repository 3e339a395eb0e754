"""The values of columns as text, one at a time."""

import struct
from datetime import datetime, timedelta, timezone
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.rows.rows_text import rows_text
from tests.kernel.rows.row_events import field, rows, table_map


def text_of(kind: int, metadata: bytes, value: bytes, verbosity: int = 1, optional: bytes = b"") -> str:
    """Return the text after "@1=" for one value that is not null."""
    text = rows_text([table_map([kind], metadata, optional=optional), rows(1, b"\0" + value)], verbosity)[1]
    assert isinstance(text, bytes)
    head, _, rest = text.partition(b"###   @1=")
    assert head == b"### INSERT INTO `d`.`t`\n### SET\n"
    return rest.decode("latin-1")


@given(st.sampled_from([(1, 1), (2, 2), (9, 3), (3, 4), (8, 8)]), st.data())
def test_integers_are_shown_with_and_without_a_sign(kind_and_size: tuple[int, int], data: st.DataObject) -> None:
    kind, size = kind_and_size
    number = data.draw(st.integers(-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1))
    expected = f"{number}" if number >= 0 else f"{number} ({number + (1 << 8 * size)})"
    assert text_of(kind, b"", number.to_bytes(size, "little", signed=True)) == expected + "\n"


@pytest.mark.parametrize(
    ("kind", "metadata", "value", "expected"),
    [
        (3, b"", b"\1\0\0\0", "1 /* INT meta=0"),
        (1, b"", b"\xff", "-1 (255) /* TINYINT meta=0"),
        (2, b"", b"\1\0", "1 /* SHORTINT meta=0"),
        (9, b"", b"\1\0\0", "1 /* MEDIUMINT meta=0"),
        (8, b"", b"\1" + b"\0" * 7, "1 /* LONGINT meta=0"),
        (246, b"\x05\x02", b"\x80\x01\x02", "1.02 /* DECIMAL(5,2) meta=1282"),
        (4, b"\4", struct.pack("<f", 1.5), "1.5                  /* FLOAT meta=4"),
        (5, b"\x08", struct.pack("<d", 0.1), "0.10000000000000000555 /* DOUBLE meta=8"),
        (16, b"\x02\x01", b"\x03\x05", "b'1100000101' /* BIT(10) meta=258"),
        (7, b"", b"\1\0\0\0", "1 /* TIMESTAMP meta=0"),
        (12, b"", (20240229123456).to_bytes(8, "little"), "2024-02-29 12:34:56 /* DATETIME meta=0"),
        (11, b"", (1123456).to_bytes(3, "little"), "'112:34:56' /* TIME meta=0"),
        (10, b"", (2024 << 9 | 2 << 5 | 29).to_bytes(3, "little"), "'2024:02:29' /* DATE meta=0"),
        (13, b"", b"\x7c", "2024 /* YEAR meta=0"),
        (254, b"\xf7\x01", b"\3", "3 /* ENUM(1 byte) meta=63233"),
        (254, b"\xf7\x02", b"\1\1", "257 /* ENUM(2 bytes) meta=63234"),
        (254, b"\xf8\x02", b"\1\x80", "b'0000000110000000' /* SET(2 bytes) meta=63490"),
        (252, b"\1", b"\1a", "'a' /* TINYBLOB/TINYTEXT meta=1"),
        (252, b"\2", b"\1\0a", "'a' /* BLOB/TEXT meta=2"),
        (252, b"\3", b"\1\0\0a", "'a' /* MEDIUMBLOB/MEDIUMTEXT meta=3"),
        (252, b"\4", b"\1\0\0\0a", "'a' /* LONGBLOB/LONGTEXT meta=4"),
        (15, b"\xff\0", b"\1a", "'a' /* VARSTRING(255) meta=255"),
        (15, b"\0\1", b"\1\0a", "'a' /* VARSTRING(256) meta=256"),
        (254, b"\xfe\x0a", b"\1a", "'a' /* STRING(10) meta=65034"),
        (254, b"\xde\x40", b"\1\0a", "'a' /* STRING(576) meta=56896"),
        (245, b"\4", b"\2\0\0\0\4\1", "'true' /* JSON meta=4"),
        (140, b"\2", b"\1\0a", "'a' /* BLOB/TEXT COMPRESSED meta=2"),
        (141, b"\x10\0", b"\1a", "'a' /* VARSTRING(16) COMPRESSED meta=16"),
    ],
)
def test_values_are_told_with_their_types(kind: int, metadata: bytes, value: bytes, expected: str) -> None:
    assert text_of(kind, metadata, value, 2) == expected + " nullable=1 is_null=0 */\n"
    assert text_of(kind, metadata, value, 1) == expected.split(" /*")[0] + "\n"


def test_a_vector_is_named_by_the_dimensions_of_the_metadata() -> None:
    value = struct.pack("<Ifff", 12, 1, -2.5, 1e-20)
    assert text_of(242, b"\4", value, 2, field(13, b"\xfc\xff\x3f")) == (
        "[1.00000e+00,-2.50000e+00,1.00000e-20] /* VECTOR(16383) meta=4 nullable=1 is_null=0 */\n"
    )


def test_nulls_are_told_with_their_types() -> None:
    text = rows_text([table_map([3, 246, 255], b"\x05\x02\x04", nulls=b"\2"), rows(3, b"\7")], 2)[1]
    assert text == (
        b"### INSERT INTO `d`.`t`\n### SET\n###   @1=NULL /* INT meta=0 nullable=0 is_null=1 */\n"
        b"###   @2=NULL /* DECIMAL(5,2) meta=1282 nullable=1 is_null=1 */\n"
        b"###   @3=!! Don't know how to handle column type=255 meta=4 (0004)\n"
    )


def test_a_geometry_ends_the_text_of_its_event() -> None:
    assert text_of(255, b"\4", b"\2\0\0\0ab" + b"\0\1\0\0\0c") == (
        "!! Don't know how to handle column type=255 meta=4 (0004)\n"
    )


@pytest.mark.parametrize(
    ("kind", "metadata", "expected"),
    [
        (254, b"\xf7\x03", "!! Unknown ENUM packlen=3"),
        (6, b"", "!! Don't know how to handle column type=6 meta=0 (0000)\n"),
        (0, b"", "!! Don't know how to handle column type=0 meta=0 (0000)\n"),
    ],
)
def test_types_that_cannot_be_read_are_named(kind: int, metadata: bytes, expected: str) -> None:
    assert text_of(kind, metadata, b"\0" * 8) == expected


def decimal_bytes(unscaled: int, precision: int, scale: int) -> bytes:
    """The server's binary form, made digit by digit."""
    sizes = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4]
    digits = str(abs(unscaled)).zfill(precision)
    whole, fraction = digits[: precision - scale], digits[precision - scale :]
    head = len(whole) % 9
    parts = [whole[:head]] + [whole[i : i + 9] for i in range(head, len(whole), 9)]
    parts += [fraction[i : i + 9] for i in range(0, len(fraction), 9)]
    made = b"".join(int(part).to_bytes(sizes[len(part)], "big") for part in parts if part)
    if unscaled < 0:
        made = bytes(byte ^ 0xFF for byte in made)
    return bytes([made[0] ^ 0x80]) + made[1:]


@given(st.data())
def test_decimals_equal_pythons(data: st.DataObject) -> None:
    precision = data.draw(st.integers(1, 65))
    scale = data.draw(st.integers(0, min(30, precision)))
    unscaled = data.draw(st.integers(-(10**precision) + 1, 10**precision - 1))
    with localcontext() as context:
        context.prec = 100
        expected = f"{Decimal(unscaled).scaleb(-scale):f}"
    assert text_of(246, bytes([precision, scale]), decimal_bytes(unscaled, precision, scale)) == expected + "\n"


def test_a_decimal_with_impossible_digits_is_zero() -> None:
    assert text_of(246, b"\x0b\x02", b"\xff\xff\xff\xff\xff") == "0\n"


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), st.integers(0, 6))
def test_datetimes_equal_pythons(moment: datetime, decimals: int) -> None:
    months = moment.year * 13 + moment.month
    packed = ((months << 5 | moment.day) << 17 | moment.hour << 12 | moment.minute << 6 | moment.second) + 0x8000000000
    places = (decimals + 1) // 2
    fraction = moment.microsecond // 10 ** (6 - 2 * places)
    value = packed.to_bytes(5, "big") + fraction.to_bytes(places, "big")
    expected = f"{moment:%H:%M:%S}.{moment.microsecond:06}"[: 8 + (decimals + 1 if decimals else 0)]
    assert text_of(18, bytes([decimals]), value) == f"'{moment.year:04}-{moment:%m-%d} {expected}'\n"


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 999999), st.integers(0, 6))
def test_timestamps_are_seconds_with_a_fraction(seconds: int, microseconds: int, decimals: int) -> None:
    places = (decimals + 1) // 2
    value = seconds.to_bytes(4, "big") + (microseconds // 10 ** (6 - 2 * places)).to_bytes(places, "big")
    expected = f"{seconds}.{microseconds:06}"[: -6 + decimals or None] if decimals else f"{seconds}"
    assert text_of(17, bytes([decimals]), value) == expected + "\n"


@given(st.integers(-3020399000000, 3020399000000), st.integers(0, 6))
def test_times_equal_pythons(microseconds: int, decimals: int) -> None:
    places = (decimals + 1) // 2
    unit = 10 ** (6 - decimals)
    microseconds = int(microseconds / unit) * unit
    of = timedelta(microseconds=abs(microseconds))
    hours, rest = divmod(of, timedelta(hours=1))
    minutes, rest = divmod(rest, timedelta(minutes=1))
    seconds, rest = divmod(rest, timedelta(seconds=1))
    # The fraction is stored in hundredths, ten thousandths or millionths, all of it offset so that bytes compare.
    stored = (hours << 12 | minutes << 6 | seconds) << (8 * places) | rest.microseconds // 10 ** (6 - 2 * places)
    value = (0x800000 << 8 * places) + (stored if microseconds >= 0 else -stored)
    text = f"{'-' if microseconds < 0 else ''}{hours:02}:{minutes:02}:{seconds:02}"
    if decimals:
        text += f".{rest.microseconds:06}"[: decimals + 1]
    assert text_of(19, bytes([decimals]), value.to_bytes(3 + places, "big")) == f"'{text}'\n"


@given(st.datetimes(datetime(1971, 1, 1), datetime(2037, 12, 31)))
def test_old_timestamps_are_seconds(moment: datetime) -> None:
    seconds = int(moment.replace(tzinfo=timezone.utc).timestamp())
    assert text_of(7, b"", seconds.to_bytes(4, "little")) == f"{seconds}\n"


@given(st.binary(max_size=2000))
def test_strings_are_quoted_byte_by_byte(value: bytes) -> None:
    names = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 39: b"\\'", 92: b"\\\\"}
    made = b"".join(names.get(c, b"\\x%02x" % c if c < 32 else bytes([c])) for c in value)
    text = rows_text([table_map([252], b"\2"), rows(1, b"\0" + struct.pack("<H", len(value)) + value)])[1]
    assert text == b"### INSERT INTO `d`.`t`\n### SET\n###   @1='" + made + b"'\n"


def test_large_strings_are_quoted_as_small_ones_are() -> None:
    value = bytes(range(256))
    names = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 39: b"\\'", 92: b"\\\\"}
    made = b"".join(names.get(c, b"\\x%02x" % c if c < 32 else bytes([c])) for c in value) * 13_000 + b"end"
    value = value * 13_000 + b"end"
    text = rows_text([table_map([252], b"\4"), rows(1, b"\0" + struct.pack("<I", len(value)) + value)])[1]
    assert text == b"### INSERT INTO `d`.`t`\n### SET\n###   @1='" + made + b"'\n"


@given(st.integers(1, 64), st.binary(min_size=8, max_size=8))
def test_bits_are_the_last_ones_of_their_bytes(bits: int, value: bytes) -> None:
    value = value[: (bits + 7) // 8]
    expected = f"{int.from_bytes(value, 'big'):064b}"[-bits:]
    assert text_of(16, bytes([bits % 8, bits // 8]), value) == f"b'{expected}'\n"


def decimal(whole: bytes, fraction: bytes, precision: int, scale: int) -> str:
    data = bytes([whole[0] ^ 0x80]) + whole[1:] + fraction
    negative = bytes(byte ^ 0xFF for byte in data)
    text = text_of(246, bytes([precision, scale]), data)
    assert text_of(246, bytes([precision, scale]), negative) == (text if text == "0\n" else f"-{text}")
    return text.removesuffix("\n")


@pytest.mark.parametrize(("digits", "size"), [(1, 1), (3, 2), (5, 3), (7, 4), (8, 4)])
def test_the_first_digits_of_a_decimal_may_be_one_too_many(digits: int, size: int) -> None:
    most = 10 ** (digits + 1) - 1
    assert decimal(most.to_bytes(size, "big"), b"", digits, 0) == str(most)
    assert decimal((most + 1).to_bytes(size, "big"), b"", digits, 0) == "0"


@pytest.mark.parametrize(("digits", "size"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4), (9, 4)])
def test_the_decimals_of_a_decimal_have_no_digit_too_many(digits: int, size: int) -> None:
    most = 10**digits - 1
    assert decimal(b"\7", most.to_bytes(size, "big"), digits + 1, digits) == f"7.{most}"
    assert decimal(b"\7", b"\1".rjust(size, b"\0"), digits + 1, digits) == f"7.{1:0{digits}}"
    assert decimal(b"\7", (most + 1).to_bytes(size, "big"), digits + 1, digits) == "0"


def test_nine_digits_of_a_decimal_are_below_a_billion() -> None:
    most = (10**9 - 1).to_bytes(4, "big")
    more = (10**9).to_bytes(4, "big")
    assert decimal(most, b"", 9, 0) == "999999999"
    assert decimal(more, b"", 9, 0) == "0"
    assert decimal(b"\0" + most, b"", 10, 0) == "999999999"
    assert decimal(b"\1" + most, b"", 10, 0) == "1999999999"
    assert decimal(b"\1" + more, b"", 10, 0) == "0"
    assert decimal(b"\1" + bytes(4), b"", 10, 0) == "1000000000"
    assert decimal(bytes(5), most + most, 28, 18) == "0.999999999999999999"
    assert decimal(bytes(5), most + more, 28, 18) == "0"
