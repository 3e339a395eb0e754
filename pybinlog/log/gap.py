"""Gap: what is wrong between two logs that are read one after the other, as far as the logs themselves tell.

GTIDs decide if there are any: a log begins with those that were executed before it. These are the GTIDs that the log
before begins with, and its own. Otherwise the names decide, if the files have the names that their server gave them: a
Rotate event names the next log, and a log without one, after a crash, is followed by the next number.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pybinlog.errors import GapError, Hint
from pybinlog.gtid_intervals import GtidSet, set_text
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.log.log_head import LogHead
from pybinlog.source.log_series import LogName, log_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.log.previous_gtids import Interval

SAME_TIME = 1
"""Seconds within which a server begins the next log after a Rotate event."""


class LogEnd:
    """The facts about a log that was read: its beginning, the GTIDs in it, and how it ends.

    `rotates_to` is the log that its last event, a Rotate, names. `is_whole` is False if parts of it were skipped.
    """

    def __init__(
        self, head: LogHead, held: HeldGtids, gtids: GtidSet, rotates_to: str | None = None, *, is_whole: bool = True
    ):
        """Make it of the GTIDs in `gtids` and `held`."""
        self.head = head
        self.rotates_to = None if rotates_to is None else log_name(rotates_to)
        self.last_time = held.last_time
        self.last_commit = held.last_commit
        self.has_anonymous = held.has_anonymous
        self._gtids = gtids
        self._in_intervals = not gtids
        self._intervals: list[Interval] = held.intervals()
        self._is_whole = is_whole

    @cached_property
    def held(self) -> GtidSet:
        """The GTIDs in it."""
        for source, tag, first, end in self._intervals:
            self._gtids.add((source, tag), first, end)
        return self._gtids

    @cached_property
    def known(self) -> GtidSet | None:
        """The GTIDs after it, as the next log begins with; None if they are not known."""
        if not self._is_whole or self.head.previous is None:
            return None
        known = self.head.previous.copy()
        for key, numbers in self.held.items():
            for first, end in numbers:  # a server of MariaDB tells its last number
                known.add(key, 1 if self.head.is_of_mariadb else first, end)
        return known

    def is_continued_by(self, head: LogHead) -> bool:
        """Return True if the next log begins with the known GTIDs; False also if only a comparison of sets can tell."""
        before, told = self.head.intervals, head.intervals
        if not self._is_whole or before is None or told is None or not self._in_intervals:
            return False
        mariadb = self.head.is_of_mariadb
        if mariadb != head.is_of_mariadb:
            return False
        known = by_end(before, self._intervals, mariadb=mariadb)
        return known is not None and known == by_end(told, (), mariadb=mariadb)


Ends = dict[tuple[bytes, bytes, int], int]


def by_end(before: list[Interval], held: Iterable[Interval], *, mariadb: bool) -> Ends | None:
    """Return the GTIDs before a log, and those in it, as the first number of each interval by its source and end.

    For MariaDB, return the end by its source alone: only the last number counts. Return None if this cannot hold them.
    """
    if mariadb:
        ends: Ends = {(uuid, tag, 0): end for uuid, tag, _, end in before}
        if len(ends) < len(before):
            return None
        for uuid, tag, _, end in held:
            ends[uuid, tag, 0] = max(ends.get((uuid, tag, 0), 0), end)
        return ends
    ends = {(uuid, tag, end): first for uuid, tag, first, end in before}
    if len(ends) < len(before):
        return None
    for uuid, tag, first, end in held:
        if (uuid, tag, end) in ends:
            return None
        ends[uuid, tag, end] = ends.pop((uuid, tag, first), first)
    return ends


class Gap:
    """A fault between a log and the one after it.

    `lacks`: logs are missing, with `gtids` as far as they are known. Otherwise the order is wrong, or another history
    begins. `reason` is a clause, which `more` continues. With `stops`, the second log must not be read as the
    continuation of the first.
    """

    def __init__(
        self, reason: str, more: str = "", *, lacks: bool = False, gtids: GtidSet | None = None, stops: bool = True
    ):
        self.reason = reason
        self.more = more
        self.lacks = lacks
        self.gtids = gtids
        self.stops = stops

    def message(self, before: str) -> str:
        """Return it as a sentence about the second log, without its full stop; `before` is the first."""
        name = LogName.of(before).base
        between = f" between {name} and this log" if self.lacks else f" {name}"
        return f"{self.reason}{between}{self.more}"

    def error(self, before: str, after: str) -> GapError:
        hint = Hint("Give the missing logs, too; {--allow-gaps} reads on without them")
        if not self.lacks:
            hint = Hint("Give the logs in the order in which they were written; {--allow-gaps} reads them in this one")
        return GapError(self.message(before), file=after, hint=hint)


EARLIER = "this log is older than the log before it,"
AGAIN = "this log is the same as the log before it,"
ANEW = "this log begins a history of its own, after a reset or as another server's; it does not continue"


def gap_between(end: LogEnd, head: LogHead) -> Gap | None:
    """Return what is wrong between a log and the beginning of the next one; None for nothing, as far as they tell.

    Logs of two servers, and relay logs of two replicas, do not continue each other.
    """
    before, after = LogName.of(end.head.name), LogName.of(head.name)
    is_series = after.number is not None and before.series == after.series
    if end.head.is_relay_log or head.is_relay_log:
        return gap_of_numbers(before, end.rotates_to, after) if is_series else None
    if not is_series and are_of_two_servers(end.head, head):
        return None
    gap = gap_of_numbers(before, end.rotates_to, after)
    if gap is None and end.is_continued_by(head):
        return None
    if gap is not None and not gap.lacks and not is_series:
        gap = None  # the names of another folder begin anew
    if head.previous is None or not (end.known or head.previous or end.held):
        return gap
    if end.known is None:
        return gap or gap_after_part(end, head)
    return gap_of_gtids(end, end.known, head, head.previous, gap)


def are_of_two_servers(one: LogHead, other: LogHead) -> bool:
    """Return True if two logs with names of different series are of two servers."""
    names = LogName.of(one.name), LogName.of(other.name)
    if all(name.number is not None for name in names) and names[0].stem != names[1].stem:
        return True
    return one.server_id != other.server_id or one.is_of_mariadb != other.is_of_mariadb


def gap_of_numbers(before: LogName, rotates_to: str | None, after: LogName) -> Gap | None:
    """Return what the names tell; None if they are in order, or are not those of their server."""
    if before.number is None or after.number is None or before.stem != after.stem or after.base == rotates_to:
        return None
    expected = before.number + 1
    if rotates_to is not None:
        named = LogName.of(rotates_to)
        if named.stem == before.stem and named.number is not None and named.number > before.number:
            expected = named.number  # a server skips numbers of files that are there
    if after.number > expected:
        first, last = before.numbered(expected), before.numbered(after.number - 1)
        count = after.number - expected
        what = f"{first} is missing" if count == 1 else f"{count} logs, {first} to {last}, are missing"
        return Gap(what, lacks=True)
    if after.number > before.number:
        return None
    return Gap(AGAIN if after.number == before.number else EARLIER)


def gap_after_part(end: LogEnd, head: LogHead) -> Gap | None:
    """Return what GTIDs tell if only a part of the log before was read: those after the last that was seen."""
    if end.rotates_to == LogName.of(head.name).base:
        return None
    missing = GtidSet()
    for source, numbers in (head.previous or GtidSet()).items():
        if source in end.held:
            last = end.held[source].last
            for first, beyond in numbers:
                missing.add(source, max(first, last + 1), beyond)
    return lacking(missing) if missing else None


def gap_of_gtids(end: LogEnd, known: GtidSet, head: LogHead, told: GtidSet, gap: Gap | None) -> Gap | None:
    """Return what is wrong by the GTIDs `known` after a log and those `told` by the next one; `gap` is by names."""
    if gap is not None and told and known and not any(source in known for source in told):
        return gap if LogName.of(end.head.name).series == LogName.of(head.name).series else None  # of another server
    missing, unknown = told.minus(known), known.minus(told)
    names_it = end.rotates_to == LogName.of(head.name).base
    if not missing and not unknown:
        if gap is not None and gap.lacks and not (end.has_anonymous or head.is_anonymous):
            gap.stops = False
            gap.more = "; by the GTIDs, no transaction is"
        return gap
    if missing and (not unknown or reaches_beyond(told, known)):
        if names_it and head.begun - end.last_time <= SAME_TIME and not any(source in known for source in missing):
            what = f"this log begins with GTIDs of other servers ({set_text(missing)}), as after SET gtid_purged, after"
            return Gap(what, gtids=missing, stops=False)
        if gap is not None and gap.lacks:
            them = "it" if gap.reason.endswith("is missing") else "them"
            gap.gtids, gap.more = missing, f", and with {them} the transactions {set_text(missing)}"
            return gap
        return lacking(missing)
    if names_it:
        return None  # what a crash cut off is not executed
    if gap is not None:
        return gap
    repeats = any(source in known for source in told) or overlaps(head.first, known)
    return Gap(EARLIER) if repeats and is_earlier(end, head) else Gap(ANEW, stops=False)


def lacking(missing: GtidSet) -> Gap:
    return Gap(f"the transactions {set_text(missing)} are missing", lacks=True, gtids=missing)


def reaches_beyond(told: GtidSet, known: GtidSet) -> bool:
    """Return True if a source has gone on since `known`."""
    return any(source in known and numbers.last > known[source].last for source, numbers in told.items())


def overlaps(intervals: Iterable[tuple[bytes, bytes, int, int]], known: GtidSet) -> bool:
    return any(first in known.get((source, tag), ()) for source, tag, first, _ in intervals)


def is_earlier(end: LogEnd, head: LogHead) -> bool:
    """Return True if the log was begun before the end of the one that is read before it. After a reset it was not."""
    if head.begun != end.last_time or not (head.first_commit and end.last_commit):
        return head.begun <= end.last_time
    return head.first_commit < end.last_commit


class Range:
    """The part of its logs that a command reads: a gap before or after all of it does no harm.

    Times are seconds since 1970 UTC. `start_gtids` is a position of MariaDB, as (domain, server, number).
    """

    def __init__(
        self,
        start_time: int | None = None,
        stop_time: int | None = None,
        include_gtids: GtidSet | None = None,
        exclude_gtids: GtidSet | None = None,
        start_gtids: Iterable[tuple[int, int, int]] = (),
    ):
        self._start_time = start_time
        self._stop_time = stop_time
        self._include = include_gtids
        self._exclude = exclude_gtids
        self._start_gtids = {domain: number for domain, _, number in start_gtids}

    def is_beyond(self, gap: Gap, end: LogEnd, head: LogHead) -> bool:
        """Return True if the command asks for nothing that the missing logs, or those before them, can hold."""
        start, stop = self._start_time, self._stop_time
        if start is not None and (head.begun if gap.lacks else end.last_time) < start:
            return True
        if stop is not None and end.last_time >= stop:
            return True
        if not gap.gtids:
            return False
        if self._include is not None and not gap.gtids.overlaps(self._include):
            return True
        if self._exclude is not None and not gap.gtids.minus(self._exclude):
            return True
        return bool(self._start_gtids) and all(
            self._start_gtids.get(int.from_bytes(source[:4], "little"), 0) >= numbers.last
            for (source, _), numbers in gap.gtids.items()
        )
