"""Images by column, and keys as their collations compare them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.asof.image import KeyReader, members
from pybinlog.errors import BinlogError

LATIN1_SWEDISH_CI, UTF8MB4_BIN, UTF8MB4_GENERAL_CI, UTF8MB4_0900_AI_CI = 8, 46, 45, 255


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5)))
def test_the_members_of_an_object_are_the_texts_of_their_values(values: dict[str, object]) -> None:
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
    assert {name: json.loads(value) for name, value in members(text).items()} == values


@pytest.mark.parametrize(
    ("collation", "one", "other", "equal"),
    [
        (UTF8MB4_GENERAL_CI, "a", "A", True),
        (UTF8MB4_GENERAL_CI, "a", "a ", True),
        (UTF8MB4_0900_AI_CI, "a", "ä", True),
        (UTF8MB4_0900_AI_CI, "a", "a ", False),
        (UTF8MB4_BIN, "a", "A", False),
        (LATIN1_SWEDISH_CI, "ss", "SS", True),
        (LATIN1_SWEDISH_CI, "a", "b", False),
        (0, "a", "A", False),
    ],
)
def test_a_key_is_what_its_collation_compares(collation: int, one: str, other: str, equal: bool) -> None:
    reader = KeyReader([(1, collation, 0)], ("n", "k"), mariadb=False)
    keys = [reader.key({"n": "1", "k": json.dumps(text, ensure_ascii=False)}) for text in (one, other)]
    assert (keys[0] == keys[1]) is equal


def test_an_image_without_a_column_of_the_key_has_none() -> None:
    assert KeyReader([(0, 0, 0), (1, 0, 0)], ("a", "b"), mariadb=False).key({"a": "1"}) is None


@pytest.mark.parametrize(("one", "other"), [("0.0", "-0.0"), ("0", "-0")])
def test_a_zero_with_a_sign_is_the_same_key(one: str, other: str) -> None:
    reader = KeyReader([(0, 0, 0)], ["id"], mariadb=False)
    assert reader.key({"id": one}) == reader.key({"id": other})


def test_an_empty_text_of_an_enum_that_has_it_as_a_member_is_not_a_key() -> None:
    """The number 0, which no member has, has the same text."""
    reader = KeyReader([(0, 0, 0)], ["k", "v"], ["k"], mariadb=False)
    assert reader.key({"k": '"a"', "v": '""'}) == ('"a"',)
    with pytest.raises(BinlogError, match="two of its values have that text"):
        reader.key({"k": '""'})
