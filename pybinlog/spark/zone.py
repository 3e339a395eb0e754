"""The driver's time zone on the executors: the times in a text are those of the user."""

from __future__ import annotations

import os
import time


def local_zone() -> str:
    """Return the value of TZ that gives this machine's local times elsewhere."""
    if "TZ" in os.environ:
        return os.environ["TZ"]
    name = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    if name:
        return name
    if not time.daylight:
        hours, seconds = divmod(abs(time.timezone), 3600)
        sign = "-" if time.timezone < 0 else ""
        return f"<{time.tzname[0]}>{sign}{hours}:{seconds // 60:02d}:{seconds % 60:02d}"
    return "UTC0"


def use_zone(zone: str) -> None:
    """Let local times of this process be those of the zone."""
    if os.environ.get("TZ") != zone:
        os.environ["TZ"] = zone
        time.tzset()
