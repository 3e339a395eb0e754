"""Transaction boundary markers as the server writes them (WL#4162, "Low-Level Design Specification").

`by_constructor` is the worklog's table: the type that an event gets when it is made. `when_written` is what
modifications M1 and M2 of binlog.cc make of it when the event's group goes into the log.

Two rows are of later servers than the worklog: XA START opens a group as BEGIN does and XA_prepare ends it (WL#6860),
and a DDL statement is "immediate" also where the server gives it its transaction's number (atomic DDL).
"""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.boundary import BoundaryType
from pybinlog.event_types import EventType
from pybinlog.simulate.log.event import LoggedEvent

IGNORE = frozenset({EventType.FORMAT_DESCRIPTION})
START = frozenset({EventType.GTID, EventType.ANONYMOUS_GTID})
END = frozenset({EventType.XID, EventType.XA_PREPARE})
SELF = frozenset({EventType.STOP, EventType.ROTATE, EventType.PREVIOUS_GTIDS})
VARIABLES = frozenset({EventType.INTVAR, EventType.RAND, EventType.USER_VAR})


def by_constructor(event: LoggedEvent) -> BoundaryType:
    """The boundary type that the constructor of the event's class sets."""
    event_type = event.event_type
    if event_type in IGNORE:
        return BoundaryType.IGNORE_BOUNDARY
    if event_type in SELF:
        return BoundaryType.SELF_CONTAINED
    if event_type in START:
        return BoundaryType.START_TRANSACTION
    if event_type in END:
        return BoundaryType.END_TRANSACTION
    if event_type == EventType.QUERY:
        return _of_query(event)
    return BoundaryType.INSIDE_TRANSACTION


def _of_query(event: LoggedEvent) -> BoundaryType:
    text: bytes = event.body["query"]
    if text == b"BEGIN" or text.startswith(b"XA START "):
        return BoundaryType.START_TRANSACTION
    if text in (b"COMMIT", b"ROLLBACK") or (text.startswith(b"XA ROLLBACK ") and not event.immediate):
        return BoundaryType.END_TRANSACTION
    return BoundaryType.SELF_CONTAINED if event.immediate else BoundaryType.INSIDE_TRANSACTION


def when_written(events: Sequence[LoggedEvent]) -> list[BoundaryType]:
    """The boundary types of the events of one group, in order, once M1 and M2 have looked at them."""
    types = [by_constructor(event) for event in events]
    # M2: the variables of a statement that is a group by itself are what begins that group.
    if types[-1] == BoundaryType.SELF_CONTAINED:
        first = next((at for at, event in enumerate(events) if event.event_type in VARIABLES), None)
        if first is not None:
            types[first] = BoundaryType.START_TRANSACTION
            types[-1] = BoundaryType.END_TRANSACTION
    # M1: where a GTID event goes before, that is what begins the group.
    if events[0].event_type in START:
        for at in range(1, len(types)):
            if types[at] == BoundaryType.START_TRANSACTION:
                types[at] = BoundaryType.INSIDE_TRANSACTION
            elif types[at] == BoundaryType.SELF_CONTAINED:
                types[at] = BoundaryType.END_TRANSACTION
    return types
