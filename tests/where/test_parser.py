"""The tree of a condition, and what cannot be one."""

from decimal import Decimal
from typing import Any

import pytest

from pybinlog.where import tree
from pybinlog.where.parser import parse
from pybinlog.where.tree import Column, WhereError, columns_of

ID = Column("id")
WORDS = "You can use =, <>, <, <=, >, >=, <=>, IN, BETWEEN, LIKE, IS NULL, AND, OR, NOT, changed()"
AS_STORED = "Compare a column with a value as it is stored"
NUMBERS = "They are @1, @2 and so on, as the dump prints them"
PATHS = "Examples: '$.state', '$.items[0].id', '$.\"odd key\"'"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("5.50", Decimal("5.50")),
        ("-0.0", Decimal("-0.0")),
        ("5e1", 50.0),
        ("5E1", 50.0),
        ("-5e1", -50.0),
        ("9" * 65, int("9" * 65)),
        ("TRUE", 1),
        ("FALSE", 0),
        ("-TRUE", -1),
        ("'it''s'", "it's"),
        ("X'0a'", b"\n"),
        ("DATE'2024-02-29'", tree.Moment("DATE", "2024-02-29")),
        ("TIMESTAMP'2024-02-29 00:00:00'", tree.Moment("TIMESTAMP", "2024-02-29 00:00:00")),
        ("BINARY 'a'", tree.Bytes("a")),
    ],
)
def test_a_value(text: str, value: Any) -> None:
    found = parse(f"id = {text}")
    assert found == tree.Compare("=", ID, value)
    assert isinstance(found, tree.Compare)
    assert (type(found.right), str(found.right)) == (type(value), str(value))


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("id", ID),
        ("`odd name`", Column("odd name")),
        ("before.id", Column("id", image="before")),
        ("After.id", Column("id", image="after")),
        ("@1", Column("@1", 1)),
        ("after.@4096", Column("@4096", 4096, "after")),
        ("before.`@2`", Column("@2", 2, "before")),
        ("BINARY id", tree.Bytes(ID)),
        ("doc->>'$'", tree.Json(Column("doc"), ())),
        ("doc->>'$.a'", tree.Json(Column("doc"), ("a",))),
        ("after.doc->>'$[0].\"b c\"[12]'", tree.Json(Column("doc", image="after"), (0, "b c", 12))),
        ("doc->>'$[999999999]'", tree.Json(Column("doc"), (999999999,))),
    ],
)
def test_an_operand(text: str, operand: tree.Operand) -> None:
    assert parse(f"{text} < 5") == tree.Compare("<", operand, 5)
    assert parse(f"5 <= {text}") == tree.Compare(">=", operand, 5)
    assert parse(f"{text} = NULL") == tree.Compare("=", operand, None)
    assert [str(column) for column in columns_of(parse(f"{text} < 5"))] == [str(next(columns_of(operand)))]


def test_tests_of_columns() -> None:
    assert parse("id = name") == tree.Compare("=", ID, Column("name"))
    assert parse("id IS NULL") == parse("id <=> NULL") == parse("NULL <=> id") == tree.IsNull(ID)
    assert parse("BINARY id <=> NULL") == tree.IsNull(ID)
    assert (
        parse("doc->>'$.a' <=> NULL") == parse("doc->>'$.a' IS NULL") == tree.IsNull(tree.Json(Column("doc"), ("a",)))
    )
    assert parse("id LIKE 'a%'") == tree.Like(ID, "a%")
    assert parse("BINARY id LIKE 'a%'") == tree.Like(tree.Bytes(ID), "a%")
    assert parse("changed(id)") == tree.Changed(ID)
    assert parse("id") == tree.Holds(ID)
    assert parse("@3") == tree.Holds(Column("@3", 3))


