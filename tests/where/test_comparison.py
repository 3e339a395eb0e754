"""A value is compared in the form that a column's own values have."""

import struct
from datetime import timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.column_types import ColumnType
from pybinlog.kernel.condition import value_order as kernel
from pybinlog.where import tree
from pybinlog.where.column import BoundColumn, Side
from pybinlog.where.comparison import comparison, like
from pybinlog.where.tree import WhereError
from tests.layout.cursor import Cursor, read_decimal


def decimal_column(precision: int, decimals: int) -> BoundColumn:
    metadata = precision << 8 | decimals
    return BoundColumn.of(0, b"d", ColumnType.NEWDECIMAL, metadata, decimals, 0, 0, None, 0, mariadb=False)


def failure(message: str, hint: str | None = None) -> WhereError:
    raise AssertionError(message)


@given(st.data())
def test_a_decimal_is_written_as_its_column_has_it(data: st.DataObject) -> None:
    precision = data.draw(st.integers(1, 65))
    decimals = data.draw(st.integers(0, min(precision, 30)))
    number = data.draw(st.integers(-(10**precision) + 1, 10**precision - 1))
    value = Decimal(number).scaleb(-decimals) if abs(number) < 10**28 else Decimal(f"{number}E-{decimals}")
    found = comparison(Side(decimal_column(precision, decimals), 0, "after"), value, timezone.utc, failure)
    assert read_decimal(Cursor(found["data"]), precision, decimals) == value
    assert not found["fraction"]


@pytest.mark.parametrize(
    ("hours", "text", "number", "fraction"),
    [
        (0, "1970-01-01 00:00:01", 1_000_000, False),
        (0, "1969-12-31 23:59:59", 0, True),
        (-12, "9999-12-31 23:59:59", 1 << 60, False),
        (12, "0001-01-01 00:00:00", 0, True),
        (0, "0000-00-00", 0, False),
    ],
)
def test_an_instant_beyond_the_calendar_is_before_or_after_all_others(
    hours: int, text: str, number: int, fraction: bool
) -> None:
    column = BoundColumn.of(0, b"t", ColumnType.TIMESTAMP2, 0, 0, 0, 0, None, 0, mariadb=False)
    found = comparison(Side(column, 0, "after"), text, timezone(timedelta(hours=hours)), failure)
    assert (found["number"], found.get("fraction", False)) == (number, fraction)


# ---- what a column is compared with

LATIN1, LATIN1_BIN, UTF8MB3, UTF8MB4, UTF8MB4_BIN, BINARY, SJIS, NONE = 8, 47, 33, 255, 46, 63, 13, 2000
"""Collations; of the last nothing is known."""
MOST = (1 << 64) - 1


def column(kind: ColumnType, metadata: int = 0, decimals: int = 0, collation: int = 0, **more: Any) -> BoundColumn:
    members, mariadb = more.get("members"), more.get("mariadb", False)
    return BoundColumn.of(0, b"c", kind, metadata, decimals, 0, collation, members, 0, mariadb=mariadb)


INTEGER, BIT, YEAR = column(ColumnType.LONG), column(ColumnType.BIT), column(ColumnType.YEAR)
REAL, JSON = column(ColumnType.DOUBLE), column(ColumnType.JSON)
SHORT_DECIMAL = column(ColumnType.NEWDECIMAL, 15 << 8 | 2, 2)
LONG_DECIMAL = column(ColumnType.NEWDECIMAL, 16 << 8 | 2, 2)
DATE, TIME, STAMP = (column(kind) for kind in (ColumnType.DATE, ColumnType.TIME2, ColumnType.TIMESTAMP2))
DATETIME = column(ColumnType.DATETIME2)
TEXT, LATIN = (column(ColumnType.VARCHAR, collation=number) for number in (UTF8MB4, LATIN1))
BYTES, NAMELESS, UNKNOWN = (column(ColumnType.VARCHAR, collation=number) for number in (BINARY, 0, NONE))
ENUM = column(ColumnType.ENUM, collation=UTF8MB4, members=[b"new", b"paid"])
BARE_ENUM = column(ColumnType.ENUM, collation=UTF8MB4)


def compared(one: BoundColumn, value: Any, **side: Any) -> Any:
    """The fields of the comparison; the error, with its hint, if there is one."""

    def fails(message: str, hint: str | None = None) -> WhereError:
        return WhereError(message, hint=hint)

    try:
        return comparison(Side(one, 0, "after", **side), value, timezone.utc, fails)
    except WhereError as error:
        return error.message if error.hint is None else f"{error.message}. {error.hint}"


