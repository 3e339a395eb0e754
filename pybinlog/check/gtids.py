"""GtidHistory: the GTIDs of a series of logs, compared with its Previous_gtids events."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from pybinlog.errors import CorruptEventError
from pybinlog.gtid_set import MARIADB, interval_text, intervals_text
from pybinlog.kernel.check.gtid_runs import GtidRuns

BLOCK = 512
NO_LIMIT = (1 << 63) - 1


class IntervalSet:
    """Sets of positive numbers; intervals are (start, end) with `end` after the last.

    The intervals stand in blocks of bounded length: numbers that come in the worst order cost no more than a search
    and the move of one block each.
    """

    def __init__(self, intervals: Iterable[tuple[int, int]] = ()):
        self._firsts: list[int] = []  # the first start of each block
        self._blocks: list[list[tuple[int, int]]] = []
        for start, end in intervals:
            self.add(start, end)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for block in self._blocks:
            yield from block

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntervalSet) and list(self) == list(other)

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def __contains__(self, number: int) -> bool:
        return self.interval_of(number) is not None

    def interval_of(self, number: int) -> tuple[int, int] | None:
        """Return the interval that holds the number."""
        before = self._before(number)
        return before if before is not None and number < before[1] else None

    def next_start(self, number: int) -> int:
        """Return the start of the first interval that begins after `number`; a number beyond all if there is none."""
        block_index = bisect_right(self._firsts, number) - 1
        if block_index >= 0:
            block = self._blocks[block_index]
            index = bisect_right(block, (number, NO_LIMIT + 1))
            if index < len(block):
                return block[index][0]
        return self._firsts[block_index + 1] if block_index + 1 < len(self._firsts) else NO_LIMIT

    def add(self, start: int, end: int) -> None:
        """Add the numbers start to end - 1; those that are there already stay."""
        if start >= end:
            return
        before = self._before(start)
        if before is not None and before[1] >= start:
            start, end = before[0], max(end, before[1])
            self._remove(before[0])
        following = self.next_start(start)
        while following <= end and following != NO_LIMIT:
            end = max(end, self._end_of(following))
            self._remove(following)
            following = self.next_start(start)
        self._insert(start, end)

    def minus(self, other: IntervalSet) -> IntervalSet:
        """Return the numbers of this set that are not in the other."""
        result = IntervalSet()
        cuts = list(other)
        at = 0
        for start, end in self:
            while at < len(cuts) and cuts[at][1] <= start:
                at += 1
            look = at
            while start < end:
                if look == len(cuts) or cuts[look][0] >= end:
                    result._append(start, end)
                    break
                if cuts[look][0] > start:
                    result._append(start, cuts[look][0])
                start = max(start, cuts[look][1])
                look += 1
        return result

    def _before(self, number: int) -> tuple[int, int] | None:
        """Return the last interval that starts at or before `number`."""
        block_index = bisect_right(self._firsts, number) - 1
        if block_index < 0:
            return None
        block = self._blocks[block_index]
        return block[bisect_right(block, (number, NO_LIMIT + 1)) - 1]

    def _end_of(self, start: int) -> int:
        interval = self._before(start)
        assert interval is not None
        return interval[1]

    def _append(self, start: int, end: int) -> None:
        if not self._blocks or len(self._blocks[-1]) == BLOCK:
            self._firsts.append(start)
            self._blocks.append([])
        self._blocks[-1].append((start, end))

    def _insert(self, start: int, end: int) -> None:
        block_index = bisect_right(self._firsts, start) - 1
        if block_index < 0:
            if not self._blocks:
                self._append(start, end)
                return
            block_index = 0
        block = self._blocks[block_index]
        block.insert(bisect_right(block, (start, end)), (start, end))
        self._firsts[block_index] = block[0][0]
        if len(block) > BLOCK:
            half = len(block) // 2
            self._blocks.insert(block_index + 1, block[half:])
            self._firsts.insert(block_index + 1, block[half][0])
            del block[half:]

    def _remove(self, start: int) -> None:
        block_index = bisect_right(self._firsts, start) - 1
        block = self._blocks[block_index]
        del block[bisect_right(block, (start, NO_LIMIT + 1)) - 1]
        if block:
            self._firsts[block_index] = block[0][0]
        else:
            del self._blocks[block_index], self._firsts[block_index]


Source = tuple[bytes, bytes | None]
"""(uuid, tag); MariaDB's has domain and server id in the uuid and None for the tag."""

