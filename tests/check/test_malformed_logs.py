"""Logs that the recovery of MySQL 9.7 calls malformed are errors of a check.

The cases are those of the server's own samples, made here of logs of the corpus.
"""

import struct
from collections.abc import Callable

import pytest

from pybinlog.event_types import EventType
from tests.check.logs import Folder, changed, edited, events_of, first, joined, log, signed, without

BASIC, XA, DDL = "mysql-9.7/row-basic", "mysql-9.7/xa", "mysql-9.7/ddl"
HEADER = 19
GTID, QUERY, XID, XA_PREPARE = EventType.GTID, EventType.QUERY, EventType.XID, EventType.XA_PREPARE

Events = list[bytes]


def begin_of(events: Events, at: int) -> int:
    """The index of the GTID whose transaction holds an event."""
    return max(index for index in range(at + 1) if events[index][4] == GTID)


def only_the_end(kind: EventType) -> Callable[[Events], Events]:
    """A transaction that holds its GTID and its last event."""

    def edit(events: Events) -> Events:
        at = first(events, kind)
        return without(events, *range(begin_of(events, at) + 1, at))

    return edit


def ends_with(text: bytes) -> Callable[[Events], Events]:
    """A transaction of a GTID and a Query with that text."""

    def edit(events: Events) -> Events:
        at = first(events, XID)
        begin = begin_of(events, at)
        query = next(event for event in events[begin:at] if event[4] == QUERY and event[:-4].endswith(b"BEGIN"))
        return [*events[: begin + 1], query[:-9] + text + query[-4:], *events[at + 1 :]]

    return edit


def lost_end(events: Events) -> Events:
    return without(events, first(events, XID))


def lost_prepare(events: Events) -> Events:
    return without(events, first(events, XA_PREPARE))


def without_the_transaction_of(kind: EventType) -> Callable[[Events], Events]:
    def edit(events: Events) -> Events:
        at = first(events, kind)
        return without(events, *range(begin_of(events, at), at + 1))

    return edit


def prepared_twice(events: Events) -> Events:
    at = first(events, XA_PREPARE)
    begin = begin_of(events, at)
    again = [changed(events[begin], HEADER + 17, struct.pack("<q", 1 << 40)), *events[begin + 1 : at + 1]]
    return [*events[: at + 1], *again, *events[at + 1 :]]


def finished(events: Events, word: bytes) -> int:
    return next(at for at, event in enumerate(events) if event[4] == QUERY and b"XA " + word in event)


def finished_twice(word: bytes) -> Callable[[Events], Events]:
    def edit(events: Events) -> Events:
        at = finished(events, word)
        again = changed(events[at - 1], HEADER + 17, struct.pack("<q", 1 << 40))
        return [*events[: at + 1], again, events[at], *events[at + 1 :]]

    return edit


def unreadable(word: bytes) -> Callable[[Events], Events]:
    """The branch qualifier in double quotes, which no server writes."""

    def edit(events: Events) -> Events:
        at = finished(events, word)
        return [*events[:at], events[at].replace(b",X''", b',X""'), *events[at + 1 :]]

    return edit


def same_xid(events: Events) -> Events:
    at, other = first(events, XID, 1), first(events, XID)
    return [*events[:at], changed(events[at], HEADER, events[other][HEADER : HEADER + 8]), *events[at + 1 :]]


def xid_of_ddl(events: Events) -> Events:
    """Set the number of a Query's DDL among its status variables."""
    at = first(events, QUERY, 1)
    place = events[at].index(b"\x11", HEADER + 13) + 1
    number = events[first(events, QUERY)]
    other = number.index(b"\x11", HEADER + 13) + 1
    return [*events[:at], changed(events[at], place, number[other : other + 8]), *events[at + 1 :]]


