"""Time zones of conditions, and the moments of clocks that change."""

from datetime import datetime, timedelta
from zoneinfo import available_timezones

import pytest

from pybinlog.where.tree import WhereError
from pybinlog.where.zone import instant, zone_of

in_berlin = pytest.mark.skipif("Europe/Berlin" not in available_timezones(), reason="needs the tz database")
NOON = datetime(2024, 7, 1, 12)
AT_NOON = 1719835200 * 1_000_000


@pytest.mark.parametrize(
    ("name", "minutes"),
    [
        *(("UTC", 0), ("utc", 0), ("Z", 0), ("+00:00", 0), ("+05:30", 330), ("-5:30", -330)),
        *(("+14:59", 899), ("-14:00", -840)),
        pytest.param("Europe/Berlin", 120, marks=in_berlin),
    ],
)
def test_a_zone_by_its_name(name: str, minutes: int) -> None:
    assert zone_of(name).utcoffset(NOON) == timedelta(minutes=minutes)
    assert instant(NOON, zone_of(name)) == AT_NOON - minutes * 60 * 1_000_000


@pytest.mark.parametrize("name", ["+15:00", "+05:60", "+5", "05:30", "Nowhere/City", "/etc/passwd"])
def test_what_is_no_zone(name: str) -> None:
    with pytest.raises(WhereError) as caught:
        zone_of(name)
    assert (caught.value.message, caught.value.hint) == (
        f"{name!r} is not a time zone",
        "Examples: UTC, +05:30, Europe/Berlin",
    )


@in_berlin
@pytest.mark.parametrize(
    ("moment", "how"), [(datetime(2024, 10, 27, 2, 30), "came twice"), (datetime(2024, 3, 31, 2, 30), "never came")]
)
def test_a_moment_at_which_clocks_change(moment: datetime, how: str) -> None:
    with pytest.raises(WhereError) as caught:
        instant(moment, zone_of("Europe/Berlin"))
    assert (caught.value.message, caught.value.hint) == (
        f"{moment} {how} in Europe/Berlin, where clocks change",
        "Give it in UTC, without --time-zone",
    )


def test_an_instant_has_microseconds() -> None:
    assert instant(datetime(1970, 1, 1, 0, 0, 0, 1), zone_of("UTC")) == 1
    assert instant(datetime(1969, 12, 31, 23, 59, 59, 999999), zone_of("UTC")) == -1
