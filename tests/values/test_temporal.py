"""Dates and times in text: what has a time of day, and what has none; time zones, and how fractions are rounded."""

from datetime import date, datetime, timedelta, timezone

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.values.temporal import (
    date_parts,
    from_utc,
    later,
    parse_datetime,
    parse_time,
    round_to,
    temporal_of,
    to_utc,
    zone,
)
from pybinlog.values.value import CONTEXT, Context, Temporal

LAST = datetime(9999, 12, 31, 23, 59, 59, 999999)


@pytest.mark.parametrize(
    ("text", "kind", "value", "decimals"),
    [
        ("0000-00-00", "DATE", "0000-00-00", 0),
        ("2024-00-07", "DATE", "2024-00-07", 0),
        ("2024-00-31", "DATE", "2024-00-31", 0),
        ("0000-00-00 00:00:00", "DATETIME", "0000-00-00 00:00:00", 0),
        ("2024-02-00 12:34:56.789", "DATETIME", "2024-02-00 12:34:56.789", 3),
        ("2024-02-00 12:34:56.0000001", "DATETIME", "2024-02-00 12:34:56.000000", 6),
        ("0000-02-28", "DATE", "0000-02-28", 0),
        ("2024-02-29", "DATE", "2024-02-29", 0),
        ("2024-2-9", "DATE", "2024-02-09", 0),
        (" 2024-12-31 ", "DATE", "2024-12-31", 0),
        ("00-01-01", "DATE", "2000-01-01", 0),
        ("69-12-31", "DATE", "2069-12-31", 0),
        ("70-01-01", "DATE", "1970-01-01", 0),
        ("99-12-31", "DATE", "1999-12-31", 0),
        ("2024-02-29 12:34:56", "DATETIME", "2024-02-29 12:34:56", 0),
        ("2024-02-29 1:2", "DATETIME", "2024-02-29 01:02:00", 0),
        ("2024-02-29 23:59:59", "DATETIME", "2024-02-29 23:59:59", 0),
        ("2024-02-29T12:34:56.5", "DATETIME", "2024-02-29 12:34:56.500000", 1),
        ("2024-02-29 12:34:56.1234564", "DATETIME", "2024-02-29 12:34:56.123456", 6),
        ("2024-02-29 12:34:56.1234565", "DATETIME", "2024-02-29 12:34:56.123457", 6),
        ("2024-12-31 23:59:59.9999995", "DATETIME", "2025-01-01 00:00:00", 6),
    ],
)
def test_a_date_or_a_date_with_a_time(text: str, kind: str, value: str, decimals: int) -> None:
    found = parse_datetime(text)
    assert found is not None
    assert (found.kind, str(found.value), found.decimals) == (kind, value, decimals)


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "0000-02-29",
        "2024-13-01",
        "2024-01-32",
        "2024-00-32",
        "2024-04-31",
        "2024-01-01 24:00:00",
        "2024-01-01 00:60:00",
        "2024-01-01 00:00:60",
        "024-01-01",
        "soon",
    ],
)
def test_neither(text: str) -> None:
    assert parse_datetime(text) is None


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("10:11:12", timedelta(hours=10, minutes=11, seconds=12), 0),
        ("1:2", timedelta(hours=1, minutes=2), 0),
        ("999:59:59", timedelta(hours=999, minutes=59, seconds=59), 0),
        (" -0:0:1.25 ", timedelta(seconds=-1, microseconds=-250000), 2),
        ("0:0:0.1234564", timedelta(microseconds=123456), 6),
        ("0:0:0.1234565", timedelta(microseconds=123457), 6),
        ("0:0:0.9999995", timedelta(seconds=1), 6),
    ],
)
def test_a_time(text: str, value: timedelta, decimals: int) -> None:
    assert parse_time(text) == Temporal("TIME", value, decimals)


@pytest.mark.parametrize("text", ["0:60:00", "0:00:60", "1000:00:00", "12", "soon"])
def test_no_time(text: str) -> None:
    assert parse_time(text) is None


def test_a_seventh_digit_is_cut_off_if_fractions_are() -> None:
    moment = parse_datetime("2024-02-29 12:34:56.1234565", truncate=True)
    assert moment == Temporal("DATETIME", datetime(2024, 2, 29, 12, 34, 56, 123456), 6)
    assert parse_time("0:0:0.1234565", truncate=True) == Temporal("TIME", timedelta(microseconds=123456), 6)


@pytest.mark.parametrize(
    ("name", "minutes"),
    [("SYSTEM", 0), ("system", 0), ("+00:00", 0), ("+05:30", 330), ("-05:30", -330), ("+14:00", 840), ("-13:59", -839)],
)
def test_time_zones(name: str, minutes: int) -> None:
    context = Context()
    token = CONTEXT.set(context)
    try:
        assert zone(name).utcoffset(None) == timedelta(minutes=minutes)
    finally:
        CONTEXT.reset(token)
    assert (context.time_zone_used, context.date_parsed, context.microseconds_used) == (True, False, False)
    noon = datetime(2024, 2, 29, 12)
    utc = to_utc(noon, name)
    assert utc == (noon - timedelta(minutes=minutes)).replace(tzinfo=timezone.utc)
    assert utc.tzinfo is timezone.utc
    assert from_utc(utc, name) == noon


