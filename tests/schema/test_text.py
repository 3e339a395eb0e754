"""Bytes of character sets as Python's text and back, even if they are not text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pybinlog.kernel.base.charset import encoded, text_or_bytes
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.error import SqlError
from pybinlog.schema.text import (
    UNKNOWN,
    bytes_per_character,
    character_set,
    collation_id,
    collation_like,
    collation_name,
    collation_of_number,
    compare_key,
    cut_text,
    decode_text,
    default_collation,
    encode_text,
    printable,
)

SETS = ("latin1", "swe7", "gbk", "sjis", "cp932", "ujis", "big5", "gb18030", "utf8mb3", "utf8mb4")
WRITTEN_OTHERWISE = tuple(map(default_collation, ("sjis", "cp932")))
"""Sets that have two codes for some characters: what is read by one is written by the other."""
COLLATIONS = st.sampled_from([*map(default_collation, SETS), COLLATION_BINARY])


def number_of_text(collation: int) -> int:
    """The collation that text of a binary string is written by."""
    return default_collation("utf8mb4") if collation == COLLATION_BINARY else collation


def is_no_text(char: str) -> bool:
    """Return True if `decode_text` put this character for a byte that did not decode."""
    return "\udc80" <= char <= "\udcff"


@example(b"\x7f", default_collation("swe7"))  # servers read U+007F there, and write "?" for it
@example(b"\x82\\", default_collation("sjis"))  # servers write 815F for a backslash, and 8281 is a character
@given(st.binary(max_size=8) | st.text(max_size=4).map(str.encode), COLLATIONS)
def test_what_is_no_text_is_restored(data: bytes, collation: int) -> None:
    text = decode_text(data, collation)
    again = encode_text(text, collation)
    if collation not in WRITTEN_OTHERWISE or not any(map(is_no_text, text)):
        assert decode_text(again, collation) == "".join(
            char if is_no_text(char) or encoded(char, number_of_text(collation)) is not None else "?" for char in text
        )
    if collation == COLLATION_BINARY or text_or_bytes(data, collation) != data:
        assert again == data


@given(st.text(max_size=6, alphabet=st.characters(exclude_categories=["Cs"])), COLLATIONS)
def test_what_a_set_does_not_have_is_a_question_mark(text: str, collation: int) -> None:
    wanted = "".join(char if encoded(char, number_of_text(collation)) is not None else "?" for char in text)
    assert decode_text(encode_text(text, collation), collation) == wanted


@given(st.text(max_size=6, alphabet="a語é～"), st.integers(0, 12), COLLATIONS)
def test_a_cut_text_has_whole_characters(text: str, limit: int, collation: int) -> None:
    data = encode_text(text, collation)
    cut = cut_text(data, limit, collation)
    if collation == COLLATION_BINARY:
        assert encode_text(cut, collation) == data[:limit]
    else:
        assert decode_text(data, collation).startswith(cut)
        assert len(encode_text(cut, collation)) <= limit or len(data) <= limit


def test_a_value_is_text_where_it_means_these_very_bytes() -> None:
    sjis, swe7 = default_collation("sjis"), default_collation("swe7")
    assert text_or_bytes(b"]{", swe7) == "Åä"
    assert text_or_bytes(b"\x93\xfa\x81\x5f", sjis) == "日\\"
    assert text_or_bytes(b"\x93\xfa\x5c", sjis) == b"\x93\xfa\x5c"  # servers write 815F for a backslash
    assert text_or_bytes(b"\x93", sjis) == b"\x93"
    assert text_or_bytes(b"a", COLLATION_BINARY) == text_or_bytes(b"a", None) == text_or_bytes(b"a", 99_999) == b"a"


@pytest.mark.parametrize(
    ("number", "known"),
    [
        (0, 0),
        (8, 8),
        (255, 255),
        (575, 0),
        (576, 576),
        (607, 33),
        (608, 608),
        (640, 640),
        (672, 672),
        (703, 54),
        (704, 0),
        (736, 736),
        (767, 60),
        (768, 0),
        (1023, 0),
        (1024, 0),
        (1069, 1069),
        (1600, 576),
        (2047, 0),
        (2048, 2048),
        (2303, 33),
        (2304, 2304),
        (2560, 2560),
        (2816, 2816),
        (3072, 3072),
        (3327, 60),
        (3328, 0),
    ],
)
def test_a_number_of_mariadb_stands_for_a_collation_of_its_character_set(number: int, known: int) -> None:
    assert collation_of_number(number) == known


def test_collations_by_name() -> None:
    assert [collation_id(name) for name in ("utf8_bin", "UTF8MB3_bin", "Utf8mb4_0900_AI_ci", "binary")] == [
        83,
        83,
        255,
        63,
    ]
    assert [collation_name(number) for number in (83, 255, 63)] == ["utf8mb3_bin", "utf8mb4_0900_ai_ci", "binary"]
    assert [character_set(number) for number in (83, 255, 63)] == ["utf8mb3", "utf8mb4", "binary"]
    names = ("UTF8", "latin1", "latin2", "latin7", "cp1251", "cp1257", "utf8mb4")
    assert [default_collation(name) for name in names] == [33, 8, 9, 41, 51, 59, 255]
    versions = ((), (7, 9), (8,), (8, 0))
    assert [default_collation("UTF8MB4", version) for version in versions] == [45, 45, 255, 255]
    assert [bytes_per_character(number) for number in (UNKNOWN, 8, 28, 33, 255, 60, 63)] == [1, 1, 2, 3, 4, 4, 1]


@pytest.mark.parametrize(
    ("text", "collation", "shown"),
    [
        ("abcdef", 255, "abcdef"),
        ("abcdefg", 255, "abcdef..."),
        (" ~", 255, " ~"),
        ("\x1f\x7f", 255, "\\x1F\\x7F"),
        ("a\x7fé", 255, "a\\x7F\\xC3\\xA9"),
        ("aé", 8, "a\\xE9"),
        ("ab", 35, "\\x00\\x61\\x00\\x62"),
        ("abcd", 35, "\\x00\\x61\\x00\\x62\\x00\\x63..."),
    ],
)
def test_a_message_shows_six_bytes(text: str, collation: int, shown: str) -> None:
    assert printable(text, collation) == shown


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("latin1_swedish_ci", ("ab e", "ab")),
        ("latin1_general_cs", ("Ab É", "Ab")),
        ("latin1_bin", ("Ab É", "Ab")),
        ("utf8mb4_bin", ("Ab É", "Ab")),
        ("utf8mb4_0900_ai_ci", ("ab e ", "ab ")),
        ("utf8mb4_0900_as_ci", ("ab é ", "ab ")),
        ("utf8mb4_0900_as_cs", ("Ab É ", "Ab ")),
        ("utf8mb4_0900_bin", ("Ab É ", "Ab ")),
        ("binary", ("Ab É ", "Ab ")),
    ],
)
def test_text_compares_by_the_rules_of_its_collation(name: str, key: tuple[str, str]) -> None:
    assert (compare_key("Ab É ", collation_id(name)), compare_key("Ab ", collation_id(name))) == key


@pytest.mark.parametrize(
    ("data", "limit", "collation", "text"),
    [
        (b"abc", 2, 8, "ab"),
        ("aéé".encode(), 5, 255, "aéé"),
        ("aéé".encode(), 4, 255, "aé"),
        ("aéé".encode(), 3, 255, "aé"),
        ("aéé".encode(), 2, 255, "a"),
        ("aé".encode("utf-16-be"), 3, 35, "a"),
        ("aé".encode("utf-16-be"), 2, 35, "a"),
        (b"", 0, 255, ""),
    ],
)
def test_a_text_is_cut_between_characters(data: bytes, limit: int, collation: int, text: str) -> None:
    assert cut_text(data, limit, collation) == text


def test_short_bytes_of_wide_sets_are_filled_on_the_left() -> None:
    assert decode_text(b"a", default_collation("ucs2")) == "a"
    assert decode_text(b"\xe9", default_collation("utf32")) == "é"
    assert decode_text(b"\x20\xac", default_collation("utf16le")) == "\uac20"
    assert decode_text(b"a\xff\x7f\x80", 255) == "a\udcff\x7f\udc80"
    assert encode_text("a\udcff", 255) == b"a\xff"
    assert encode_text("a\udcff", default_collation("ucs2")) == b"\0a\0?"
    assert encode_text("€", 63) == "€".encode()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("utf8mb4_bin", "utf8mb4_bin"),
        ("utf8mb4_nopad_bin", "utf8mb4_nopad_bin"),
        ("utf8_uca1400_spanish_nopad_as_cs", "utf8mb3_uca1400_spanish_nopad_as_cs"),
        ("utf8mb4_of_another_server", "utf8mb4_general_ci"),
        ("latin1_of_another_server", "latin1_swedish_ci"),
        ("uca1400_ai_ci", "greek_general_ci"),
    ],
)
def test_an_unknown_collation_is_one_of_its_character_set(name: str, found: str) -> None:
    assert collation_name(collation_like(name, collation_id("greek_general_ci"))) == found


@pytest.mark.parametrize("name", ["nothing_ci", "utf_8", ""])
def test_what_begins_with_no_character_set_is_no_collation(name: str) -> None:
    with pytest.raises(SqlError, match=f"^ERROR 1273: Unknown collation: '{name}'$"):
        collation_like(name, 8)
