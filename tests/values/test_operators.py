"""Comparison and arithmetic: the answers of a real server, and the types and errors at their bounds."""

from decimal import Decimal
from typing import Any

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError
from pybinlog.schema.text import collation_id
from pybinlog.values.operators import arithmetic, compare, negated, sort_key
from pybinlog.values.temporal import parse_datetime
from pybinlog.values.value import Choice, Hex, Text, Unsigned, Value

CONNECTION = collation_id("utf8mb4_0900_ai_ci")
BINARY = collation_id("utf8mb4_bin")
HIGHEST = (1 << 63) - 1
LOWEST = -(1 << 63)
MOST = Unsigned((1 << 64) - 1)
NINES = Decimal("9" * 65)


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        (1, "/", 3, "0.3333"),
        (2, "/", 3, "0.6667"),
        (Decimal("1.10"), "/", 3, "0.366667"),
        (Decimal("0.12345678901234567890123456"), "/", 3, "0.041152263004115226300411520000"),
        (Decimal("1.23456789012345678901234567"), "/", 3, "0.411522630041152263004115223333"),
        (0, "/", 5, "0.0000"),
        (-7, "%", 3, "-1"),
        (7, "%", -3, "1"),
        (-1, "%", 3, "-1"),
        (-7, "%", -3, "-1"),
        (MOST, "%", 10, "5"),
        (10, "%", MOST, "10"),
        (Decimal("5.5"), "%", 2, "1.5"),
        (Decimal("-5.5"), "%", 2, "-1.5"),
        (5.5, "%", 2, "1.5"),
        (-5.5, "%", 2, "-1.5"),
        (Decimal("1.5"), "+", 1, "2.5"),
        (Decimal("1.5"), "-", Decimal("2.25"), "-0.75"),
        (Decimal("1.5"), "*", Decimal("1.5"), "2.25"),
        (Decimal("0.0000000000000001"), "*", Decimal("0.0000000000000001"), "0.000000000000000000000000000000"),
        (Decimal("1.0000000000000001"), "*", Decimal("1.0000000000000001"), "1.000000000000000200000000000000"),
        (NINES, "+", 1, "1" + "0" * 65),
        (NINES, "*", 10**16 - 1, "9999999999999998" + "9" * 49 + "0000000000000001"),
        (0.1, "+", 0.2, "0.30000000000000004"),
        (1.5, "-", 1, "0.5"),
        ("5", "*", "2", "10.0"),
        (1, "/", 4.0, "0.25"),
        (HIGHEST - 1, "+", 1, str(HIGHEST)),
        (LOWEST + 1, "-", 1, str(LOWEST)),
        (Unsigned(MOST - 1), "+", 1, str(MOST)),
        (MOST, "-", MOST, "0"),
        (Unsigned(1 << 63), "-", 1, str(HIGHEST)),
        (Hex(b"\x10"), "+", 1, "17"),
        (1, "/", 0, "None"),
        (1, "%", Decimal("0.0"), "None"),
        (1.0, "/", 0, "None"),
        (None, "+", 1, "None"),
        (1, "*", None, "None"),
    ],
)
def test_arithmetic(left: Value, operator: str, right: Value, result: str) -> None:
    found = arithmetic(operator, left, right)
    assert (f"{found:f}" if isinstance(found, Decimal) else str(found)) == result


@pytest.mark.parametrize(
    ("left", "operator", "right", "unsigned"),
    [
        (MOST, "%", 10, True),
        (10, "%", MOST, False),
        (MOST, "-", 1, True),
        (1, "+", Unsigned(MOST - 1), True),
        (2, "*", 3, False),
    ],
)
def test_which_integers_are_unsigned(left: Value, operator: str, right: Value, unsigned: bool) -> None:
    assert isinstance(arithmetic(operator, left, right), Unsigned) == unsigned


@pytest.mark.parametrize(
    ("left", "operator", "right", "message"),
    [
        (HIGHEST, "+", 1, "BIGINT value is out of range in '(9223372036854775807 + 1)'"),
        (LOWEST + 1, "-", 2, "BIGINT value is out of range in '(-9223372036854775807 - 2)'"),
        (1 << 62, "*", 2, "BIGINT value is out of range in '(4611686018427387904 * 2)'"),
        (MOST, "+", 1, "BIGINT UNSIGNED value is out of range in '(18446744073709551615 + 1)'"),
        (0, "-", Unsigned(1), "BIGINT UNSIGNED value is out of range in '(0 - 1)'"),
        (0, "-", Unsigned(1 << 63), "BIGINT UNSIGNED value is out of range in '(0 - 9223372036854775808)'"),
    ],
)
def test_an_integer_that_is_too_large(left: Value, operator: str, right: Value, message: str) -> None:
    with pytest.raises(SqlError) as refused:
        arithmetic(operator, left, right)
    assert (refused.value.number, refused.value.message) == (1690, message)


