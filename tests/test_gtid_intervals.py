"""IntervalSet beside Python's own sets."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pybinlog.gtid_intervals import IntervalSet

INTERVALS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])))


def numbers(intervals: list[tuple[int, int]] | IntervalSet) -> set[int]:
    return {number for start, end in intervals for number in range(start, end)}


@given(INTERVALS)
def test_it_holds_what_was_added(intervals: list[tuple[int, int]]) -> None:
    made = IntervalSet(intervals)
    assert numbers(made) == numbers(intervals)
    assert all((number in made) == (number in numbers(intervals)) for number in range(70))
    listed = list(made)
    assert listed == sorted(listed)
    assert all(one[1] < other[0] for one, other in pairwise(listed))


@given(INTERVALS, INTERVALS)
def test_unite(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    both, added = IntervalSet(one), IntervalSet(other)
    both.unite(added)
    assert both == IntervalSet([*one, *other])
    assert added == IntervalSet(other)


def test_a_small_set_is_added_to_a_large_one() -> None:
    large = [(at, at + 1) for at in range(1, 4000, 2)]
    both = IntervalSet.of_sorted(large)
    both.unite(IntervalSet([(2, 5), (5000, 5001)]))
    assert both == IntervalSet([*large, (2, 5), (5000, 5001)])


@given(INTERVALS, INTERVALS)
def test_minus(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    assert numbers(IntervalSet(one).minus(IntervalSet(other))) == numbers(one) - numbers(other)


@given(INTERVALS, st.integers(1, 70))
def test_next_start(intervals: list[tuple[int, int]], number: int) -> None:
    starts = [start for start, _ in IntervalSet(intervals) if start > number]
    assert IntervalSet(intervals).next_start(number) == min(starts, default=(1 << 63) - 1)


def test_the_worst_order_gives_one_interval() -> None:
    made = IntervalSet()
    for number in range(100_000, 0, -2):
        made.add(number, number + 1)
    assert len(list(made)) == 50_000
    for number in range(99_999, 0, -2):
        made.add(number, number + 1)
    assert list(made) == [(1, 100_001)]
