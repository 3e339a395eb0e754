"""Gtids: the event before each group of a log, its numbers, and what earlier logs held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout.transaction.gtid import FLAG_MAY_HAVE_SBR, LOGICAL_TIMESTAMP_TYPECODE
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import ServerOptions

NO_UUID = bytes(16)


class Gtids:
    """The GTIDs that the server has given out, and the logical clock of the log that is written."""

    def __init__(self, options: ServerOptions):
        self.options = options
        self.next_number = 1
        self.sequence_number = 0

    @property
    def written(self) -> bool:
        """Return True if groups begin with a GTID event: always in 9.7, with gtid=on in 5.6."""
        return self.options.gtid or self.options.modern

    def new_log(self) -> None:
        """The logical clock begins anew in each log."""
        self.sequence_number = 0

    def previous_gtids(self, timestamp: int) -> LoggedEvent | None:
        """Return the Previous_gtids event of a new log; None if the server writes none."""
        if not self.written:
            return None
        sources: list[dict[str, Any]] = []
        if self.options.gtid and self.next_number > 1:
            intervals = [{"start": 1, "end": self.next_number}]
            sources = [{"sid": self.options.server_uuid.bytes, "tag": "", "intervals": intervals}]
        body = {"sources": sources, "tagged": self.options.modern and bool(sources)}
        flags = EventFlag.IGNORABLE if self.options.modern else 0
        return LoggedEvent(EventType.PREVIOUS_GTIDS, body, timestamp, flags)

    def event(self, group: Sequence[LoggedEvent], now: tuple[int, int]) -> LoggedEvent | None:
        """Return the GTID event of a group that is committed at `now` (seconds, microseconds); None if there is none.

        Its `transaction_length` is 0: that follows when the bytes of the group are known.
        """
        if not self.written:
            return None
        body: dict[str, Any] = dict.fromkeys(_LATER_FIELDS)
        if self.options.gtid:
            event_type, uuid, number = EventType.GTID, self.options.server_uuid.bytes, self.next_number
            self.next_number += 1
        else:
            event_type, uuid, number = EventType.ANONYMOUS_GTID, NO_UUID, 0
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
        return LoggedEvent(event_type, body, group[-1].timestamp, statement=group[-1].statement)


_LATER_FIELDS = (
    "lt_type last_committed sequence_number commit_timestamps transaction_length server_versions commit_group_ticket"
).split()


def may_have_statements(group: Sequence[LoggedEvent]) -> bool:
    """Return True if a group holds statements, or no rows at all."""
    statements = any(event.event_type == EventType.QUERY and event.content for event in group)
    return statements or not any(event.event_type == EventType.TABLE_MAP for event in group)
