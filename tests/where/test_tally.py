"""The sentences about the rows that a condition was asked of."""

from typing import Any

import pytest

from pybinlog.where.parser import parse
from pybinlog.where.tally import Tally

CONDITION = parse("id = 5")
NAMES = ("id",)


def sentences(**counts: Any) -> list[str]:
    return list(Tally(CONDITION, **counts).sentences())


def test_tallies_add_up() -> None:
    one = Tally(CONDITION, 1, 2, 3, {"a": 1}, {"b": 2}, frozenset({"d.t"}), {"d.u": ("x",)})
    other = Tally(CONDITION, 10, 20, 30, {"a": 10, "c": 1}, {"b": 20}, frozenset({"d.v"}), {"d.w": ()})
    assert one.plus(other) == Tally(
        *(CONDITION, 11, 22, 33, {"a": 11, "c": 1}, {"b": 22}), *(frozenset({"d.t", "d.v"}), {"d.u": ("x",), "d.w": ()})
    )
    assert one.plus(None) is one


def test_an_error_if_no_table_had_the_columns() -> None:
    error = Tally(CONDITION, without={"d.t": ("x",)}).error()
    assert error is not None
    assert error.message == "where: the table d.t has no column `id`"
    assert Tally(CONDITION).error() is None
    assert Tally(CONDITION, bound={"d.u"}, without={"d.t": ("x",)}).error() is None
    assert sentences(without={"d.t": ("x",)}) == []


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        ({"unknown": 1, "lacking": {"a": 5}}, "1 row could not be judged: their images lack `a`"),
        ({"unknown": 9, "lacking": {"a": 2, "b": 3}}, "5 rows could not be judged: their images lack `a` and `b`"),
        (
            {"unknown": 2, "unclear": {"a": 3}},
            "2 rows could not be judged: the order of `a` is not known here (its collation, its members or its sign)",
        ),
    ],
)
def test_rows_that_could_not_be_judged(counts: dict[str, Any], wanted: str) -> None:
    assert sentences(**counts) == [wanted]
    assert sentences(bound={"d.t"}, **counts) == [wanted]


def test_tables_that_were_skipped() -> None:
    def skipped(*tables: str) -> list[str]:
        return sentences(bound={"d.z"}, without=dict.fromkeys(tables, NAMES))

    assert skipped() == []
    assert skipped("d.a") == ["1 table was skipped, without a column of the condition: d.a"]
    assert skipped("d.c", "d.b", "d.a") == ["3 tables were skipped, without a column of the condition: d.a, d.b, d.c"]
    assert skipped("d.d", "d.c", "d.b", "d.a") == [
        "4 tables were skipped, without a column of the condition: d.a, d.b, d.c ..."
    ]
    assert skipped("d.z") == ["rows of definitions without a column of the condition were skipped: d.z"]
    assert skipped("d.z", "d.a") == [
        "1 table was skipped, without a column of the condition: d.a",
        "rows of definitions without a column of the condition were skipped: d.z",
    ]
