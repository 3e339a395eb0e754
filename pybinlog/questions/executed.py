"""Executed: the GTIDs that were executed up to a place in logs, as a server has them there."""

from __future__ import annotations

from functools import lru_cache

from pybinlog.check.gtids import GtidSet
from pybinlog.gtid_set import interval_text, parse_gtid_set, source_of_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Source = tuple[bytes, bytes]


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

    def add(self, gtid: str) -> None:
        """Add a GTID as the views have it."""
        prefix, _, number = gtid.rpartition(":")
        if prefix:
            self.gtids.add(source_of(prefix), int(number), int(number) + 1)
            return
        prefix, _, number = gtid.rpartition("-")
        source = maria_source_of(prefix)
        self.gtids.add(source, 1, int(number) + 1)
        self._last[source[0][:4]] = gtid

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
def source_of(prefix: str) -> Source:
    return source_of_event(prefix)


@lru_cache(maxsize=1024)
def maria_source_of(prefix: str) -> Source:
    ((source, tag, _, _),) = parse_gtid_set(f"{prefix}-1")
    return source, tag


def number_of(domain: bytes) -> int:
    return int.from_bytes(domain, "little")
