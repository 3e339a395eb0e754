"""Bytes of character sets as Python's text and back, even if they are not text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from pybinlog.kernel.base.charset import encoded, text_or_bytes
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.text import cut_text, decode_text, default_collation, encode_text

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
