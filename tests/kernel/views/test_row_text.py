"""The texts before which CSV for spreadsheets has an apostrophe."""

from __future__ import annotations

from pybinlog.kernel.views.row_text import begins_as_formula

WIDE = ["＝", "＋", "－", "＠"]


def test_a_formula_begins_with_one_of_these_characters() -> None:
    found = [code for code in range(256) if begins_as_formula(bytes([code]))]
    assert bytes(found) == b"\t\n\r+-=@"
    for lead in (b"\xef\xbc", b"\xef\xbd", b"\xee\xbc"):
        found = [code for code in range(256) if begins_as_formula(lead + bytes([code]))]
        assert [(lead + bytes([code])).decode() for code in found] == (sorted(WIDE) if lead == b"\xef\xbc" else [])


def test_a_text_is_looked_at_no_further_than_it_reaches() -> None:
    wide = "＝".encode()
    assert [begins_as_formula(wide[:size]) for size in range(4)] == [False, False, False, True]
    assert begins_as_formula(wide + b"1")
    assert begins_as_formula(b"=1")
    assert not begins_as_formula(b"1=")
