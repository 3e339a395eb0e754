"""For each rule logs that break it: real ones with one thing changed. docs/check.md shows what is found in them."""

import struct
from collections.abc import Callable

from pybinlog.event_types import EventType
from tests.check.logs import changed, edited, events_of, first, joined, log, marked, signed, without
from tests.corpus import TESTDATA

BASIC = "mysql-9.7/row-basic"
MULTI = "mysql-9.7/multi-file"
XA = "mysql-9.7/xa-nogtid"
HEADER = 19

GTID, QUERY, XID, TABLE_MAP = EventType.GTID, EventType.QUERY, EventType.XID, EventType.TABLE_MAP


def basic(edit: Callable[[list[bytes]], list[bytes]]) -> list[bytes]:
    return [edited(BASIC, edit)]


def replaced(events: list[bytes], at: int, event: bytes) -> list[bytes]:
    return [*events[:at], event, *events[at + 1 :]]


def restarted(events: list[bytes]) -> list[bytes]:
    started = changed(events[0], HEADER + 2 + 50, struct.pack("<I", 1795224000))
    return [*events[: first(events, XID)], started, *events[first(events, GTID, 8) :]]


def wrong_position() -> bytes:
    events = events_of(log(BASIC))
    at = first(events, TABLE_MAP)
    return b"\xfebin" + b"".join(replaced(events, at, signed(changed(events[at], 13, struct.pack("<I", 12345)))))


def lying(events: list[bytes]) -> list[bytes]:
    at = first(events, QUERY, 3)
    return replaced(events, at, changed(events[at], HEADER + 11, b"\xff\xff"))


def unended(events: list[bytes]) -> list[bytes]:
    at = first(events, EventType.WRITE_ROWS)
    return replaced(events, at, changed(events[at], HEADER + 6, bytes(2)))


def without_its_query(events: list[bytes]) -> list[bytes]:
    return without(events, first(events, EventType.INTVAR) + 1)


def cut_payload(events: list[bytes]) -> list[bytes]:
    from tests.check.payloads import inside, payload

    at = first(events, EventType.TRANSACTION_PAYLOAD)
    return replaced(events, at, payload(events[at], inside(events[at])[:-1]))


def doubled(events: list[bytes]) -> list[bytes]:
    start, end = first(events, GTID, 3), first(events, GTID, 4)
    return [*events[:end], *events[start:end], *events[end:]]


def late(events: list[bytes]) -> list[bytes]:
    at = first(events, GTID, 5)
    return replaced(events, at, changed(events[at], HEADER + 26, events[at][HEADER + 34 : HEADER + 42]))


def prepared(events: list[bytes]) -> tuple[int, int]:
    """The group of the first prepared transaction: its first event, and the one after its last."""
    end = first(events, EventType.XA_PREPARE)
    start = max(at for at in range(end) if events[at][4] == EventType.ANONYMOUS_GTID)
    return start, end + 1


def misdirected(events: list[bytes]) -> list[bytes]:
    at = first(events, EventType.ROTATE)
    return replaced(events, at, events[at].replace(b"binlog.000002", b"binlog.000009"))


def unprepared(events: list[bytes]) -> list[bytes]:
    return without(events, *range(*prepared(events)))


def prepared_twice(events: list[bytes]) -> list[bytes]:
    start, end = prepared(events)
    return [*events[:end], *events[start:]]


def unreadable(events: list[bytes]) -> list[bytes]:
    at = next(at for at, event in enumerate(events) if event[4] == QUERY and b"XA COMMIT" in event)
    return replaced(events, at, events[at].replace(b",X''", b',X""'))


def same_xid(events: list[bytes]) -> list[bytes]:
    at, other = first(events, XID, 1), first(events, XID)
    return replaced(events, at, changed(events[at], HEADER, events[other][HEADER : HEADER + 8]))


EXAMPLES: dict[str, Callable[[], dict[int, bytes]]] = {
    "B001": lambda: numbered(basic(lambda e: without(e, first(e, XID)))),
    "B002": lambda: numbered(basic(lambda e: without(e, first(e, GTID)))),
    "B003": lambda: numbered(basic(lambda e: e[: first(e, XID)])),
    "B004": lambda: numbered(basic(lambda e: without(e, *range(first(e, GTID, 2) + 1, first(e, GTID, 3))))),
    "B005": lambda: numbered(basic(restarted)),
    "B006": lambda: numbered(basic(lambda e: [marked(e[0], 2), *e[1:]])),
    "B007": lambda: numbered(basic(lambda e: replaced(e, first(e, TABLE_MAP), marked(e[first(e, TABLE_MAP)], 6)))),
    "B008": lambda: numbered([edited("mysql-9.7/statement", without_its_query)]),
    "B009": lambda: numbered(basic(lambda e: without(e, *range(first(e, TABLE_MAP), first(e, XID))))),
    "S001": lambda: numbered([log("mysql-9.7/damaged-body")]),
    "S002": lambda: numbered([log("mysql-9.7/damaged-length-huge")]),
    "S003": lambda: numbered([log("mysql-9.7/truncated-body")]),
    "S004": lambda: numbered([log("mysql-9.7/trailing-zeros")]),
    "S005": lambda: numbered([(TESTDATA / "unseen" / "unknown_not_ignorable" / "binlog.000001").read_bytes()]),
    "S006": lambda: numbered([log("mysql-9.7/in-use")]),
    "S007": lambda: numbered([wrong_position()]),
    "S008": lambda: numbered([log("mysql-9.7/truncated-magic-only")]),
    "S009": lambda: numbered(basic(lying)),
    "S010": lambda: numbered([(TESTDATA / "regressions" / "name-tm-tb-nl.000001").read_bytes()]),
    "R001": lambda: numbered(basic(lambda e: without(e, first(e, TABLE_MAP)))),
    "R002": lambda: numbered(basic(unended)),
    "R003": lambda: numbered([edited("mysql-9.7/compression", cut_payload)]),
    "G001": lambda: numbered(basic(doubled)),
    "G002": lambda: numbered([log(MULTI), joined([events_of(log(MULTI, 1))[0], *events_of(log(MULTI))[1:2]])]),
    "G003": lambda: numbered(basic(late)),
    "X001": lambda: numbered([log(XA)]),
    "X002": lambda: numbered([edited(XA, unprepared), log(XA, 1)]),
    "X003": lambda: numbered([edited(XA, prepared_twice), log(XA, 1)]),
    "X004": lambda: numbered([edited("mysql-9.7/xa", unreadable)]),
    "X005": lambda: numbered(basic(same_xid)),
    "E001": lambda: numbered([log("mysql-5.6/mixed-engines-statement")]),
    "F001": lambda: numbered([edited(MULTI, misdirected), log(MULTI, 1)]),
    "F002": lambda: {1: log(MULTI), 4: log(MULTI, 3)},
    "F003": lambda: {2: log(MULTI, 1), 1: log(MULTI)},
    "V001": lambda: numbered([log("mysql-9.7/compression")]),
    "V002": lambda: numbered([log("mysql-9.7/rows-query")]),
}
"""Code -> its logs by their numbers, in the order in which they are given."""


OPTIONS = {"V001": ["--replica=5.7"], "V002": ["--replica=mariadb-11.8"]}
"""Of rules that look for nothing unless they are asked to."""


def numbered(logs: list[bytes]) -> dict[int, bytes]:
    return dict(enumerate(logs, 1))
