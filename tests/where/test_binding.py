"""A condition is bound to a table's columns, as the program that the kernel runs."""

import struct
from datetime import timezone
from typing import Any

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.kernel.condition import value_order as kernel
from pybinlog.where.binding import Binder, Bound, Instruction, missing_everywhere
from pybinlog.where.column import BoundColumn, Kind
from pybinlog.where.parser import parse
from pybinlog.where.tree import WhereError

UTF8MB4, BINARY = 255, 63
BY_NUMBER = (
    "Ask by number (@1 is the first column), or set binlog_row_metadata=FULL on the server; --schema=FILE of an export "
    "takes the names from a dump"
)
Described = tuple[Any, ...]


def described(name: str | None, kind: ColumnType = ColumnType.LONG, collation: int = 0) -> Described:
    return None if name is None else name.encode(), int(kind), 0, 0, 0, collation, None, 0


TABLE = [described("id"), described("name", ColumnType.VARCHAR, UTF8MB4), described("doc", ColumnType.JSON)]


def bound(condition: str, columns: list[Described] | None = None, binder: Binder | None = None) -> Bound | None:
    binder = binder or Binder(parse(condition), timezone.utc)
    return binder(b"shop", b"order", TABLE if columns is None else columns, False)


def program(condition: str) -> list[Instruction]:
    found = bound(condition)
    assert found is not None
    return found.instructions


def compare(relation: int, number: int, **more: Any) -> Instruction:
    return Instruction(kernel.OP_COMPARE, kernel.AS_INTEGER, kernel.EACH, relation=relation, number=number, **more)


@pytest.mark.parametrize(
    ("operator", "relation"), [("=", 2), ("<>", 5), ("<", 1), ("<=", 3), (">", 4), (">=", 6), ("<=>", 10)]
)
def test_relations_are_bits(operator: str, relation: int) -> None:
    assert program(f"id {operator} 5") == [compare(relation, 5)]
    swapped = {"<": 4, "<=": 6, ">": 1, ">=": 3}.get(operator, relation)
    assert program(f"5 {operator} id") == [compare(swapped, 5)]


def test_operands_come_before_what_joins_them() -> None:
    one, two, three = (compare(2, number) for number in (1, 2, 3))
    both, either, turned = (Instruction(operation) for operation in (kernel.OP_AND, kernel.OP_OR, kernel.OP_NOT))
    assert program("id = 1 AND id = 2") == [one, two, both]
    assert program("id IN (1, 2, 3)") == [one, two, either, three, either]
    assert program("id IN (1)") == [one]
    assert program("NOT id = 1") == [one, turned]
    assert program("id NOT IN (1, 2)") == [one, two, either, turned]
    assert program("id BETWEEN 1 AND 3") == [compare(6, 1), compare(3, 3), both]
    assert program("id NOT BETWEEN 1 AND 3") == [compare(6, 1), compare(3, 3), both, turned]
    for text, operation in (("TRUE", kernel.OP_IS_TRUE), ("FALSE", kernel.OP_IS_FALSE), ("NULL", kernel.OP_IS_UNKNOWN)):
        assert program(f"(id = 1) IS {text}") == [one, Instruction(operation)]
        assert program(f"(id = 1) IS NOT {text}") == [one, Instruction(operation), turned]


@pytest.mark.parametrize(
    ("text", "truth"), [("TRUE", kernel.TRUE), ("FALSE", kernel.FALSE), ("NULL", kernel.NULL_TRUTH)]
)
def test_constants(text: str, truth: int) -> None:
    assert program(text) == [Instruction(kernel.OP_TRUTH, number=truth)]


def test_other_tests() -> None:
    assert program("id = NULL") == [Instruction(kernel.OP_TRUTH, number=kernel.NULL_TRUTH)]
    assert program("id IS NULL") == program("id <=> NULL") == [Instruction(kernel.OP_NULL)]
    assert program("id IS NOT NULL") == [Instruction(kernel.OP_NULL), Instruction(kernel.OP_NOT)]
    assert program("changed(id)") == [Instruction(kernel.OP_CHANGED, image=kernel.BEFORE_IMAGE)]
    assert program("id") == [compare(kernel.LESS | kernel.GREATER, 0)]
    assert program("before.id") == [compare(5, 0)._replace(image=kernel.BEFORE_IMAGE)]
    assert program("after.id IS NULL") == [Instruction(kernel.OP_NULL, image=kernel.AFTER_IMAGE)]
    (like,) = program("name LIKE 'a'")
    assert (like.operation, like.relation, like.data) == (kernel.OP_LIKE, kernel.EQUAL, b"a\0\0\0")


