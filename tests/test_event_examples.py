"""Each event of `event_examples` is built, read, printed, checked, and damaged."""

import json
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import EventType, Role, printed_name
from tests.cli.conftest import real
from tests.dump.one_log import dumped
from tests.event_examples import EXAMPLES, Example
from tests.layout.log_builder import MYSQL_9_7, LogBuilder
from tests.layout.logs import events_of
from tests.layout.test_families import holds


@pytest.fixture(params=EXAMPLES, ids=lambda example: example.kind.name)
def example(request: pytest.FixtureRequest) -> Example:
    return request.param


def is_of_log(example: Example) -> bool:
    return example.kind.facts.role in (Role.APART, Role.OPENS_LOG, Role.OF_LOG)


@pytest.fixture
def log(example: Example, tmp_path: Path) -> Path:
    """A log with the event between two transactions, or in the first, before its statement."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1)
    if is_of_log(example):
        builder.query("CREATE TABLE a (a INT)").add(example.kind, example.body)
    else:
        builder.query("BEGIN").add(example.kind, example.body).query("INSERT INTO a VALUES (1)").add(
            EventType.XID, {"xid": 1}
        )
    builder.gtid(2).query("DROP TABLE a").rotate()
    path = tmp_path / "binlog.000001"
    path.write_bytes(builder.data)
    return path


PLACE = 4
"""The position of the event in the log."""


def test_the_library_reads_what_was_built(example: Example, log: Path) -> None:
    event = list(pybinlog.open(log))[PLACE]
    assert (event.type, event.boundary, event.inferred) == (example.kind, example.boundary, True)
    assert holds(event.body, example.body)


def test_a_dump_says_what_the_example_says(example: Example, log: Path, tmp_path: Path) -> None:
    dump = dumped(log, tmp_path, tbm=True)
    line = f"#{example.line}\tTBM: {example.boundary.printed_name} (inferred)\n"
    assert dump.error is None
    assert line.encode() in b"".join(dump.events).splitlines(keepends=True)


def test_a_filter_keeps_it_if_it_is_the_log_s(example: Example, log: Path) -> None:
    text = real("dump", "--no-tbm", "--table=no.such", str(log)).out
    assert (example.line.encode() in text) == is_of_log(example)
    assert b"INSERT" not in text


def test_a_filter_that_matches_its_transaction_keeps_it(example: Example, log: Path) -> None:
    assert example.line.encode() in real("dump", "--no-tbm", "--table=a", str(log)).out


def test_views_have_its_name_and_info(example: Example, log: Path) -> None:
    rows = [
        json.loads(line) for line in real("export", "--columns=event_type,info", "-o", "-", str(log)).out.splitlines()
    ]
    assert len(rows) == len(list(pybinlog.open(log)))
    assert (rows[PLACE]["event_type"], rows[PLACE]["info"]) == (printed_name(example.kind), example.info)


def test_a_check_names_it_to_a_replica_that_is_too_old(example: Example, log: Path) -> None:
    since = example.kind.facts.mysql
    if since == (5, 5):
        return  # no older replica is known
    told = f" {printed_name(example.kind)} events"
    assert told in real("check", "--replica=5.5", str(log)).out.decode()
    assert told not in real("check", f"--replica={since[0]}.{since[1]}", str(log)).out.decode()


def test_a_check_finds_nothing(log: Path) -> None:
    result = real("check", "--ignore=E001", str(log))
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(b"No findings in ")


def test_no_changed_byte_does_more_than_give_an_error(log: Path, tmp_path: Path) -> None:
    start, event, _ = list(events_of(log))[PLACE]
    data = log.read_bytes()
    for at in range(start, start + event.header.event_size):
        for value in (0xFF, data[at] ^ 1):
            dump = dumped(data[:at] + bytes([value]) + data[at + 1 :], tmp_path, force_read=True)
            assert dump.error is None or dump.error.position is not None
