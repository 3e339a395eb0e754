"""The types of a table's columns: which holds which, and what is said of those that no type holds."""

from itertools import product
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.views.table_shape import (
    TableShape,
    accepts,
    column_of,
    has_characters,
    members_of,
    shape_of,
    type_name,
    whole_digits,
    widened,
)
from pybinlog.views.view import Column, Kind
from tests.views.tables import Described, described

Definition = tuple[bytes, bytes, Any, str, int]
LATIN1, UTF8MB4, BINARY, UNKNOWN_COLLATION = 8, 255, 63, 2000
INTEGERS = {
    Kind.INT8: (8, False),
    Kind.UINT8: (8, True),
    Kind.INT16: (16, False),
    Kind.UINT16: (16, True),
    Kind.INTEGER: (32, False),
    Kind.UINT32: (32, True),
    Kind.LONG: (64, False),
    Kind.UINT64: (64, True),
}
"""Bits, and whether there is no sign."""


def definition(*columns: Described, table: bytes = b"customer", position: int = 100) -> Definition:
    return b"shop", table, (columns, None, False), "b.000001", position


def decimal(precision: int, scale: int | None) -> Column:
    return Column("a", Kind.DECIMAL, precision=precision, scale=scale)


def enum(*members: str) -> Column:
    return Column("a", Kind.ENUM, members=members)


def fits(narrow: Kind, wide: Kind) -> bool:
    """Return True if an integer that is `narrow` is always one that is `wide`."""
    (bits, unsigned), (most, without_sign) = INTEGERS[narrow], INTEGERS[wide]
    if unsigned == without_sign:
        return bits <= most
    return unsigned and bits < most


# ---- what a column is


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (described("a", "integer", 8), Kind.INT8),
        (described("a", "integer", 8, 0, True), Kind.UINT8),
        (described("a", "integer", 16), Kind.INT16),
        (described("a", "integer", 16, 0, True), Kind.UINT16),
        (described("a", "integer", 24), Kind.INTEGER),
        (described("a", "integer", 24, 0, True), Kind.UINT32),
        (described("a", "integer", 32), Kind.INTEGER),
        (described("a", "integer", 32, 0, True), Kind.UINT32),
        (described("a", "integer", 64), Kind.LONG),
        (described("a", "integer", 64, 0, True), Kind.UINT64),
        (described("a", "year"), Kind.INT16),
        (described("a", "bit", 12), Kind.UINT64),
        (described("a", "float"), Kind.FLOAT),
        (described("a", "double"), Kind.DOUBLE),
        (described("a", "date"), Kind.DATE),
        (described("a", "json"), Kind.JSON),
        (described("a", "floats"), Kind.FLOATS),
        (described("a", "opaque"), Kind.BINARY),
        (described("a", "address"), Kind.STRING),
        (described("a", "enum"), Kind.UINT16),
        (described("a", "set"), Kind.UINT64),
        (described("a", "set", members=["x"]), Kind.STRINGS),
        (described("a", "set", members=["x"], collation=UNKNOWN_COLLATION), Kind.UINT64),
        (described("a", "bytes", collation=LATIN1), Kind.STRING),
        (described("a", "bytes", collation=0), Kind.BINARY),
        (described("a", "bytes", collation=BINARY), Kind.BINARY),
        (described("a", "bytes", collation=UNKNOWN_COLLATION), Kind.BINARY),
    ],
)
def test_the_column_for_a_type(column: Described, kind: Kind) -> None:
    assert column_of(column, 0, False) == Column("a", kind)


@pytest.mark.parametrize(("name", "kind"), [("datetime", "DATETIME"), ("timestamp", "TIMESTAMP"), ("time", "TIME")])
def test_a_time_has_its_digits(name: str, kind: str) -> None:
    assert [column_of(described("a", name, 0, scale), 0, False) for scale in (0, 6)] == [
        Column("a", Kind[kind], scale=0),
        Column("a", Kind[kind], scale=6),
    ]


def test_columns_with_digits_members_or_no_name() -> None:
    assert column_of(described("a", "decimal", 12, 3), 0, False) == decimal(12, 3)
    assert column_of(described("a", "enum", members=["x", "", "x"]), 0, False) == enum("x", "")
    assert column_of(described(None, "date"), 0, False) == Column("@1", Kind.DATE)
    assert column_of(described(None, "date"), 11, False) == Column("@12", Kind.DATE)
    assert column_of(described("a", "nothing"), 0, False) is None
    assert column_of((b"\xff", *described("a", "date")[1:]), 0, False) == Column("\N{REPLACEMENT CHARACTER}", Kind.DATE)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *(("_op", "__op"), ("__OP", "___OP"), ("_corrupt_record", "__corrupt_record"), ("_missing", "__missing")),
        *(("op", "op"), ("_other", "_other"), ("_", "_")),
    ],
)
def test_names_of_the_views_own_columns_get_a_stroke(name: str, shown: str) -> None:
    assert column_of(described(name, "date"), 0, False) == Column(shown, Kind.DATE)


