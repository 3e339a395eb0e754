"""Executed: the GTIDs that were executed up to a place in logs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pybinlog.gtid_intervals import GtidSet
from pybinlog.gtid_intervals import set_text as intervals_text
from pybinlog.gtid_set import interval_text, parse_gtid_position, parse_gtid_set, source_of_event


class Executed:
    """MySQL's is a set (`gtid_executed`), MariaDB's the last GTID of each domain (`BINLOG_GTID_POS()`).

    `gtids` are those of MySQL; of MariaDB all sequence numbers up to the last of each server in its domain.
    """

    def __init__(self, previous: GtidSet | None = None, listed: Iterable[tuple[int, int, int]] = ()):
        self.gtids = GtidSet()
        self.gtids.unite(previous or GtidSet())
        self._last: dict[bytes, str] = {}
        for domain, server, number in listed:
            self.add(f"{domain}-{server}-{number}")

    @classmethod
    def of_text(cls, text: str) -> Executed:
        """Return what `str` gave as a text. Raise ValueError if it is neither a set nor a position."""
        if ":" in text or not text:
            return cls(wanted_set(text))
        return cls(None, parse_gtid_position(text))

    @classmethod
    def of_state(cls, text: str) -> Executed:
        """Return what a gtid_binlog_state says, which may have several servers of a domain (MariaDB)."""
        found = cls()
        for gtid in filter(None, text.split(",")):
            found.add(gtid.strip())
        return found

    @property
    def positions(self) -> dict[int, tuple[int, int]]:
        """The server and the number of the last GTID of each domain (MariaDB)."""
        last = [tuple(map(int, gtid.split("-"))) for gtid in self._last.values()]
        return {domain: (server, number) for domain, server, number in last}

    def add(self, gtid: str) -> None:
        """Add a GTID as the views have it."""
        source, _, number = gtid.rpartition(":" if ":" in gtid else "-")
        self.add_run(source, int(number), int(number))

    def add_run(self, source: str, first: int, last: int) -> None:
        """Add the GTIDs from `first` to `last` of a source: `uuid`, `uuid:tag`, of MariaDB `domain-server`."""
        if source.count("-") > 1:
            self.gtids.add(source_of(source), first, last + 1)
            return
        key = maria_source_of(source)
        self.gtids.add(key, 1, last + 1)
        self._last[key[0][:4]] = f"{source}-{last}"

    def beyond(self, other: Executed) -> str:
        """Return the GTIDs that were executed here and not there, for a message; of MariaDB the ends of each domain.

        "" if there are none.
        """
        if not self._last and not other._last:
            return intervals_text(self.gtids.minus(other.gtids))
        parts = []
        for domain in sorted(self._last, key=number_of):
            here, there = self._last[domain], other._last.get(domain)
            if there is None:
                parts.append(f"up to {here}")
            elif here != there and sequence_of(here) >= sequence_of(there):
                parts.append(f"after {there} up to {here}")
        return ", ".join(parts)

    def has(self, wanted: GtidSet) -> bool:
        """Return True if all of the wanted GTIDs were executed."""
        return not wanted.minus(self.gtids)

    def __str__(self) -> str:
        if self._last:
            return ",".join(self._last[domain] for domain in sorted(self._last, key=number_of))
        return set_text(self.gtids)

    def text_since(self, before: Executed) -> str:
        """Return what was executed since; of MariaDB the position."""
        return str(self) if self._last else set_text(self.gtids.minus(before.gtids))


def set_text(gtids: GtidSet) -> str:
    """Return MySQL's GTIDs as a server prints them: the tags of a server after its own."""
    found: dict[bytes, list[str]] = {}
    for (uuid, tag), numbers in sorted(gtids.items()):
        texts = [interval_text((uuid, tag or b"", *interval)) for interval in numbers]
        server = found.setdefault(uuid, [texts[0].partition(":")[0]])
        if tag:
            server.append(tag.decode("latin-1"))
        server += [text.rpartition(":")[2] for text in texts]
    return ",".join(":".join(parts) for parts in found.values())


def wanted_set(text: str) -> GtidSet:
    """Parse a GTID set of MySQL or of MariaDB. Raise ValueError if it is none."""
    wanted = GtidSet()
    for source, tag, start, end in parse_gtid_set(text):
        wanted.add((source, tag), start, end)
    return wanted


@lru_cache(maxsize=1024)
def source_of(prefix: str) -> tuple[bytes, bytes]:
    return source_of_event(prefix)


@lru_cache(maxsize=1024)
def maria_source_of(prefix: str) -> tuple[bytes, bytes]:
    ((source, tag, _, _),) = parse_gtid_set(f"{prefix}-1")
    return source, tag


def number_of(domain: bytes) -> int:
    return int.from_bytes(domain, "little")


def sequence_of(gtid: str) -> int:
    return int(gtid.rpartition("-")[2])
