"""Fold: what it says of rows is what they were, whatever images the changes have and wherever the moment is."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pybinlog.asof.deeds import Alteration, Deed, Doubt, Emptying, RowChange, RowImage
from pybinlog.asof.fold import Fold, State
from pybinlog.asof.share import IndivisibleError, Share
from pybinlog.schema.statement import DropColumn

NAMES = ("id", "a", "b")
Row = dict[str, Any]


@dataclass
class Table:
    """Stands for a LoggedTable."""

    names: tuple[str, ...] = NAMES
    key_names: tuple[str, ...] = ("id",)


TABLE: Any = Table()


def change(before: Row | None, after: Row | None, table: Any = TABLE) -> RowChange:
    was = None if before is None else RowImage(before, (before["id"],))
    will_be = None if after is None else RowImage(after, ({**(before or {}), **after}["id"],))
    return RowChange(was, will_be, table, frozenset(after or ()))


@dataclass
class Model:
    """A table whose changes are logged with images of each kind; `seen` are the states after each change."""

    rows: dict[str, Row] = field(default_factory=dict)
    deeds: list[Any] = field(default_factory=list)
    seen: list[dict[str, Row]] = field(default_factory=list)

    def act(self, key: str, new: str, column: str, value: str, kind: str, *, full: bool) -> None:
        row = self.rows.get(key)
        if kind == "doubt":
            self.rows.pop(key, None)  # what the log does not hold
            self.deeds.append(Doubt("a statement"))
        elif kind == "truncate":
            self.rows.clear()
            self.deeds.append(Emptying(False))
        elif row is None:
            made = {"id": key, "a": value, "b": value}
            self.rows[key] = made
            self.deeds.append(change(None, dict(made) if full else {"id": key, column: value}))
        elif kind == "delete":
            del self.rows[key]
            self.deeds.append(change(dict(row) if full else {"id": key}, None))
        elif kind == "move" and new not in self.rows:
            self.rows[new] = {**self.rows.pop(key), "id": new}
            after = dict(self.rows[new]) if full else {"id": new}
            self.deeds.append(change(dict(row) if full else {"id": key}, after))
        else:
            self.rows[key] = {**row, column: value}
            after = dict(self.rows[key]) if full else {column: value}
            self.deeds.append(change(dict(row) if full else {"id": key}, after))
        self.seen.append({name: dict(values) for name, values in self.rows.items()})


ACTS = st.lists(
    st.tuples(
        st.sampled_from("123"),
        st.sampled_from("123"),
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.sampled_from(["delete", "move", "set", "set", "truncate", "doubt"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


def folded(deeds: list[Any], count: int, share: Share | None = None) -> Fold:
    """Return the fold of some deeds, of which so many come before the moment."""
    fold = Fold(share)
    for number, deed in enumerate(deeds):
        if number == count:
            fold.begin_after()
        fold.add(deed, None)
    return fold


@given(ACTS, st.integers(0, 12), st.data())
def test_what_is_known_of_a_row_is_what_it_was(acts: list[Any], first: int, data: st.DataObject) -> None:
    model = Model()
    for key, new, column, value, kind, full in acts:
        model.act(key, new, column, value, kind, full=full)
    first = min(first, len(acts) - 1)  # the logs begin there
    at = data.draw(st.integers(first, len(acts)))
    state = model.seen[at - 1] if at else {}
    for _, entry in folded(model.deeds[first:], at - first).rows():
        key = entry.key["id"]
        if entry.state is State.DELETED:
            assert key not in state
        elif entry.state is State.PRESENT:
            assert entry.columns.items() <= state[str(key)].items()


@given(ACTS, st.integers(0, 25), st.integers(1, 4))
def test_shares_tell_together_what_the_whole_tells_or_none_can_be_read(acts: list[Any], at: int, count: int) -> None:
    model = Model()
    for key, new, column, value, kind, full in acts:
        model.act(key, new, column, value, kind, full=full)
    whole = {key: (entry.state, entry.columns) for key, entry in folded(model.deeds, at).rows()}
    found: list[Any] = []
    indivisible = 0
    for number in range(count):
        try:
            fold = folded(model.deeds, at, Share(number, count))
        except IndivisibleError:
            indivisible += 1
            continue
        found += [(key, (entry.state, entry.columns)) for key, entry in fold.rows()]
    assert indivisible in (0, count)
    assert indivisible or (len(found), dict(found)) == (len(whole), whole)
    assert not list(folded(model.deeds, at, Share()).rows())


@given(ACTS, st.data())
def test_full_images_tell_every_row_that_changes_and_no_other(acts: list[Any], data: st.DataObject) -> None:
    model = Model()
    for key, new, column, value, kind, _ in acts:
        model.act(key, new, column, value, "set" if kind in ("doubt", "truncate") else kind, full=True)
    at = data.draw(st.integers(0, len(acts)))
    state = model.seen[at - 1] if at else {}
    found = {entry.key["id"]: entry for _, entry in folded(model.deeds, at).rows()}
    assert {key: entry.columns for key, entry in found.items() if entry.state is State.PRESENT} == state
    assert State.UNKNOWN not in [entry.state for entry in found.values()]


@given(ACTS, st.data())
def test_with_the_rows_of_a_later_moment_all_rows_are_told(acts: list[Any], data: st.DataObject) -> None:
    """Images may lack columns; nothing but row changes stands between."""
    model = Model()
    for key, new, column, value, kind, full in acts:
        model.act(key, new, column, value, "set" if kind in ("doubt", "truncate") else kind, full=full)
    first = data.draw(st.integers(0, len(acts) - 1))
    at = data.draw(st.integers(first, len(acts)))
    state = model.seen[at - 1] if at else {}
    fold = folded(model.deeds[first:], at - first)
    if not fold.is_after:
        fold.begin_after()
    for row in model.rows.values():
        fold.add_current(change(None, row))
    fold.end_current()
    found = {str(entry.key["id"]): entry for _, entry in fold.rows() if entry.state is State.PRESENT}
    assert found.keys() == state.keys()
    assert (fold.is_complete, fold.contradictions, fold.differing) == (True, 0, 0)
    for key, entry in found.items():
        assert entry.columns.items() <= state[key].items()


@given(ACTS, st.data())
def test_with_the_rows_of_an_earlier_moment_all_rows_are_told(acts: list[Any], data: st.DataObject) -> None:
    model = Model()
    for key, new, column, value, kind, full in acts:
        model.act(key, new, column, value, "set" if kind in ("doubt", "truncate") else kind, full=full)
    base = data.draw(st.integers(0, len(acts)))
    at = data.draw(st.integers(base, len(acts)))
    fold = Fold()
    fold.begin_with_base()
    for row in (model.seen[base - 1] if base else {}).values():
        fold.add(change(None, row), None)
    for deed in model.deeds[base:at]:
        fold.add(deed, None)
    state = model.seen[at - 1] if at else {}
    found = {str(entry.key["id"]): entry.columns for _, entry in fold.rows() if entry.state is State.PRESENT}
    assert found.keys() == state.keys()
    for key, columns in found.items():
        assert columns.items() <= state[key].items()


def test_a_later_base_without_a_row_of_the_logs_makes_it_unknown() -> None:
    row = {"id": "1", "a": "x", "b": "y"}
    fold = folded([change(None, row)], 1)
    fold.begin_after()
    fold.end_current()
    ((_, entry),) = fold.rows()
    assert (entry.state, fold.contradictions) == (State.UNKNOWN, 1)


def test_a_column_that_was_altered_is_not_concluded_across_that() -> None:
    drop = Alteration(frozenset({"a"}), (DropColumn("a"),))
    row = {"id": "1", "a": "x", "b": "y"}
    ((_, before),) = folded([change(None, row), drop], 1).rows()
    assert before.columns == row
    ((_, after),) = folded([change(None, row), drop], 2).rows()
    assert after.columns == {"id": "1", "b": "y"}
    fold = folded([drop, change({"id": "1", "b": "y"}, None, Table(names=("id", "b")))], 0)
    ((_, back),) = fold.rows()
    assert (back.columns, fold.names) == ({"id": "1", "b": "y"}, ("id", "b", "a"))


def test_logs_that_contradict_themselves_make_a_row_unknown() -> None:
    row = {"id": "1", "a": "x", "b": "y"}
    fold = folded([change(None, row), change({**row, "b": "z"}, None)], 1)
    ((_, entry),) = fold.rows()
    assert (entry.state, entry.columns, fold.contradictions) == (State.UNKNOWN, {}, 1)


def test_a_table_that_was_emptied_is_known_to_be_empty() -> None:
    fold = folded([Doubt("it was dropped", forgets=True), Emptying(True)], 2)
    assert (list(fold.rows()), fold.is_complete, fold.doubts) == ([], True, [])


def judged(image: Row, verdict: bool | None) -> RowImage:
    return RowImage(image, ("1",), verdict=verdict)


def test_a_verdict_holds_until_a_column_of_the_condition_is_written() -> None:
    """An image that lacks the column says nothing; the row is still the one that was judged."""
    whole = {"id": "1", "a": "x", "b": "y"}
    key: Row = {"id": "1"}
    made = RowChange(None, judged(whole, True), TABLE, frozenset(NAMES))
    other = RowChange(judged(key, None), judged({"b": "z"}, None), TABLE, frozenset({"b"}))
    same = RowChange(judged(key, None), judged({"a": "w"}, None), TABLE, frozenset({"a"}))
    gone = RowChange(judged(whole, False), None, TABLE, frozenset())
    cases: list[tuple[list[Deed], list[Deed], int, int]] = [
        ([made, other], [], 1, 0),
        ([made, other, same], [], 0, 1),
        ([], [other, gone], 0, 0),  # told by the last image, whose column was not written before
        ([], [same, gone], 0, 1),
        ([made, Alteration(frozenset({"a"}), ())], [], 0, 1),
    ]
    for deeds, later, chosen, unjudged in cases:
        fold = Fold(asked={"a"})
        for deed in deeds:
            fold.add(deed, None)
        fold.begin_after()
        for deed in later:
            fold.add(deed, None)
        found = list(fold.rows(keeps_unjudged=False))
        assert (len(found), fold.unjudged) == (chosen, unjudged), (deeds, later)
