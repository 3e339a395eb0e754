"""Gtids: the event before each group of a log, its numbers, and what earlier logs held."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from pybinlog.event_types import EventFlag, EventType
from pybinlog.gtid_set import Interval, interval_text, joined
from pybinlog.layout import GtidField
from pybinlog.layout.gtid import FLAG_MAY_HAVE_SBR, LOGICAL_TIMESTAMP_TYPECODE
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import ServerOptions


class Gtid(NamedTuple):
    """The UUID, the tag (b"" for none) and the number of a transaction."""

    uuid: bytes
    tag: bytes
    number: int

    @property
    def interval(self) -> Interval:
        """The GTID as the part of a GTID set."""
        return (*self[:2], self.number, self.number + 1)

    def __str__(self) -> str:
        return "ANONYMOUS" if self == ANONYMOUS else interval_text(self.interval)


ANONYMOUS = Gtid(bytes(16), b"", 0)
"""Stands in the place of a GTID if there is none."""


class Gtids:
    """The GTIDs that are in the logs or that connections own, and the logical clock of the log that is written."""

    def __init__(self, options: ServerOptions):
        self.options = options
        self.executed: list[Interval] = []
        self.logged: list[Interval] = []
        """Those whose groups the logs hold: of all but what a log has lost."""
        self.owned: set[Gtid] = set()
        self.sequence_number = 0

    @property
    def written(self) -> bool:
        """Return True if groups begin with a GTID event: always in 9.7, with gtid=on in 5.6."""
        return self.options.gtid or self.options.modern

    def new_log(self) -> None:
        """Begin a log: restart the logical clock."""
        self.sequence_number = 0
        self.before = self.executed, self.logged

    def recover(self, logged: Iterable[Gtid], committed: Iterable[Gtid]) -> None:
        """Keep of the last log's GTIDs those that it still holds, and those of groups that an engine has committed."""
        executed, before = self.before
        found = [gtid.interval for gtid in logged if gtid != ANONYMOUS]
        self.logged = joined(before + found)
        self.executed = joined(executed + found + [gtid.interval for gtid in committed if gtid != ANONYMOUS])

    def previous_gtids(self, timestamp: int) -> LoggedEvent | None:
        """Return the Previous_gtids event of a new log; None if the server writes none."""
        if not self.written:
            return None
        sources = [
            {"sid": uuid, "tag": tag.decode(), "intervals": [{"start": start, "end": end} for *_, start, end in found]}
            for (uuid, tag), found in groupby(self.logged, key=lambda interval: interval[:2])
        ]
        body = {"sources": sources, "tagged": self.options.modern and bool(sources)}
        flags = EventFlag.IGNORABLE if self.options.modern else 0
        return LoggedEvent(EventType.PREVIOUS_GTIDS, body, timestamp, flags)

    def has(self, gtid: Gtid) -> bool:
        """Return True if a group with that GTID was written."""
        return any(gtid[:2] == (uuid, tag) and start <= gtid.number < end for uuid, tag, start, end in self.executed)

    def automatic(self, tag: bytes) -> Gtid | None:
        """Return the next free GTID of this server. None if gtid_mode is off."""
        if not self.options.gtid:
            return None
        gtid = Gtid(self.options.server_uuid.bytes, tag, 1)
        for *source, start, end in self.executed:
            if tuple(source) == gtid[:2]:
                gtid = self._not_owned(gtid)
                if gtid.number >= start:
                    gtid = gtid._replace(number=end)
        return self._not_owned(gtid)

    def _not_owned(self, gtid: Gtid) -> Gtid:
        while gtid in self.owned:
            gtid = gtid._replace(number=gtid.number + 1)
        return gtid

    def event(self, group: Sequence[LoggedEvent], gtid: Gtid | None, now: tuple[int, int]) -> LoggedEvent | None:
        """Return the GTID event of a group that is committed at `now` (seconds, microseconds); None if there is none.

        `gtid` is None if the server numbers nothing, ANONYMOUS if the client wants no number, which marks the event
        as ignorable. Its `transaction_length` is 0: that follows when the bytes of the group are known.
        """
        if not self.written:
            return None
        flags = EventFlag.IGNORABLE if gtid == ANONYMOUS else 0
        uuid, tag, number = gtid = gtid or ANONYMOUS
        event_type = EventType.ANONYMOUS_GTID if gtid == ANONYMOUS else EventType.GTID
        if event_type == EventType.GTID:
            self.executed = joined([*self.executed, gtid.interval])
            self.logged = joined([*self.logged, gtid.interval])
        body: dict[str, Any] = dict.fromkeys(_LATER_FIELDS)
        body.update(gtid_flags=FLAG_MAY_HAVE_SBR, sid=uuid, gno=number)
        if self.options.modern:
            self.sequence_number += 1
            first, second, third = self.options.numbers
            moment = now[0] * 1_000_000 + now[1]
            body.update(
                gtid_flags=FLAG_MAY_HAVE_SBR if may_have_statements(group) else 0,
                lt_type=LOGICAL_TIMESTAMP_TYPECODE,
                # One after the other, as the scenario runs them.
                last_committed=self.sequence_number - 1,
                sequence_number=self.sequence_number,
                commit_timestamps=(moment, moment),
                transaction_length=0,
                server_versions=(first * 10000 + second * 100 + third,) * 2,
            )
        if tag:
            event_type, body = EventType.GTID_TAGGED, _tagged(body, tag)
        return LoggedEvent(event_type, body, group[-1].timestamp, flags, statement=group[-1].statement)


def with_length(body: Mapping[str, Any], length: int) -> dict[str, Any]:
    """Return the body of a GTID event with the length of its group, in bytes."""
    if "fields" not in body:
        return {**body, "transaction_length": length}
    place = GtidField.TRANSACTION_LENGTH
    return {"fields": [{**field, "value": length} if field["id"] == place else field for field in body["fields"]]}


def _tagged(body: Mapping[str, Any], tag: bytes) -> dict[str, Any]:
    """Return the body of a Gtid_tagged for that of a Gtid: what is original and immediate is stored once."""
    values = {
        GtidField.GTID_FLAGS: body["gtid_flags"],
        GtidField.SID: list(body["sid"]),
        GtidField.GNO: body["gno"],
        GtidField.TAG: tag.decode(),
        GtidField.LAST_COMMITTED: body["last_committed"],
        GtidField.SEQUENCE_NUMBER: body["sequence_number"],
        GtidField.IMMEDIATE_COMMIT_TIMESTAMP: body["commit_timestamps"][0],
        GtidField.TRANSACTION_LENGTH: body["transaction_length"],
        GtidField.IMMEDIATE_SERVER_VERSION: body["server_versions"][0],
    }
    return {"fields": [{"id": field, "value": value} for field, value in values.items()]}


_LATER_FIELDS = (
    "lt_type last_committed sequence_number commit_timestamps transaction_length server_versions commit_group_ticket"
).split()


def may_have_statements(group: Sequence[LoggedEvent]) -> bool:
    """Return True if a group holds statements, or no rows at all."""
    statements = any(event.event_type == EventType.QUERY and event.content for event in group)
    return statements or not any(event.event_type == EventType.TABLE_MAP for event in group)
