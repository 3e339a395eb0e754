"""A log continues the one before it, or something is wrong between them: by GTIDs, else by names."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import GapError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.log.gap import Gap, LogEnd, Range, by_end, gap_between
from pybinlog.log.gap_watch import GapWatch, range_of
from pybinlog.log.log_head import LogHead
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.corpus import TESTDATA, scenarios

SHOP = sorted((TESTDATA / "shop").glob("binlog.0*"))
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"
SOURCE = bytes.fromhex(UUID.replace("-", "")), b""


def logs_of(name: str) -> list[Path]:
    return next(found for found in scenarios() if found.name == name).logs


WITH_GTIDS = {
    "shop": SHOP,
    "mysql": logs_of("mysql-9.7/multi-file"),
    "mariadb": logs_of("mariadb-10.11/gtid-domains"),
    "mariadb, domains": sorted((TESTDATA / "more" / "mariadb-gtids").glob("*.0*")),
    "tags": logs_of("mysql-9.7/tagged-gtid"),
}
SERIES = {
    **WITH_GTIDS,
    "without GTIDs": logs_of("mysql-9.7/xa-nogtid"),
    "mysql 5.6": logs_of("mysql-5.6/xa"),
    "shutdowns": logs_of("mysql-9.7/stopped"),
    "relay logs": logs_of("mysql-9.7/relay"),
    "relay logs without GTIDs": logs_of("mysql-9.7/relay-nogtid"),
}


def gap_in(names: Sequence[str], watch: GapWatch | None = None) -> GapError | None:
    """Read the logs one after the other; what ends that."""
    watch = watch or GapWatch(pytest.fail)
    try:
        for name in names:
            with open_source(name) as source:
                reader = Reader(source)
                for batch in watch.batches(reader, reader):
                    assert batch.file == name
    except GapError as error:
        return error
    return None


def is_run(chosen: Sequence[int]) -> bool:
    return list(chosen) == list(range(chosen[0], chosen[0] + len(chosen)))


@st.composite
def choices(draw: st.DrawFn, series: dict[str, list[Path]]) -> tuple[str, list[int]]:
    """A series, and some of its logs in some order, each once; consecutive ones as often as others."""
    name = draw(st.sampled_from(sorted(series)))
    numbers = range(len(series[name]))
    if draw(st.booleans()):
        first = draw(st.sampled_from(numbers))
        return name, list(range(first, draw(st.integers(first + 1, len(numbers)))))
    return name, draw(st.lists(st.sampled_from(numbers), min_size=1, unique=True))


@given(choices(SERIES))
def test_exactly_the_consecutive_runs_of_a_series_pass(choice: tuple[str, list[int]]) -> None:
    name, chosen = choice
    error = gap_in([str(SERIES[name][at]) for at in chosen], GapWatch(lambda _: None))
    assert (error is None) == is_run(chosen), (name, chosen, error)


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Copies without the names of their server."""
    found = {}
    for name, logs in WITH_GTIDS.items():
        folder = tmp_path_factory.mktemp("renamed")
        found[name] = [str(shutil.copyfile(log, folder / f"prod.{at}")) for at, log in enumerate(logs, 1)]
    return found


@given(choice=choices(WITH_GTIDS))
def test_with_gtids_also_under_other_names(choice: tuple[str, list[int]], renamed: dict[str, list[str]]) -> None:
    name, chosen = choice
    error = gap_in([renamed[name][at] for at in chosen], GapWatch(lambda _: None))
    assert (error is None) == is_run(chosen), (name, chosen, error)


def test_the_missing_log_and_its_transactions_are_named() -> None:
    error = gap_in([str(SHOP[0]), str(SHOP[2])])
    assert str(error) == (
        f"{SHOP[2]}: binlog.000002 is missing between binlog.000001 and this log, and with it the transactions "
        f"{UUID}:6-9. Give the missing logs, too; --allow-gaps reads on without them"
    )


def test_a_gap_that_is_allowed_is_warned_of_once() -> None:
    warned: list[str] = []
    watch = GapWatch(warned.append, allows=True)
    for _ in range(2):
        watch.begin()
        assert gap_in([str(SHOP[0]), str(SHOP[2]), str(SHOP[1])], watch) is None
    assert warned == [
        f"{SHOP[2]}: binlog.000002 is missing between binlog.000001 and this log, and with it the transactions "
        f"{UUID}:6-9",
        f"{SHOP[1]}: this log is older than the log before it, binlog.000003",
    ]


def test_the_same_log_again_is_out_of_order() -> None:
    assert "this log is the same as the log before it, binlog.000001" in str(gap_in([str(SHOP[0])] * 2))


def test_gtids_decide_also_if_the_names_follow(tmp_path: Path) -> None:
    shutil.copyfile(SHOP[0], tmp_path / "binlog.000001")
    shutil.copyfile(SHOP[2], tmp_path / "binlog.000002")
    error = gap_in([str(tmp_path / "binlog.000001"), str(tmp_path / "binlog.000002")])
    assert f"the transactions {UUID}:6-9 are missing between binlog.000001 and this log" in str(error)