def test_members_are_text_if_all_of_them_are() -> None:
    assert members_of(described("a", "enum"), False) is None
    assert members_of(described("a", "enum", members=["x", "ä"]), False) == ("x", "ä")
    assert members_of(described("a", "enum", members=["x"], collation=UNKNOWN_COLLATION), False) is None
    assert members_of((*described("a", "enum")[:6], (b"x", b"\xff")), False) is None
    assert members_of((*described("a", "enum", collation=LATIN1)[:6], (b"x", b"\xe4")), False) == ("x", "ä")


def test_character_sets_that_are_known() -> None:
    assert [has_characters(number, False) for number in (0, LATIN1, BINARY, UTF8MB4, UNKNOWN_COLLATION)] == [
        *(False, True, False, True, False)
    ]


# ---- what holds what


def test_an_integer_holds_those_whose_range_is_inside_of_its_own() -> None:
    for wide, narrow in product(INTEGERS, INTEGERS):
        assert accepts(Column("a", wide), Column("a", narrow)) == fits(narrow, wide), (wide, narrow)


def test_integers_widen_to_the_narrowest_that_holds_both() -> None:
    for one, other in product(INTEGERS, INTEGERS):
        wide = next((kind for kind in INTEGERS if fits(one, kind) and fits(other, kind)), None)
        wanted = decimal(20, 0) if wide is None else Column("a", wide)
        assert widened(Column("a", one), Column("b", other)) == wanted


HELD = {
    Kind.DOUBLE: {Kind.DOUBLE, Kind.FLOAT, *set(INTEGERS) - {Kind.LONG, Kind.UINT64}},
    Kind.DATETIME: {Kind.DATETIME, Kind.DATE},
    Kind.STRING: {Kind.STRING, Kind.ENUM, Kind.JSON},
}
"""Columns hold more than their own kind."""


def test_other_columns_hold_their_own_kind_and_few_others() -> None:
    kinds = [kind for kind in Kind if kind not in INTEGERS and kind is not Kind.DECIMAL]
    for wide in kinds:
        held = {narrow for narrow in Kind if accepts(Column("a", wide), Column("a", narrow))}
        assert held == HELD.get(wide, {wide}), wide
    assert not {kind for kind in kinds if accepts(Column("a", Kind.LONG), Column("a", kind))}
    assert [accepts(enum("x", "y"), other) for other in (enum("y"), enum("y", "x"), enum("z"), enum("x", "z"))] == [
        *(True, True, False, False)
    ]


@pytest.mark.parametrize(
    ("wide", "narrow", "holds"),
    [
        (decimal(5, 2), decimal(5, 2), True),
        (decimal(5, 2), decimal(4, 2), True),
        (decimal(5, 2), decimal(4, 1), True),
        (decimal(5, 2), decimal(5, 1), False),
        (decimal(5, 2), decimal(5, 3), False),
        (decimal(5, 2), decimal(3, None), True),
        (decimal(5, 2), decimal(4, None), False),
        (decimal(5, None), decimal(5, 0), True),
        (decimal(5, None), decimal(5, 1), False),
        (decimal(3, 0), Column("a", Kind.INT8), True),
        (decimal(2, 0), Column("a", Kind.INT8), False),
        (decimal(5, 2), Column("a", Kind.UINT8), True),
        (decimal(5, 3), Column("a", Kind.UINT8), False),
        (decimal(5, 0), Column("a", Kind.UINT16), True),
        (decimal(4, 0), Column("a", Kind.UINT16), False),
        (decimal(5, 0), Column("a", Kind.INT16), True),
        (decimal(10, 0), Column("a", Kind.UINT32), True),
        (decimal(10, 0), Column("a", Kind.INTEGER), True),
        (decimal(19, 0), Column("a", Kind.LONG), True),
        (decimal(18, 0), Column("a", Kind.LONG), False),
        (decimal(20, None), Column("a", Kind.UINT64), True),
        (decimal(19, None), Column("a", Kind.UINT64), False),
        (decimal(30, 0), Column("a", Kind.DOUBLE), False),
    ],
)
def test_decimals_hold_what_has_no_more_digits(wide: Column, narrow: Column, holds: bool) -> None:
    assert accepts(wide, narrow) is holds


@pytest.mark.parametrize(
    ("one", "other", "wide"),
    [
        (decimal(5, 2), decimal(8, 4), decimal(8, 4)),
        (decimal(9, 0), decimal(4, 4), decimal(13, 4)),
        (decimal(46, 0), decimal(60, 30), decimal(76, 30)),
        (decimal(47, 0), decimal(60, 30), None),
        (decimal(5, None), decimal(5, 1), decimal(6, 1)),
        (decimal(5, 2), Column("a", Kind.UINT8), decimal(5, 2)),
        (decimal(4, 2), Column("a", Kind.UINT64), decimal(22, 2)),
        (decimal(5, 2), Column("a", Kind.DOUBLE), None),
        (decimal(5, 2), Column("a", Kind.STRING), None),
        (Column("a", Kind.FLOAT), Column("a", Kind.INT8), Column("a", Kind.DOUBLE)),
        (Column("a", Kind.FLOAT), Column("a", Kind.UINT64), None),
        (Column("a", Kind.TIME, scale=3), Column("a", Kind.TIME, scale=1), Column("a", Kind.TIME, scale=3)),
        (Column("a", Kind.TIME), Column("a", Kind.TIME, scale=6), Column("a", Kind.TIME, scale=6)),
        (Column("a", Kind.TIMESTAMP, scale=1), Column("a", Kind.TIMESTAMP), Column("a", Kind.TIMESTAMP, scale=1)),
        (Column("a", Kind.DATETIME, scale=2), Column("a", Kind.DATE), Column("a", Kind.DATETIME, scale=2)),
        (Column("a", Kind.BINARY), Column("a", Kind.STRING), None),
        (enum("x", ""), Column("a", Kind.STRING), Column("a", Kind.STRING)),
        (enum("x", ""), enum("y", "x"), enum("x", "", "y")),
    ],
)
def test_what_holds_both(one: Column, other: Column, wide: Column | None) -> None:
    assert widened(one, other) == wide


