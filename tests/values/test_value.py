"""How a value becomes text, bytes or a number."""

import sys
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.text import collation_id
from pybinlog.values.value import (
    Choice,
    Hex,
    Temporal,
    Text,
    Unsigned,
    Value,
    Year,
    collation_of,
    decimal_bytes,
    is_true,
    nearest_float,
    to_bytes,
    to_integer,
    to_number,
    to_text,
)

CONNECTION = collation_id("utf8mb4_0900_ai_ci")
LATIN1 = collation_id("latin1_swedish_ci")
LARGEST = sys.float_info.max


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é", "é"),
        (-5, "-5"),
        (True, "1"),
        (Unsigned(5), "5"),
        (Year(0), "0000"),
        (Year(2024), "2024"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        ("é".encode(), "é"),
        (Temporal("DATE", date(24, 2, 3)), "0024-02-03"),
        (Temporal("DATE", "2024-00-07"), "2024-00-07"),
        (Temporal("DATETIME", datetime(24, 2, 3, 4, 5, 6, 789000)), "0024-02-03 04:05:06"),
        (Temporal("DATETIME", datetime(2024, 2, 3, 4, 5, 6, 789000), 1), "2024-02-03 04:05:06.7"),
        (Temporal("DATETIME", datetime(2024, 2, 3, 4, 5, 6, 78), 6), "2024-02-03 04:05:06.000078"),
        (Temporal("TIME", timedelta(hours=1, minutes=2, seconds=3)), "01:02:03"),
        (Temporal("TIME", timedelta(hours=838, minutes=59, seconds=59)), "838:59:59"),
        (Temporal("TIME", timedelta(0)), "00:00:00"),
        (Temporal("TIME", timedelta(hours=1)), "01:00:00"),
        (Temporal("TIME", -timedelta(minutes=2, seconds=3, microseconds=400000), 2), "-00:02:03.40"),
        (Temporal("TIME", timedelta(microseconds=1), 6), "00:00:00.000001"),
    ],
)
def test_text(value: Value, text: str) -> None:
    assert to_text(value) == text
    assert to_bytes(value, CONNECTION) == text.encode()


def test_bytes_are_text_of_a_collation_and_text_is_bytes_of_its_own() -> None:
    assert to_text(b"\xe9", LATIN1) == "é"
    assert to_bytes("é", LATIN1) == b"\xe9"
    assert to_bytes(Text("é", LATIN1), CONNECTION) == b"\xe9"
    assert to_bytes(Hex(b"\xe9"), CONNECTION) == b"\xe9"
    assert type(to_bytes(Hex(b"\xe9"), CONNECTION)) is bytes


def test_a_floating_point_number_is_not_text() -> None:
    with pytest.raises(UnsupportedStatement, match=r"^a floating-point number as text is not in the model$"):
        to_text(1.5)


@pytest.mark.parametrize(
    ("value", "collation"),
    [
        ("x", CONNECTION),
        (5, CONNECTION),
        (Text("x", LATIN1), LATIN1),
        (b"x", 63),
        (Temporal("DATE", date(2024, 1, 2)), LATIN1),
    ],
)
def test_the_collation_of_a_value(value: Value, collation: int) -> None:
    assert collation_of(value, CONNECTION) == collation


@pytest.mark.parametrize(
    ("value", "number", "integer"),
    [
        (5, 5, 5),
        (Decimal("1.4"), Decimal("1.4"), 1),
        (Decimal("1.5"), Decimal("1.5"), 2),
        (Decimal("-2.5"), Decimal("-2.5"), -3),
        (2.5, 2.5, 3),
        (1e30, 1e30, 1 << 64),
        (-1e30, -1e30, -(1 << 64)),
        (Decimal((1 << 64) - 1), Decimal((1 << 64) - 1), (1 << 64) - 1),
        (Decimal((1 << 64) + 5), Decimal((1 << 64) + 5), 1 << 64),
        (Hex(b"\x01\xff"), 511, 511),
        (Hex(b"\x01" + bytes(7) + b"\x02"), 2, 2),
        (Hex(b"\xff" * 8), (1 << 64) - 1, (1 << 64) - 1),
        (Choice("x", CONNECTION, 3), 3, 3),
        ("12", 12.0, 12),
        (" -1.5e1 ", -15.0, -15),
        (".5", 0.5, 1),
        ("5.", 5.0, 5),
        ("+5", 5.0, 5),
        (b"12", 12.0, 12),
        ("1e999", LARGEST, 1 << 64),
    ],
)
def test_numbers(value: Value, number: Value, integer: int) -> None:
    found = to_number(value)
    assert (found, isinstance(found, float)) == (number, isinstance(number, float))
    assert to_integer(value) == integer


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("x", "the text 'x' as a number is not in the model"),
        ("1x", "the text '1x' as a number is not in the model"),
        ("", "the text '' as a number is not in the model"),
        ("a" * 41, f"the text '{'a' * 40}' as a number is not in the model"),
        (b"\xe9", "the text 'é' as a number is not in the model"),
        (Temporal("DATE", date(2024, 1, 2)), "a date or a time as a number is not in the model"),
    ],
)
def test_what_is_not_a_number(value: Value, sentence: str) -> None:
    with pytest.raises(UnsupportedStatement) as refused:
        to_number(value)
    assert str(refused.value) == sentence


def test_the_nearest_number() -> None:
    assert [nearest_float(text) for text in ("1e999", "-1e999", "1e308")] == [LARGEST, -LARGEST, 1e308]


@pytest.mark.parametrize(
    ("value", "holds"), [(None, None), (0, False), (2, True), (Decimal("0.0"), False), ("0.1", True)]
)
def test_truth(value: Value, holds: bool | None) -> None:
    assert is_true(value) is holds


@pytest.mark.parametrize(
    ("number", "precision", "decimals", "data"),
    [
        # the manual's example: 1234567890.1234 as DECIMAL(14,4)
        (12345678901234, 14, 4, "810dfb38d204d2"),
        (-12345678901234, 14, 4, "7ef204c72dfb2d"),
        (0, 5, 2, "800000"),
        (150, 5, 2, "800132"),
        (-1, 5, 2, "7ffffe"),
        (5, 1, 0, "85"),
        (99999, 5, 0, "81869f"),
        (999999, 6, 0, "8f423f"),
        (9999999, 7, 0, "8098967f"),
        (99999999, 8, 0, "85f5e0ff"),
        (99, 2, 0, "e3"),
        (999, 3, 0, "83e7"),
        (9999, 4, 0, "a70f"),
        (7, 9, 9, "80000007"),
        (123456789012, 12, 12, "875bcd15000c"),
        (10**18 + 1, 19, 0, "810000000000000001"),
    ],
)
def test_the_bytes_of_a_decimal(number: int, precision: int, decimals: int, data: str) -> None:
    assert decimal_bytes(number, precision, decimals).hex() == data
