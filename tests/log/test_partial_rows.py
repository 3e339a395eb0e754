"""Row events in parts (MariaDB 12.3): every command reads them as the row events that they are parts of."""

import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import ROW_TYPES, EventType
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.log.partial_rows import part, raw_events, rewritten, split, split_row_event

CASES = TESTDATA / "partial-rows"
LOGS = sorted(TESTDATA.glob("corpus/mariadb-11.8/*/*bin*.00000[1-9]"))
LOGS = [log for log in LOGS if any(event[4] in ROW_TYPES for event in raw_events(log.read_bytes()))]
LOG = TESTDATA / "corpus" / "mariadb-11.8" / "metadata-full" / "mariadb-bin.000001"
POSITIONS = re.compile(rb"^# at \d+\n|end_log_pos \d+(?: CRC32 0x[0-9a-f]{8})?|^BINLOG '[^']*'", re.MULTILINE)


def rows_of(log: Path) -> list[object]:
    result = real("rows", "--allow-gaps", str(log))
    assert result.status == 0
    return [
        {name: value for name, value in json.loads(line).items() if "position" not in name and name != "file"}
        for line in result.out.splitlines()
    ]


def text_of(log: Path, *options: str) -> bytes:
    result = real("dump", "--no-tbm", "-vv", *options, str(log))
    assert result.status == 0
    return POSITIONS.sub(b"", result.out)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(log: bytes) -> Path:
        path = tmp_path / "binlog.000001"
        path.unlink(missing_ok=True)
        path.write_bytes(log)
        return path

    return write


def test_there_are_logs_of_every_kind_of_row_event() -> None:
    kinds = {event[4] for log in LOGS for event in raw_events(log.read_bytes())}
    assert {EventType.WRITE_ROWS_V1, EventType.UPDATE_ROWS_V1, EventType.DELETE_ROWS_V1} <= kinds
    assert EventType.MARIA_WRITE_ROWS_COMPRESSED_V1 in kinds


@pytest.mark.parametrize("total", [2, 7])
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.parent.name)
def test_rows_and_text_are_those_of_the_whole_events(log: Path, total: int, written: Callable[[bytes], Path]) -> None:
    parts = written(split(log, total))
    assert len(list(raw_events(parts.read_bytes()))) > len(list(raw_events(log.read_bytes())))
    assert rows_of(parts) == rows_of(log)
    assert text_of(parts) == text_of(log)
    assert real("check", str(parts)).status == real("check", str(log)).status


def test_the_case_reads_as_its_whole_log() -> None:
    assert rows_of(CASES / "parts.000001") == rows_of(CASES / "whole.000001") != []
    assert text_of(CASES / "parts.000001") == text_of(CASES / "whole.000001")


@pytest.mark.parametrize("command", ["rows", "events", "transactions", "stats", "summary", "check", "undo", "redo"])
def test_every_command_reads_the_case(command: str) -> None:
    options = ["--allow-non-transactional"] if command in ("undo", "redo") else []
    whole = real(command, *options, str(CASES / "whole.000001"))
    parts = real(command, *options, str(CASES / "parts.000001"))
    assert parts.status == whole.status
    assert parts.err.replace("parts.000001", "whole.000001") == whole.err
    assert len(parts.out.splitlines()) == len(whole.out.splitlines())


def test_the_library_has_the_row_event_at_the_place_of_its_first_part(written: Callable[[bytes], Path]) -> None:
    log = LOG
    whole = next(event for event in pybinlog.open(log) if event.type in ROW_TYPES)
    joined = next(event for event in pybinlog.open(written(split(log))) if event.type in ROW_TYPES)
    assert joined.position == whole.position
    assert joined.type == whole.type
    assert joined.body == whole.body
    assert joined.size == whole.size - 4 + 3 * (19 + 9 + 4) + 8


def test_positions_after_the_parts_are_the_logs(written: Callable[[bytes], Path]) -> None:
    parts = written(split(LOG))
    places = {4}
    for event in raw_events(parts.read_bytes()):
        places.add(max(places) + len(event))
    events = list(pybinlog.open(parts))
    assert {event.position for event in events} | {event.position + event.size for event in events} <= places


def test_parts_may_come_in_pieces(written: Callable[[bytes], Path], tmp_path: Path) -> None:
    log = LOG
    data = split(log, 5)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with open(pipe, "wb", buffering=0) as file:
            for at in range(0, len(data), 37):
                file.write(data[at : at + 37])

    thread = threading.Thread(target=feed)
    thread.start()
    text = text_of(pipe)
    thread.join()
    assert text.replace(b"pipe", b"") == text_of(written(data)).replace(b"pipe", b"")


# ---- streams that are wrong

PARTS = list(raw_events(split(LOG)))
FIRST = next(at for at, event in enumerate(PARTS) if event[4] == EventType.MARIA_PARTIAL_ROWS)


def with_parts(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], list[bytes]]:
    """Return a change of the parts of the first row event only."""
    seen = False

    def changed(event: bytes) -> list[bytes]:
        nonlocal seen
        if seen:
            return [event]
        seen = True
        return change(split_row_event(event))

    return changed