@pytest.mark.parametrize(
    ("left", "operator", "right", "kind"),
    [
        (1e308, "*", 10, "DOUBLE"),
        (-1e308, "-", 1e308, "DOUBLE"),
        (1e308, "/", 1e-10, "DOUBLE"),
        (NINES, "*", 10**17 - 1, "DECIMAL"),
    ],
)
def test_any_other_number_that_is_too_large(left: Value, operator: str, right: Value, kind: str) -> None:
    with pytest.raises(SqlError, match=f"^ERROR 1690: {kind} value is out of range in "):
        arithmetic(operator, left, right)


@pytest.mark.parametrize("operator", "/%")
def test_a_division_by_zero_that_is_an_error(operator: str) -> None:
    with pytest.raises(SqlError, match=r"^ERROR 1365: Division by 0$"):
        arithmetic(operator, 1, 0, strict_division=True)
    assert arithmetic(operator, 6, 4, strict_division=True) == (2 if operator == "%" else Decimal("1.5"))


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, None),
        (5, -5),
        (HIGHEST, -HIGHEST),
        (Unsigned(1 << 63), LOWEST),
        (Unsigned((1 << 63) + 1), Decimal(LOWEST - 1)),
        (LOWEST, Decimal(1 << 63)),
        (LOWEST + 1, HIGHEST),
        (NINES, Decimal("-" + "9" * 65)),
        (1.5, -1.5),
        ("5", -5.0),
        (Hex(b"\xff"), -255),
    ],
)
def test_a_negated_value(value: Value, result: Value) -> None:
    found = negated(value)
    assert (type(found), found) == (type(result), result)


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        (1, 2, -1),
        (2, 2, 0),
        (3, 2, 1),
        (None, 1, None),
        (1, None, None),
        ("a", "A", 0),
        ("a", "á", 0),
        ("a", "B", -1),
        ("b", "A", 1),
        (Text("a", BINARY), "A", 1),
        ("A", Text("a", BINARY), -1),
        (Text("a", CONNECTION), Text("A", BINARY), 1),
        (Text("A", 63), Text("a", 63), -1),
        (b"a", "A", 1),
        (b"A", "a", -1),
        ("a", b"a", 0),
        (Hex(b"AB"), b"A", 1),
        (Hex(b"A"), 65, 0),
        (Hex(b"\xff"), "255", 1),
        ("1", 1, 0),
        ("1e1", 10, 0),
        ("1.5", 1, 1),
        ((1 << 53) + 1, 1 << 53, 1),
        ((1 << 53) + 1, str(1 << 53), 0),
        ((1 << 53) + 1, float(1 << 53), 0),
        (MOST, -1, 1),
        (Decimal("0.1"), 0.1, 0),
        (Decimal("1.0"), 1, 0),
    ],
)
def test_comparison(left: Value, right: Value, order: int | None) -> None:
    assert compare(left, right, CONNECTION) == order


def test_text_compares_by_the_connections_collation_unless_a_column_has_one() -> None:
    assert compare("a", "A", BINARY) == 1
    assert compare(Text("a", CONNECTION), "A", BINARY) == 0
    assert compare("a", "A", 63) == 1


def test_dates_are_not_compared() -> None:
    moment = parse_datetime("2024-01-02")
    for left, right in ((moment, "x"), ("x", moment)):
        with pytest.raises(UnsupportedStatement, match=r"^the comparison of dates and times is not in the model$"):
            compare(left, right, CONNECTION)


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        ([2, None, 1], [None, 1, 2]),
        (["b", "A", "a "], ["A", "a ", "b"]),
        ([Text("b", BINARY), Text("A", BINARY), Text("B", BINARY)], ["A", "B", "b"]),
        ([b"b", b"A", b"B"], [b"A", b"B", b"b"]),
        ([Choice("a", CONNECTION, 2), Choice("b", CONNECTION, 1)], ["b", "a"]),
        ([Decimal("1.5"), 1, 2.5], [1, Decimal("1.5"), 2.5]),
    ],
)
def test_the_order_of_values(values: list[Any], ordered: list[Any]) -> None:
    assert sorted(values, key=lambda value: sort_key(value, CONNECTION)) == ordered
