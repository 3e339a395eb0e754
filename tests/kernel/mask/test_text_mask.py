"""Texts masked by texts of the same kind; what differs stays different."""

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.charset import decoded
from pybinlog.kernel.base.collation import collation_names
from pybinlog.kernel.mask.row_mask import REMARK_CODES, RowMask
from pybinlog.redact.characters import tables

MASK = RowMask(b"sixteen secrets!", tables)
FIRST = {names[0]: number for number, names in sorted(collation_names(True).items(), reverse=True)}
"""A collation of each character set."""


@given(st.text(max_size=40))
def test_utf_8_stays_utf_8_with_the_same_characters_and_bytes(text: str) -> None:
    masked = MASK.text(text.encode(), 45)
    assert [len(char.encode()) for char in masked.decode()] == [len(char.encode()) for char in text]


@given(st.binary(max_size=40))
def test_bytes_stay_as_many_and_what_is_no_text_stays_none(data: bytes) -> None:
    masked = MASK.text(data)
    assert len(masked) == len(data)


@given(st.text(max_size=20), st.text(max_size=20))
def test_texts_that_differ_get_masks_that_differ(one: str, other: str) -> None:
    assert (MASK.text(one.encode()) == MASK.text(other.encode())) == (one == other)


def test_all_texts_of_two_bytes_get_masks_that_differ() -> None:
    pairs = [bytes((first, second)) for first in range(256) for second in range(256)]
    assert {MASK.text(pair) for pair in pairs} == {*pairs}


@pytest.mark.parametrize("digits", range(1, 6))
def test_all_numbers_of_as_many_digits_get_masks_that_differ(digits: int) -> None:
    texts = [b"%0*d" % (digits, number) for number in range(10**digits)]
    assert {MASK.text(text) for text in texts} == {*texts}


@given(st.text("abcxyzABCXYZ", max_size=30))
def test_case_stays_and_texts_equal_but_for_case_have_masks_equal_but_for_case(text: str) -> None:
    masked = MASK.text(text.encode()).decode()
    assert [char.isupper() for char in masked] == [char.isupper() for char in text]
    assert masked.lower() == MASK.text(text.lower().encode()).decode()


@pytest.mark.parametrize("charset", sorted({*FIRST} - {"binary"}))
def test_a_text_stays_valid_in_its_character_set(charset: str) -> None:
    collation, seen = FIRST[charset], 0
    for first in range(256):
        for end in (b"", b"\xb0", b"\xa1\x41\x42", b"\x30\x81\x30", b"\xe9\0\0\0\x61"):
            data = bytes(3 if charset == "utf32" else 0) + bytes((first,)) + end
            text = decoded(data, collation, True)
            if text is None:
                continue
            seen += 1
            masked = decoded(MASK.text(data, collation, True), collation, True)
            assert masked is not None, data
            assert len(masked) == len(text)
    assert seen


@given(st.text("aé中1 -", max_size=12))
def test_a_text_has_one_mask_in_all_character_sets_of_unicode(text: str) -> None:
    masked = MASK.text(text.encode(), 45).decode()
    for charset, codec in (
        ("ucs2", "utf-16-be"),
        ("utf16", "utf-16-be"),
        ("utf16le", "utf-16-le"),
        ("utf32", "utf-32-be"),
    ):
        assert MASK.text(text.encode(codec), FIRST[charset], True).decode(codec) == masked


@pytest.mark.parametrize(
    ("charset", "text"), [("ujis", b"\xa1\xc0"), ("sjis", b"\x81\x5f"), ("eucjpms", b"\x8f\xf3\xfd")]
)
def test_a_second_code_of_a_character_stays_and_is_remarked(charset: str, text: bytes) -> None:
    mask = RowMask(b"sixteen secrets!", tables)
    masked = mask.text(text + b"ab", FIRST[charset], True)
    assert mask.remarks == REMARK_CODES
    assert masked.startswith(text)
    assert masked[-2:].isalpha()
    assert masked[-2:] != b"ab"


