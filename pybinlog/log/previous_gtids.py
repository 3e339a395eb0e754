"""The GTIDs that a Previous_gtids event of MySQL, or a Gtid_list event of MariaDB, holds."""

import struct
from collections.abc import Iterable
from itertools import pairwise

from pybinlog.errors import CorruptEventError
from pybinlog.gtid_intervals import GtidSet, IntervalSet, Source

Interval = tuple[bytes, bytes, int, int]
"""Numbers of a source: (uuid, tag, first, end), of which `end` comes after the last."""

BEYOND = "a length in it reaches beyond its end"


def previous_gtids(body: bytes) -> GtidSet:
    """Return the set that a Previous_gtids event holds. Raise CorruptEventError as `previous_intervals` does."""
    return set_of(previous_intervals(body))


def previous_intervals(body: bytes) -> list[Interval]:
    """Return what a Previous_gtids event holds (MySQL source documentation, "Previous_gtids_event"), in its order.

    Raise CorruptEventError if a length reaches beyond the event, or if an interval is impossible.
    """
    from pybinlog.kernel.scan import gtid_fields

    listed: list[Interval] | None = gtid_fields.previous_gtids(body)
    if listed is None:
        raise CorruptEventError(BEYOND)
    for _, _, start, end in listed:
        if not 0 < start < end < 1 << 63:
            raise CorruptEventError(f"the GTID set has an interval from {start} to {end}")
    return listed


def set_of(intervals: Iterable[Interval]) -> GtidSet:
    lists: dict[Source, list[tuple[int, int]]] = {}
    for uuid, tag, start, end in intervals:
        lists.setdefault((uuid, tag), []).append((start, end))
    found = GtidSet()
    for source, numbers in lists.items():
        in_order = all(end < start for (_, end), (start, _) in pairwise(numbers))
        found[source] = IntervalSet.of_sorted(numbers) if in_order else IntervalSet(numbers)
    return found


def gtid_list(body: bytes) -> GtidSet:
    """Return the last number of each domain and server that MariaDB's Gtid_list holds, each as a set of one.

    Raise CorruptEventError if the count reaches beyond the event.
    """
    from pybinlog.kernel.scan.gtid_fields import maria_gtid_list

    listed: list[tuple[int, int, int]] | None = maria_gtid_list(body)
    if listed is None:
        raise CorruptEventError(BEYOND)
    found = GtidSet()
    for domain, server, number in listed:
        found.add((struct.pack("<II8x", domain, server), None), number, number + 1)
    return found


def up_to(listed: Iterable[tuple[int, int, int]]) -> list[Interval]:
    """Return all numbers up to the last of each domain and server, under the names that `gtid_set` has for them."""
    last = ((struct.pack("<II8x", domain, server), number) for domain, server, number in listed)
    return [(source, b"\x01", 1, number + 1) for source, number in last if number > 0]
