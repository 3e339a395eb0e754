"""Replicas: what a server of another version does with the events of a log (rules V001, V002; WL#4033).

A replica stops at an event that it does not know, or ignores it. From which version on a server knows an event is in
its manual; docs/check.md, "Replicas", has the pages, and what was tried on servers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pybinlog.check.finding import ReportFinding
from pybinlog.event_types import FACTS, IGNORED, NEVER, EventFlag, EventType, Version, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.check.event_body import EventBody

FLAG_KNOWN_SINCE: Version = (5, 6)
"""MySQL's first version that ignores what it does not know, if the event has the flag for that (WL#4033)."""
COLUMNS_SINCE: dict[int, tuple[str, Version, Version]] = {
    17: ("TIMESTAMP with fractions", (5, 6), (10, 0)),
    18: ("DATETIME with fractions", (5, 6), (10, 0)),
    19: ("TIME with fractions", (5, 6), (10, 0)),
    140: ("compressed BLOB", NEVER, (10, 3)),
    141: ("compressed VARCHAR", NEVER, (10, 3)),
    242: ("VECTOR", (9, 0), NEVER),
    245: ("JSON", (5, 7), NEVER),
}
"""Type of a column in a Table_map -> its name, and the first series that know it."""
REPLICAS = tuple("5.5 5.6 5.7 8.0 8.4 9.7 mariadb-10.5 mariadb-10.6 mariadb-10.11 mariadb-11.4 mariadb-11.8".split())
"""The versions that the help text names; every series from 5.5, or from mariadb-10.0, is accepted."""
NAME = re.compile(r"(mariadb-|mysql-)?(\d{1,2})\.(\d{1,2})(?:\.\d+)?", re.IGNORECASE)


class Replica(NamedTuple):
    """A server that may replicate from the log: the last release of a series."""

    mariadb: bool
    version: Version

    @classmethod
    def of(cls, name: str) -> Replica:
        """Return the server that a name such as `5.7` or `mariadb-10.11` is of. Raise ValueError if there is none."""
        match = NAME.fullmatch(name.strip())
        if match is None:
            raise ValueError(f"{name!r} is not a server; name one such as {', '.join(REPLICAS)}")
        mariadb = (match[1] or "").lower() == "mariadb-"
        version = int(match[2]), int(match[3])
        if version < ((10, 0) if mariadb else (5, 5)) or (version >= (10, 0)) is not mariadb:
            raise ValueError(f"{name!r}: the servers are MySQL 5.5 to 9.x and mariadb-10.0 and later")
        return cls(mariadb, version)

    def __str__(self) -> str:
        return f"{'MariaDB' if self.mariadb else 'MySQL'} {self.version[0]}.{self.version[1]}"

    def knows(self, code: int) -> bool:
        """Return True if it gives an event of this type code its meaning."""
        facts = FACTS.get(code)
        if facts is None:  # a later MariaDB's, if it is one of MariaDB's own
            return self.mariadb and code >= EventType.MARIA_ANNOTATE_ROWS
        return self.version >= (facts.mariadb if self.mariadb else facts.mysql)

    def ignores(self, code: int, flags: int) -> bool:
        """Return True if it continues after an event that it does not know."""
        if self.mariadb and code in FACTS and FACTS[code].mariadb == IGNORED:
            return True
        return bool(flags & EventFlag.IGNORABLE) and (self.mariadb or self.version >= FLAG_KNOWN_SINCE)

    def knows_column(self, kind: int) -> bool:
        """Return True if it has columns of this type."""
        _, mysql, mariadb = COLUMNS_SINCE.get(kind, ("", (0, 0), (0, 0)))
        return self.version >= (mariadb if self.mariadb else mysql)


class ReplicaRules:
    """Says of one log, once for each type of event and column, which replicas do not know it."""

    def __init__(self, replicas: tuple[Replica, ...], report: ReportFinding, body: EventBody):
        self._replicas = replicas
        self._report = report
        self._body = body
        self._columns: set[int] = set()
        unknown = {code for code in range(256) if not all(replica.knows(code) for replica in replicas)}
        self._watches_columns = any(not one.knows_column(kind) for one in replicas for kind in COLUMNS_SINCE)
        if self._watches_columns:
            unknown.add(EventType.TABLE_MAP)
        body.watch(bytes(unknown - {EventType.UNKNOWN}))

    def on_event(self, batch: EventBatch, index: int, place: int) -> None:
        """Check an event of a type that this object watches."""
        header, code = batch.header(index), batch.code(index)
        if code == EventType.TABLE_MAP and self._watches_columns:
            self._table_map(batch, index, place)
            return
        self._body.unwatch(code)
        name = printed_name(code) if code in FACTS else f"type {code}"
        for replica in self._replicas:
            if replica.knows(code):
                continue
            if replica.ignores(code, header.flags):
                self._report("V002", place, header.type, f"{replica} ignores this log's {name} events.")
            else:
                way_out = f" {FACTS[code].way_out}" if code in FACTS and FACTS[code].way_out else ""
                self._report(
                    "V001", place, header.type, f"{replica} does not know {name} events, and stops here.{way_out}"
                )

    def _table_map(self, batch: EventBatch, index: int, place: int) -> None:
        for kind in sorted(set(column_types(batch, index)) & COLUMNS_SINCE.keys() - self._columns):
            self._columns.add(kind)
            name = COLUMNS_SINCE[kind][0]
            for replica in self._replicas:
                if not replica.knows_column(kind):
                    message = f"{replica} has no columns of type {name}, and stops at the rows of this table."
                    self._report("V001", place, EventType.TABLE_MAP, message)


def column_types(batch: EventBatch, index: int) -> bytes:
    """Return the types of a Table_map's columns; nothing if a length in it is wrong, which another rule reports."""
    body = batch.body(index)
    at = 6 if batch.post_header_lengths[EventType.TABLE_MAP] == 6 else 8
    for _ in range(2):  # the names of database and table: length, text, null byte
        if at >= len(body):
            return b""
        at += body[at] + 2
    if at >= len(body):
        return b""
    count, at = body[at], at + 1
    if count >= 251:
        width = {252: 2, 253: 3, 254: 8}.get(count, 0)
        count, at = int.from_bytes(body[at : at + width], "little"), at + width
    return body[at : at + count]