def test_a_log_read_from_within_is_followed_by_the_one_that_its_rotate_names() -> None:
    for following, message in ((SHOP[1], None), (SHOP[2], "binlog.000002 is missing")):
        watch = GapWatch(pytest.fail)
        with open_source(str(SHOP[0])) as source:
            reader = Reader(source, start_position=1158)
            for _ in watch.batches(reader, reader):
                pass
        error = gap_in([str(following)], watch)
        assert (error is None) == (message is None)
        assert error is None or (message or "") in str(error)


def test_under_other_names_a_log_read_from_within_is_compared_by_its_last_gtids(renamed: dict[str, list[str]]) -> None:
    first, second, third = renamed["shop"]
    for following, message in ((second, None), (third, f"the transactions {UUID}:6-9 are missing")):
        watch = GapWatch(pytest.fail)
        with open_source(first) as source:
            reader = Reader(source, start_position=1158)
            for _ in watch.batches(reader, reader):
                pass
        error = gap_in([following], watch)
        assert (error is None) == (message is None), following
        assert error is None or (message or "") in str(error)


# ---- what is known of a log's end and of the next one's beginning


def head(
    name: str, previous: str | None = None, *, begun: int = 100, server_id: int = 1, version: str = "9.7.4"
) -> LogHead:
    made = LogHead(name, 4, begun, server_id, version)
    if previous is not None:
        made.intervals = [
            (uuid, tag or b"", start, end)
            for (uuid, tag), numbers in set_of(previous).items()
            for start, end in numbers
        ]
    return made


def set_of(numbers: str) -> GtidSet:
    found = GtidSet()
    for part in numbers.split():
        first, _, last = part.partition("-")
        found.add(SOURCE, int(first), int(last or first) + 1)
    return found


def end(of: LogHead, gtids: str = "", rotates_to: str | None = None, *, last_time: int = 200, **more: bool) -> LogEnd:
    made = LogEnd(of, HeldGtids(), set_of(gtids), rotates_to, **more)
    made.last_time = last_time
    return made


class Judged(GapWatch):
    """A watch that keeps the ends and heads that it compares."""

    def __init__(self) -> None:
        super().__init__(pytest.fail)
        self.pairs: list[tuple[LogEnd, LogHead]] = []

    def judge(self, end: LogEnd, head: LogHead) -> None:
        self.pairs.append((end, head))


@pytest.mark.parametrize("logs", WITH_GTIDS.values(), ids=WITH_GTIDS)
def test_logs_without_a_gap_need_no_sets(logs: list[Path]) -> None:
    for step in (1, 2):
        watch = Judged()
        assert gap_in(list(map(str, logs[::step])), watch) is None
        for before, after in watch.pairs:
            assert before.is_continued_by(after) == (before.known == after.previous)
        assert step == 2 or any(before.is_continued_by(after) for before, after in watch.pairs)


NUMBERS = st.sets(st.integers(1, 12), max_size=9)
RUN = st.tuples(st.integers(1, 11), st.integers(1, 4)).map(lambda run: (*SOURCE, run[0], run[0] + run[1]))


def intervals_of(numbers: set[int]) -> list[tuple[bytes, bytes, int, int]]:
    return [(*SOURCE, start, end) for start, end in set_of(" ".join(map(str, numbers))).get(SOURCE, ())]


@given(before=NUMBERS, held=st.lists(RUN, max_size=3), told=NUMBERS)
def test_equal_intervals_are_equal_sets(
    before: set[int], held: list[tuple[bytes, bytes, int, int]], told: set[int]
) -> None:
    known = before.union(*(range(first, end) for _, _, first, end in held))
    for numbers in (told, known):
        found = by_end(intervals_of(before), held, mariadb=False)
        assert found is None or found != by_end(intervals_of(numbers), (), mariadb=False) or known == numbers
    lasts = by_end(intervals_of(before)[-1:], held, mariadb=True)
    assert lasts == by_end(intervals_of(known)[-1:], (), mariadb=True)


