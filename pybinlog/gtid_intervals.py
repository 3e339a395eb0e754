"""GtidSet: the numbers of GTIDs, source by source, as sets of intervals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

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

    @classmethod
    def of_sorted(cls, intervals: list[tuple[int, int]]) -> IntervalSet:
        """Return the set of intervals that are in order, and of which no two touch."""
        result = cls()
        result._blocks = [intervals[at : at + BLOCK] for at in range(0, len(intervals), BLOCK)]
        result._firsts = [block[0][0] for block in result._blocks]
        return result

    def copy(self) -> IntervalSet:
        result = IntervalSet()
        result._blocks = [block.copy() for block in self._blocks]
        result._firsts = self._firsts.copy()
        return result

    @property
    def last(self) -> int:
        """The highest number; the set is not empty."""
        return self._blocks[-1][-1][1] - 1

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

    def unite(self, other: IntervalSet) -> None:
        """Add all numbers of the other set, in a time that follows the size of the smaller one, or of both once."""
        if not self:
            self._take(other.copy())
        elif len(other._blocks) * BLOCK < len(self._blocks):
            for start, end in other:
                self.add(start, end)
        else:
            self._take(IntervalSet.of_sorted(coalesced(sorted([*self, *other]))))

    def _take(self, other: IntervalSet) -> None:
        self._blocks, self._firsts = other._blocks, other._firsts

    def minus(self, other: IntervalSet) -> IntervalSet:
        """Return the numbers of this set that are not in the other."""
        result = IntervalSet()
        if self == other:
            return result
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


def coalesced(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return intervals in order, which may overlap, as intervals that do not even touch."""
    result: list[tuple[int, int]] = []
    first, after = intervals[0]
    for start, end in intervals:
        if start > after:
            result.append((first, after))
            first, after = start, end
        elif end > after:
            after = end
    result.append((first, after))
    return result


Source = tuple[bytes, bytes | None]
"""(uuid, tag); MariaDB's has domain and server id in the uuid and None for the tag."""


class GtidSet(dict[Source, IntervalSet]):
    """The numbers of each source."""

    def add(self, source: Source, start: int, end: int) -> None:
        if start < end:
            self.setdefault(source, IntervalSet()).add(start, end)

    def unite(self, other: GtidSet) -> None:
        for source, numbers in other.items():
            if numbers:
                self.setdefault(source, IntervalSet()).unite(numbers)

    def copy(self) -> GtidSet:
        result = GtidSet()
        for source, numbers in self.items():
            result[source] = numbers.copy()
        return result

    def overlaps(self, other: GtidSet) -> bool:
        """Return True if a GTID is in both."""
        return any(
            source in other and list(numbers.minus(other[source])) != list(numbers) for source, numbers in self.items()
        )

    def minus(self, other: GtidSet) -> GtidSet:
        result = GtidSet()
        for source, numbers in self.items():
            rest = numbers.minus(other[source]) if source in other else numbers
            if rest:
                result[source] = rest
        return result


def set_text(gtids: GtidSet) -> str:
    """Return a set as it is printed; intervals beyond the first few are only counted."""
    from pybinlog.gtid_set import MARIADB, intervals_text

    return intervals_text(
        (uuid, MARIADB if tag is None else tag, start, end)
        for uuid, tag in sorted(gtids, key=lambda source: (source[0], source[1] or b""))
        for start, end in gtids[uuid, tag]
    )


def whole_text(gtids: GtidSet) -> str:
    """Return a set as a text that has all of it; `parse_gtid_set` reads that."""
    from pybinlog.gtid_set import MARIADB, interval_text

    return ",".join(
        interval_text((uuid, MARIADB if tag is None else tag, start, end))
        for uuid, tag in sorted(gtids, key=lambda source: (source[0], source[1] or b""))
        for start, end in gtids[uuid, tag]
    )


def gtid_text(source: Source, number: int) -> str:
    """Return a GTID as it is printed."""
    from pybinlog.gtid_set import MARIADB, interval_text

    uuid, tag = source
    return interval_text((uuid, MARIADB if tag is None else tag, number, number + 1))