def test_what_an_instruction_does_not_say_is_nothing() -> None:
    rest = (0, -1, False, 0, 0, 0.0, b"", b"", 0)
    assert [tuple(one) for one in program("id IS NULL")] == [
        (kernel.OP_NULL, kernel.AS_NOTHING, kernel.EACH, kernel.EACH, 0, *rest)
    ]


def test_two_images_of_one_column_share_a_slot() -> None:
    found = bound("before.id < after.@1 AND BINARY name = BINARY name")
    assert found is not None
    assert [column.name for column in found.columns] == ["id", "name"]
    first, second, _ = found.instructions
    assert first == Instruction(
        kernel.OP_COMPARE, kernel.AS_INTEGER, kernel.BEFORE_IMAGE, kernel.AFTER_IMAGE, relation=1, slot=0, other_slot=0
    )
    assert (second.slot, second.other_slot, second.collation) == (1, 1, BINARY)


def test_paths_are_bytes() -> None:
    path = struct.pack("<BI", 0, 1) + b"a" + struct.pack("<BI", 1, 7) + struct.pack("<BI", 0, 3) + b"b c"
    assert [one.path for one in program("doc->>'$.a[7].\"b c\"' = 'x'")] == [path]
    assert program("doc->>'$.a[7].\"b c\"' IS NULL") == [Instruction(kernel.OP_NULL, path=path)]
    assert [one.path for one in program("doc->>'$' IS NULL")] == [b""]
    assert [one.path for one in program('doc->>\'$."a\\\\"b"\' IS NULL')] == [struct.pack("<BI", 0, 3) + b'a"b']


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("name", "`name` alone is not a condition, because it is not a number"),
        ("doc", "`doc` alone is not a condition, because it is not a number"),
        ("BINARY id = 'x'", "BINARY is for texts, and `id` is a number"),
        ("name->>'$.a' = 'x'", "->> is for MySQL's JSON columns, and `name` is text"),
        ("before.name->>'$.a' IS NULL", "->> is for MySQL's JSON columns, and `before.name` is text"),
    ],
)
def test_what_does_not_fit_its_column_names_the_table(condition: str, message: str) -> None:
    with pytest.raises(WhereError) as caught:
        bound(condition)
    assert (caught.value.message, caught.value.hint) == (f"where: in the table shop.order, {message}", None)


@pytest.mark.parametrize("count", [63, 64, 65])
def test_a_condition_asks_for_at_most_64_columns(count: int) -> None:
    columns = [described(f"c{number}") for number in range(count)]
    condition = " AND ".join(f"c{number} = 5" for number in range(count))
    if count <= 64:
        found = bound(condition, columns)
        assert found is not None
        compared = [one for one in found.instructions if one.operation == kernel.OP_COMPARE]
        assert [one.slot for one in compared] == [*range(count)]
    else:
        with pytest.raises(WhereError) as caught:
            bound(condition, columns)
        assert caught.value.message == "where: in the table shop.order, the condition asks for more than 64 columns"


def test_columns_are_found_by_name_then_by_number() -> None:
    columns = [described("ID"), described("id"), described(None), described("@2")]

    def place(condition: str) -> int | None:
        found = bound(condition, columns)
        return None if found is None else found.columns[0].place

    assert [place(f"{name} = 5") for name in ("id", "@1", "@2", "@3", "@4", "@5")] == [0, 0, 3, 2, 3, None]


def test_tables_without_a_column_are_remembered() -> None:
    binder = Binder(parse("id = 5 AND name = 'x'"), timezone.utc)
    assert bound("", [described("id"), described(None)], binder) is None
    assert (binder.bound, binder.lacking) == (set(), {"shop.order": ("id",)})
    assert bound("", None, binder) is not None
    assert binder.bound == {"shop.order"}
    for number in range(1200):
        assert binder(b"d", b"t%d" % number, [], False) is None
    assert list(binder.lacking) == ["shop.order", *(f"d.t{number}" for number in range(999))]


