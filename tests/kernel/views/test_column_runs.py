"""The first places of runs of equal values, and the intervals of GTIDs, in columns of Arrow's layout."""

import struct
from collections.abc import Sequence

import pytest

from pybinlog.kernel.views.column_runs import RUNS_OF_DAYS, RUNS_OF_STRINGS, gtid_intervals, run_starts
from pybinlog.views.column_values import Buffers

DAY = 86_400_000_000
"""In microseconds."""


def validity(values: Sequence[object]) -> bytes | None:
    bits = sum((value is not None) << place for place, value in enumerate(values))
    return None if None not in values else bits.to_bytes(len(values) // 8 + 1, "little")


def strings(values: Sequence[str | None]) -> Buffers:
    texts = [(value or "").encode() for value in values]
    offsets = [sum(map(len, texts[:place])) for place in range(len(texts) + 1)]
    return (
        len(values),
        values.count(None),
        validity(values),
        struct.pack(f"<{len(offsets)}i", *offsets),
        b"".join(texts),
    )


def times(values: Sequence[int | None]) -> Buffers:
    numbers = struct.pack(f"<{len(values)}q", *(value or 0 for value in values))
    return len(values), values.count(None), validity(values), numbers, None


@pytest.mark.parametrize(
    ("values", "starts"),
    [
        ([], []),
        (["a"], [0]),
        (["a", "a", "a"], [0]),
        (["a", "b", "b", "a"], [0, 1, 3]),
        (["", "", "a", ""], [0, 2, 3]),
        (["ab", "abab", "abab", "a", "babab"], [0, 1, 3, 4]),
        (["ab", "ac", "bc"], [0, 1, 2]),
        ([None, None, "", None, "a"], [0, 2, 3, 4]),
        ([None] + ["a"] * 6 + [None, None, "a", "a"], [0, 1, 7, 9]),
    ],
)
def test_a_run_ends_before_another_string(values: list[str | None], starts: list[int]) -> None:
    assert run_starts([(RUNS_OF_STRINGS, strings(values))]) == starts


@pytest.mark.parametrize(
    ("values", "starts"),
    [
        ([0, 1, DAY - 1, DAY, 2 * DAY - 1, 2 * DAY], [0, 3, 5]),
        ([-2 * DAY - 1, -2 * DAY, -DAY - 1, -DAY, -1, 0], [0, 1, 3, 5]),
        ([0, None, None, 0, 3 * DAY, 0], [0, 1, 3, 4, 5]),
    ],
)
def test_a_run_of_times_ends_with_the_day(values: list[int | None], starts: list[int]) -> None:
    assert run_starts([(RUNS_OF_DAYS, times(values))]) == starts


def test_a_run_ends_if_any_of_its_columns_changes() -> None:
    first, second = strings(["a", "a", "a", "b", "b"]), times([0, 0, DAY, 0, 0])
    assert run_starts([(RUNS_OF_STRINGS, first), (RUNS_OF_DAYS, second)]) == [0, 2, 3]
    assert run_starts([(RUNS_OF_DAYS, second), (RUNS_OF_STRINGS, first)]) == [0, 2, 3]
    assert run_starts([(RUNS_OF_STRINGS, first)] * 7 + [(RUNS_OF_DAYS, second)]) == [0, 2, 3]


@pytest.mark.parametrize("count", [0, 9])
def test_runs_have_one_to_eight_columns(count: int) -> None:
    with pytest.raises(ValueError, match=f"^runs of {count} columns cannot be found$"):
        run_starts([(RUNS_OF_STRINGS, strings(["a"]))] * count)


@pytest.mark.parametrize(
    ("values", "intervals"),
    [
        ([], []),
        ([None, None], []),
        (["s:1"], [("s", 1, 1)]),
        (["s:1", "s:1", "s:2", "s:3"], [("s", 1, 3)]),
        (["s:1", None, "s:2", None, "s:2"], [("s", 1, 2)]),
        (["s:5", "s:7", "s:8", "s:6"], [("s", 5, 5), ("s", 7, 8), ("s", 6, 6)]),
        (["s:5", "s:6", "s:5", "s:6", "s:7", "s:4"], [("s", 5, 7), ("s", 4, 4)]),
        (["s:9", "s:10", "s:100"], [("s", 9, 10), ("s", 100, 100)]),
        (["s:1", "t:2", "t:3", "s:2"], [("s", 1, 1), ("t", 2, 3), ("s", 2, 2)]),
        (["s:1", "ss:2", "s:2"], [("s", 1, 1), ("ss", 2, 2), ("s", 2, 2)]),
        (["0-1-9", "0-1-10", "0-2-11"], [("0-1", 9, 10), ("0-2", 11, 11)]),
        (["s:18446744073709551614", "s:18446744073709551615"], [("s", (1 << 64) - 2, (1 << 64) - 1)]),
        (["", "12", "s:3"], [("s", 3, 3)]),
        ([":3", ":4"], [("", 3, 4)]),
    ],
)
def test_ascending_gtids_are_one_interval(values: list[str | None], intervals: list[tuple[str, int, int]]) -> None:
    found = gtid_intervals(strings(values), 0, len(values))
    assert found == [(source.encode(), low, high) for source, low, high in intervals]
    assert gtid_intervals(strings(values), 0, len(values) + 1) == found


def test_intervals_are_of_the_rows_that_are_asked_for() -> None:
    rows = strings([f"s:{number}" for number in range(9)])
    assert gtid_intervals(rows, 2, 5) == [(b"s", 2, 4)]
    assert gtid_intervals(strings(["s:1", "s:1"]), 1, 2) == [(b"s", 1, 1)]
    assert gtid_intervals(rows, 9, 9) == []
