"""Dates and times in text: what has a time of day, and what has none."""

from __future__ import annotations

import pytest

from pybinlog.values.temporal import parse_datetime


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0000-00-00", "DATE", "0000-00-00"),
        ("2024-00-07", "DATE", "2024-00-07"),
        ("0000-00-00 00:00:00", "DATETIME", "0000-00-00 00:00:00"),
        ("2024-02-00 12:34:56.789", "DATETIME", "2024-02-00 12:34:56.789"),
        ("2024-02-29", "DATE", "2024-02-29"),
        ("2024-02-29 12:34:56", "DATETIME", "2024-02-29 12:34:56"),
        ("2024-02-29T12:34:56.5", "DATETIME", "2024-02-29 12:34:56.500000"),
    ],
)
def test_a_date_or_a_date_with_a_time(text: str, kind: str, value: str) -> None:
    found = parse_datetime(text)
    assert found is not None
    assert (found.kind, str(found.value)) == (kind, value)


@pytest.mark.parametrize("text", ["2023-02-29", "2024-13-01", "2024-01-32", "2024-01-01 24:00:00", "soon"])
def test_neither(text: str) -> None:
    assert parse_datetime(text) is None
