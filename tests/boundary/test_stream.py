"""pybinlog.boundary.stream: real logs give no warning, and what is missing from them does."""

from functools import cache
from typing import NamedTuple

import pytest

from pybinlog.boundary import BoundaryStream, BoundaryType, ParserState, StreamState, Verdict, continues
from pybinlog.event_types import EventType
from tests.boundary.event import INTACT, event, format_description, query, rotate, walk, walk_some
from tests.corpus import Scenario

OPENING = (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS, EventType.ROTATE)
"""The events that the dumper reads at a file's beginning before it goes to a start position."""
ROWS = (*range(19, 26), *range(30, 33), 39, *range(166, 172))


class Step(NamedTuple):
    """An event of a stream that was read once, with the states around it."""

    log: str
    position: int
    raw: bytes
    before: StreamState
    verdict: Verdict
    format_description: bytes


@cache
def read(scenario: Scenario) -> list[Step]:
    """All logs of a scenario as the dumper reads them when they stand on one command line."""
    stream = BoundaryStream()
    steps = []
    in_force = b""
    for log in scenario.logs:
        stream.start_file(str(log))
        for position, raw in walk_some(log):
            before = stream.state
            if raw[4] == EventType.FORMAT_DESCRIPTION:
                in_force = raw
            steps.append(Step(log.name, position, raw, before, stream.feed(raw), in_force))
    return steps


@pytest.mark.parametrize("scenario", [scenario for scenario in INTACT if len(scenario.logs) > 1], ids=repr)
def test_no_warning_from_the_start(scenario: Scenario) -> None:
    steps = read(scenario)
    assert steps
    assert [step for step in steps if step.verdict.refused] == []


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_no_warning_for_each_file_alone(scenario: Scenario) -> None:
    for log in scenario.logs:
        stream = BoundaryStream()
        stream.start_file(str(log))
        assert [position for position, raw in walk(log) if stream.feed(raw).refused] == []


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_a_start_in_mid_transaction_warns(scenario: Scenario) -> None:
    """A start at any Inside or End event, with only the file's opening events read before it, gives a warning.

    Of large logs, whose transactions are all alike, every 31st event is tried.
    """
    step = 31 if scenario.folder.name.startswith("large") else 1
    silent = []
    for log in scenario.logs:
        whole = list(walk_some(log))
        stream = BoundaryStream()
        stream.start_file(str(log))
        types = [stream.feed(raw).type for _, raw in whole]

        for start in range(0, len(whole), step):
            position, raw = whole[start]
            if types[start] not in (BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION):
                continue
            stream = BoundaryStream()
            stream.start_file(str(log))
            for _, opening in whole[:start]:
                if opening[4] not in OPENING:
                    break
                stream.feed(opening, to_parser=False)
            assert stream.parser.state is ParserState.NOT_DEFINED
            refusals = (stream.feed(later).refused for _, later in whole[start:])
            refused = next((refusal for refusal in refusals if refusal is not None), None)
            if refused is None:
                silent.append((scenario.name, log.name, position))
            elif raw[4] in ROWS:
                assert refused.message == "Unable to change boundary parser from Not Defined to Inside Transaction.", (
                    position
                )
    # An autocommitted statement of 5.6 after its Intvar event cannot be told from one that stands alone.
    assert silent == ([("mysql-5.6/ddl", "mysql-bin.000001", 1200)] if scenario.name == "mysql-5.6/ddl" else [])


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_a_lost_start_or_end_is_noticed(scenario: Scenario) -> None:
    """Any one Start or End event taken out of a stream gives a warning, unless nothing after it could tell."""
    steps = read(scenario)
    unnoticed = []
    for lost, step in enumerate(steps):
        if step.verdict.type not in (BoundaryType.START_TRANSACTION, BoundaryType.END_TRANSACTION):
            continue
        stream = BoundaryStream(step.before, step.format_description)
        noticed = False
        last = False
        for following in range(lost + 1, len(steps)):
            later = steps[following]
            if later.log != steps[following - 1].log and later.before == StreamState():
                last = True  # a file that does not continue this one: all is reset
                break
            if stream.state == later.before:
                break  # from here on as if nothing were missing
            if stream.feed(later.raw).refused:
                noticed = True
                break
            if stream.state == StreamState():
                last = True  # a fake Rotate: all is reset
                break
        else:
            last = True
        if not noticed and not last:
            unnoticed.append((step.log, step.position, EventType(step.raw[4])))
        if not noticed and last:
            # Only the end of the last transaction may be missed so: a start that is lost shows at the next event.
            rest = {after.verdict.type for after in steps[lost + 1 : following]}
            assert rest <= {BoundaryType.IGNORE_BOUNDARY}, step.position
    # Single autocommitted statements of 5.6 that need an Intvar event: either half may stand alone.
    assert unnoticed == (
        [("mysql-bin.000001", 1168, EventType.INTVAR), ("mysql-bin.000001", 1200, EventType.QUERY)]
        if scenario.name == "mysql-5.6/ddl"
        else []
    )


FORMAT = format_description(b"9.7.4")
GTID = event(33, bytes(42))
BEGIN = query(b"BEGIN")
XID = event(16, bytes(8))
TABLE_MAP = event(19, bytes(20))


