"""The comparison of states notices every difference: in a value, a missing row, a surplus one, a duplicate."""

from collections import Counter

from tests.undo.state import ADDED, Change, Definition, State, changes_between, differences, identities_of

KEYED = Definition(("id", "u", "note"), ("id", "u", "note"), ("id", "u", "note"), ((0,), (1,)))
KEYLESS = Definition(("a", "b"), ("a", "b"), ("a", "b"), ())
TABLES = {"keyed": KEYED, "keyless": KEYLESS}


def row(*values: str | None) -> tuple[str | None, ...]:
    """A row, and then what identifies it: the same texts."""
    return values + values


def state(keyed: list[tuple[str | None, ...]], keyless: list[tuple[str | None, ...]]) -> State:
    return State({"keyed": Counter(keyed), "keyless": Counter(keyless)})


BEFORE = state([row("1", "5", "a"), row("2", None, "b")], [row("x", None), row("x", None)])


def test_equal_states_have_no_difference() -> None:
    again = state([row("2", None, "b"), row("1", "5", "a")], [row("x", None), row("x", None)])
    assert differences(BEFORE, again, TABLES) == []


def test_a_value_is_named_with_its_table_key_column_and_both_values() -> None:
    after = state([row("1", "5", "A"), row("2", None, "b")], [row("x", None), row("x", None)])
    assert [str(one) for one in differences(BEFORE, after, TABLES)] == ["keyed ('1',): note: expected a, found A"]


def test_null_is_not_an_empty_string() -> None:
    after = state([row("1", "5", "a"), row("2", "", "b")], [row("x", None), row("x", None)])
    assert [str(one) for one in differences(BEFORE, after, TABLES)] == ["keyed ('2',): u: expected None, found "]


def test_missing_and_surplus_rows_are_named() -> None:
    after = state([row("1", "5", "a"), row("3", None, "b")], [row("x", None), row("x", None)])
    assert [str(one) for one in differences(BEFORE, after, TABLES)] == [
        "keyed ('2',): missing row {'id': '2', 'u': None, 'note': 'b'}",
        "keyed ('3',): surplus row {'id': '3', 'u': None, 'note': 'b'}",
    ]


def test_duplicates_count() -> None:
    after = state([row("1", "5", "a"), row("2", None, "b")], [row("x", None)])
    assert [str(one) for one in differences(BEFORE, after, TABLES)] == ["keyless (): missing row {'a': 'x', 'b': None}"]


def test_rows_are_identified_by_each_key_that_has_no_null() -> None:
    assert identities_of(row("1", "5", "a"), KEYED, ADDED) == {(0, ("1",)), (1, ("5",))}
    assert identities_of(row("2", None, "b"), KEYED, ADDED) == {(0, ("2",))}
    assert identities_of(row("x", None), KEYLESS, ADDED) == {(ADDED, ("x", "None"))}


def test_changes_are_rows_removed_and_added() -> None:
    after = state([row("1", "6", "a"), row("2", None, "b")], [row("x", None), row("x", None)])
    assert changes_between(BEFORE, after) == {
        "keyed": Change(Counter([row("1", "5", "a")]), Counter([row("1", "6", "a")]))
    }
