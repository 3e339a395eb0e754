"""Logs that are read apart give together what they give as one, also relay logs that begin inside a transaction."""

from pathlib import Path

import pytest

from pybinlog.feed.span import LogPlace, Span, is_inside, log_places, rest_of_group
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.check.logs import events_of
from tests.check.test_relay_logs import ARTIFICIAL, relay_logs, source_events
from tests.corpus import Scenario, scenarios
from tests.feed.test_span import RELAY
from tests.layout.log_builder import MYSQL_9_7, LogBuilder
from tests.views.expected import read, view
from tests.views.relay_logs import RelayLogs, added, opened, pieces

pytest.importorskip("pyarrow")

VIEWS = ("events", "transactions", "rows")


def apart(names: list[str], name: str) -> list[dict[str, object]]:
    spans = [place.span() for place in log_places(names)]
    return [row for span in spans if span is not None for row in read(ViewReader(ViewOptions(view=name)), span)]


@pytest.mark.parametrize(
    "scenario", [s for s in scenarios() if s.intact and (len(s.logs) > 1 or s.folder.name in ("row", "xa"))], ids=repr
)
def test_every_log_by_itself_gives_the_rows_of_all(scenario: Scenario) -> None:
    logs = [str(log) for log in scenario.logs]
    for name in VIEWS:
        assert apart(logs, name) == view(logs, name)


@pytest.mark.parametrize("fake_flags", ARTIFICIAL)
@pytest.mark.parametrize("cut", range(1, len(source_events())))
def test_relay_logs_of_old_replicas(cut: int, fake_flags: int, tmp_path: Path) -> None:
    """Without GTIDs only the logs before tell whether a transaction continues."""
    names = []
    for number, data in enumerate(relay_logs(cut, fake_flags), 1):
        (tmp_path / f"binlog.{number:06}").write_bytes(data)
        names.append(str(tmp_path / f"binlog.{number:06}"))
    for name in VIEWS:
        assert apart(names, name) == view(names, name)


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("scenario", RELAY, ids=repr)
def test_a_transaction_may_reach_over_several_relay_logs(scenario: Scenario, step: int, tmp_path: Path) -> None:
    names = pieces(max(scenario.logs, key=lambda log: log.stat().st_size), step, tmp_path)
    for name in VIEWS:
        assert apart(names, name) == view(names, name)


def test_a_place_has_the_neighbours_that_follow_each_other() -> None:
    names = [f"binlog.{number:06}" for number in (*range(1, 101), *range(200, 203))]
    places = log_places([*names, "other"])
    assert [place.name for place in places] == [*names, "other"]
    assert places[0] == LogPlace(tuple(names[:65]), 0, names[1])
    assert places[1] == LogPlace(tuple(names[:66]), 1, names[2])
    assert places[64] == LogPlace(tuple(names[:100]), 64, names[65])
    assert places[65] == LogPlace(tuple(names[1:100]), 64, names[66])
    assert places[99] == LogPlace(tuple(names[35:100]), 64, names[100])
    assert places[100].names == tuple(names[100:103])
    assert places[101].before == places[100]
    assert places[-1] == LogPlace(("other",), 0)


# ---- where the transactions of a relay log begin


def test_transactions_begin_after_the_rest_of_the_one_before(relay: RelayLogs) -> None:
    relay.add(opened())
    rest = added(LogBuilder(MYSQL_9_7)).commit(1)
    name = relay.add(LogBuilder(MYSQL_9_7).add_bytes(b"".join(events_of(rest.data)[1:])).gtid(2).query("DROP TABLE t"))
    state = relay.state()
    assert is_inside(state)
    assert rest_of_group(name, state) == len(rest.data)
    assert relay.span(1) == Span((name,), len(rest.data), of_first=True)
    assert relay.span(0) == Span(tuple(relay.names), of_first=True)
    assert apart(relay.names, "transactions") == view(relay.names, "transactions")


def test_no_transaction_begins_in_a_log_inside_of_one(relay: RelayLogs) -> None:
    relay.add(opened())
    name = relay.add(added(LogBuilder(MYSQL_9_7)))
    relay.add(LogBuilder(MYSQL_9_7).commit(1).gtid(2).query("DROP TABLE t"))
    assert rest_of_group(name, relay.state()) is None
    assert relay.span(1) is None
    assert relay.span(2) == Span((relay.names[2],), len(LogBuilder(MYSQL_9_7).commit(1).data), of_first=True)
    assert apart(relay.names, "transactions") == view(relay.names, "transactions")


def test_a_transaction_that_comes_again_begins_with_its_log(relay: RelayLogs) -> None:
    relay.add(added(opened()))
    again = relay.add(added(added(opened())).commit(1))
    assert rest_of_group(again, relay.state()) == 4
    assert relay.span(1) == Span((again,), 4, of_first=True)
    of_first, of_second = (
        [row["position"] for row in read(ViewReader(ViewOptions(view="rows")), span)]
        for span in (relay.span(0), relay.span(1))
        if span is not None
    )
    assert (len(of_first), len(of_second)) == (1, 2)


def test_no_state_is_carried_into_a_log_that_does_not_follow(relay: RelayLogs) -> None:
    relay.add(opened(), follower="relay.000009")
    rest = relay.add(added(LogBuilder(MYSQL_9_7)).commit(1))
    assert relay.span(1) == Span((rest,), of_first=True)
    assert rest_of_group(rest, 0) == 4
    assert not is_inside(0)


def test_a_log_of_a_head_alone_has_a_span(relay: RelayLogs) -> None:
    relay.add(opened())
    head = relay.add(LogBuilder(MYSQL_9_7))
    assert relay.span(1) == Span((head,), of_first=True)


def test_a_log_after_one_that_cannot_be_read_is_read_from_its_beginning(relay: RelayLogs) -> None:
    one = Path(relay.add(opened()))
    two = relay.add(added(LogBuilder(MYSQL_9_7)).commit(1))
    one.write_bytes(one.read_bytes()[:-80])
    assert relay.span(1) == Span((two,), 4, of_first=True)
    one.unlink()
    assert relay.span(1) == Span((two,), 4, of_first=True)
    assert relay.span(0) == Span((str(one),))


def test_a_binary_log_has_a_span_of_its_own(tmp_path: Path) -> None:
    for name, builder in (("b.000001", opened()), ("b.000002", added(LogBuilder(MYSQL_9_7)).commit(1))):
        (tmp_path / name).write_bytes(builder.data)
    names = (str(tmp_path / "b.000001"), str(tmp_path / "b.000002"))
    assert [LogPlace(names, at).span() for at in (0, 1)] == [Span(names[:1]), Span(names[1:])]