def other_total(parts: list[bytes]) -> list[bytes]:
    return [parts[0], part(parts[1], 2, 4, parts[1][28:]), parts[2]]


def other_size(parts: list[bytes]) -> list[bytes]:
    return [parts[0], parts[1] + b"x", parts[2]]


def huge(parts: list[bytes]) -> list[bytes]:
    return [part(parts[0], 1, 3, parts[0][36:], 1 << 40), *parts[1:]]


def many(parts: list[bytes]) -> list[bytes]:
    return [part(parts[0], 1, 1 << 30, parts[0][36:], 1 << 20), *parts[1:]]


def no_rows(parts: list[bytes]) -> list[bytes]:
    query = parts[0][36:]
    query = query[:4] + bytes((EventType.QUERY,)) + query[5:]
    return [parts[0][:36] + query, *parts[1:]]


def flags(parts: list[bytes]) -> list[bytes]:
    return [parts[0], part(parts[1], 2, 3, parts[1][28:], flags=2), parts[2]]


def sized_twice(parts: list[bytes]) -> list[bytes]:
    return [parts[0], part(parts[1], 2, 3, parts[1][28:], 100), parts[2]]


WRONG = {
    "first missing": (lambda parts: parts[1:], 0, "this is part 2 of 3 of a row event, and part 1 is not before it"),
    "second missing": (lambda parts: [parts[0], parts[2]], 1, "this is part 3 of 3 of a row event, where part 2 of 3"),
    "last missing": (lambda parts: parts[:2], 2, "stands where part 3 of 3 of a row event has to be"),
    "one twice": (lambda parts: [parts[0], parts[0], *parts[1:]], 1, "part 1 of 3 of a row event, where part 2"),
    "out of order": (
        lambda parts: [parts[0], parts[2], parts[1]],
        1,
        "this is part 3 of 3 of a row event, where part 2",
    ),
    "other total": (other_total, 1, "this is part 2 of 4 of a row event, where part 2 of 3 of a row event has to be"),
    "other size": (other_size, 0, "the 3 parts of a row event have"),
    "huge": (huge, 0, "pybinlog reads row events of up to 2 GiB"),
    "many": (many, 0, "pybinlog reads row events of up to 2 GiB, in parts of 1 kB or more"),
    "no rows": (no_rows, 0, "the parts of a row event hold another event"),
    "flags": (flags, 1, "is too short, or its numbers are impossible"),
    "sized twice": (sized_twice, 1, "is too short, or its numbers are impossible"),
    "short": (lambda parts: [parts[0], parts[1][:25], parts[2]], 1, "is too short, or its numbers are impossible"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parts_are_damage_that_names_file_and_position(name: str, written: Callable[[bytes], Path]) -> None:
    change, number, message = WRONG[name]
    path = written(rewritten(LOG.read_bytes(), with_parts(change)))
    events = list(raw_events(path.read_bytes()))
    position = 4 + sum(map(len, events[: FIRST + number]))
    for command in (["dump"], ["rows"], ["events"], ["stats"], ["export", "--view=rows", "-o", "-"]):
        result = real(*command, str(path))
        assert result.status == 1
        assert message in result.err
        assert f"binlog.000001, at {position}" in result.err or f"binlog.000001:{position}" in result.err, result.err
    refused = real("redact", "-o-", str(path))
    assert (refused.status, refused.out) == (1, b"")
    finding = real("check", str(path))
    assert finding.status == 1
    assert b"S009" in finding.out
    recovered = real("dump", "--recover", str(path))
    assert recovered.status == 1
    assert recovered.err.count("are skipped") == 1


def test_a_wrong_checksum_names_the_part(written: Callable[[bytes], Path]) -> None:
    events = list(raw_events(split(LOG)))
    event = events[FIRST + 1]
    events[FIRST + 1] = event[:-5] + bytes((event[-5] ^ 1,)) + event[-4:]
    path = written(b"\xfebin" + b"".join(events))
    result = real("dump", "--verify-binlog-checksum", str(path))
    assert result.status == 1
    assert f"the checksum of the event (type 172, {len(event)} bytes) does not match" in result.err
    assert str(4 + sum(map(len, events[: FIRST + 1]))) in result.err


def test_a_log_that_ends_between_parts_is_cut_off(written: Callable[[bytes], Path]) -> None:
    events = list(raw_events(split(LOG)))
    path = written(b"\xfebin" + b"".join(events[: FIRST + 2]))
    whole = sum(map(len, events[FIRST : FIRST + 3]))
    there = sum(map(len, events[FIRST : FIRST + 2]))
    result = real("rows", str(path))
    assert (result.status, f"{there} of its {whole} bytes are there" in result.err) == (1, True)


# ---- commands that copy


def test_tag_marks_each_part_and_clears_them_again(written: Callable[[bytes], Path], tmp_path: Path) -> None:
    path = written(split(LOG))
    for form in ([], ["--bits"]):
        marked, cleared = tmp_path / "marked", tmp_path / "cleared"
        assert real("tag", *form, "--force", "-o", str(marked), str(path)).status == 0
        assert text_of(marked) == text_of(path)
        assert real("tag", "--clear", "--force", "-o", str(cleared), str(marked)).status == 0
        assert cleared.read_bytes() == path.read_bytes()