@given(st.text("äöüßéñ", min_size=4, max_size=20), st.sampled_from(["latin1", "utf8mb4", "utf16", "cp1250"]))
def test_letters_beyond_ascii_are_masked(text: str, charset: str) -> None:
    codec = {"utf8mb4": "utf-8", "utf16": "utf-16-be", "cp1250": "cp1250"}.get(charset, charset)
    try:
        data = text.encode(codec)
    except UnicodeEncodeError:
        return
    assert MASK.text(data, FIRST[charset]) != data or len({*text}) == 1


@given(st.dates())
def test_a_date_stays_a_date(day: datetime.date) -> None:
    text = day.isoformat()
    masked = datetime.date.fromisoformat(MASK.text(text.encode()).decode())
    assert MASK.text(f"{text} 00:00:00".encode()).decode() == f"{masked} 00:00:00"


def test_all_days_of_a_timestamp_stay_among_them_and_differ() -> None:
    first = datetime.date(1970, 1, 2)
    days = [(first + datetime.timedelta(number)).isoformat().encode() for number in range(24836)]
    assert {MASK.text(day) for day in days} == {*days}


@given(st.times())
def test_a_time_stays_a_time_with_as_many_digits(time: datetime.time) -> None:
    text = time.isoformat()
    masked = MASK.text(text.encode()).decode()
    datetime.time.fromisoformat(masked)
    assert len(masked) == len(text)


SCALARS = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_text_stays_json_of_the_same_shape(value: object) -> None:
    text = json.dumps([value], ensure_ascii=False)
    masked = json.loads(MASK.text(text.encode(), 45).decode())
    assert shape(masked) == shape([value])


def test_escapes_of_json_that_differ_get_masks_that_differ() -> None:
    masked = [json.loads(MASK.text(f'["\\u{code:04x}"]'.encode()))[0] for code in range(0x10000)]
    assert len({*masked}) == len(masked)
    for start in (0xD800, 0xDC00):
        assert {ord(text) // 0x400 for text in masked[start : start + 0x400]} == {start // 0x400}
    assert MASK.text(b'["\\u00E9"]') != MASK.text(b'["\\u00EA"]')


def test_texts_in_brackets_that_are_no_json_differ() -> None:
    texts = [b"[%d-%d]" % (one, other) for one in range(1, 40) for other in range(1, 40)]
    assert len({*map(MASK.text, texts)}) == len(texts)
    assert b"qzma" not in MASK.text(b'["\\uqzma"]')


def shape(value: object) -> object:
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return value if isinstance(value, bool) or value is None else type(value)


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?", fullmatch=True))
def test_a_number_keeps_its_digits(text: str) -> None:
    masked = MASK.number(text.encode()).decode()
    assert [char.isdigit() for char in masked] == [char.isdigit() for char in text]
    assert (masked.lstrip("-")[0] == "0") == (text.lstrip("-")[0] == "0")


@given(st.integers(0, 2**64 - 1))
def test_an_integer_has_the_mask_of_a_wider_type_but_in_its_highest_class(number: int) -> None:
    for bits in (8, 16, 24, 32):
        most = 2**bits - 1
        masked = MASK.integer(number % (most + 1), most)
        assert masked <= most
        if number % (most + 1) < 10 ** (len(str(most)) - 1):
            assert masked == MASK.integer(number % (most + 1), 2**64 - 1)


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
def test_a_float_keeps_its_sign_and_magnitude(number: float) -> None:
    masked = MASK.real(number)
    assert (masked < 0) == (number < 0)
    assert abs(number) / 10 <= abs(masked) <= abs(number) * 10


def test_another_key_masks_otherwise() -> None:
    other = RowMask(b"other secrets!!!", tables)
    assert other.text(b"a text of some length") != MASK.text(b"a text of some length")


def test_a_key_has_16_bytes() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        RowMask(b"short", tables)


def test_a_lone_sign_is_masked_as_a_sign() -> None:
    signs = "!#&()*+-./:;<=>?@[]^{|}~"
    assert {MASK.text(sign.encode()).decode() for sign in signs} == {*signs}