def test_a_moment_that_no_year_of_utc_has() -> None:
    assert to_utc(LAST, "-00:01") is None
    assert to_utc(datetime(1, 1, 1), "+00:01") is None
    assert to_utc(datetime(1, 1, 1, 0, 1), "+00:01") == datetime(1, 1, 1, tzinfo=timezone.utc)


def test_a_parsed_date_is_noted() -> None:
    context = Context()
    token = CONTEXT.set(context)
    try:
        parse_time("1:2:3")
        assert not context.date_parsed
        parse_datetime("2024-01-01")
    finally:
        CONTEXT.reset(token)
    assert (context.time_zone_used, context.date_parsed) == (False, True)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (date(2024, 2, 29), [2024, 2, 29, 0, 0, 0, 0]),
        (datetime(2024, 2, 29, 12, 34, 56, 789), [2024, 2, 29, 12, 34, 56, 789]),
        ("2024-00-07", [2024, 0, 7, 0, 0, 0, 0]),
        ("2024-00-07 12:34:56", [2024, 0, 7, 12, 34, 56, 0]),
        ("2024-00-07 12:34:56.789", [2024, 0, 7, 12, 34, 56, 789000]),
    ],
)
def test_the_parts_of_a_date(value: date | str, parts: list[int]) -> None:
    assert date_parts(value) == parts


def test_the_years_end() -> None:
    second = timedelta(seconds=1)
    assert later(LAST - second, second) == LAST
    assert later(LAST - second + timedelta(microseconds=1), second) == LAST - second + timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("microseconds", "decimals", "truncate", "kept"),
    [
        (1, 6, False, 1),
        (100000, 1, True, 100000),
        (499999, 0, False, 0),
        (500000, 0, False, 1000000),
        (999999, 0, True, 0),
        (149999, 1, False, 100000),
        (150000, 1, False, 200000),
        (199999, 1, True, 100000),
        (123456, 6, False, 123456),
        (123455, 5, False, 123460),
        (123454, 5, False, 123450),
    ],
)
def test_rounding(microseconds: int, decimals: int, truncate: bool, kept: int) -> None:
    moment = datetime(2024, 2, 29, 23, 59, 59)
    rounded = round_to(moment + timedelta(microseconds=microseconds), decimals, truncate)
    assert rounded == moment + timedelta(microseconds=kept)
    for sign in (1, -1):
        time = sign * timedelta(microseconds=microseconds)
        assert round_to(time, decimals, truncate) == sign * timedelta(microseconds=kept)


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        (date(2024, 2, 29), "DATE", date(2024, 2, 29)),
        (date(2024, 2, 29), "DATETIME", datetime(2024, 2, 29)),
        (date(2024, 2, 29), "TIME", timedelta(0)),
        (datetime(2024, 2, 29, 12, 34, 56, 499999), "DATE", date(2024, 2, 29)),
        (datetime(2024, 2, 29, 23, 59, 59, 500000), "DATE", date(2024, 3, 1)),
        (datetime(2024, 2, 29, 12, 34, 56, 7), "TIME", timedelta(hours=12, minutes=34, seconds=56, microseconds=7)),
        ("2024-00-07", "DATETIME", "2024-00-07 00:00:00"),
        ("2024-00-07 12:34:56", "DATE", "2024-00-07"),
    ],
)
def test_another_kind_of_the_same_moment(value: date | str, kind: str, found: date | timedelta | str) -> None:
    of = "DATETIME" if isinstance(value, datetime) or len(str(value)) > 10 else "DATE"
    temporal = temporal_of(Temporal(of, value), kind, False)
    assert temporal == Temporal(kind, found)
    assert type(temporal.value) is type(found)


def test_a_time_is_no_date() -> None:
    for kind in ("DATE", "DATETIME"):
        with pytest.raises(
            UnsupportedStatement, match=r"^a time of the present day as a date is not in the model$"
        ) as refused:
            temporal_of(Temporal("TIME", timedelta(hours=1)), kind, False)
        assert refused.value.missing == kind


def test_text_as_a_date_or_a_time() -> None:
    assert temporal_of("2024-01-02 10:11:12", "TIME", False) == Temporal(
        "TIME", timedelta(hours=10, minutes=11, seconds=12)
    )
    assert temporal_of("2024-01-02", "TIME", False) is None
    assert temporal_of("10:11", "DATE", False) is None
    for text in ("20240102", " 101112.5 "):
        with pytest.raises(
            UnsupportedStatement, match=r"^a date or time that is written without separators is not in the model$"
        ):
            temporal_of(text, "DATETIME", False)