def test_one_warning_per_event_until_a_new_beginning() -> None:
    stream = BoundaryStream()
    stream.start_file("binlog.000001")
    stream.feed(FORMAT, to_parser=False)
    messages = [refused.message if (refused := stream.feed(raw).refused) else None for raw in (TABLE_MAP, XID, GTID)]
    assert messages == [
        "Unable to change boundary parser from Not Defined to Inside Transaction.",
        "Unable to change boundary parser from Not Defined to End Transaction.",
        None,
    ]


def test_a_start_that_fails_is_not_fed_again() -> None:
    stream = BoundaryStream()
    for raw in (FORMAT, GTID, BEGIN, TABLE_MAP):
        assert stream.feed(raw).refused is None
    messages = [refused.message if (refused := stream.feed(raw).refused) else None for raw in (GTID, BEGIN, XID, GTID)]
    assert messages == [
        "Unable to change boundary parser from Inside Transaction to Start Transaction.",
        "Unable to change boundary parser from Not Defined to Inside Transaction.",
        "Unable to change boundary parser from Not Defined to End Transaction.",
        None,
    ]


def test_a_file_continues_where_a_rotate_names_it() -> None:
    for name, warnings in (
        ("/data/relay-bin.000002", 0),
        ("relay-bin.000002.gz", 0),
        ("relay-bin.000002.zst", 0),
        ("relay-bin.000003", 2),
        ("-", 2),
        (None, 2),
    ):
        stream = BoundaryStream()
        stream.start_file("relay-bin.000001")
        for raw in (FORMAT, GTID, BEGIN, rotate(b"./relay-bin.000002", flags=0x40)):
            assert stream.feed(raw).refused is None
        stream.start_file(name)
        replicas = format_description(b"9.7.4", flags=0x40)
        refusals = [stream.feed(raw).refused for raw in (replicas, event(35, bytes(8), flags=0xC0), TABLE_MAP, XID)]
        assert sum(refused is not None for refused in refusals) == warnings, name


def test_only_the_last_event_continues_a_file() -> None:
    stream = BoundaryStream()
    for raw in (FORMAT, GTID, BEGIN, rotate(b"relay-bin.000002", flags=0x40), TABLE_MAP):
        stream.feed(raw)
    stream.start_file("relay-bin.000002")
    assert stream.state == StreamState()


def test_a_fake_rotate_begins_a_new_stream() -> None:
    stream = BoundaryStream()
    for raw in (FORMAT, GTID, BEGIN):
        stream.feed(raw)
    verdict = stream.feed(rotate(b"binlog.000001", flags=0x20, timestamp=0))
    assert verdict == (BoundaryType.IGNORE_BOUNDARY, True, None)
    assert stream.state == StreamState()
    assert stream.feed(GTID).refused is None


def test_a_stop_in_mid_transaction_warns() -> None:
    stream = BoundaryStream()
    for raw in (FORMAT, GTID, BEGIN):
        stream.feed(raw)
    refused = stream.feed(event(3)).refused
    assert refused == (ParserState.INSIDE_TRANSACTION, BoundaryType.SELF_CONTAINED)


def test_marked_events_are_fed_by_their_markers() -> None:
    stream = BoundaryStream()
    marked = [
        format_description(b"5.7.2", marker=1),
        query(b"CREATE TABLE t (a INT)", marker=2),
        query(b"BEGIN", marker=3),
        event(19, bytes(20), marker=4),
        event(16, bytes(8), marker=5),
    ]
    assert [stream.feed(raw) for raw in marked] == [(n, False, None) for n in (1, 2, 3, 4, 5)]
    verdict = stream.feed(event(16, bytes(8), marker=6))
    assert verdict.refused == (ParserState.END_TRANSACTION, BoundaryType.RESERVED_6)
    # a marker that is wrong is believed, and the parser says so
    assert stream.feed(query(b"BEGIN", marker=5)).refused == (ParserState.NOT_DEFINED, BoundaryType.END_TRANSACTION)


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_a_marked_log_reads_as_the_unmarked_one(scenario: Scenario) -> None:
    marked = BoundaryStream()
    log = ""
    for step in read(scenario):
        if step.log != log:
            log = step.log
            marked.start_file(log)
        flags = int.from_bytes(step.raw[17:19], "little")
        raw = step.raw[:17] + step.verdict.type.to_flags(flags).to_bytes(2, "little") + step.raw[19:]
        assert marked.state == step.before
        assert marked.feed(raw) == (step.verdict.type, False, None)


def test_every_type_occurs_in_the_corpus() -> None:
    seen = {step.verdict.type for scenario in INTACT[:20] for step in read(scenario)}
    assert seen == {BoundaryType(n) for n in range(1, 6)}


@pytest.mark.parametrize(
    ("rotate_to", "name", "same"),
    [
        ("binlog.000002", "binlog.000002", True),
        ("/a/b/binlog.000002", "/c/binlog.000002.xz", True),
        ("binlog.000002", "binlog.000002.bz2", True),
        ("binlog.000002", "binlog.000003", False),
        ("binlog.000002", "old-binlog.000002", False),
        ("-", "-", False),
        (None, "binlog.000002", False),
        ("", "", False),
    ],
)
def test_continues(rotate_to: str | None, name: str, same: bool) -> None:
    assert continues(rotate_to, name) is same