@pytest.mark.parametrize(
    ("name", "edit", "code"),
    [
        pytest.param(BASIC, only_the_end(XID), "B004", id="orphan Xid"),
        pytest.param(BASIC, ends_with(b"COMMIT"), "B004", id="orphan COMMIT"),
        pytest.param(BASIC, ends_with(b"ROLLBACK"), "B004", id="orphan ROLLBACK"),
        pytest.param(XA, only_the_end(XA_PREPARE), "B004", id="orphan XA_prepare"),
        pytest.param(BASIC, lost_end, "B001", id="BEGIN or DDL in a transaction"),
        pytest.param(XA, lost_prepare, "B001", id="XA COMMIT or XA ROLLBACK in a transaction"),
        pytest.param(XA, without_the_transaction_of(XA_PREPARE), "X002", id="an xid that was not prepared"),
        pytest.param(XA, prepared_twice, "X003", id="an xid that is prepared twice"),
        pytest.param(XA, finished_twice(b"COMMIT"), "X002", id="XA COMMIT twice"),
        pytest.param(XA, finished_twice(b"ROLLBACK"), "X002", id="XA ROLLBACK twice"),
        pytest.param(XA, unreadable(b"COMMIT"), "X004", id="malformed XA COMMIT"),
        pytest.param(XA, unreadable(b"ROLLBACK"), "X004", id="malformed XA ROLLBACK"),
        pytest.param(BASIC, same_xid, "X005", id="an Xid that comes twice"),
        pytest.param(BASIC, xid_of_ddl, "X005", id="the Xid of a DDL that comes twice"),
    ],
)
def test_what_the_server_calls_malformed_is_an_error(
    folder: Folder, name: str, edit: Callable[[Events], Events], code: str
) -> None:
    sound = folder.check(log(name))
    assert code not in sound.serious
    found = folder.check(edited(name, edit))
    assert code in found.serious


def test_an_xid_that_comes_twice_in_a_payload_is_found(folder: Folder) -> None:
    from tests.check.payloads import inside, payload

    def edit(events: Events) -> Events:
        one, two = (first(events, EventType.TRANSACTION_PAYLOAD, number) for number in (0, 1))
        xid = next(event for event in inside(events[one]) if event[4] == XID)
        other = [event if event[4] != XID else xid for event in inside(events[two])]
        return [*events[:two], payload(events[two], other), *events[two + 1 :]]

    assert "X005" not in folder.check(log("mysql-9.7/compression")).serious
    assert "X005" in folder.check(edited("mysql-9.7/compression", edit)).serious


def test_the_next_log_may_have_the_same_xids(folder: Folder) -> None:
    logs = [log("mysql-9.7/multi-file", number) for number in (0, 1)]
    first_xid = next(event for event in events_of(logs[0]) if event[4] == XID)
    events = events_of(logs[1])
    at = first(events, XID)
    logs[1] = joined([*events[:at], changed(events[at], HEADER, first_xid[HEADER : HEADER + 8]), *events[at + 1 :]])
    assert folder.check(*logs).serious == []


def test_xids_far_below_the_highest_are_not_compared(folder: Folder) -> None:
    """The memory of a check is bounded: it knows the last 1,048,576 numbers."""

    def edit(numbers: list[int]) -> Callable[[Events], Events]:
        def renumbered(events: Events) -> Events:
            wanted = iter(numbers)
            return [
                signed(changed(event, HEADER, struct.pack("<Q", next(wanted, 1 << 50)))) if event[4] == XID else event
                for event in events
            ]

        return renumbered

    window = 1 << 20
    for numbers, again in (
        ([7, 7 + window - 1, 7], True),
        ([7, 7 + window, 7], False),
        ([7, 8, 7 + 5 * window, 8], False),
        ([7, 71, 200, 71 + window, 200, 71], True),
        ([1 << 63, (1 << 63) + 1, 1 << 63], True),
    ):
        data = edited("mysql-9.7/row-basic", edit([*numbers, *range(1 << 41, (1 << 41) + 9)]))
        assert ("X005" in folder.check(data).serious) == again, numbers
