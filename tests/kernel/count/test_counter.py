"""Exact counts of a log with compressed transactions: each event in its group, with its share of the payload."""

from collections import Counter
from pathlib import Path

import pytest

from pybinlog.event_types import EventType, printed_name
from tests.check.logs import events_of, first, joined
from tests.check.payloads import HEADER, inside, payload
from tests.cli.commands.test_stats import counted
from tests.corpus import TESTDATA

COMPRESSED = TESTDATA / "corpus" / "mysql-9.7" / "compression" / "binlog.000001"
NOGTID = TESTDATA / "corpus" / "mysql-9.7" / "compression-nogtid" / "binlog.000001"
ZSTD = b"\x28\xb5\x2f\xfd"
XA, XA_LATER = (TESTDATA / "corpus" / "mysql-9.7" / "xa-nogtid" / f"binlog.00000{number}" for number in (1, 2))
STATEMENT = TESTDATA / "corpus" / "mysql-9.7" / "statement" / "binlog.000001"
MEASURES = "transactions", "inserts", "updates", "deletes", "rolled_back", "prepared", "events", "bytes"


def shares(log: bytes) -> Counter[str | None]:
    """The bytes of each type: those inside a payload share its compressed bytes by their sizes, rounded down so far."""
    found: Counter[str | None] = Counter({None: 4})
    for event in events_of(log):
        if event[4] != EventType.TRANSACTION_PAYLOAD:
            found[printed_name(event[4])] += len(event)
            continue
        body, held = event[HEADER:-4], inside(event)
        size, whole = len(body) - body.index(ZSTD), sum(map(len, held))
        found[printed_name(event[4])] += len(event) - size
        seen = paid = 0
        for one in held:
            seen += len(one)
            due = int(size * (seen / whole))
            found[printed_name(one[4])] += due - paid
            paid = due
    return found


@pytest.mark.parametrize("log", [COMPRESSED, NOGTID], ids=["gtid", "nogtid"])
def test_events_in_a_payload_share_its_bytes_by_their_sizes(log: Path) -> None:
    assert {group["type"]: group["bytes"] for group in counted("--by=type", log)} == shares(log.read_bytes())


def measured(by: str, *logs: Path) -> list[tuple[object, ...]]:
    names = by.split(",")
    return [tuple(group[name] for name in (*names, *MEASURES)) for group in counted(f"--by={by}", *logs)]


def test_each_table_has_its_transactions_rows_events_and_bytes() -> None:
    """The frame of a transaction counts to the table that it changes first; there is one group for each table."""
    assert measured("table", COMPRESSED) == [
        ("cz.t", 9, 6, 6, 1, 0, 0, 60, 2855),
        (None, 6, 0, 0, 0, 0, 0, 17, 1513),
        ("cz.t3", 1, 5, 0, 0, 0, 0, 3, 450),
        ("cz.t2", 1, 3, 0, 0, 0, 0, 6, 379),
    ]


@pytest.mark.parametrize(
    ("logs", "of_t"),
    [((XA,), (9, 6, 1, 0, 3, 2, 57, 3874)), ((XA, XA_LATER), (12, 8, 1, 0, 4, 0, 74, 5188))],
    ids=["prepared", "decided in the next log"],
)
def test_rows_of_xa_transactions_count_by_their_decision(logs: tuple[Path, ...], of_t: tuple[int, ...]) -> None:
    of_table = {table: numbers for table, *numbers in measured("table", *logs)}
    assert of_table["xa2.t"] == [*of_t]
    assert of_table["xa2.u"] == [2, 3, 0, 0, 0, 0, 14, 1548]


def test_each_type_of_a_thread_has_its_own_events() -> None:
    """Events outside of transactions have no thread; the four bytes at the start of a file have no server."""
    assert [
        (*key, events, size) for *key, _, _, _, _, _, _, events, size in measured("server,thread,type", STATEMENT)
    ] == [
        (1, 10, "Query", 113, 12347),
        (1, 10, "Gtid", 62, 4880),
        (1, 10, "Xid", 49, 1519),
        (1, 10, "Intvar", 46, 1472),
        (1, 10, "User var", 30, 1401),
        (1, None, "Format_desc", 1, 123),
        (1, 10, "RAND", 3, 117),
        (1, None, "Rotate", 1, 44),
        (1, None, "Previous_gtids", 1, 31),
        (None, None, None, 0, 4),
    ]


def test_a_group_of_a_time_has_the_first_and_last_event_of_it() -> None:
    groups = counted("--by=database,minute", *sorted((TESTDATA / "shop").glob("binlog.0*")))
    assert [(group["database"], group["minute"], group["first_time"], group["last_time"]) for group in groups] == [
        ("shop", "2026-11-24T20:10:00Z", "2026-11-24T20:10:05Z", "2026-11-24T20:10:15Z"),
        (None, "2026-11-24T20:10:00Z", "2026-11-24T20:10:04Z", "2026-11-24T20:10:15Z"),
    ]


def test_what_a_payload_holds_less_than_it_tells_counts_as_the_payload_itself(tmp_path: Path) -> None:
    """It has the time of the transaction's other events, and none of its own."""
    events = events_of(COMPRESSED.read_bytes())
    at = first(events, EventType.TRANSACTION_PAYLOAD)
    held = inside(events[at])
    events = [*events[:at], payload(events[at], held, 2 * sum(map(len, held)))]
    path = tmp_path / "binlog.000001"
    path.write_bytes(joined(events))
    body = events[at][HEADER:-4]
    size = len(body) - body.index(ZSTD)
    (group,) = (group for group in counted("--by=type", path) if group["type"] == "Transaction_payload")
    assert group["bytes"] == len(events[at]) - size + size - size // 2
    assert group["events"] == 1
    assert group["first_time"] == group["last_time"] == "2026-11-21T01:23:23Z"
