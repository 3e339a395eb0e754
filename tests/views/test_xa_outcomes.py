"""Both phases of XA transactions, and transactions that were rolled back, as `outcomes` pairs them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pybinlog.feed.policy import Mode, Policy
from pybinlog.feed.span import Span
from pybinlog.views.outcomes import (
    Group,
    Until,
    XaTransaction,
    XaTransactions,
    in_series,
    paired,
    transactions,
    without_rolled_back,
)
from tests.corpus import TESTDATA
from tests.layout.log_builder import MYSQL_5_6, LogBuilder

ONE, TWO, THREE = (Span((f"b.{number:06}",)) for number in (1, 2, 3))


def group(xid: str, ended: str | None, events: int = 2, **more: Any) -> Group:
    plain = Group(
        file="/logs/b.000001",
        start_position=100,
        end_position=200,
        commit_time=None,
        thread_id=None,
        gtid=None,
        events=events,
        rows=None,
        tables=[],
        ended=ended,
        xa_xid=xid,
    )
    return plain._replace(**more)


# ---- the two phases


@pytest.mark.parametrize(
    ("ended", "events", "decision"),
    [
        ("xa commit", 2, "commit"),
        ("xa rollback", 2, "rollback"),
        ("rollback", 2, "rollback"),
        ("xa commit", 3, "one phase"),
        ("xa rollback", 3, "rollback at once"),
        ("rollback", 3, "rollback at once"),
    ],
)
def test_a_decision_of_more_than_two_events_is_of_a_transaction_that_was_not_prepared(
    ended: str, events: int, decision: str
) -> None:
    prepared, decided = group("a", "xa prepare", 5), group("a", ended, events)
    if events > 2:
        alone = XaTransaction("a", decided, decided, decision)
        assert paired(iter([prepared, decided])) == [XaTransaction("a", prepared), alone]
        assert paired(iter([decided])) == [alone]
    else:
        assert paired(iter([prepared, decided])) == [XaTransaction("a", prepared, decided, decision)]
        assert paired(iter([decided])) == [XaTransaction("a", None, decided, decision)]


def test_an_xid_that_is_prepared_again_replaces_the_one_before() -> None:
    first, again, decided = (group("a", ended) for ended in ("xa prepare", "xa prepare", "xa rollback"))
    other, late = group("b", "xa prepare"), group("a", "xa commit")
    found = paired(iter([other, first, again, decided, late]))
    assert found == [
        XaTransaction("b", other),
        XaTransaction("a", first, is_replaced=True),
        XaTransaction("a", again, decided, "rollback"),
        XaTransaction("a", None, late, "commit"),
    ]
    assert [one.in_doubt for one in found] == [True, False, False, False]


def test_groups_that_end_otherwise_have_no_phase() -> None:
    assert paired(iter([group("a", "commit"), group("a", None), group("a", "statement")])) == []


@pytest.mark.parametrize(
    ("prepared", "decided", "seconds"),
    [(1_000_000, 3_500_001, 2.500001), (0, 0, 0.0), (3_000_000, 1_000_000, -2.0), (None, 1, None), (1, None, None)],
)
def test_the_time_between_the_phases(prepared: int | None, decided: int | None, seconds: float | None) -> None:
    first, second = group("a", "xa prepare", commit_time=prepared), group("a", "xa commit", commit_time=decided)
    both = XaTransaction("a", first, second, "commit")
    assert both.seconds == seconds
    assert replace(both, prepared=None).seconds is None
    assert replace(both, decided=None).seconds is None


# ---- until a place


@pytest.mark.parametrize(
    ("until", "file", "end", "has"),
    [
        (Until("b.000002", 200), "b.000001", 900, True),
        (Until("b.000002", 200), "/logs/b.000002", 199, True),
        (Until("b.000002", 200), "/logs/b.000002", 200, True),
        (Until("b.000002", 200), "b.000002", 201, False),
        (Until("b.000002", 200), "b.000003", 4, False),
        (Until(position=200), "b.000002", 900, True),
        (Until(position=200), "b.000003", 200, True),
        (Until(position=200), "b.000003", 201, False),
        (Until("b.000002"), "b.000001", 900, True),
        (Until("b.000002"), "b.000002", 1, False),
    ],
)
def test_a_group_is_before_a_place_if_it_ends_there(until: Until, file: str, end: int, has: bool) -> None:
    assert until.has(group("a", None, file=file, end_position=end), ["b.000001", "b.000002", "b.000003"]) is has


def test_a_group_is_before_a_time_if_it_was_committed_by_then() -> None:
    times = (None, 9, 10, 11)
    assert [Until(time=10).has(group("a", None, commit_time=time), []) for time in times] == [False, True, True, False]


# ---- a series


def test_spans_are_in_the_order_of_their_logs_each_once() -> None:
    other, plain, named = Span(("c.000001",)), Span(("x",)), Span(("w",))
    assert in_series([TWO, other, ONE, plain, TWO, named]) == [[ONE, TWO], [other], [plain, named]]
    assert in_series([TWO, replace(ONE, names=(*ONE.names, *THREE.names))]) == [
        [replace(ONE, names=(*ONE.names, *THREE.names)), TWO]
    ]
    first, zero = replace(ONE, stop=100), Span(("b.000000",))
    assert in_series([ONE, first, zero]) == [[zero, ONE, first]]


Ended = tuple[int, int | None, str | None, str | None]


def outcome(*ended: Sequence[Ended]) -> tuple[list[set[tuple[int, int]]], int]:
    """Return each log's rolled back transactions, and the number of unknown ones."""
    spans = [ONE, TWO, THREE][: len(ended)]
    found, unknown = without_rolled_back(spans, Mode.FAILFAST, ended=dict(zip(spans, ended, strict=True)))
    assert [replace(span, rolled_back=frozenset()) for span in found] == spans
    return [set(span.rolled_back) for span in found], unknown


