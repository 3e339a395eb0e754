"""ServerOptions: the server that a scenario asks for, as its `-- server:` lines say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Annotated, Any, TypeVar, get_type_hints
from uuid import UUID

from pybinlog.simulate.errors import ScenarioError


class BinlogFormat(Enum):
    """The values of binlog_format."""

    STATEMENT = "STATEMENT"
    ROW = "ROW"
    MIXED = "MIXED"


class LogEnd(Enum):
    """How the last log ends at the end of the scenario."""

    STOP = "stop"
    """The server shuts down: a Stop event."""
    ROTATE = "rotate"
    """The log was rotated: a Rotate event that names the next one, which is not written."""
    OPEN = "open"
    """The server still runs: no last event, and the in-use flag is set."""


class Markers(Enum):
    """The marks that the server writes into the flags of its events (WL#4162)."""

    NONE = "off"
    TYPES = "on"
    """Boundary types."""
    BITS = "bits"
    """Statement bits, as the worklog was first meant."""


_Member = TypeVar("_Member", bound=Enum)
SERVER_UUID = UUID("8a94f357-aab4-11df-86ab-c80aa9429562")
MODELS = {"5.6": "5.6.24", "9.7": "9.7.4", "11.8": "11.8.9"}
"""The servers whose logs the model writes."""
NO_ATOMIC_CREATE_SELECT = "with ROW, CREATE TABLE ... SELECT is two groups"
KNOWN_TO_DIFFER = {
    "5.7": f"{NO_ATOMIC_CREATE_SELECT}; MIXED logs temporary tables; no atomic DDL; shorter GTID and Query events; "
    "latin1 by default; a prepared XA transaction stays with its connection until that ends",
    "8.0": f"before 8.0.21, {NO_ATOMIC_CREATE_SELECT}; before 8.0.29, a prepared XA transaction stays with its "
    "connection until that ends",
    "8.4": "nothing that these scenarios show",
}
"""The differences of other servers' logs; the newest model stands for them."""
NEWEST = "9.7"
TIME_ZONES = {"5.6": ("-12:59", "+13:00"), "9.7": ("-13:59", "+14:00")}
ROW_IMAGES = ("FULL", "MINIMAL", "NOBLOB")
TIME_ZONE = re.compile(r"SYSTEM|[+-](?:0\d|1[0-4]):[0-5]\d", re.IGNORECASE)


def _choice(values: Iterable[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        found = next((value for value in values if value.lower() == text.lower()), None)
        if found is None:
            raise ValueError(f"this is one of {', '.join(values)}")
        return found

    return read


def _switch(text: str) -> bool:
    values = {"on": True, "1": True, "true": True, "off": False, "0": False, "false": False}
    if text.lower() not in values:
        raise ValueError("this is on or off")
    return values[text.lower()]


def _version(text: str) -> str:
    series = ".".join(text.split(".")[:2])
    if series not in (*MODELS, *KNOWN_TO_DIFFER) or not re.fullmatch(r"\d+\.\d+(\.\d{1,2})?", text):
        near = ", ".join(KNOWN_TO_DIFFER)
        raise ValueError(f"the model knows the servers {', '.join(MODELS)} (MariaDB), and stands for {near} as well")
    return text if text.count(".") == 2 else MODELS.get(series, text)


def _number(lowest: int, highest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,10}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"this is a whole number from {lowest} to {highest}")
        return int(text)

    return read


def _seconds(text: str) -> int:
    """Return microseconds of seconds with a fraction."""
    if not re.fullmatch(r"\d{1,10}(\.\d{1,6})?", text):
        raise ValueError("this is a number of seconds, such as 0.001")
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 1_000_000 + int(fraction.ljust(6, "0"))


def _time(text: str) -> int:
    """Return the seconds since 1970, or an ISO date and time, in UTC unless it says otherwise."""
    if text[:1].isdigit() and "-" not in text:
        microseconds = _seconds(text)
    else:
        try:
            moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        except ValueError:
            raise ValueError("this is a time as 2024-01-01T12:00:00 or the seconds since 1970") from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
        microseconds = (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    if not 0 < microseconds < 1_000_000 << 32:
        raise ValueError("an event's timestamp reaches from 1970 to 2106")
    return microseconds


def _matching(pattern: str | re.Pattern[str], what: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(what)
        return text

    return read


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValueError("this is not a UUID") from None


def _checksum(text: str) -> bool:
    return _choice(("crc32", "none"))(text) == "crc32"


def _member(kind: type[_Member]) -> Callable[[str], _Member]:
    return lambda text: kind(_choice([member.value for member in kind])(text))


_BASE_NAME = _matching(r"(?!\.)[\w.-]{1,200}", "this is the name of the logs without their number, such as binlog")


@dataclass(frozen=True)
class ServerOptions:
    """The server's version and settings; the field names are the keys of a `-- server:` line.

    `time` is when the server starts and `step` what each statement takes, both in microseconds. What stands beside a
    field's type reads its setting; its ValueError says what the setting has to be. None stands for the default of the
    server's version, which `complete` fills in.
    """

    version: Annotated[str, _version] = "9.7.4"
    format: Annotated[BinlogFormat, _member(BinlogFormat)] = BinlogFormat.ROW
    gtid: Annotated[bool | None, _switch] = None
    checksum: Annotated[bool, _checksum] = True
    markers: Annotated[Markers, _member(Markers)] = Markers.NONE
    rows_query: Annotated[bool | None, _switch] = None
    row_image: Annotated[str, _choice(ROW_IMAGES)] = "FULL"
    row_metadata: Annotated[str, _choice(("MINIMAL", "FULL"))] = "MINIMAL"
    direct: Annotated[bool, _switch] = False
    enforce_gtid_consistency: Annotated[bool | None, _switch] = None
    sync_binlog: Annotated[int, _number(0, 0xFFFFFFFF)] = 1
    time_zone: Annotated[str, _matching(TIME_ZONE, "this is SYSTEM, which is UTC, or as +02:00")] = "SYSTEM"
    server_id: Annotated[int, _number(1, 0xFFFFFFFF)] = 1
    server_uuid: Annotated[UUID, _uuid] = SERVER_UUID
    time: Annotated[int, _time] = 1_704_067_200_000_000
    step: Annotated[int, _seconds] = 1_000
    first_query_id: Annotated[int, _number(1, 0xFFFFFFFF)] = 1
    first_connection_id: Annotated[int, _number(1, 0xFFFFFFF)] = 10
    log_bin: Annotated[str | None, _BASE_NAME] = None
    end: Annotated[LogEnd, _member(LogEnd)] = LogEnd.STOP

    @property
    def series(self) -> str:
        """The version without its last number: 9.7."""
        return ".".join(self.version.split(".")[:2])

    @property
    def model(self) -> str:
        """Return the version of the server whose logs are written: the chosen one, or the newest of the model."""
        return self.version if self.series in MODELS else MODELS[NEWEST]

    @property
    def mariadb(self) -> bool:
        """Return True for a MariaDB."""
        return self.series == "11.8"

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The numbers of the model's version: (9, 7, 4); for a MariaDB those of a MySQL whose SQL is most like its."""
        if self.mariadb:
            return 8, 0, 0
        first, second, third = (int(part) for part in self.model.split("."))
        return first, second, third

    @property
    def modern(self) -> bool:
        """Return True if the server is of 8.0 or later (9.7 in the model), not 5.6."""
        return self.numbers >= (8, 0, 0)

    def complete(self) -> ServerOptions:
        """Return the options with the defaults of the version. Raise ScenarioError if no server starts with them."""
        newest = self.series == NEWEST
        if self.mariadb:
            return self._complete_mariadb()
        gtid = newest if self.gtid is None else self.gtid
        consistent = (newest or gtid) if self.enforce_gtid_consistency is None else self.enforce_gtid_consistency
        if gtid and not consistent:
            raise ScenarioError(
                "gtid=on requires enforce_gtid_consistency=on: no server starts without it",
                hint="To mix T- and N-tables, set gtid=off enforce_gtid_consistency=off",
            )
        if not self.modern and self.row_metadata != "MINIMAL":
            raise ScenarioError(f"MySQL {self.version} has no binlog_row_metadata")
        lowest, highest = TIME_ZONES["9.7" if self.modern else "5.6"]
        if (self.time_zone[0] == "+" and self.time_zone > highest) or (
            self.time_zone[0] == "-" and self.time_zone > lowest
        ):
            raise ScenarioError(f"time_zone={self.time_zone}: a time zone is from {lowest} to {highest}")
        return replace(self, gtid=gtid, enforce_gtid_consistency=consistent, rows_query=bool(self.rows_query))

    def _complete_mariadb(self) -> ServerOptions:
        if self.gtid is False or self.enforce_gtid_consistency:
            raise ScenarioError("a MariaDB has GTIDs always, and no enforce_gtid_consistency")
        if (self.row_metadata, self.row_image) != ("MINIMAL", "FULL"):
            raise ScenarioError("row_image and row_metadata of MariaDB are not in the model")
        rows_query = True if self.rows_query is None else self.rows_query
        return replace(self, gtid=False, enforce_gtid_consistency=False, rows_query=rows_query)

    def with_settings(self, text: str) -> ServerOptions:
        """Return these options with `key=value` settings on top. Raise ScenarioError for one that is not known."""
        hints = get_type_hints(ServerOptions, include_extras=True)
        readers: dict[str, Callable[[str], Any]] = {name: hint.__metadata__[0] for name, hint in hints.items()}
        changes: dict[str, Any] = {}
        for setting in text.split():
            key, equals, value = setting.partition("=")
            if not equals or key not in readers:
                raise ScenarioError(
                    f"{setting!r} is not a setting of the simulated server", hint=f"There are {', '.join(readers)}"
                )
            try:
                changes[key] = readers[key](value)
            except ValueError as error:
                raise ScenarioError(f"{key}={value}: {error}") from None
        return replace(self, **changes)
