"""Parts of a log on threads: the same text, warnings and errors as one after the other."""

import gzip
import io
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from pybinlog.dump import Base64Output, DumpOptions, run
from pybinlog.dump.ordered_thread_pool import OrderedThreadPool, Part
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType
from pybinlog.filters import NameRules
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.log.read_ahead import ReadAhead
from pybinlog.where import Condition
from tests.check.logs import events_of, first, joined, log
from tests.corpus import Scenario, scenarios
from tests.dump.several_logs import dumped
from tests.inflate import inflate

FORMS = {
    "default": DumpOptions(),
    "verbose": DumpOptions(verbose=2),
    "decode": DumpOptions(verbose=1, base64_output=Base64Output.DECODE_ROWS),
    "short": DumpOptions(short_form=True),
    "no gtids": DumpOptions(skip_gtids=True, verbose=1),
    "another database": DumpOptions(database="nothere"),
    "verified": DumpOptions(verify_binlog_checksum=True),
    "one server": DumpOptions(server_id=1, offset=7),
    "row format": DumpOptions(require_row_format=True),
    "another name": DumpOptions(rewrite_db=(("test", "other"), ("rb", "other"))),
    "no table": DumpOptions(names=NameRules(tables=((None, "nothere"),))),
    "inserts": DumpOptions(operations=frozenset({"insert"}), verbose=1),
    "some rows": DumpOptions(where=Condition("@1 > 3"), verbose=1, base64_output=Base64Output.DECODE_ROWS),
    "a number or an error": DumpOptions(
        where=Condition("@2 = 7"), verbose=1, base64_output=Base64Output.DECODE_ROWS, resolve_xa="rollback"
    ),
}


PARTS = (400, 2, True), (3000, 24, True), (1000, 24, False)
"""The bytes of a part, the pieces of its text that wait, and whether it is read ahead."""


def take_parts(monkeypatch: pytest.MonkeyPatch, size: int, pieces: int, ahead: bool) -> None:
    """Let every log have parts of about so many bytes, so many pieces of their text wait, and be read ahead or not."""
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 0)
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", size)
    monkeypatch.setattr("pybinlog.dump.ordered_thread_pool.WAITING", 300 * pieces)
    monkeypatch.setattr("pybinlog.dump.ordered_thread_pool.PIECE", 300)
    monkeypatch.setattr("pybinlog.dump.parallel_dump.FOLLOWED", 2)
    monkeypatch.setattr("pybinlog.dump.parallel_dump.UNFOLDED_PART", size)
    if not ahead:
        monkeypatch.setattr("pybinlog.log.reader.Reader.claim", lambda reader: None)