BEYOND = "a length in it reaches beyond its end"


class GtidSet(dict[Source, IntervalSet]):
    """The numbers of each source."""

    def add(self, source: Source, start: int, end: int) -> None:
        if start < end:
            self.setdefault(source, IntervalSet()).add(start, end)

    def unite(self, other: GtidSet) -> None:
        for source, numbers in other.items():
            for start, end in numbers:
                self.add(source, start, end)

    def minus(self, other: GtidSet) -> GtidSet:
        result = GtidSet()
        for source, numbers in self.items():
            rest = numbers.minus(other[source]) if source in other else numbers
            if rest:
                result[source] = rest
        return result


class GtidHistory:
    """The GTIDs seen in one series of logs.

    `runs` are those of the compiled scan, which counts on from each source's newest GTID: only one that is not the
    next comes to `add`.
    """

    def __init__(self, runs: GtidRuns):
        self._runs = runs
        self.seen = GtidSet()
        """Found in the logs; see `settle`."""
        self.before: GtidSet | None = None
        """The GTIDs of the first Previous_gtids: those of logs that were not given."""
        self.excused = GtidSet()
        """Seen in a log, and lacking in a Previous_gtids after it: reported once."""

    def add(self, source: Source, number: int) -> bool:
        """Add a GTID; False if it was there already."""
        run = self._runs.pop(*source)
        if run is not None:
            self.seen.add(source, *run)
        numbers = self.seen.setdefault(source, IntervalSet())
        interval = numbers.interval_of(number)
        if interval is not None:
            self._runs.begin_again(*source, number, interval[1])
            return False
        if not self._runs.begin(*source, number, numbers.next_start(number)):
            numbers.add(number, number + 1)
        return True

    def settle(self) -> None:
        """Let `seen` hold all of them, also those that were only counted."""
        for uuid, tag, start, end in self._runs.pop_all():
            self.seen.add((uuid, tag), start, end)

    def expected(self) -> GtidSet:
        """Return the GTIDs that the next log's Previous_gtids should contain."""
        self.settle()
        result = GtidSet()
        result.unite(self.before or GtidSet())
        result.unite(self.seen)
        return result


def previous_gtids(body: bytes) -> GtidSet:
    """Return the set that a Previous_gtids event holds (MySQL source documentation, "Previous_gtids_event").

    Raise CorruptEventError if a length reaches beyond the event.
    """
    from pybinlog.kernel.scan import gtid_fields

    listed: list[tuple[bytes, bytes, int, int]] | None = gtid_fields.previous_gtids(body)
    if listed is None:
        raise CorruptEventError(BEYOND)
    found = GtidSet()
    for uuid, tag, start, end in listed:
        if not 0 < start < end < 1 << 63:
            raise CorruptEventError(f"the GTID set has an interval from {start} to {end}")
        found.add((uuid, tag), start, end)
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


def set_text(gtids: GtidSet) -> str:
    """Return a set as it is printed; intervals beyond the first few are only counted."""
    return intervals_text(
        (uuid, MARIADB if tag is None else tag, start, end)
        for uuid, tag in sorted(gtids, key=lambda source: (source[0], source[1] or b""))
        for start, end in gtids[uuid, tag]
    )


def gtid_text(source: Source, number: int) -> str:
    """Return a GTID as it is printed."""
    uuid, tag = source
    return interval_text((uuid, MARIADB if tag is None else tag, number, number + 1))
