"""Local time without a call for each event."""

import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pybinlog.kernel.base.clock import local_times

ZONES = [
    "UTC",
    "America/New_York",
    "Europe/London",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Monrovia",
]
SPRING, AUTUMN = 1710054000, 1730613600  # New York, 2024: the clock is put forward at 2:00, and back


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def expected(second: int) -> tuple[bytes, bytes]:
    fields = time.localtime(second)
    short = f"{fields.tm_year % 100:02}{fields.tm_mon:02}{fields.tm_mday:02} {fields.tm_hour:2}"
    long = time.strftime("%Y-%m-%d %H:%M:%S", fields)
    return (
        f"{short}:{fields.tm_min:02}:{fields.tm_sec:02}".encode(),
        f"{long}.000123 {time.strftime('%Z', fields)}".encode(),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20))
def test_any_second_in_any_order(zone: str, seconds: list[int]) -> None:
    assert local_times(seconds) == [expected(second) for second in seconds]


def test_every_second_around_a_change_of_the_clock(zone: str) -> None:
    seconds = [change + shift for change in (SPRING, AUTUMN) for shift in range(-1000, 1000, 7)]
    assert local_times(seconds) == [expected(second) for second in seconds]