@pytest.mark.parametrize(
    ("condition", "message", "hint"),
    [
        ("id = @0", "@0 is not a column's number", NUMBERS),
        ("@4097 = 5", "@4097 is not a column's number", NUMBERS),
        ("@x = 5", "@x is not a column's number", NUMBERS),
        ("before.`@\u0663` = 5", "@\u0663 is not a column's number", NUMBERS),
        (f"id = {'9' * 66}", "a number has more than 65 digits", None),
        ("5 = 5", "a comparison needs a column on one side", "Text stands in '...', a column without quotes"),
        ("5", "expected a condition, but this is a value", "Compare it: id = 5"),
        ("-id", "expected a condition, but this is a value", "Compare it: id = 5"),
        ("'x' IS TRUE", "expected a condition, but this is a value", "Compare it: id = 5"),
        ("id LIKE 5", "LIKE needs a pattern in quotes", "Example: name LIKE 'An%'"),
        ("'x' LIKE 'x'", "LIKE needs a column on its left", "Example: name LIKE 'An%'"),
        ("id + 5", "the operator + cannot be used in a condition", WORDS),
        ("id XOR 5", "the operator XOR cannot be used in a condition", WORDS),
        ("id = 1 + 5", "the operator + in a value cannot be used in a condition", AS_STORED),
        ("id = -'x'", "the operator - here cannot be used in a condition", WORDS),
        ("id = -name", "the operator - here cannot be used in a condition", WORDS),
        ("id = BINARY 5", "the operator BINARY here cannot be used in a condition", WORDS),
        ("id = (name = 5)", "the operator = in a value cannot be used in a condition", AS_STORED),
        ("lower(id)", "the function LOWER() cannot be used in a condition", WORDS),
        ("id = lower('A')", "the function LOWER() cannot be used in a condition", WORDS),
        ("changed()", "changed() needs one column", "Example: changed(status)"),
        ("changed(id, id)", "changed() needs one column", "Example: changed(status)"),
        ("changed('x')", "changed() needs one column", "Example: changed(status)"),
        ("changed(after.id)", "changed() compares both images itself", "Write changed(id)"),
        ("doc->>'$.a' IS FALSE", "IS TRUE after ->> cannot be used in a condition", WORDS),
        ("'x'->>'$.a' = 5", "->> needs a column on its left", "Example: doc->>'$.state' = 'open'"),
        ("doc->>'a' = 5", "'a' is not a path in a JSON document that a condition can have", PATHS),
        ("doc->>'' = 5", "'' is not a path in a JSON document that a condition can have", PATHS),
        ("doc->>'$.' = 5", "'$.' is not a path in a JSON document that a condition can have", PATHS),
        ("doc->>'$.a[*]' = 5", "'$.a[*]' is not a path in a JSON document that a condition can have", PATHS),
        (
            "doc->>'$[1234567890]' = 5",
            "'$[1234567890]' is not a path in a JSON document that a condition can have",
            PATHS,
        ),
        (
            "t.id = 5",
            "t.id names a table",
            "Name the column alone, and the table with --table; before. and after. are images",
        ),
        (
            "d.before.id = 5",
            "d.before.id names a table",
            "Name the column alone, and the table with --table; before. and after. are images",
        ),
        ("id = _latin1'x'", "a character set before a text cannot be used in a condition", WORDS),
        ("id = @@version", "a variable cannot be used in a condition", WORDS),
        ("id = (name IS NULL)", "a condition inside a comparison cannot be used in a condition", WORDS),
        ("id = (SELECT 5)", "a subquery cannot be used in a condition", WORDS),
        ("id = 5 " + "x" * 50, f"cannot read the condition from '{'x' * 40}' on", None),
        ("id = 5 OR", "the condition ends where something more is needed", None),
        ("id = 'x", "a quote is not closed, or a character has no meaning here", "Put texts in '...'"),
        ("", "the condition is empty", "Write one such as \"id = 5 AND status IN ('a', 'b')\""),
    ],
)
def test_what_is_no_condition(condition: str, message: str, hint: str | None) -> None:
    with pytest.raises(WhereError) as caught:
        parse(condition)
    assert (caught.value.message, caught.value.hint) == (message, hint)
