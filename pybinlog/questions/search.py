"""Search: find transactions and places in logs. It reads the beginnings of all logs, and whole only those that can hold
what is wanted."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.feed.span import Span
from pybinlog.gtid_intervals import GtidSet, set_text
from pybinlog.log.executed import Executed, wanted_set
from pybinlog.log.gap import are_of_two_servers, gap_of_numbers
from pybinlog.log.gap_watch import gap_of_contents
from pybinlog.log.log_head import LogHead, read_head
from pybinlog.source.log_series import LogName
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader

COLUMNS = ("file", "start_position", "end_position", "commit_time", "gtid", "xa_xid", "ended")
MICROSECONDS = 1_000_000
TOLERANCE = 2 * MICROSECONDS
"""Transactions that are committed together may have times in another order: MariaDB's are of when statements began."""


class Transaction(NamedTuple):
    """A transaction's place: its log, where it begins and ends, its time in microseconds since 1970 UTC, its GTID."""

    log: str
    position: int | None
    end: int
    time: int | None
    gtid: str | None
    xa_xid: str | None = None
    ended: str | None = None


class Search:
    """Searches logs, which are given in their order. `warn` receives sentences about clocks.

    `read_whole` names the logs that were read beyond their beginnings. Every method raises BinlogError if a log is
    unreadable.
    """

    def __init__(self, names: Sequence[str], warn: Callable[[str], object]):
        self._names = names
        self._warn = warn
        self.read_whole: list[str] = []
        self._size = 0  # of the log that was read last

    @cached_property
    def heads(self) -> list[LogHead]:
        return [read_head(name) for name in self._names]

    # ---- by GTIDs

    def gtids(self, text: str) -> Iterator[Transaction]:
        """Find the transactions of a GTID set."""
        left = wanted_set(text)
        for at, _ in enumerate(self.heads):
            if not left:
                return
            if self._can_hold(at, left):
                for found in self._transactions(at, include_gtids=text):
                    yield found
                    left = left.minus(wanted_set(str(found.gtid)))
                    if not left:
                        return
        self._warn_of_missing(left)

    def not_in(self, text: str) -> Iterator[Transaction]:
        """Find the transactions that have a GTID, but none of the set's."""
        known = wanted_set(text)
        executed = GtidSet()
        for at, head in enumerate(self.heads):
            executed.unite(head.previous or GtidSet())
            held = self._held(at)
            if held is None or held.minus(known):
                for found in self._transactions(at, exclude_gtids=text):
                    if found.gtid is not None:
                        yield found
                        known.unite(wanted_set(found.gtid))
        self._warn_of_missing(executed.minus(known))

    def _warn_of_missing(self, gtids: GtidSet) -> None:
        """Warn of those of the GTIDs, which no log holds, that were executed before a log begins.

        MariaDB's logs tell the last number of each server only, so there the names tell which logs are missing.
        """
        if any(head.listed for head in self.heads):
            for at in range(len(self._names) - 1):
                self._warn_of_gap(at, "what is wanted may be in it")
            return
        for head in self.heads:
            before = gtids.minus(gtids.minus(head.previous or GtidSet()))
            if before:
                self._warn(
                    f"{set_text(before)}: executed before {head.name} begins, and in none of these logs: the log that "
                    "holds it is missing, or was purged"
                )
                gtids = gtids.minus(before)

    def executed(self) -> GtidSet:
        """Return the GTIDs that were executed up to the end of the logs, those before them included."""
        found = GtidSet()
        places = range(len(self._names))
        if self.heads[-1].previous is not None and all(map(self._is_followed, places[:-1])):
            places = places[-1:]  # its beginning tells of all logs before
        for at in places:
            executed = self.heads[at].executed()
            for one in self._transactions(at):
                if one.gtid is not None and one.ended is not None:
                    executed.add(one.gtid)
            found.unite(executed.gtids)
        return found

    def _can_hold(self, at: int, wanted: GtidSet) -> bool:
        """Return False if the beginnings of logs tell that a log has none of these GTIDs."""
        held, head = self._held(at), self.heads[at]
        if held is not None:
            return held.minus(wanted) != held
        # (MariaDB's list has the last number of each server, and lower ones may come later.)
        return head.previous is None or bool(head.listed) or bool(wanted.minus(head.previous))

    def _held(self, at: int) -> GtidSet | None:
        """Return the GTIDs that a log holds, by its beginning and that of the next log; None if they do not tell."""
        after = self._after(at)
        before = self.heads[at].previous
        return None if after is None or before is None else after.minus(before)

    def _after(self, at: int) -> GtidSet | None:
        """Return what was executed after a log, as the next one tells; None for the last of a series."""
        return self.heads[at + 1].previous if self._is_followed(at) else None

    # ---- by place

    def name_of(self, log: str) -> str:
        """Return the log that is meant by a name or a base name. Raise BinlogError if there is none."""
        for name in self._names:
            if log in (name, LogName.of(name).base):
                return name
        raise BinlogError(f"{log} is not one of the logs", hint="Name it among the FILEs")

    def names_from(self, log: str) -> Sequence[str]:
        """Return the log and those after it, as far as their names, or else their servers, continue it."""
        at = self._names.index(log)
        end = at
        while self._is_followed(end) or self._may_continue(end):
            end += 1
        return self._names[at : end + 1]

    def executed_at(self, log: str, position: int) -> Executed:
        """Return the GTIDs that were executed up to a position of a log: of whole transactions."""
        at = self._names.index(log)
        executed = read_head(log).executed()
        for found in self._transactions(at, stop=position):
            if found.gtid is not None and found.end <= position and found.ended is not None:
                executed.add(found.gtid)
        if position > self._size:
            raise BinlogError(f"{log} ends at {self._size}, before position {position}", hint="Name a later log")
        return executed

    def transaction_at(self, log: str, position: int) -> Transaction | None:
        """Find the transaction that a position of a log is in; None if there is none."""
        for found in self._transactions(self._names.index(log)):
            if found.position is not None and found.position <= position < found.end:
                return found
        return None

    def place_of(self, text: str) -> Transaction | None:
        """Find the transaction after which all GTIDs of a set were executed, the first place where that is so.

        None if the logs do not hold it: it is not executed at their end, or was before they begin.
        """
        wanted = wanted_set(text)
        for at, head in enumerate(self.heads):
            if head.executed().has(wanted):
                start = Transaction(head.name, head.end, head.end, head.begun * MICROSECONDS, None)
                return start if at or wanted == head.executed().gtids else None
            after = self._after(at)
            if after is not None and wanted.minus(after):
                continue
            executed = head.executed()
            for found in self._transactions(at):
                if found.gtid is not None:
                    executed.add(found.gtid)
                    if executed.has(wanted):
                        return found
        return None

    # ---- by time

    def first_since(self, time: int) -> Transaction | None:
        """Find the first transaction that was committed at a time, in microseconds since 1970 UTC, or later.

        All that were committed since then come after its beginning. Warn of clocks that went back.
        """
        found: Transaction | None = None
        for at, head in enumerate(self.heads):
            if found is not None:
                if head.begun and (head.begun + 1) * MICROSECONDS < time:
                    self._warn(f"the clock went back: {head.name} was begun before that time, and stands after it")
                continue
            ends = self._begun_after(at)
            if ends is not None and max(ends, (head.begun + 1) * MICROSECONDS) < time:
                continue
            late = 0
            back = 0
            for one in self._transactions(at):
                if one.time is None:
                    continue
                if found is None and one.time >= time:
                    found = one
                elif found is not None and one.time < time:
                    late += 1
                elif found is not None and found.time is not None:
                    back += one.time + TOLERANCE < found.time
            if late:
                self._warn(
                    f"the clock went back: {late} transactions after this place in {head.name} have an earlier time"
                )
            elif back:
                self._warn(
                    f"the clock went back in {head.name}: the first transaction since then has a later time than "
                    f"{back} after it, and may have been committed before that time"
                )
        return found

    def _begun_after(self, at: int) -> int | None:
        """Return the end of the second in which the next log was begun; None for the last of a series."""
        if not self._is_followed(at) or not self.heads[at + 1].begun:
            return None
        return (self.heads[at + 1].begun + 1) * MICROSECONDS

    def _is_followed(self, at: int) -> bool:
        """Return True if the next log is the one that the server wrote after this one."""
        names = self._names
        return at + 1 < len(names) and LogName.of(names[at + 1]).follows(LogName.of(names[at]))

    def _may_continue(self, at: int) -> bool:
        """Return True if the names do not tell whether the next log continues this one, and it is of the same server.

        Copies have such names, or logs in two folders.
        """
        if at + 1 >= len(self._names) or LogName.of(self._names[at]).series == LogName.of(self._names[at + 1]).series:
            return False
        one, other = self.heads[at : at + 2]
        return not (one.is_relay_log or other.is_relay_log or are_of_two_servers(one, other))

    # ---- missing logs

    def warn_of_gaps(self, log: str, *, before: bool) -> None:
        """Warn if a log is missing after a log, or after those that continue it; `before`: or just before it, too.

        If the names do not tell, read the log before, and compare its GTIDs with the beginning of the next one.
        """
        at = self._names.index(log)
        after = at + len(self.names_from(log))
        if before and at:
            self._warn_of_gap(at - 1, "an earlier place may be missing")
        if after < len(self._names):
            self._warn_of_gap(after - 1, "the command ends before this log")
        if after > at + 1:
            self._warn_of_gap(at, "the command ends before this log")

    def _warn_of_gap(self, at: int, lost: str) -> None:
        """Warn of a gap between a log and the next one; `lost` says what it means."""
        last, name = self._names[at : at + 2]
        one, other = LogName.of(last), LogName.of(name)
        gap = None
        if one.series == other.series:
            gap = gap_of_numbers(one, None, other)
        elif self._may_continue(at):
            gap = gap_of_contents(last, name)
        if gap is not None:
            self._warn(f"{name}: {gap.message(last)}; {lost}")

    # ---- by xid

    def xid(self, text: str) -> Iterator[Transaction]:
        """Find the transactions of an XA transaction's id, or that end with an Xid of that number."""
        if not text.isdecimal():
            for at, _ in enumerate(self._names):
                yield from (found for found in self._transactions(at) if found.xa_xid == text)
            return
        number = int(text)
        for at, _ in enumerate(self._names):
            ends = {
                end
                for xid, end in self._rows(at, ViewOptions(view="events", columns=("xid", "end_position")))
                if xid == number
            }
            if ends:
                yield from (found for found in self._transactions(at) if found.end in ends)

    # ---- reading

    def _transactions(self, at: int, stop: int | None = None, **filters: str) -> Iterator[Transaction]:
        options = ViewOptions(view="transactions", columns=COLUMNS, **filters)  # type: ignore[arg-type]
        for row in self._rows(at, options, stop):
            yield Transaction(*row)

    def _rows(self, at: int, options: ViewOptions, stop: int | None = None) -> Iterator[tuple[Any, ...]]:
        name = self._names[at]
        self.read_whole.append(name)
        reader = ViewReader(options, in_order=False, counts_statements=False, warn=self._warn)
        yield from reader.rows(Span((name,), stop=stop))
        self._size = reader.feed.logs[0].size