A, B, C = "binlog.000001", "binlog.000002", "binlog.000003"
LACKS_10 = f"the transactions {UUID}:10-12 are missing"


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        # names alone
        (end(head(A), rotates_to=B), head(B), None),
        (end(head(A), rotates_to=B), head(C), f"{B} is missing"),
        (end(head(A), rotates_to="binlog.000009"), head("binlog.000009"), None),  # its server skipped numbers
        (
            end(head(A), rotates_to="binlog.000005"),
            head("binlog.000007"),
            "2 logs, binlog.000005 to binlog.000006, are missing",
        ),
        (end(head(A)), head(B), None),  # a crash
        (end(head(A)), head(C), f"{B} is missing"),
        (end(head(C), rotates_to="binlog.000004"), head(A), "this log is older"),
        (end(head(A), rotates_to=B), head(A), "this log is the same"),
        (end(head("prod-1"), rotates_to=B), head("prod-3"), None),  # nothing tells
        (end(head("copy.000001"), rotates_to="binlog.000041"), head("copy.000002"), None),
        (end(head("copy.000001"), rotates_to="binlog.000041"), head("copy.000003"), "copy.000002 is missing"),
        # folders
        (end(head(f"monday/{A}"), rotates_to=B), head(f"tuesday/{C}"), f"{B} is missing"),
        (end(head(f"a/{C}"), rotates_to="binlog.000004"), head(f"b/{A}", begun=300), None),  # after a reset
        (end(head(f"a/{C}"), rotates_to="binlog.000004"), head(f"b/{A}", begun=90), None),
        (end(head(f"a/{C}", "1-5"), "6-9", "binlog.000004"), head(f"b/{A}", "1-3", begun=90), "this log is older"),
        (end(head(f"a/{A}", "1-5"), "6-9", B), head(f"b/{C}", "1-5", begun=90), f"{B} is missing"),
        # servers
        (end(head("a.000001"), rotates_to="a.000002"), head("b.000007"), None),
        (end(head(f"a/{A}"), rotates_to=B), head(f"b/{C}", server_id=2), None),
        (end(head("a.1", ""), "1-5"), head("b.1", "1-9", server_id=2), None),
        # GTIDs
        (end(head("a.1", "1-5"), "6-9"), head("a.2", "1-9"), None),
        (end(head("a.1", "1-5"), "6-9"), head("a.3", "1-12"), LACKS_10),
        (end(head(A, "1-5"), "6-9", B), head(B, "1-12"), LACKS_10),
        (
            end(head(A, ""), "", B, last_time=300),
            head(B, "1-12", begun=300),
            "this log begins with GTIDs of other servers",
        ),
        (end(head(A, ""), "", B, last_time=300), head(B, "1-12", begun=302), f"the transactions {UUID}:1-12"),
        (end(head(A, "1-5"), "6", C), head(C, "1-6"), None),
        (end(head(A, "1-5"), "6", B), head(C, "1-6"), f"{B} is missing"),
        (end(head(A, "1-5"), "6-7", B), head(B, "1-6"), None),  # a crash cut the last one off
        (end(head("a.3", "1-5"), "6-9"), head("a.1", "1-3", begun=90), "this log is older"),
        (end(head("a.3", "1-5"), "6-9"), head("b.1", "", begun=300), "this log begins a history of its own"),
        (end(head(A, "1-5"), "6-9", B, is_whole=False), head(B, "1-12"), None),
        (end(head("a.1", "1-5"), "6-9", is_whole=False), head("a.2", "1-12"), LACKS_10),
    ],
)
def test_the_rule(before: LogEnd, after: LogHead, reason: str | None) -> None:
    gap = gap_between(before, after)
    assert (None if gap is None else gap.reason[: len(reason or "")]) == reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (end(head(A, ""), "", B, last_time=300), head(B, "1-12", begun=300)),
        (end(head(A, "1-5"), "6", B), head(C, "1-6")),
        (end(head("a.3", "1-5"), "6-9"), head("b.1", "", begun=300)),
    ],
)
def test_what_loses_nothing_is_only_told(before: LogEnd, after: LogHead) -> None:
    gap = gap_between(before, after)
    assert gap is not None
    assert not gap.stops


LOST = Gap("binlog.000002 is missing", lacks=True, gtids=set_of("6-9"))


@pytest.mark.parametrize(
    ("range", "beyond"),
    [
        (range_of(None, None, None, None), False),
        (range_of(99, None, None, None), False),
        (range_of(101, None, None, None), True),  # the log behind the gap was begun before that
        (range_of(None, 200, None, None), True),  # the log before it goes up to that
        (range_of(None, 201, None, None), False),
        (range_of(None, None, f"{UUID}:1-5", None), True),
        (range_of(None, None, f"{UUID}:1-6", None), False),
        (range_of(None, None, None, f"{UUID}:1-9"), True),
        (range_of(None, None, None, f"{UUID}:1-8"), False),
    ],
)
def test_a_gap_outside_of_what_is_asked_for_does_no_harm(range: Range, beyond: bool) -> None:
    assert range.is_beyond(LOST, end(head(A)), head(C)) is beyond


def test_a_position_of_mariadb_begins_behind_a_gap_or_before_it() -> None:
    lost = GtidSet()
    lost.add(((0).to_bytes(4, "little") + (7).to_bytes(4, "little") + bytes(8), b"\1"), 6, 10)
    gap = Gap("it", lacks=True, gtids=lost)
    for position, beyond in (("0-7-9", True), ("0-7-8", False), ("1-7-9", False)):
        assert range_of(None, None, None, None, position).is_beyond(gap, end(head(A)), head(C)) is beyond
