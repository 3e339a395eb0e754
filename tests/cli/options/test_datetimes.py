"""Dates and times, as mysqlbinlog 9.7 was seen to take them."""

import time
from collections.abc import Iterator

import pytest

from pybinlog.cli.options.datetimes import epoch_microseconds, epoch_seconds
from tests.cli.conftest import parsed

FEBRUARY_28 = 1677542400  # 2023-02-28 00:00:00 UTC
DAY = 86400


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setenv("TZ", getattr(request, "param", "UTC"))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2023-02-28 00:00:00", FEBRUARY_28),
        ("2023-02-28 22:13:20", FEBRUARY_28 + 80000),
        ("2023-02-28T22:13:20", FEBRUARY_28 + 80000),
        ("20230228221320", FEBRUARY_28 + 80000),
        ("20230228T221320", FEBRUARY_28 + 80000),
        ("230228221320", FEBRUARY_28 + 80000),
        ("2023/02/28 22.13.20", FEBRUARY_28 + 80000),
        ("2023.02.28 22.13.20", FEBRUARY_28 + 80000),
        ("2023-2-28 2:3:4", FEBRUARY_28 + 7384),
        ("  2023-02-28 22:13:20 ", FEBRUARY_28 + 80000),
        ("2023-02-28\t22:13:20", FEBRUARY_28 + 80000),
        ("2023-02-28-22-13-20", FEBRUARY_28 + 80000),
        ("2023--02--28  22::13", FEBRUARY_28 + 79980),
        ("2023-02-28 22", FEBRUARY_28 + 79200),
        ("2023-02-28T22", FEBRUARY_28 + 79200),
        ("2023-02-28 22:13:", FEBRUARY_28 + 79980),
        ("2023-02-28 0.5", FEBRUARY_28 + 300),
        ("002023-02-28 00:00:00", FEBRUARY_28),
        ("2023-002-028 000:00:00", FEBRUARY_28),
        ("23-2-28 0", FEBRUARY_28),
        ("230228T00", FEBRUARY_28),
        ("230228.00", FEBRUARY_28),
        ("230228.0", FEBRUARY_28),
        ("20230228.00", FEBRUARY_28),
        ("20230228000000.", FEBRUARY_28),
        ("20230228000000.1", FEBRUARY_28),
        ("2302280000.1", FEBRUARY_28 + 1),
        ("1700000000", 1480464000),  # 17-00-00 00:00
        ("2023-02-28 00:00:00.5", FEBRUARY_28),
        ("2023-02-28 00:00:00.5 .", FEBRUARY_28),
        ("2023-02-28 00:00:00. ", FEBRUARY_28),
        ("2023-02-28 00:00:00.1234567 ", FEBRUARY_28),
        # Days are counted on from day 0 of month 0 to day 31 of each month.
        ("2023-02-29 00:00:00", FEBRUARY_28 + DAY),
        ("2023-02-31 00:00:00", FEBRUARY_28 + 3 * DAY),
        ("2023-03-00 00:00:00", FEBRUARY_28),
        ("2023-00-31 00:00:00", 1672444800),
        ("70-01-01 00:05", 300),
        ("69-01-01 00:05", 3124224300),
        ("3001-01-18 23:59:59", 32536771199),
        # Out of the range of TIMESTAMP.
        ("3001-01-19 00:00:00", 0),
        ("9999-12-31 23:59:59", 0),
        ("1969-12-31 23:59:59", 0),
        ("3-02-28 00:00", 0),
        ("123-02-28 00:00", 0),
        ("0000-00-00 00:05:00", 0),
        ("0-1-1 0:0:0", 0),
    ],
)
def test_every_form_of_the_reference_is_taken(text: str, seconds: int) -> None:
    assert epoch_seconds(text) == seconds