def integer(number: int, fraction: bool = False) -> dict[str, Any]:
    return {"form": kernel.AS_INTEGER, "number": number, "fraction": fraction}


def text(data: bytes, collation: int) -> dict[str, Any]:
    return {"form": kernel.AS_TEXT, "data": data, "collation": collation}


def moment(number: int) -> dict[str, Any]:
    return {"form": kernel.AS_MOMENT, "number": number}


NOTHING = {"form": kernel.AS_NOTHING}
WITHOUT_QUOTES = "A number stands without quotes: id = 5"


@pytest.mark.parametrize(
    ("one", "value", "found"),
    [
        (INTEGER, 5, integer(5)),
        (INTEGER, Decimal("5.5"), integer(5, True)),
        (INTEGER, Decimal("-5.5"), integer(-6, True)),
        (INTEGER, 5.5, {"form": kernel.AS_REAL, "real": 5.5}),
        (INTEGER, " 5 ", integer(5)),
        (INTEGER, "-5.5", integer(-6, True)),
        (INTEGER, "5e1", {"form": kernel.AS_REAL, "real": 50.0}),
        (INTEGER, "123456789012345", integer(123456789012345)),
        (INTEGER, "1234567890123456", "`c` is a number, and a quoted number is rounded. Write it without quotes"),
        (INTEGER, -(1 << 63), integer(-(1 << 63))),
        (INTEGER, -(1 << 63) - 1, {"form": kernel.AS_INTEGER, "extreme": -1}),
        (INTEGER, MOST, integer(MOST)),
        (INTEGER, MOST + 1, {"form": kernel.AS_INTEGER, "extreme": 1}),
        (INTEGER, "five", f"`c` is a number, and 'five' is not. {WITHOUT_QUOTES}"),
        (INTEGER, b"\x05", f"`c` is a number, and X'05' is not. {WITHOUT_QUOTES}"),
        (INTEGER, tree.Moment("DATE", "2024-02-29"), f"`c` is a number, and DATE'2024-02-29' is not. {WITHOUT_QUOTES}"),
        (BIT, b"\x01\x02", integer(258)),
        (column(ColumnType.BIT, mariadb=True), b"\x01", f"`c` is a number, and X'01' is not. {WITHOUT_QUOTES}"),
        (YEAR, 99, "a year in `c` has four digits, and 99 does not"),
        (YEAR, -99, "a year in `c` has four digits, and -99 does not"),
        (YEAR, 1, "a year in `c` has four digits, and 1 does not"),
        (YEAR, 0, integer(0)),
        (YEAR, 100, integer(100)),
        (YEAR, -100, integer(-100)),
        (YEAR, "99", "a year in `c` has four digits, and '99' does not"),
        (INTEGER, 99, integer(99)),
        (REAL, 5, {"form": kernel.AS_REAL, "real": 5.0}),
        (REAL, Decimal("0.1"), {"form": kernel.AS_REAL, "real": 0.1}),
        (ENUM, 2, integer(2)),
        (ENUM, tree.Moment("TIME", "1:00"), f"`c` is members, and TIME'1:00' is not. {WITHOUT_QUOTES}"),
        (ENUM, "paid", text(b"paid", UTF8MB4)),
        (BARE_ENUM, "paid", NOTHING),
        (BARE_ENUM, 1, integer(1)),
        (TEXT, "ä", text("ä".encode(), UTF8MB4)),
        (TEXT, b"\xff", text(b"\xff", UTF8MB4)),
        (LATIN, "ä", text(b"\xe4", LATIN1)),
        (LATIN, "\N{SNOWMAN}", NOTHING),
        (BYTES, "ä", text("ä".encode(), BINARY)),
        (BYTES, b"\xff", text(b"\xff", BINARY)),
        (NAMELESS, "ä", text("ä".encode(), 0)),
        (UNKNOWN, "ä", text("ä".encode(), NONE)),
        (TEXT, tree.Bytes("ä"), text("ä".encode(), BINARY)),
        (TEXT, 5, "`c` is text, and 5 is not. Put it in quotes: '5'"),
        (INTEGER, tree.Bytes("5"), "BINARY is for texts, and `c` is a number"),
        (DATE, tree.Bytes("5"), "BINARY is for texts, and `c` is a DATE"),
        (JSON, "x", "`c` is JSON, which cannot be compared. Ask for a value in it: column->>'$.key' = 'x'"),
        (column(ColumnType.GEOMETRY), "x", "`c` is GEOMETRY, which cannot be compared"),
    ],
)
def test_a_value_is_compared_as_its_column_is(one: BoundColumn, value: Any, found: Any) -> None:
    assert compared(one, value) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("x", {"form": kernel.AS_JSON, "data": b"x", "collation": UTF8MB4_BIN}),
        (5, {"form": kernel.AS_JSON_REAL, "real": 5.0}),
        (Decimal("0.1"), {"form": kernel.AS_JSON_REAL, "real": 0.1}),
        (b"\x05", "a value of `c` by ->> is text, and X'05' is not. Put it in quotes"),
    ],
)
def test_a_value_in_a_document(value: Any, found: Any) -> None:
    assert compared(JSON, value, path=b"x") == found


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (Decimal("9999999999999.99"), {"fraction": False}),
        (Decimal("9999999999999.991"), {"fraction": True}),
        (Decimal("10000000000000"), {"extreme": 1}),
        (Decimal("-9999999999999.99"), {"fraction": False}),
        (Decimal("-9999999999999.991"), {"extreme": -1}),
        (0.5, {"fraction": False}),
    ],
)
def test_a_decimal_beyond_its_columns_digits(value: Any, fields: dict[str, Any]) -> None:
    found = compared(SHORT_DECIMAL, value)
    found.pop("data", None)
    assert found == {"form": kernel.AS_DECIMAL, **fields}