def test_an_outcome_is_of_the_last_that_was_prepared_before_it() -> None:
    prepared = [(0, 10, "xa prepare", "a"), (1, 20, "xa prepare", "b")]
    assert outcome(prepared, [(0, 30, "xa rollback", "b"), (0, 40, "xa commit", "a")]) == ([{(1, 20)}, set()], 0)
    assert outcome(prepared, [(0, 30, "xa commit", "b")]) == ([set(), set()], 1)
    assert outcome(prepared, [(0, 30, "xa commit", "b"), (0, 40, "xa rollback", "a")]) == ([{(0, 10)}, set()], 0)
    assert outcome([*prepared, (0, 30, "xa prepare", "a")], [(0, 4, "xa rollback", "a")]) == ([{(0, 30)}, set()], 2)


def test_a_rollback_of_what_was_not_prepared_is_its_own() -> None:
    """XA ROLLBACK of a transaction that changed a table without transactions; and a plain one, which has no xid."""
    assert outcome([(0, 10, "xa rollback", "a"), (2, 20, "rollback", None), (0, 30, "rollback", "b")]) == (
        *([{(0, 10), (2, 20), (0, 30)}], 0),
    )
    assert outcome([(0, None, "xa rollback", "a"), (0, None, "rollback", None)]) == ([set()], 0)
    assert outcome([(0, 10, "xa commit", "a")]) == ([set()], 0)


def test_a_rollback_of_what_has_no_place_leaves_its_rows() -> None:
    prepared = (0, None, "xa prepare", "a")
    assert outcome([prepared, (0, 40, "xa rollback", "a")]) == ([set()], 1)
    assert outcome([prepared, (0, 40, "xa commit", "a")]) == ([set()], 0)


def test_a_group_that_was_cut_counts_as_prepared() -> None:
    assert outcome([(0, 10, None, "a")], [(0, 4, "xa rollback", "a")]) == ([{(0, 10)}, set()], 0)


# ---- of logs


def test_transactions_are_those_of_xa_and_those_that_were_rolled_back() -> None:
    span = Span((str(TESTDATA / "corpus" / "mysql-9.7" / "xa" / "binlog.000001"),))
    found = list(transactions(span, Mode.FAILFAST))
    assert {how for _, _, how, _ in found} == {"xa prepare", "xa commit", "xa rollback"}
    assert {log for log, *_ in found} == {0}
    assert [position for _, position, *_ in found] == sorted(position or 0 for _, position, *_ in found)
    assert None not in {xid for *_, xid in found}
    read: list[int] = []
    assert list(transactions(span, Mode.FAILFAST, read.append)) == found
    assert sum(read) > 0


def test_an_error_ends_the_reading_and_stays() -> None:
    span = Span((str(TESTDATA / "corpus" / "mysql-9.7" / "xa" / "binlog.000001"),))
    whole = XaTransactions([span], Policy(Mode.FAILFAST))
    found = list(whole)
    assert len({one.xid for one in found}) > 2
    assert whole.error is None
    cut = XaTransactions([span, Span(("/nowhere/b.000001",))], Policy(Mode.FAILFAST))
    assert list(cut) == found
    assert str(cut.error) == "/nowhere/b.000001: cannot be opened: no such file or directory"


def test_a_plain_rollback_is_no_xa_transaction(tmp_path: Path) -> None:
    log = tmp_path / "b.000001"
    log.write_bytes(LogBuilder(MYSQL_5_6).begin().query("CREATE TEMPORARY TABLE t (a INT)").query("ROLLBACK").data)
    span = Span((str(log),))
    assert [how for _, _, how, _ in transactions(span, Mode.FAILFAST)] == ["rollback"]
    assert list(XaTransactions([span], Policy(Mode.FAILFAST))) == []
