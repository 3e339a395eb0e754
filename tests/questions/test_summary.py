"""A summary: its statements, its sums and its gaps."""

import pytest

from pybinlog.questions.statistics import Measures
from pybinlog.questions.statistics import measures as measures_of
from pybinlog.questions.summary import MOST, Group, Ranks, missing, total_of


def group(size: int, seconds: int | None = None, xid: str | None = None) -> Group:
    return Group("binlog.000001", 4, 100, None, seconds, 1, size, None, xid)


def test_the_ten_largest_and_longest_are_kept_the_first_of_equals_before_others() -> None:
    ranks = Ranks()
    sizes = [3, 9, 1, 12, 9, 5, 7, 2, 8, 6, 4, 12, 10, 11]
    added = [group(size, seconds=size % 4 or None) for size in sizes]
    for one in added:
        ranks.add(one)
    assert (ranks.count, MOST, ranks.xids) == (14, 10, set())
    assert [one.bytes for one in ranks.largest] == [12, 12, 11, 10, 9, 9, 8, 7, 6, 5]
    assert [added.index(one) for one in ranks.largest[:2]] == [3, 3]
    assert [(one.seconds, one.bytes) for one in ranks.longest] == [
        (3, 11),
        (3, 7),
        (3, 3),
        (2, 10),
        (2, 6),
        (2, 2),
        (1, 9),
        (1, 9),
        (1, 5),
        (1, 1),
    ]
    ranks.add(group(1, xid="X'',X'',1"))
    ranks.add(group(1))
    assert ranks.xids == {"X'',X'',1"}


def test_of_equal_transactions_the_first_is_kept() -> None:
    ranks = Ranks()
    for number in range(12):
        ranks.add(group(5)._replace(position=number))
    assert [one.position for one in ranks.largest] == list(range(10))
    assert [one.position for one in ranks.longest] == list(range(10))


@pytest.mark.parametrize(
    ("names", "lacking"),
    [
        (["b.000001", "b.000002", "b.000003"], []),
        (["b.000001", "b.000003"], ["b.000002"]),
        (["x/b.000001", "x/b.000004", "x/b.000006"], ["b.000002 to b.000003", "b.000005"]),
        (["b.000003", "b.000001"], []),
        (["b.000001", "c.000009"], []),
        (["b.000001", "log", "b.000009"], []),
        (["b.999998", "b.1000000"], ["b.999999"]),
        (["b.000001"], []),
    ],
)
def test_logs_between_others_of_their_series_are_missing(names: list[str], lacking: list[str]) -> None:
    assert missing(names) == lacking


def test_measures_add_up_and_a_time_is_the_first_or_last_that_is_known() -> None:
    one = measures_of([50, 60, 7, 1, 2, 10, 20, 30, 40, 5, 6])
    assert one == Measures(7, 10, 20, 30, 60, 40, 5, 6, 1, 2, 50, 60)
    unknown = measures_of([0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    assert (unknown.first_time, unknown.last_time) == (None, None)
    other = measures_of([40, 55, 3, 100, 200, 1, 1, 1, 1, 1, 1])
    assert total_of([unknown, one, other], 9) == Measures(9, 11, 21, 31, 63, 41, 6, 7, 102, 203, 40, 60)
    assert total_of([unknown], 1)[-2:] == (None, None)