def test_a_decimal_of_many_digits_is_exact() -> None:
    refusal = "`c` is a DECIMAL of many digits. Write the number without an exponent or quotes"
    assert compared(SHORT_DECIMAL, float("inf")) == refusal
    assert compared(LONG_DECIMAL, 0.5) == refusal
    assert compared(LONG_DECIMAL, Decimal("0.5"))["fraction"] is False
    assert compared(LONG_DECIMAL, "1e2") == refusal


DAYS = ((2024 * 13 + 2) * 32 + 29) * 86400


@pytest.mark.parametrize(
    ("one", "value", "found"),
    [
        (DATE, "2024-02-29", moment(DAYS * 1_000_000)),
        (DATETIME, "2024-02-29 12:34:56.789", moment((DAYS + 45296) * 1_000_000 + 789000)),
        (DATETIME, tree.Moment("TIMESTAMP", "2024-02-29 01:00:01"), moment((DAYS + 3601) * 1_000_000)),
        (DATETIME, tree.Moment("DATE", "2024-02-29"), moment(DAYS * 1_000_000)),
        (TIME, "-01:00:00.5", moment(-3_600_500_000)),
        (TIME, tree.Moment("TIME", "00:00:01"), moment(1_000_000)),
        (STAMP, "1970-01-01 00:00:00", {**moment(0), "fraction": True}),
        (STAMP, "1970-01-01 00:00:00.000001", {**moment(1), "fraction": False}),
        (STAMP, "1970-01-02", {**moment(86400 * 1_000_000), "fraction": False}),
        (STAMP, "0000-00-00 00:00:00", moment(0)),
        (STAMP, "2024-02-00", "`c` is a TIMESTAMP, and '2024-02-00' is in no calendar"),
        (DATE, 20240229, "`c` is a DATE, and 20240229 is not. Write it as '2026-11-24'"),
        (TIME, "soon", "`c` is a TIME, and 'soon' is not. Write it as '17:30:00'"),
        (DATETIME, "soon", "`c` is a DATETIME, and 'soon' is not. Write it as '2026-11-24 17:30:00'"),
        (DATE, tree.Moment("TIME", "1:00"), "`c` is a DATE, and '1:00' is not. Write it as '2026-11-24'"),
        (*(TIME, tree.Moment("DATE", "12:34")), "`c` is a TIME, and '12:34' is not. Write it as '17:30:00'"),
    ],
)
def test_moments(one: BoundColumn, value: Any, found: Any) -> None:
    assert compared(one, value) == found


def side(one: BoundColumn, **more: Any) -> Side:
    return Side(one, 1, "after", **more)


BIN_TEXT = column(ColumnType.VARCHAR, collation=UTF8MB4_BIN)


