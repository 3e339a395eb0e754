"""Transaction boundary markers as the server writes them (WL#4162, "Low-Level Design Specification").

`by_constructor` is the worklog's table: the type that an event gets when it is made. `when_written` is what
modifications M1 and M2 of binlog.cc make of it when the event's group goes into the log.

Two rows are of later servers than the worklog: XA START opens a group as BEGIN does, and XA_prepare ends it (WL#6860).
A DDL statement is "immediate" even if the server gives it its transaction's number (atomic DDL).

`bits_when_written` has the statement bits of the worklog's first form, for MySQL 6.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.boundary import BoundaryType, EndBits, StartBits, StatementBits
from pybinlog.event_types import EventType
from pybinlog.layout.rows import RowsFlag
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import Markers

GTIDS = (EventType.GTID, EventType.GTID_TAGGED, EventType.ANONYMOUS_GTID)
ABOUT_THE_LOG = (EventType.FORMAT_DESCRIPTION, EventType.STOP, EventType.ROTATE, EventType.PREVIOUS_GTIDS)
ROWS = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS)
VARIABLES = (EventType.INTVAR, EventType.RAND, EventType.USER_VAR)
CONSTRUCTORS = {
    **dict.fromkeys(ABOUT_THE_LOG, BoundaryType.SELF_CONTAINED),
    EventType.FORMAT_DESCRIPTION: BoundaryType.IGNORE_BOUNDARY,
    **dict.fromkeys(GTIDS, BoundaryType.START_TRANSACTION),
    EventType.XID: BoundaryType.END_TRANSACTION,
    EventType.XA_PREPARE: BoundaryType.END_TRANSACTION,
}
"""The worklog's table; what is not in it is inside a transaction, and a Query is what its text says."""


def by_constructor(event: LoggedEvent) -> BoundaryType:
    """Return the boundary type that the constructor of the event's class sets."""
    if event.event_type == EventType.QUERY:
        return _of_query(event)
    return CONSTRUCTORS.get(event.event_type, BoundaryType.INSIDE_TRANSACTION)


def _of_query(event: LoggedEvent) -> BoundaryType:
    text: bytes = event.body["query"]
    if text == b"BEGIN" or text.startswith(b"XA START "):
        return BoundaryType.START_TRANSACTION
    if text in (b"COMMIT", b"ROLLBACK") or (text.startswith(b"XA ROLLBACK ") and not event.immediate):
        return BoundaryType.END_TRANSACTION
    return BoundaryType.SELF_CONTAINED if event.immediate else BoundaryType.INSIDE_TRANSACTION


def when_written(events: Sequence[LoggedEvent]) -> list[BoundaryType]:
    """Return the boundary types of the events of one group, in order, once M1 and M2 have looked at them."""
    types = [by_constructor(event) for event in events]
    # M2: the variables of a statement that is a group by itself are what begins that group.
    if types[-1] == BoundaryType.SELF_CONTAINED:
        first = next((at for at, event in enumerate(events) if event.event_type in VARIABLES), None)
        if first is not None:
            types[first] = BoundaryType.START_TRANSACTION
            types[-1] = BoundaryType.END_TRANSACTION
    # M1: where a GTID event goes before, that is what begins the group.
    if events[0].event_type in GTIDS:
        for at in range(1, len(types)):
            if types[at] == BoundaryType.START_TRANSACTION:
                types[at] = BoundaryType.INSIDE_TRANSACTION
            elif types[at] == BoundaryType.SELF_CONTAINED:
                types[at] = BoundaryType.END_TRANSACTION
    return types


def bits_when_written(events: Sequence[LoggedEvent]) -> list[StatementBits]:
    """Return the statement bits of the events of one group, in order.

    The server knows where a statement begins and ends as it writes it. BEGIN is a statement of its own, which the GTID
    event begins where there is one; so is XA PREPARE, which commits nothing.
    """
    found = []
    within = False
    for event, boundary in zip(events, when_written(events), strict=True):
        if event.event_type in ABOUT_THE_LOG:
            found.append(StatementBits(StartBits.NO_START, EndBits.NO_END))
            continue
        start, end = StartBits.NO_START, _end_of(event, boundary)
        if boundary in (BoundaryType.START_TRANSACTION, BoundaryType.SELF_CONTAINED):
            start = StartBits.TRANSACTION_START
        elif not within and (boundary is BoundaryType.INSIDE_TRANSACTION or end is EndBits.STATEMENT_END):
            start = StartBits.STATEMENT_START
        within = (within or start is not StartBits.NO_START) and end is EndBits.NO_END
        found.append(StatementBits(start, end))
    return found


def _end_of(event: LoggedEvent, boundary: BoundaryType) -> EndBits:
    if event.event_type == EventType.XA_PREPARE and not event.body["one_phase"]:
        return EndBits.STATEMENT_END
    if boundary in (BoundaryType.END_TRANSACTION, BoundaryType.SELF_CONTAINED):
        is_query = event.event_type == EventType.QUERY
        rolls_back = is_query and event.body["query"].startswith((b"ROLLBACK", b"XA ROLLBACK "))
        return EndBits.ROLLBACK if rolls_back else EndBits.TRANSACTION_COMMIT
    if event.event_type == EventType.QUERY:
        return EndBits.STATEMENT_END
    ends_rows = event.event_type in ROWS and event.body["flags"] & RowsFlag.STMT_END
    return EndBits.STATEMENT_END if ends_rows else EndBits.NO_END


def marked(events: Sequence[LoggedEvent], markers: Markers) -> list[int]:
    """Return the header flags of the events of one group, with their markers."""
    if markers is Markers.NONE:
        return [event.flags for event in events]
    if markers is Markers.TYPES:
        return [kind.to_flags(event.flags) for event, kind in zip(events, when_written(events), strict=True)]
    return [bits.to_flags(event.flags) for event, bits in zip(events, bits_when_written(events), strict=True)]