def test_a_time_may_be_told_from_now_or_from_1970() -> None:
    now = int(time.time())
    assert epoch_seconds("@1795407263") == 1795407263
    for text, ago in (("now", 0), ("-90s", 90), ("-30m", 1800), ("-1h", 3600), ("-2d", 172800), (" -1w ", 604800)):
        assert now <= epoch_seconds(text) + ago <= int(time.time())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "-5y",
        "-h",
        "@",
        "20230228",
        "2023-02-30",
        "2023/02/28",
        "2023-02-28 00 ",
        "2023-02-28 00:00 ",
        "2023-02-28T",
        "2023-02-28 24:00:00",
        "2023-02-28 00:60:00",
        "2023-02-28 00:00:60",
        "2023-02-32 00:00:00",
        "2023-13-28 00:00:00",
        "10000-02-28 00:00:00",
        "202302280000",
        "2023022800000000",
        "0230228000000",
        "20230228T00",
        "20230228 221320",
        "2023 02 28 00:00",
        "2023-02-28T 00:00",
        "2023-02-28 T00:00",
        "2023-02-28 00:00:00x",
        "2023-02-28 00:00:00-",
        "2023-02-28 00:00:00:",
        "2023-02-28 00:00:00..5",
        "2023-02-28 00:00:00.5x",
        "2023-02-30T00:00:00Z",
        "2023-02-28T00:00:00+24:00",
        "2023-02-28T00:00:00+1",
        "24:00",
        "10:60",
        "10",
        "10:00x",
        "2023-02-28 \u0662:00",
        "9" * 5000,
        "9" * 5000 + "-1-1 0:0",
    ],
)
def test_what_is_no_date_and_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="incorrect date and time"):
        epoch_seconds(text)


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("zone", "text", "seconds"),
    [
        ("UTC", "2023-02-28", FEBRUARY_28),
        ("UTC", " 2023-2-28 ", FEBRUARY_28),
        ("Europe/Berlin", "2023-02-28", FEBRUARY_28 - 3600),
        ("America/New_York", "2023-02-28", FEBRUARY_28 + 5 * 3600),
        ("UTC", "2023-02-28T22:13:20Z", FEBRUARY_28 + 80000),
        ("America/New_York", "2023-02-28T22:13:20Z", FEBRUARY_28 + 80000),
        ("America/New_York", "2023-02-28t22:13z", FEBRUARY_28 + 79980),
        ("America/New_York", "2023-02-28 22:13:20Z", FEBRUARY_28 + 80000),
        ("America/New_York", "2023-02-28T22:13:20.999Z", FEBRUARY_28 + 80000),
        ("America/New_York", "2023-02-28T22:13:20+02:00", FEBRUARY_28 + 80000 - 7200),
        ("America/New_York", "2023-02-28T22:13:20.123456-0530", FEBRUARY_28 + 80000 + 19800),
        ("America/New_York", "2023-02-28 22:13:20 +02", FEBRUARY_28 + 80000 - 7200),
        ("America/New_York", "2023-02-28T22:13-05:00", FEBRUARY_28 + 79980 + 5 * 3600),
        ("UTC", "2023-02-28T22:13+02", FEBRUARY_28 + 79982),  # as the reference has it: two seconds
        ("UTC", "1969-12-31T23:59:59Z", 0),
        ("UTC", "1970-01-01T00:00:00+01:00", 0),
        ("UTC", "9999-12-31", 0),
    ],
    indirect=["zone"],
)
def test_dates_alone_and_times_with_a_zone_are_taken(text: str, seconds: int) -> None:
    assert epoch_seconds(text) == seconds


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland"], indirect=True)
@pytest.mark.parametrize(
    ("text", "clock"), [("10:00", (10, 0, 0)), ("9:05:06", (9, 5, 6)), ("23:59:59.5", (23, 59, 59))]
)
def test_a_time_alone_is_of_today(text: str, clock: tuple[int, int, int]) -> None:
    days = {time.localtime()[:3]}
    found = time.localtime(epoch_seconds(text))
    days.add(time.localtime()[:3])  # it may be midnight
    assert found[:3] in days
    assert found[3:6] == clock


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("zone", "text", "seconds"),
    [
        ("America/New_York", "2024-03-10 01:50:00", 1710053400),
        ("America/New_York", "2024-03-10 02:00:00", 1710054000),  # 02:00 to 03:00 did not happen
        ("America/New_York", "2024-03-10 02:30:00", 1710054000),
        ("America/New_York", "2024-03-10 02:59:59", 1710054000),
        ("America/New_York", "2024-03-10 03:00:00", 1710054000),
        ("America/New_York", "2024-11-03 00:50:00", 1730609400),
        ("America/New_York", "2024-11-03 01:00:00", 1730613600),  # 01:00 to 02:00 happened twice
        ("America/New_York", "2024-11-03 01:30:00", 1730615400),
        ("America/New_York", "2024-11-03 02:00:00", 1730617200),
        ("Europe/Berlin", "2024-10-27 01:30:00", 1729985400),
        ("Europe/Berlin", "2024-10-27 02:00:00", 1729990800),
        ("Europe/Berlin", "2024-03-31 02:30:00", 1711846800),
        ("Australia/Sydney", "2024-04-07 02:30:00", 1712421000),
        ("Australia/Sydney", "2024-10-06 02:30:00", 1728144000),
        ("Australia/Lord_Howe", "2024-10-06 02:10:00", 1728142800),  # a gap of half an hour
        ("Australia/Lord_Howe", "2024-04-07 01:45:00", 1712416500),
        ("America/St_Johns", "2024-11-03 01:30:00", 1730610000),
        ("Asia/Kathmandu", "1986-01-01 00:05:00", 504902100),
    ],
    indirect=["zone"],
)
def test_changes_of_the_clock_count_as_with_the_reference(text: str, seconds: int) -> None:
    assert epoch_seconds(text) == seconds


@pytest.mark.usefixtures("zone")
def test_a_datetime_reaches_the_dump() -> None:
    result = parsed("--start-datetime=2023-02-28 00:00:00", "--stop-datetime", "20230228221320", "binlog.000001")
    assert result.options is not None
    assert result.options.start_datetime == FEBRUARY_28
    assert result.options.stop_datetime == FEBRUARY_28 + 80000


def test_a_bad_datetime_ends_as_with_mysqlbinlog() -> None:
    result = parsed("--start-datetime=yesterday", "binlog.000001")
    assert result.err == (
        "ERROR: --start-datetime: 'yesterday' is not a date and time; give one such as '2024-12-25 11:25:56', "
        "2024-12-25, 11:25 (of today) or 2024-12-25T11:25:56Z. See pybinlog dump --help.\n"
    )
    assert result.status == 1
    assert not result.dumped


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        ("2024-12-25 11:25:56", 0),
        ("2024-12-25 11:25:56.5", 500_000),
        ("2024-12-25T11:25:56.123456789Z", 123_456),
        ("20241225112556.25", 250_000),
        ("@1795407263.000001", 1),
        ("2024.12.25 11.25.56", 0),
    ],
)
def test_a_moment_has_the_fraction_of_its_second(text: str, fraction: int) -> None:
    assert epoch_microseconds(text) == epoch_seconds(text) * 1_000_000 + fraction
