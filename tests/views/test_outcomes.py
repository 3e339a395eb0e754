"""Rows of transactions that were rolled back; the outcome of XA transactions comes later in the logs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span, spans
from pybinlog.views.options import ViewOptions
from pybinlog.views.outcomes import without_rolled_back
from pybinlog.views.reader import ViewReader
from tests.check.logs import events_of, joined
from tests.corpus import TESTDATA, Scenario, scenarios
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_5_6, LogBuilder
from tests.layout.log_builder import row as image
from tests.views.expected import read, view
from tests.views.relay_logs import rotate

pytest.importorskip("pyarrow")

XA = [s for s in scenarios() if s.intact and s.folder.name in ("xa", "xa-nogtid", "compression", "tagged-gtid")]


def named(name: str) -> Scenario:
    return next(s for s in XA if s.name == name)


def committed(names: Sequence[Path | str], **options: Any) -> tuple[list[dict[str, Any]], int]:
    found, unknown = without_rolled_back(spans([str(name) for name in names]), Mode.FAILFAST)
    reader = ViewReader(ViewOptions(view="rows", **options), in_order=False)
    return [row for span in found for row in read(reader, span)], unknown


@pytest.mark.parametrize("scenario", XA, ids=repr)
def test_the_rows_are_those_that_the_transactions_say(scenario: Scenario) -> None:
    """Each xid of these logs is used once, so a look at names is enough."""
    transactions = view(scenario.logs, "transactions")
    ends: dict[str, set[str]] = {}
    for row in transactions:
        if row["xa_xid"] is not None:
            ends.setdefault(row["xa_xid"], set()).add(row["ended"])
    gone = {xid for xid, ended in ends.items() if {"xa prepare", "xa rollback"} <= ended}
    whole = view(scenario.logs, "rows", ddl=True)
    wanted = [row for row in whole if row["xa_xid"] not in gone]
    unknown = sum(ended == {"xa prepare"} for ended in ends.values())
    assert committed(scenario.logs, ddl=True) == (wanted, unknown)
    if "xa" in scenario.folder.name and scenario.server != "mysql-5.6":  # which logs no XA statements
        assert len(wanted) < len(whole)


class Groups:
    """Parts of mysql-9.7/xa-nogtid: its head, and event groups of one transaction."""

    def __init__(self) -> None:
        path = named("mysql-9.7/xa-nogtid").logs[0]
        events = events_of(path.read_bytes())
        at = {row["position"]: number for number, row in enumerate(view([path], "events"))}
        self.head = events[: at[view([path], "transactions")[0]["start_position"]]]
        found = view([path], "transactions")
        xid = next(row["xa_xid"] for row in found if row["ended"] == "xa rollback")
        of_xid = {row["ended"]: row for row in found if row["xa_xid"] == xid}

        def group(row: dict[str, Any]) -> list[bytes]:
            return events[at[row["start_position"]] : at.get(row["end_position"], len(events))]

        self.prepare = group(of_xid["xa prepare"])
        self.rollback = group(of_xid["xa rollback"])
        # the same statement for the same xid, with the other outcome
        self.commit = [event.replace(b"XA ROLLBACK ", b"XA COMMIT   ") for event in self.rollback]
        assert self.commit != self.rollback

    def write(self, path: Path, *groups: list[bytes], head: list[bytes] | None = None) -> Path:
        path.write_bytes(
            joined([*(self.head if head is None else head), *(event for group in groups for event in group)])
        )
        return path


@pytest.fixture(scope="module")
def groups() -> Groups:
    return Groups()


def places(rows: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted({(Path(row["file"]).name, row["transaction_position"]) for row in rows})


def test_an_xid_that_is_used_again(groups: Groups, tmp_path: Path) -> None:
    prepare, rollback, commit = groups.prepare, groups.rollback, groups.commit
    log = groups.write(tmp_path / "b.000001", prepare, rollback, prepare, commit, prepare, rollback, prepare)
    started = [row["start_position"] for row in view([log], "transactions") if row["ended"] == "xa prepare"]
    assert [row["ended"] for row in view([log], "transactions")][1::2] == ["xa rollback", "xa commit", "xa rollback"]
    rows, unknown = committed([log])
    assert places(rows) == [("b.000001", started[1]), ("b.000001", started[3])]
    assert unknown == 1  # the last
    assert rows == [row for row in view([log], "rows") if row["transaction_position"] in (started[1], started[3])]


def test_an_outcome_in_a_later_log_of_the_series(groups: Groups, tmp_path: Path) -> None:
    one = groups.write(tmp_path / "b.000001", groups.prepare)
    other = groups.write(tmp_path / "b.000002", groups.rollback, groups.prepare)
    another = groups.write(tmp_path / "b.000003", groups.commit)
    rows, unknown = committed([another, other, one])  # in whatever order they are named
    assert (places(rows), unknown) == (places(view([other], "rows")), 0)
    assert committed([one, one, other, another]) == (rows, 0)
    assert committed([one]) == (view([one], "rows"), 1)
    assert committed([another]) == ([], 0)


def test_logs_of_another_server_have_outcomes_of_their_own(groups: Groups, tmp_path: Path) -> None:
    """A replica has the same xids as its source."""
    one = groups.write(tmp_path / "a.000001", groups.prepare)
    other = groups.write(tmp_path / "b.000002", groups.rollback)
    assert committed([one, other]) == (view([one], "rows"), 1)
    plain = groups.write(tmp_path / "one", groups.prepare), groups.write(tmp_path / "other", groups.rollback)
    assert committed(plain) == ([], 0)  # without numbers they are of one series, as they are named


def test_a_transaction_whose_beginning_is_not_there(groups: Groups, tmp_path: Path) -> None:
    log = groups.write(tmp_path / "b.000001", groups.prepare[2:], groups.rollback)
    # (XA END cannot be told from a statement that ends the transaction)
    assert [row["ended"] for row in view([log], "transactions")] == ["statement", "xa prepare", "xa rollback"]
    rows, unknown = committed([log])
    assert rows
    assert rows == view([log], "rows")
    assert unknown == 1


def test_a_damaged_log_counts_as_far_as_it_can_be_read(groups: Groups, tmp_path: Path) -> None:
    log = groups.write(tmp_path / "b.000001", groups.prepare, groups.rollback, groups.prepare, groups.commit)
    whole = log.read_bytes()
    log.write_bytes(whole[: -len(groups.commit[-1]) - 40])
    found, unknown = without_rolled_back(spans([str(log)]), Mode.FAILFAST)
    assert ([len(span.rolled_back) for span in found], unknown) == ([1], 1)


def test_a_transaction_that_continues_in_the_next_relay_log(groups: Groups, tmp_path: Path) -> None:
    prepare = groups.prepare
    kinds = [event[4] for event in prepare]
    middle = kinds.index(EventType.WRITE_ROWS) - 1
    first = tmp_path / "relay.000001"
    second = groups.write(tmp_path / "relay.000002", prepare[middle:], groups.rollback, head=groups.head[:1])
    data = groups.write(first, prepare[:middle]).read_bytes()
    first.write_bytes(data + rotate(groups.head[0], second.name))
    span = Span((str(first), str(second)))
    (found,), unknown = without_rolled_back([span], Mode.FAILFAST)
    start = view([first], "transactions")[0]["start_position"]
    assert (found.rolled_back, unknown) == (frozenset({(0, start)}), 0)
    reader = ViewReader(ViewOptions(view="rows"), in_order=False)
    assert read(reader, span)
    assert not read(reader, found)


def test_a_transaction_that_ended_with_rollback(tmp_path: Path) -> None:
    """As MariaDB logs an XA transaction that changed a table without transactions, too, and was not prepared."""
    builder = LogBuilder(MYSQL_5_6)
    for end in ("COMMIT", "ROLLBACK", "COMMIT"):
        builder.begin()
        builder.query("CREATE TEMPORARY TABLE tt (a INT)")
        builder.table_map(INT_AND_TEXT)
        builder.rows(EventType.WRITE_ROWS, image(1, end), 2)
        builder.query(end)
    log = tmp_path / "b.000001"
    log.write_bytes(builder.data)
    whole = view([log], "rows", ddl=True)
    found, unknown = committed([log], ddl=True)
    assert [row["operation"] for row in whole] == ["DDL", "INSERT"] * 3
    assert (found, unknown) == ([*whole[:3], *whole[4:]], 0)


def test_rows_that_are_left_out_count(groups: Groups, tmp_path: Path) -> None:
    """As those do that a filter leaves out: no other transaction's numbers depend on them."""
    log = groups.write(tmp_path / "b.000001", groups.prepare, groups.rollback, groups.prepare, groups.commit)
    rows, _ = committed([log])
    assert [row for row in view([log], "rows") if row in rows] == rows
    assert rows[0]["row"] == 1


def test_the_outcome_of_large_format_ids() -> None:
    """A server keeps four bytes of an id, and writes the client's whole number into its statements."""
    log = TESTDATA / "more" / "xa-format-ids" / "binlog.000001"
    found, unknown = committed([log])
    assert [row["xa_xid"] for row in found] == ["X'61',X'',2147483648", "X'63',X'',4294967295", "X'65',X'',4294967295"]
    assert unknown == 0
