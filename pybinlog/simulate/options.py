"""ServerOptions: the server that a scenario asks for, as its `-- server:` lines say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any
from uuid import UUID

from pybinlog.simulate.errors import ScenarioError


class BinlogFormat(Enum):
    """The values of binlog_format."""

    STATEMENT = "STATEMENT"
    ROW = "ROW"
    MIXED = "MIXED"


class LogEnd(Enum):
    """What becomes of the last log at the end of the scenario."""

    STOP = "stop"
    """The server shuts down: a Stop event."""
    ROTATE = "rotate"
    """The log was rotated: a Rotate event that names the next one, which is not written."""
    OPEN = "open"
    """The server still runs: no last event, and the in-use flag is set."""


SERVER_UUID = UUID("8a94f357-aab4-11df-86ab-c80aa9429562")


@dataclass(frozen=True)
class ServerOptions:
    """The server's version and settings; the field names are the keys of a `-- server:` line.

    `time` is when the server starts and `step` what each statement takes, both in microseconds.
    """

    version: str = "9.7.4"
    format: BinlogFormat = BinlogFormat.ROW
    gtid: bool = False
    checksum: bool = True
    markers: bool = False
    rows_query: bool = False
    row_image: str = "FULL"
    row_metadata: str = "MINIMAL"
    direct: bool = False
    enforce_gtid_consistency: bool = False
    time_zone: str = "SYSTEM"
    server_id: int = 1
    server_uuid: UUID = SERVER_UUID
    time: int = 1_704_067_200_000_000
    step: int = 1_000
    first_query_id: int = 1
    first_connection_id: int = 10
    log_bin: str | None = None
    end: LogEnd = LogEnd.STOP

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The version's numbers: (9, 7, 4)."""
        first, second, third = (int(part) for part in self.version.split(".")[:3])
        return first, second, third

    @property
    def modern(self) -> bool:
        """Whether the server is of 8.0 or later as the model knows it (9.7), not 5.6."""
        return self.numbers >= (8, 0, 0)

    def with_settings(self, text: str) -> ServerOptions:
        """These options with `key=value` settings on top. Raises ScenarioError for one that is not known."""
        changes: dict[str, Any] = {}
        for setting in text.split():
            key, equals, value = setting.partition("=")
            if not equals or key not in _READERS:
                raise ScenarioError(
                    f"{setting!r} is not a setting of the simulated server", hint=f"There are {', '.join(_READERS)}"
                )
            try:
                changes[key] = _READERS[key](value)
            except ValueError as error:
                raise ScenarioError(f"{key}={value}: {error}") from None
        return replace(self, **changes)


def _switch(text: str) -> bool:
    values = {"on": True, "1": True, "true": True, "off": False, "0": False, "false": False}
    if text.lower() not in values:
        raise ValueError("this is on or off")
    return values[text.lower()]


_VERSIONS = {"5.6": "5.6.24", "9.7": "9.7.4"}


def _version(text: str) -> str:
    series = ".".join(text.split(".")[:2])
    if series not in _VERSIONS or not re.fullmatch(r"\d+\.\d+(\.\d+)?", text):
        raise ValueError(f"the model knows the servers {' and '.join(_VERSIONS)}")
    return text if text.count(".") == 2 else _VERSIONS[series]


def _checksum(text: str) -> bool:
    return _choice(("crc32", "none"))(text.lower()) == "crc32"


def _choice(values: Iterable[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        found = next((value for value in values if value.lower() == text.lower()), None)
        if found is None:
            raise ValueError(f"this is one of {', '.join(values)}")
        return found

    return read


def _whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,10}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"this is a whole number from {lowest} to {highest}")
        return int(text)

    return read


def _time(text: str) -> int:
    """Seconds since 1970, or an ISO date and time, in UTC unless it says otherwise."""
    if re.fullmatch(r"\d{1,10}(\.\d{1,6})?", text):
        seconds, _, fraction = text.partition(".")
        return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0"))
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise ValueError("this is a time as 2024-01-01T12:00:00 or the seconds since 1970") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    microseconds = (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    if not 0 < microseconds < 0xFFFFFFFF_000000:
        raise ValueError("an event's timestamp reaches from 1970 to 2106")
    return microseconds


def _step(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text):
        raise ValueError("this is a number of seconds, such as 0.001")
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0"))


def _time_zone(text: str) -> str:
    if text.upper() != "SYSTEM" and not re.fullmatch(r"[+-](0\d|1[0-4]):[0-5]\d", text):
        raise ValueError("this is SYSTEM, which is UTC, or as +02:00")
    return text


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValueError("this is not a UUID") from None


def _base_name(text: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,200}", text) or text.startswith("."):
        raise ValueError("this is the name of the logs without their number, such as binlog")
    return text


_READERS: dict[str, Callable[[str], Any]] = {
    "version": _version,
    "format": lambda text: BinlogFormat(_choice([value.value for value in BinlogFormat])(text)),
    "gtid": _switch,
    "checksum": _checksum,
    "markers": _switch,
    "rows_query": _switch,
    "row_image": _choice(("FULL", "MINIMAL", "NOBLOB")),
    "row_metadata": _choice(("MINIMAL", "FULL")),
    "direct": _switch,
    "enforce_gtid_consistency": _switch,
    "time_zone": _time_zone,
    "server_id": _whole_number(1, 0xFFFFFFFF),
    "server_uuid": _uuid,
    "time": _time,
    "step": _step,
    "first_query_id": _whole_number(1, 0xFFFFFFFF),
    "first_connection_id": _whole_number(1, 0xFFFFFFF),
    "log_bin": _base_name,
    "end": lambda text: LogEnd(_choice([value.value for value in LogEnd])(text)),
}
assert list(_READERS) == [field.name for field in fields(ServerOptions)]
