"""The time zone in which a condition names the moments of TIMESTAMP columns."""

import re
from datetime import datetime, timedelta, timezone, tzinfo

from pybinlog.errors import Hint
from pybinlog.where.tree import WhereError

_OFFSET = r"([+-])(\d{1,2}):(\d{2})"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def zone_of(name: str) -> tzinfo:
    """Return a zone by its name: UTC, an offset such as +05:30, or one of the tz database. Raise WhereError."""
    if name.upper() in ("UTC", "Z"):
        return timezone.utc
    match = re.fullmatch(_OFFSET, name)
    if match and int(match[2]) <= 14 and int(match[3]) < 60:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-offset if match[1] == "-" else offset)
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError
        pass
    except KeyError:
        pass
    raise WhereError(f"{name!r} is not a time zone", hint="Examples: UTC, +05:30, Europe/Berlin")


def instant(moment: datetime, zone: tzinfo) -> int:
    """Return a moment of the zone as microseconds since 1970 UTC. Raise WhereError if it came twice there, or never."""
    first, second = (moment.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1))
    back = first.astimezone(zone).replace(tzinfo=None)
    if first != second:
        how = "came twice" if back == moment else "never came"
        hint = Hint("Give it in UTC, without {--time-zone}")
        raise WhereError(f"{moment} {how} in {zone}, where clocks change", hint=hint)
    return (first - _EPOCH) // timedelta(microseconds=1)