@pytest.mark.parametrize(
    ("condition", "lacking", "message", "hint"),
    [
        ("id = 5", {"d.a": ()}, "where: the logs do not name the columns of the table d.a", BY_NUMBER),
        ("id = 5", {"d.a": (), "d.b": ()}, "where: the logs do not name the columns of the 2 tables", BY_NUMBER),
        ("@9 = 5", {"d.a": ("id",)}, "where: no table has so many columns as the condition asks for", None),
        ("@9 = 5", {"d.a": ()}, "where: no table has so many columns as the condition asks for", None),
        (
            *("nmae = 5 AND id = 5", {"d.a": ("id", "Name")}),
            *("where: the table d.a has no column `nmae`", "Near names: `Name`"),
        ),
        (
            *("idx = 5", {"d.a": ("id1", "id2", "id3", "id4")}),
            *("where: the table d.a has no column `idx`", "Near names: `id4`, `id3`, `id2`"),
        ),
        (
            *("xyz = 5", {"d.a": ("a", "b", "c"), "d.b": ("d", "e", "f")}),
            *("where: none of the 2 tables has the column `xyz`", "Some of the names: `a`, `b`, `c`, `d`, `e`"),
        ),
        (
            *("a = 5 AND b = 5", {"d.a": ("a",), "d.b": ("b",)}),
            *("where: none of the 2 tables has the column `a`", "Near names: `a`"),
        ),
    ],
)
def test_a_column_that_no_table_has(
    condition: str, lacking: dict[str, tuple[str, ...]], message: str, hint: str | None
) -> None:
    error = missing_everywhere(parse(condition), lacking)
    assert (error.message, error.hint) == (message, hint)


# ---- columns


@pytest.mark.parametrize(
    ("kind", "collation", "of", "moment", "description"),
    [
        (ColumnType.TINY, 0, Kind.INTEGER, "", "a number"),
        (ColumnType.YEAR, 0, Kind.INTEGER, "", "a number"),
        (ColumnType.BIT, 0, Kind.INTEGER, "", "a number"),
        (ColumnType.FLOAT, 0, Kind.REAL, "", "a number"),
        (ColumnType.NEWDECIMAL, 0, Kind.DECIMAL, "", "a number"),
        (ColumnType.DATE, 0, Kind.MOMENT, "DATE", "a DATE"),
        (ColumnType.DATETIME2, 0, Kind.MOMENT, "DATETIME", "a DATETIME"),
        (ColumnType.TIMESTAMP2, 0, Kind.MOMENT, "TIMESTAMP", "a TIMESTAMP"),
        (ColumnType.TIME2, 0, Kind.MOMENT, "TIME", "a TIME"),
        (ColumnType.BLOB, 0, Kind.TEXT, "", "text"),
        (ColumnType.STRING, UTF8MB4, Kind.TEXT, "", "text"),
        (ColumnType.ENUM, UTF8MB4, Kind.MEMBERS, "", "an ENUM or SET"),
        (ColumnType.SET, UTF8MB4, Kind.MEMBERS, "", "an ENUM or SET"),
        (ColumnType.JSON, 0, Kind.OTHER, "", "JSON"),
        (222, 0, Kind.OTHER, "", "of an unknown type"),
    ],
)
def test_how_a_column_compares(kind: int, collation: int, of: Kind, moment: str, description: str) -> None:
    column = BoundColumn.of(0, b"c", kind, 0, 0, 0, collation, None, 0, mariadb=False)
    assert (column.kind, column.moment, column.description) == (of, moment, description)


def test_members_stand_in_a_row_with_their_ends() -> None:
    known = BoundColumn.of(2, None, ColumnType.ENUM, 0, 0, 0, UTF8MB4, [b"new", b"", b"paid"], 0, mariadb=True)
    assert (known.name, known.members, known.ends, known.mariadb) == (
        *("@3", b"newpaid", struct.pack("<3I", 3, 3, 7), True),
    )
    bare = BoundColumn.of(0, b"c", ColumnType.ENUM, 0, 0, 0, UTF8MB4, None, 0, mariadb=False)
    assert (bare.name, bare.members, bare.ends) == ("c", None, b"")


def test_only_a_binary_column_has_a_fixed_length() -> None:
    kinds = ((ColumnType.STRING, BINARY), (ColumnType.STRING, UTF8MB4), (ColumnType.VARCHAR, BINARY))
    columns = [BoundColumn.of(0, b"c", kind, 0, 0, 0, collation, None, 4, mariadb=False) for kind, collation in kinds]
    assert [column.fixed for column in columns] == [4, 0, 0]
