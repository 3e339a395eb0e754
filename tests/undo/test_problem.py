"""Problems: one of each kind and table is kept, the others are counted."""

from pybinlog.undo.problem import MOST, Place, Problems

PLACE = Place("binlog.000001", 4)


def added(*of: tuple[str, str | None]) -> Problems:
    problems = Problems()
    for kind, table in of:
        problems.add(kind, table, PLACE, f"{table} is {kind}", "Leave it out")
    return problems


def test_others_of_the_same_kind_and_table_are_counted() -> None:
    problems = added(("odd", "a.b"), ("odd", "a.b"), ("odd", "a.c"), ("odd", "a.b"))
    assert list(problems.sentences()) == [
        "binlog.000001, at 4: a.b is odd. Leave it out (2 more of this kind)",
        "binlog.000001, at 4: a.c is odd. Leave it out",
    ]
    assert len(problems) == 2


def test_problems_of_tables_are_given_by_table() -> None:
    assert added(("odd", "a.b")).by_table == {"a.b": "binlog.000001, at 4: a.b is odd. Leave it out"}
    assert added(("odd", "a.b"), ("cut", None)).by_table == {}


def test_no_more_are_kept_than_fit_and_it_is_said() -> None:
    tables = [f"a.t{number}" for number in range(MOST)]
    full = added(*(("odd", table) for table in tables))
    assert len(full) == len(full.by_table) == len(list(full.sentences())) == MOST
    over = added(*(("odd", table) for table in [*tables, "a.more"]))
    assert (len(over), over.by_table) == (MOST, {})
    assert list(over.sentences())[-1] == f"there are more problems than these {MOST}"
