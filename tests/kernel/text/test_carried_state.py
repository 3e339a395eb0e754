"""Numbers for the names that tables are lent: one for as long as each table has the same."""

from pybinlog.kernel.text.carried_state import LentNames

MOST_TABLES = 16384


def test_a_number_means_one_definition_of_each_table() -> None:
    names = LentNames()
    first = names.note(1, b"a")
    assert [names.note(2, b"b"), names.note(1, b"a"), names.note(2, b"b")] == [first] * 3
    assert names.note(1, b"c") == first + 1
    assert [names.note(2, b"x"), names.note(1, b"c")] == [first + 1] * 2
    assert names.note(1, b"a") == first + 2
    assert names.note(2, b"x") == first + 2


def test_a_number_has_so_many_tables() -> None:
    names = LentNames()
    first = names.note(0, b"")
    assert {names.note(table, b"") for table in range(MOST_TABLES)} == {first}
    assert names.note(MOST_TABLES, b"") == first + 1
    assert names.note(0, b"") == first + 1