@pytest.fixture(params=PARTS)
def small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Take each of the PARTS; its number."""
    take_parts(monkeypatch, *request.param)
    return PARTS.index(request.param)


def cases() -> Iterator[tuple[Scenario, int]]:
    """Each log, and the number of its form that has the first of the PARTS: the next form has the next of them."""
    for number, scenario in enumerate(scenarios()):
        if scenario.folder.name != "large":
            yield scenario, number % len(PARTS)


@pytest.mark.parametrize(("scenario", "shift"), list(cases()), ids=repr)
def test_the_text_does_not_depend_on_the_number_of_threads(scenario: Scenario, shift: int, tmp_path: Path) -> None:
    for number, (form, options) in enumerate(FORMS.items()):
        if scenario.folder.name == "large-compressed" and number % 5 != 1:  # it has thousands of parts
            continue
        with pytest.MonkeyPatch.context() as patch:
            take_parts(patch, *PARTS[(number + shift) % len(PARTS)])
            results = []
            for jobs in (1, 3):
                results.append(dumped(scenario.logs, options.replace(local_load=str(tmp_path)), jobs))
                for file in tmp_path.iterdir():
                    file.unlink()
        assert results[0] == results[1], form


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("scenario", [s for s in scenarios() if "mixed" in s.folder.name], ids=repr)
def test_a_database_that_some_events_are_of(scenario: Scenario) -> None:
    for name in ("me", "mx", "mixed", "shop"):
        options = DumpOptions(database=name, verbose=2)
        assert dumped(scenario.logs, options, 3) == dumped(scenario.logs, options, 1)


@pytest.mark.parametrize("name", ["mysql-9.7/row-basic", "mysql-9.7/compression", "mariadb-10.11/compressed"])
def test_a_stop_ends_the_text_at_its_place_in_the_order(name: str, small_parts: int) -> None:
    log = next(s for s in scenarios() if s.name == name).logs[0]
    for position in range(4 + 97 * small_parts, log.stat().st_size, 97 * len(PARTS)):
        options = DumpOptions(stop_position=position)
        assert dumped([log], options, 3) == dumped([log], options, 1)


@pytest.mark.parametrize("name", ["mysql-9.7/row-basic", "mysql-9.7/compression", "mariadb-10.11/compressed"])
def test_the_first_error_in_order_ends_the_text(name: str, small_parts: int, tmp_path: Path) -> None:
    data = next(s for s in scenarios() if s.name == name).logs[0].read_bytes()
    forms = itertools.cycle((FORMS["verbose"], FORMS["verified"], FORMS["some rows"]))
    for _ in range(small_parts):  # each damage is printed in each form, with another of the PARTS
        next(forms)
    for start, value in itertools.product(range(400, len(data), 211), (0, 0xFF)):
        damaged = tmp_path / "binlog.000001"
        damaged.write_bytes(data[:start] + bytes([value] * 4) + data[start + 4 :])
        options = next(forms)
        assert dumped([damaged], options, 3) == dumped([damaged], options, 1), (start, value)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("left", [0, 7])
def test_an_xid_that_is_cut_short_ends_the_text_before_it(left: int, tmp_path: Path) -> None:
    """Its number is read only to be printed: stepping over it closes the transaction all the same."""
    events = events_of(log("mysql-9.7/row-basic"))
    at = first(events, EventType.XID, 1)
    before = joined(events[:at])
    events[at] = events[at][: COMMON_HEADER_LENGTH + left] + bytes(4)
    cut = tmp_path / "binlog.000001"
    cut.write_bytes(joined(events))
    for form in ("verbose", "decode", "short"):
        options = FORMS[form]
        text, warnings, error = dumped([cut], options, 1)
        assert f"binlog.000001, at {len(before)}: the Xid event is corrupt" in error
        assert dumped([cut], options, 3) == (text, warnings, error)
        cut_before = tmp_path / "before"
        cut_before.write_bytes(before)
        assert dumped([cut_before], options, 1)[0].startswith(text)


@pytest.mark.usefixtures("small_parts")
def test_a_wrong_checksum_is_found_in_what_is_left_out_too(tmp_path: Path) -> None:
    data = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0].read_bytes()
    damaged = tmp_path / "binlog.000001"
    for byte, options in itertools.product(
        range(100, 1600, 61),
        (
            DumpOptions(verify_binlog_checksum=True, start_position=1230),
            DumpOptions(verify_binlog_checksum=True, stop_position=1230),
            DumpOptions(verify_binlog_checksum=True, database="nothere"),
        ),
    ):
        damaged.write_bytes(data[:byte] + bytes([data[byte] ^ 0x10]) + data[byte + 1 :])
        found = dumped([damaged], options, 3)
        assert found == dumped([damaged], options, 1), (byte, options)
        if byte < 235 or options.database:
            assert found[2], (byte, options)


def through_a_pipe(data: bytes, piece: int, pause_every: int, jobs: int) -> bytes:
    """The text of a log that comes through a pipe in pieces, with a pause after some of them."""
    reading, writing = os.pipe()
    output = io.BytesIO()

    def feed() -> None:
        with open(writing, "wb", buffering=0) as pipe:
            for number, start in enumerate(range(0, len(data), piece), 1):
                pipe.write(data[start : start + piece])
                if number % pause_every == 0:
                    time.sleep(0.06)

    feeder = threading.Thread(target=feed)
    feeder.start()
    warned: list[str] = []
    with open(reading, "rb") as stdin:
        run(["-"], DumpOptions(verbose=1, allow_gaps=True), output, warned.append, stdin, jobs=jobs)
    feeder.join()
    return output.getvalue()


@pytest.mark.parametrize(("piece", "pause_every"), [(5000, 3), (700, 12), (1 << 16, 1 << 30)])
@pytest.mark.parametrize("name", ["mysql-9.7/row-basic", "mysql-9.7/compression", "mysql-9.7/mixed-engines-mixed"])
def test_a_pipe_that_pauses_and_flows(
    name: str, piece: int, pause_every: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 3000)
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 1000)
    data = next(s for s in scenarios() if s.name == name).logs[0].read_bytes() * 3
    whole = tmp_path / "binlog.000001"
    whole.write_bytes(data)
    warned: list[str] = []
    with whole.open("rb") as stdin:
        output = io.BytesIO()
        run(["-"], DumpOptions(verbose=1, allow_gaps=True), output, warned.append, stdin)
    assert through_a_pipe(data, piece, pause_every, 3) == output.getvalue()


@pytest.mark.parametrize(
    "pack", [lambda data: gzip.compress(data, 1), lambda data: zstandard.ZstdCompressor(1).compress(data)]
)
def test_a_compressed_log_has_parts_too(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 3000)
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 100_000)
    whole = tmp_path / "plain.000001"
    with whole.open("wb") as out:
        inflate(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0].read_bytes(), out, 2 << 20)
    packed = tmp_path / "binlog.000001"
    packed.write_bytes(pack(whole.read_bytes()))
    parts = parts_taken(monkeypatch)
    options = DumpOptions(verbose=2)
    assert dumped([packed], options, 3) == dumped([whole], options, 1)
    assert len(parts) > 10


def parts_taken(monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """Every part that a pool takes from now on."""
    parts: list[Part] = []
    work = OrderedThreadPool.work

    def work_and_note(
        self: OrderedThreadPool,
        claim: Callable[[], ReadAhead | None],
        take: Callable[[ReadAhead | None], EventBatch | None],
        carry: Callable[[EventBatch, EventBatch], Part | None],
        select: Callable[[EventBatch], object],
    ) -> Part | None:
        def carry_and_note(batch: EventBatch, unfolded: EventBatch) -> Part | None:
            part = carry(batch, unfolded)
            if part is not None:
                parts.append(part)
            return part

        return work(self, claim, take, carry_and_note, select)

    monkeypatch.setattr(OrderedThreadPool, "work", work_and_note)
    return parts


@pytest.mark.usefixtures("small_parts")
def test_boundary_warnings_come_in_order_and_once(tmp_path: Path) -> None:
    log = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    options = DumpOptions(start_position=1230)
    text, warnings, error = dumped([log], options, 3)
    assert (text, warnings, error) == dumped([log], options, 1)
    assert len(warnings) == 2
    assert "[" in warnings[0]


@pytest.mark.usefixtures("small_parts")
def test_no_thread_is_left_behind() -> None:
    scenario = next(s for s in scenarios() if s.folder.name == "row-basic")
    for _ in range(5):
        dumped(scenario.logs, DumpOptions(), 4)
    end = time.monotonic() + 10
    while (left := [t for t in threading.enumerate() if t.name.startswith("part-")]) and time.monotonic() < end:
        time.sleep(0.01)
    assert not left


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_where_the_system_allows_no_more_threads(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    scenario = next(s for s in scenarios() if s.folder.name == "row-basic")
    expected = dumped(scenario.logs, DumpOptions(), 1)
    start, started = threading.Thread.start, itertools.count()

    def refuse(thread: threading.Thread) -> None:
        if next(started) >= allowed:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    result = dumped(scenario.logs, DumpOptions(), 4)
    assert result == expected


def test_what_is_said_of_a_start_position_comes_before_what_is_printed_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A position among the events that a log opens with: the log is read from the next one on."""
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 0)
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 200)
    (path,) = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs
    results = []
    for jobs in (1, 2):
        text = io.BytesIO()
        told: list[str] = []
        run([str(path)], DumpOptions(start_position=100), text, told.append, jobs=jobs)
        results.append((text.getvalue(), told))
    assert results[0] == results[1]
    assert "100 is not the start of an event" in results[0][1][0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_output_cannot_change_the_text_that_it_is_given(jobs: int) -> None:
    pieces: list[bool] = []

    class Output:
        def write(self, data: bytes) -> None:
            pieces.append(memoryview(data).readonly)

    run([str(scenarios()[0].logs[0])], DumpOptions(), Output(), lambda warning: None, jobs=jobs)
    assert pieces
    assert all(pieces)
