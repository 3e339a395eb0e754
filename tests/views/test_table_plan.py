"""The columns of one definition in the view of a table."""

from dataclasses import replace
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.views.table_plan import TablePlan, as_text
from pybinlog.views.table_shape import TableShape, shape_of
from pybinlog.views.view import Column, Form, Kind
from tests.views.tables import Described, described

LATIN1, UTF8MB4, BINARY = 8, 255, 63
COLUMNS = (
    described("id", "integer", 32),
    described("name", "bytes", collation=LATIN1),
    described("level", "enum", members=["a", "b"]),
    described("price", "decimal", 12, 2),
)


def shape(*columns: Described, wanted: list[str] | None = None) -> TableShape:
    found = shape_of([(b"shop", b"customer", (columns, None, False), "b.000001", 100)], wanted)
    assert found is not None
    return found


def steps(plan: TablePlan, *columns: Described, key: tuple[int, ...] | None = None) -> list[Any]:
    return list(plan.steps((columns, key, False), "b.000002", 300))


def test_columns_are_put_where_the_view_has_them() -> None:
    plan = TablePlan(shape(*COLUMNS), ("price", "_op", "LEVEL", "_corrupt_record", "id"))
    assert plan.targets == [
        (Form.DECIMAL, 2, "price", "column.3"),
        (Form.MEMBER, 0, "level", "column.2"),
        (Form.SIGNED, 0, "id", "column.0"),
    ]
    members = [(2, b""), (0, b"a"), (1, b"b")]
    assert steps(plan, *COLUMNS, key=(0, 1)) == [
        (2, True, True, UTF8MB4, None, 0),
        (-1, True, True, LATIN1, None, 0),
        (1, False, True, UTF8MB4, members, 0),
        (0, False, True, UTF8MB4, None, 0),
    ]
    assert [step[1] for step in steps(plan, *COLUMNS)] == [False] * 4


def test_names_are_compared_in_whatever_case() -> None:
    plan = TablePlan(shape(*COLUMNS), ("id",))
    assert steps(plan, described("ID", "integer", 8, 0, True)) == [(0, False, False, UTF8MB4, None, 0)]


def test_members_are_found_in_the_views_dictionary() -> None:
    plan = TablePlan(
        shape(described("a", "enum", members=["x", "y"]), described("b", "set", members=["p"])), ("a", "b")
    )
    enum, members = described("a", "enum", members=["y"]), described("b", "set", members=["p", "q"])
    assert [step[4] for step in steps(plan, enum, members)] == [[(2, b""), (1, b"y")], [(0, b"p"), (0, b"q")]]


def test_bytes_have_their_size_if_they_have_no_characters() -> None:
    columns = [described("a", "bytes", 7, collation=number) for number in (BINARY, LATIN1, 0)]
    columns.append(described("a", "opaque", 7, collation=BINARY))
    for column, collation, size in zip(columns, (0, LATIN1, 0, 0), (7, 0, 0, 0), strict=True):
        assert steps(TablePlan(shape(column), ("a",)), column) == [(0, False, True, collation, None, size)]


def test_a_column_that_is_not_shown_is_read_if_it_is_in_the_key() -> None:
    plan = TablePlan(shape(*COLUMNS), ("id",))
    unknown = described("x", "nothing", 0, 0, True)
    assert steps(plan, COLUMNS[0], unknown)[1] is None
    assert steps(plan, COLUMNS[0], unknown, key=(1,))[1] == (-1, True, False, 0, None, 0)
    assert steps(plan, COLUMNS[0], described("x", "nothing"), key=(1,))[1] == (-1, True, True, 0, None, 0)


def refused(plan: TablePlan, column: Described) -> BinlogError:
    with pytest.raises(BinlogError) as caught:
        steps(plan, column)
    return caught.value


def test_a_column_that_the_survey_had_not() -> None:
    error = refused(TablePlan(shape(*COLUMNS), ("id",)), described("born", "date"))
    assert (error.message, error.file, error.position, error.hint) == (
        "the table shop.customer has a column born here, which it had not when the logs were looked through",
        "b.000002",
        300,
        "Begin again: then the column is among the view's",
    )
    chosen = TablePlan(shape(*COLUMNS, wanted=["id"]), ("id",))
    assert steps(chosen, described("born", "date")) == [(-1, False, True, UTF8MB4, None, 0)]


def test_a_column_of_a_type_that_does_not_fit() -> None:
    known = shape(*COLUMNS)
    wide = described("id", "integer", 64)
    assert refused(TablePlan(known, ("id",)), wide).message == (
        "the column id of shop.customer is int at b.000001:100 and bigint at b.000002:300, which one column cannot hold"
    )
    assert refused(TablePlan(replace(known, places=()), ("id",)), wide).message == (
        "the column id of shop.customer is int and bigint at b.000002:300, which one column cannot hold"
    )
    assert steps(TablePlan(known, ("name",)), wide) == [(-1, False, True, UTF8MB4, None, 0)]


def test_digits_of_a_decimal_may_be_text() -> None:
    text, decimal = Column("a", Kind.STRING), Column("a", Kind.DECIMAL, precision=65)
    assert [as_text(*pair) for pair in ((text, decimal), (decimal, text), (text, text), (decimal, decimal))] == [
        *(True, False, False, False)
    ]
    plan = TablePlan(TableShape("shop", "customer", (text,)), ("a",))
    assert steps(plan, described("a", "decimal", 65, 30)) == [(0, False, True, UTF8MB4, None, 0)]
    assert "decimal" not in refused(plan, described("a", "date")).message


def test_values_that_arrow_has_nothing_for() -> None:
    plan = TablePlan(shape(*COLUMNS), ("id",))
    steps(plan, *COLUMNS)
    dated, invalid = (plan.refusal(1, date) for date in (True, False))
    assert (dated.message, dated.hint) == (
        "a row has a date in shop.customer.name that is in no calendar, such as 0000-00-00",
        "--zero-dates=null writes NULL for it",
    )
    assert (invalid.message, invalid.hint) == (
        "a row has bytes in shop.customer.name that are invalid in the column's character set",
        "--invalid-text=null writes NULL for them",
    )