@pytest.mark.parametrize(
    ("one", "other", "fields"),
    [
        (side(INTEGER), side(BIT), {"form": kernel.AS_INTEGER}),
        (side(INTEGER), side(REAL), {"form": kernel.AS_REAL}),
        (side(REAL), side(REAL), {"form": kernel.AS_REAL}),
        (side(REAL), side(SHORT_DECIMAL), None),
        (side(SHORT_DECIMAL), side(SHORT_DECIMAL), {"form": kernel.AS_DECIMAL}),
        (side(SHORT_DECIMAL), side(LONG_DECIMAL), None),
        (side(SHORT_DECIMAL), side(INTEGER), None),
        (side(DATE), side(DATETIME), {"form": kernel.AS_MOMENT}),
        (side(STAMP), side(STAMP), {"form": kernel.AS_MOMENT}),
        (side(DATE), side(STAMP), None),
        (side(DATE), side(INTEGER), None),
        (side(TEXT), side(ENUM), {"form": kernel.AS_TEXT, "collation": UTF8MB4}),
        (side(TEXT), side(LATIN), None),
        (side(TEXT, binary=True), side(LATIN), {"form": kernel.AS_TEXT, "collation": BINARY}),
        (side(TEXT), side(BIN_TEXT, binary=True), {"form": kernel.AS_TEXT, "collation": BINARY}),
        (side(TEXT), side(INTEGER), None),
        (side(INTEGER), side(TEXT), None),
        (side(ENUM), side(ENUM), {"form": kernel.AS_TEXT, "collation": UTF8MB4}),
        (side(BARE_ENUM), side(BARE_ENUM), {"form": kernel.AS_INTEGER}),
        (side(BARE_ENUM), side(ENUM), NOTHING),
        (side(TEXT), side(BARE_ENUM), NOTHING),
        (side(JSON, path=b"x"), side(JSON, path=b"x"), {"form": kernel.AS_JSON, "collation": UTF8MB4_BIN}),
        (side(JSON, path=b"x"), side(JSON, path=b"y"), None),
        (side(JSON, path=b"x"), side(INTEGER), None),
        (side(INTEGER), side(JSON, path=b"x"), None),
        (side(JSON), side(JSON), None),
    ],
)
def test_two_columns_of_one_type_are_compared(one: Side, other: Side, fields: dict[str, Any] | None) -> None:
    found = compared(one.column, other, path=one.path, binary=one.binary)
    assert found == (
        fields
        or f"`c` is {one.column.description} and `c` is {other.column.description}: they cannot be compared. Compare "
        "each with a value, or two columns of one type"
    )


ANY, ONE = 0xFFFFFFFF, 0xFFFFFFFE


@pytest.mark.parametrize(
    ("one", "pattern", "units"),
    [
        (TEXT, "ä%_", [0xE4, ANY, ONE]),
        (TEXT, "\\%\\\\\\", [ord("%"), ord("\\"), ord("\\")]),
        (TEXT, "", []),
        (column(ColumnType.VARCHAR, collation=UTF8MB3), "€", [0x20AC]),
        (LATIN, "ä_", [0xE4, ONE]),
        (LATIN, "€", [0x80]),
        (LATIN, "\N{SNOWMAN}", None),
        (BYTES, "ä_", [0xC3, 0xA4, ONE]),
        (ENUM, "x", [ord("x")]),
        (column(ColumnType.VARCHAR, collation=SJIS), "x", None),
        (UNKNOWN, "x", None),
        (NAMELESS, "x", None),
    ],
)
def test_a_pattern_as_numbers_of_characters(one: BoundColumn, pattern: str, units: list[int] | None) -> None:
    found = like(Side(one, 0, "after"), pattern, failure)
    if units is None:
        assert found == NOTHING
    else:
        data = struct.pack(f"<{len(units)}I", *units)
        assert found == {"form": kernel.AS_TEXT, "data": data, "collation": one.collation}


def test_a_pattern_for_a_document_or_for_bytes() -> None:
    assert like(Side(JSON, 0, "", path=b"x"), "ä", failure) == {
        "form": kernel.AS_JSON,
        "data": struct.pack("<I", 0xE4),
        "collation": UTF8MB4_BIN,
    }
    assert like(Side(TEXT, 0, "", binary=True), "ä", failure) == text(struct.pack("<2I", 0xC3, 0xA4), BINARY)
    with pytest.raises(AssertionError, match="LIKE is for texts, and `c` is a number"):
        like(Side(INTEGER, 0, ""), "5", failure)
