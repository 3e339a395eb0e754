"""Spans: logs read from one place to another."""

from itertools import pairwise
from pathlib import Path

import pytest

from pybinlog.errors import DataLossError
from pybinlog.feed.span import Span, spans
from pybinlog.log.log_mark import mark_at
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.corpus import Scenario, scenarios
from tests.views.conftest import ShortLogs
from tests.views.expected import read, view
from tests.views.relay_logs import rotate

pytest.importorskip("pyarrow")

SCENARIOS = [s for s in scenarios() if s.intact and not s.folder.name.startswith("relay")]
RELAY = [s for s in scenarios() if s.folder.name.startswith("relay")]
BOTH = [next(s for s in SCENARIOS if s.name == f"mysql-9.7/{name}").logs[0] for name in ("statement", "xa")]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=repr)
def test_a_span_may_begin_and_end_between_any_two_transactions(scenario: Scenario, short_logs: ShortLogs) -> None:
    for path in short_logs(scenario)[:1]:
        whole, events, rows = (view([path], name) for name in ("transactions", "events", "rows"))
        for transaction in whole[1 : -1 : max(5, len(whole) // 20)]:
            start, stop = transaction["start_position"], transaction["end_position"]
            span = Span((str(path),), start, stop)
            assert read(ViewReader(ViewOptions(view="transactions")), span) == [transaction]
            for name, of_log in (("events", events), ("rows", rows)):
                found = read(ViewReader(ViewOptions(view=name)), span)
                assert found == [row for row in of_log if start <= row["position"] < stop]
        at = whole[len(whole) // 2]["start_position"] or 4
        for name, of_log in (("events", events), ("rows", rows)):
            assert view([path], name, first_position=at) == [row for row in of_log if row["position"] >= at]
            assert view([path], name, stop_position=at) == [row for row in of_log if row["position"] < at]


@pytest.mark.parametrize("scenario", RELAY, ids=repr)
def test_relay_logs_of_a_series_are_read_as_one(scenario: Scenario) -> None:
    logs = [str(path) for path in scenario.logs]
    series = spans(logs)
    assert len(series) < len(logs)
    # read one by one they give the same, for servers begin a new relay log between transactions if they can
    assert view(logs, "rows") == [row for log in logs for row in view([log], "rows")]


@pytest.mark.parametrize("scenario", RELAY, ids=repr)
def test_a_transaction_may_go_on_in_the_next_relay_log(scenario: Scenario, tmp_path: Path) -> None:
    """As after FLUSH RELAY LOGS in the middle of it."""
    path = max(scenario.logs, key=lambda log: log.stat().st_size)
    data = path.read_bytes()
    size = int.from_bytes(data[4 + 9 : 4 + 13], "little")
    whole = view([path], "transactions")
    cut = next(row for row in whole if row["ended"] == "commit" and row["events"] > 3)
    events = view([path], "events", first_position=cut["start_position"], stop_position=cut["end_position"])
    middle = events[-2]["position"]
    first, second = tmp_path / "relay.000001", tmp_path / "relay.000002"
    first.write_bytes(data[:middle] + rotate(data[4 : 4 + size], second.name))
    second.write_bytes(data[: 4 + size] + data[middle:])

    found = view([first, second], "transactions")
    assert len(found) == len(whole)
    joined = found[whole.index(cut)]
    assert joined["file"] == str(first)
    assert joined["end_position"] == cut["end_position"] - middle + 4 + size
    same = ("begin_time", "commit_time", "events", "rows", "bytes", "tables", "ended")
    assert [joined[name] for name in same] == [cut[name] for name in same]
    changes = [(row["gtid"], row["before"], row["after"]) for row in view([first, second], "rows")]
    assert changes == [(row["gtid"], row["before"], row["after"]) for row in view([path], "rows")]


def test_other_logs_are_read_apart(tmp_path: Path) -> None:
    assert spans(["a.000001", "a.000002", "b.000003"], lambda name: False) == [
        Span(("a.000001",)),
        Span(("a.000002",)),
        Span(("b.000003",)),
    ]
    assert spans(["a.000001", "a.000002", "a.000004", "b.000005", "x"], lambda name: True) == [
        Span(("a.000001", "a.000002")),
        Span(("a.000004",)),
        Span(("b.000005",)),
        Span(("x",)),
    ]


def test_one_log_of_a_series_tells_of_which_kind_all_are() -> None:
    asked: list[str] = []

    def is_relay_log(name: str) -> bool:
        asked.append(name)
        return name == "b.000001"

    names = ["a.000001", "a.000002", "b.000001", "b.000002", "a.000003", "x", "x"]
    assert [span.names for span in spans(names, is_relay_log)] == [
        *(("a.000001",), ("a.000002",), ("b.000001", "b.000002"), ("a.000003",), ("x",), ("x",))
    ]
    assert asked == ["a.000001", "b.000001"]


def test_marks_are_those_of_the_log() -> None:
    one, two = (mark for log in BOTH if (mark := mark_at(str(log), 200)) is not None)
    span = Span(("a", "b"), marks=(("a", 200, one), ("b", 200, two), ("a", 300, two)))
    assert span.marks_of("a") == [(200, one), (300, two)]
    assert span.marks_of("b") == [(200, two)]
    assert span.marks_of("c") == []


def test_a_span_over_relay_logs_begins_with_the_sources_format(tmp_path: Path) -> None:
    """The Format_description that holds at the start is somewhere before it, not at the log's head."""
    for scenario in RELAY:
        logs = [str(path) for path in scenario.logs]
        whole = view(logs, "rows")
        for log in logs:
            places = [row["transaction_position"] for row in whole if row["file"] == log]
            for start in sorted({place for place in places if place is not None})[:4]:
                index = logs.index(log)
                found = read(ViewReader(ViewOptions(view="rows")), Span(tuple(logs[index:]), start))
                first = next(
                    i for i, row in enumerate(whole) if row["file"] == log and row["transaction_position"] == start
                )
                assert found == whole[first:]


def test_a_span_of_a_log_that_is_replaced_before_it_is_read(tmp_path: Path) -> None:
    """A span is read from its own place on, and a log of the same name may have none or another one there."""
    log = tmp_path / "binlog.000001"
    one, other = BOTH
    log.write_bytes(one.read_bytes())
    whole = view([log], "transactions")
    cuts = [row["end_position"] for row in whole[::3]]
    cut = []
    for start, stop in pairwise([4, *cuts, None]):
        places = [at for at in (start, stop) if at is not None and at > 4]
        marks = [(str(log), at, mark) for at in places if (mark := mark_at(str(log), at)) is not None]
        cut.append(Span((str(log),), start or 4, stop, tuple(marks)))
    assert len(cut) > 4
    reader = ViewReader(
        ViewOptions(view="transactions", ignore_corrupt_files=True), in_order=False, warn=lambda text: None
    )
    assert [row for span in cut for row in read(reader, span)] == whole
    for data in (other.read_bytes(), one.read_bytes()[:600], one.read_bytes()[:-1] + b"\0" * 5000):
        log.write_bytes(data)
        for span in cut:
            end = span.stop or span.start
            if data[:end] == one.read_bytes()[:end]:
                read(reader, span)
            else:
                with pytest.raises(DataLossError, match=r"binlog\.000001, at \d+: the log .* now.*Run this again"):
                    read(reader, span)
