"""A value is compared in the form that a column's own values have."""

from __future__ import annotations

from datetime import timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.column_types import ColumnType
from pybinlog.where.column import BoundColumn, Side
from pybinlog.where.comparison import comparison
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
