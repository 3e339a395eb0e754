"""Activity: one pass gives what stats, transactions and rows give one by one."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pybinlog.digest import digest_text
from pybinlog.errors import GapError
from pybinlog.feed.span import spans
from pybinlog.questions import statistics
from pybinlog.questions.activity import Activity
from pybinlog.questions.statistics import Statistics
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
SHOP = sorted(str(path) for path in (TESTDATA / "shop").glob("binlog.0*"))
LOGS = {
    "shop": SHOP,
    **{
        name: [str(log) for log in sorted((CORPUS / name).glob("*bin*.0*"))]
        for name in (
            "mysql-9.7/row-basic",
            "mysql-9.7/compression",
            "mysql-9.7/xa-nogtid",
            "mysql-9.7/ddl",
            "mysql-9.7/rows-query",
            "mysql-9.7/relay",
            "mysql-9.7/mixed-engines-statement",
            "mysql-5.6/row-v2",
            "mariadb-10.11/annotate",
            "mariadb-10.11/compressed",
            "mariadb-11.8/xa",
            "mariadb-11.8/mixed",
        )
    },
}
COLUMNS = ("commit_time", "duration", "bytes", "commit_lag", "last_committed", "sequence_number", "ended")
MICROSECONDS = 1_000_000


def options(**more: Any) -> ViewOptions:
    return ViewOptions(view="transactions", columns=(), **more)


def activity_of(names: list[str], **more: Any) -> Activity:
    found = Activity(options(**more), warn=pytest.fail)
    found.read(spans(names))
    return found


def rows_of(names: list[str], view: str, columns: tuple[str, ...], **more: Any) -> list[tuple[Any, ...]]:
    reader = ViewReader(ViewOptions(view=view, columns=columns, **more), warn=pytest.fail)
    return [row for span in spans(names) for row in reader.rows(span)]


def counted(names: list[str], *by: str, **more: Any) -> list[tuple[Any, Any]]:
    found = Statistics(options(**more), by, warn=pytest.fail)
    found.count(spans(names))
    return found.groups()


@pytest.mark.parametrize("name", LOGS)
def test_groups_are_those_of_stats(name: str) -> None:
    assert activity_of(LOGS[name]).counts.groups() == counted(LOGS[name], "second", "table", "statement")


@pytest.mark.parametrize("name", LOGS)
def test_transactions_are_those_of_the_view(name: str) -> None:
    found = activity_of(LOGS[name])
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(LOGS[name], "transactions", COLUMNS)]
    at = Counter(row["commit_time"] // MICROSECONDS for row in rows if row["commit_time"] is not None)
    assert found.transactions == len(rows) > 0
    assert {time: moment.transactions for time, moment in found.moments.items()} == at
    assert found.undated == len(rows) - at.total()
    assert found.sizes.total() == len(rows)
    assert [one.bytes for one in found.largest] == sorted((row["bytes"] for row in rows), reverse=True)[:10]
    longest = sorted((row["duration"] or 0 for row in rows), reverse=True)[:10]
    assert [one.duration or 0 for one in found.longest] == longest
    lags = {row["commit_time"] // MICROSECONDS: 0 for row in rows if row["commit_lag"] is not None}
    for row in rows:
        if row["commit_lag"] is not None:
            lags[row["commit_time"] // MICROSECONDS] = max(lags[row["commit_time"] // MICROSECONDS], row["commit_lag"])
    assert {time: moment.lag for time, moment in found.moments.items() if moment.lag is not None} == lags


@pytest.mark.parametrize("name", LOGS)
def test_rounds_are_the_longest_chain_of_transactions_that_wait_for_each_other(name: str) -> None:
    found = activity_of(LOGS[name])
    rounds, depths = 0, [0]
    for before, number in rows_of(LOGS[name], "transactions", ("last_committed", "sequence_number")):
        if number is None:
            continue
        if number < len(depths):  # the next log
            rounds += max(depths)
            depths = [0]
        depths += [0] * (number - len(depths))  # of transactions that are in no log
        depths.append(1 + max(depths[: before + 1]))
    assert found.rounds == rounds + max(depths)
    assert sum(moment.rounds or 0 for moment in found.moments.values()) == found.rounds
    assert (found.rounds > 0) == ("mysql-9.7" in name or name == "shop")


@pytest.mark.parametrize("name", LOGS)
def test_definitions_are_the_ddl_of_the_view_events(name: str) -> None:
    found = activity_of(LOGS[name])
    events = rows_of(LOGS[name], "events", ("position", "query"), operations=frozenset({"ddl"}))
    shown = [(one.position, one.statement.removesuffix("...")) for one in found.definitions.kept]
    texts = {position: digest_text(query.encode()) for position, query in events}
    assert [position for position, _ in shown] == [position for position, _ in events]
    assert all(texts[position].startswith(text) for position, text in shown)
    assert found.definitions.count == len(events) == found.definitions.at.total()


@pytest.mark.parametrize(
    "filter",
    [
        {"operations": frozenset({"delete"})},
        {"tables": frozenset({("shop", "orders")})},
        {"start_time": 1_795_000_000 * MICROSECONDS},
    ],
    ids=str,
)
def test_filters_keep_what_they_keep_elsewhere(filter: dict[str, Any]) -> None:
    found = activity_of(SHOP, **filter)
    assert found.counts.groups() == counted(SHOP, "second", "table", "statement", **filter)
    places = rows_of(SHOP, "transactions", ("start_position", "end_position", "file"), **filter)
    assert found.transactions == len(places)
    for one in found.definitions.kept:
        assert any(first <= one.position < end and file == one.file for first, end, file in places)


def test_many_groups_get_coarser_times_and_the_same_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = activity_of(SHOP)
    monkeypatch.setattr(statistics, "MANY_GROUPS", 2)
    coarse = activity_of(SHOP)
    assert exact.unit == 1
    assert coarse.unit > 1
    assert len(coarse.counts.groups()) <= len(exact.counts.groups())

    def total(found: Activity, name: str) -> int:
        return sum(getattr(measures, name) for _, measures in found.counts.groups())

    for name in ("inserts", "updates", "deletes", "events", "bytes"):
        assert total(coarse, name) == total(exact, name) > 0
    assert coarse.transactions == sum(moment.transactions for moment in coarse.moments.values())


@pytest.fixture
def with_gap(tmp_path: Path) -> list[str]:
    """The first and the third log of a series."""
    logs = [Path(log) for log in SHOP[:1] + SHOP[2:3]]
    for log in logs:
        (tmp_path / log.name).symlink_to(log)
    return [str(tmp_path / log.name) for log in logs]


def test_a_missing_log_is_noted_if_gaps_are_allowed(with_gap: list[str]) -> None:
    warned: list[str] = []
    found = Activity(options(allow_gaps=True), warn=warned.append)
    found.read(spans(with_gap))
    (gap,) = found.gaps.noted
    assert warned == [gap.sentence]
    assert gap.begin is not None
    assert gap.end is not None
    assert gap.begin <= gap.end
    with pytest.raises(GapError):
        activity_of(with_gap)


def test_a_damaged_part_is_skipped_for_all_counts(recovering: Callable[[list[str]], Activity]) -> None:
    damaged = [str(CORPUS / "mysql-9.7" / "damaged-body" / "binlog.000001")]
    found = recovering(damaged)
    assert found.transactions == sum(moment.transactions for moment in found.moments.values()) > 0
    assert sum(measures.bytes for _, measures in found.counts.groups()) == Path(damaged[0]).stat().st_size


@pytest.fixture
def recovering() -> Callable[[list[str]], Activity]:
    from pybinlog.feed.policy import Mode

    def read(names: list[str]) -> Activity:
        warned: list[str] = []
        found = Activity(options(mode=Mode.DROPMALFORMED), warn=warned.append)
        found.read(spans(names))
        assert len(warned) == len(set(warned)) > 0, "each damage is said once"
        return found

    return read
