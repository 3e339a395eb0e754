"""Under a collation, different texts get masks that differ, and equal ones equal masks, if a letter has such a form."""

from collections import defaultdict
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.condition.text_order import weights_of
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.redact.characters import tables
from pybinlog.redact.folded import SETS, fold_of
from tests.redact.logs import KEY

MASK = RowMask(KEY, tables, fold_of)
COLLATIONS = {"general_ci": 45, "unicode_ci": 224, "0900_ai_ci": 255, "uca1400_ai_ci": 2304}
MARIADB = {"uca1400_ai_ci"}
WEIGHTS = {name: weights_of(name) for name in SETS}
LETTERS = "abcexyzABE\u00e9\u00e8\u00ea\u00c9\u00fc\u00e7\u1ebd\u1e8b\u0431\u0432\u0451\u0435\u03b1\u03ac\u1f00 !\uff01"
SPARE = {chr(code) for code in (*range(0x378, 0x3A3), 0x530, 0x557, 0x558, *range(0x590, 0x5D0), *range(0x5F5, 0x600),
         *range(0x7B2, 0x7C0), *range(0xEA00, 0xF000))}  # fmt: skip


def key(text: str, name: str) -> bytes:
    """Return what the collation compares."""
    return b"".join(WEIGHTS[name][ord(letter)] or letter.encode() for letter in text)


def masked(text: str, name: str) -> str:
    data = MASK.text(text.encode(), COLLATIONS[name], name in MARIADB)
    assert len(data) == len(text.encode())
    return data.decode()


@pytest.mark.parametrize("name", SETS)
def test_no_two_characters_become_equal(name: str) -> None:
    found = defaultdict(set)
    letters = [chr(code) for code in range(0x21, 0x3000) if WEIGHTS[name][code] and not 0x30 <= code <= 0x39]
    for letter in letters:
        found[key(masked(letter, name), name)].add(key(letter, name))
    assert [keys for keys in found.values() if len(keys) > 1] == []
    assert len(letters) > 4000


@pytest.mark.parametrize("name", SETS)
def test_a_letter_and_its_accented_forms_become_forms_of_one_letter(name: str) -> None:
    kept = lost = 0
    for word in map("".join, product("abcdefghijklmnopqrstuvwxyz", "aeiouyc")):
        for plain, accented in zip("aeiouyc", "\u00e0\u00e9\u00ee\u00f6\u00fc\u00fd\u00e7", strict=True):
            other = word.replace(plain, accented)
            if other != word:
                new = masked(other, name)
                is_equal = key(new, name) == key(masked(word, name), name)
                assert is_equal or SPARE & {*new}
                kept, lost = kept + is_equal, lost + (not is_equal)
    assert kept > lost


@given(st.text(LETTERS, max_size=6), st.text(LETTERS, max_size=6), st.sampled_from(SETS))
def test_texts_that_differ_get_masks_that_differ(one: str, other: str, name: str) -> None:
    is_equal = key(masked(one, name), name) == key(masked(other, name), name)
    if key(one, name) != key(other, name):
        assert not is_equal
    elif not SPARE & {*masked(one, name), *masked(other, name)}:
        assert is_equal


@pytest.mark.parametrize(
    ("collation", "mariadb", "name"),
    [(45, False, "general_ci"), (255, False, "0900_ai_ci"), (46, False, ""), (63, False, ""), (278, False, "?"),
     (305, False, "?"), (8, False, "?"), (2304, True, "uca1400_ai_ci"), (1069, True, "general_ci"), (9999, False, "")],
)  # fmt: skip
def test_each_collation_has_its_fold(collation: int, mariadb: bool, name: str) -> None:
    assert fold_of(collation, mariadb) == name


def test_texts_in_a_collation_whose_order_is_unknown_are_remarked() -> None:
    mask = RowMask(KEY, tables, fold_of)
    mask.text(b"plain", 8)
    assert mask.remarks == 0
    mask.text("\u00e9".encode("latin-1"), 8)
    assert mask.remarks == 32


@pytest.mark.parametrize(("text", "names"), [("\U0001f600", SETS[:2]), ("\U0002f800", SETS), ("\U00010428", SETS)])
def test_characters_of_four_bytes_are_remarked_if_others_are_equal_to_them(text: str, names: tuple[str, ...]) -> None:
    for name in SETS:
        mask = RowMask(KEY, tables, fold_of)
        mask.text(text.encode(), COLLATIONS[name], name in MARIADB)
        assert (mask.remarks == 32) == (name in names)