def test_digits_before_the_point() -> None:
    columns = [Column("a", Kind.INT8), Column("a", Kind.UINT64), decimal(12, 5), decimal(12, None)]
    assert [whole_digits(column) for column in columns] == [3, 20, 7, 12]


def test_types_have_names_for_people() -> None:
    assert type_name(decimal(12, 5)) == "decimal(12,5)"
    assert type_name(Column("a", Kind.UINT8)) == "tinyint unsigned"


# ---- a table over its definitions


def test_the_table_and_its_columns() -> None:
    assert shape_of([]) is None
    one = shape_of([definition(described("a", "date"), described("b", "date"))], ["A"])
    assert one == TableShape(
        "shop", "customer", (Column("a", Kind.DATE), Column("b", Kind.DATE)), (("b.000001", 100),) * 2, whole=False
    )
    assert one.name == "shop.customer"
    assert TableShape("", "customer", ()).name == "customer"
    assert [one.number_of(name) for name in ("A", "b", "c")] == [0, 1, None]
    assert [column.source for column in one.view.columns[:3]] == ["column.0", "column.1", "operation"]
    whole = shape_of([definition()])
    assert whole is not None
    assert whole.whole


def test_a_place_is_that_of_the_definition_that_widened() -> None:
    narrow, wide = described("a", "integer", 8), described("a", "integer", 16)
    definitions = [definition(column, position=at) for at, column in ((1, narrow), (2, wide), (3, narrow), (4, wide))]
    found = shape_of(definitions)
    assert found is not None
    assert found.places == (("b.000001", 2),)


def test_columns_that_contradict_and_are_not_wanted_stay_away() -> None:
    kinds = [described("a", "date"), described("a", "year"), described("a", "date")]
    definitions = [definition(kind, described("b", "date"), position=at) for at, kind in enumerate(kinds)]
    found = shape_of(definitions, ["B"])
    assert found is not None
    assert [column.name for column in found.columns] == ["b"]
    error = refused(*definitions[:2], wanted=["A"])
    assert error.message == (
        "the column a of shop.customer is date at b.000001:0 and smallint at b.000001:1, which one column cannot hold"
    )
    assert error.hint == (
        "Export what comes before and after that apart (--stop-position, --start-position), or leave the column out "
        "with --columns"
    )


def refused(*definitions: Definition, wanted: Any = None) -> BinlogError:
    with pytest.raises(BinlogError) as caught:
        shape_of(definitions, wanted)
    return caught.value


def test_definitions_that_make_no_table() -> None:
    bare, named = described(None, "date"), described("a", "date")
    other = refused(definition(named), definition(named, table=b"other"))
    assert (other.message, other.hint) == ("shop.customer and shop.other are two tables", "Name one, as database.table")
    changed = refused(definition(bare), definition(bare, position=200), definition(bare, bare, position=300))
    assert (changed.message, changed.hint) == (
        "the columns of shop.customer changed between b.000001:100 and b.000001:300, and the log has no names of "
        "them: it does not say which is which",
        "Give the names with --schema, or export the two parts apart",
    )
    for one, two, places in (
        (named, bare, "names at b.000001:100 and none at b.000001:200"),
        (bare, named, "names at b.000001:200 and none at b.000001:100"),
    ):
        both = refused(definition(one), definition(two, position=200))
        assert (both.message, both.hint) == (
            f"the columns of shop.customer have {places}: one file cannot hold both",
            "Give the names with --schema, or export the two parts apart",
        )


def test_without_names_only_types_and_sizes_must_stay() -> None:
    first, members = described(None, "enum", 8, 2, True), described(None, "enum", 8, 2, True, members=["x"])
    assert shape_of([definition(first, position=1), definition(members, position=2)], ["b"]) is not None
    for changed in (
        described(None, "set", 8, 2, True),
        described(None, "enum", 16, 2, True),
        described(None, "enum", 8, 3, True),
        described(None, "enum", 8, 2, False),
    ):
        assert "changed between" in refused(definition(first), definition(changed)).message


def test_a_table_without_columns_has_no_names_to_lack() -> None:
    found = shape_of([definition(), definition(described("a", "date")), definition()])
    assert found is not None
    assert [column.name for column in found.columns] == ["a"]
