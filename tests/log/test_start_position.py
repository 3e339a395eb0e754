"""A start position inside an event is reported as such; damage at the start of an event remains damage."""

import bz2
import io
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, ChecksumError, CorruptEventError, StartPositionError, TruncatedError
from pybinlog.log.reader import Reader
from pybinlog.log.recover import Damage, RecoveringReader
from pybinlog.source import open_source
from tests.cli.conftest import real
from tests.dump.log_parts import corpus_log, events_of, joined, positions_of

LOG = corpus_log("mysql-9.7/row-basic")
POSITIONS = positions_of(events_of(LOG))[:-1]
OPENING = 3  # the Format_description, Previous_gtids, and the first event, which is always looked at


def written(folder: Path, data: bytes, name: str = "binlog.000001") -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def error_of(name: str, start: int, stdin: bytes = b"") -> tuple[BinlogError | None, list[int]]:
    """Return a reader's error, and the positions of the events after the opening."""
    given: list[int] = []
    with open_source(name, io.BytesIO(stdin)) as source:
        reader = Reader(source, start_position=start)
        try:
            for batch in reader:
                given += [batch.header(index).position for index in range(len(batch))]
        except BinlogError as error:
            return error, given[1:]
    return None, given[1:]


def neighbours(start: int) -> tuple[int, int]:
    before = max(position for position in POSITIONS if position < start)
    return before, min([position for position in POSITIONS if position > start], default=len(LOG))


@pytest.mark.parametrize("form", ["file", "compressed"])
def test_every_position_inside_an_event_names_the_events_near(form: str, tmp_path: Path) -> None:
    name = written(tmp_path, LOG if form == "file" else bz2.compress(LOG))
    step = 7 if form == "file" else 97
    starts = [start for start in range(POSITIONS[OPENING] + 1, len(LOG), step) if start not in POSITIONS]
    assert len(starts) > 40
    for start in starts:
        error, given = error_of(name, start)
        before, after = neighbours(start)
        assert isinstance(error, StartPositionError), (start, error)
        assert given == []
        if after < len(LOG) or form == "compressed":
            assert f": {start} is not the start of an event: events start at {before} and {after}. " in str(error)
        else:
            assert f": {start} is not the start of an event: the last event starts at {before}. " in str(error)


@pytest.mark.parametrize("start", POSITIONS[OPENING:])
def test_every_start_of_an_event_is_read_from(start: int, tmp_path: Path) -> None:
    error, given = error_of(written(tmp_path, LOG), start)
    assert error is None
    assert given == [position for position in POSITIONS if position >= start]


def test_damage_where_an_event_starts_stays_damage(tmp_path: Path) -> None:
    """A size, a type and a byte of the body are wrong at the start position itself, in turn; and an event later."""
    start, later = POSITIONS[10], POSITIONS[14]
    size = bytearray(LOG)
    size[start + 9 : start + 13] = (1 << 31).to_bytes(4, "little")
    error, _ = error_of(written(tmp_path, bytes(size)), start)
    assert type(error) is CorruptEventError
    body = bytearray(LOG)
    body[start + 25] ^= 1
    error, given = error_of(written(tmp_path, bytes(body)), start)
    assert (error, given[0]) == (None, start)  # without --verify-binlog-checksum, pybinlog prints it anyway
    with open_source(written(tmp_path, bytes(body))) as source:
        reader = Reader(source, start_position=start)
        reader.scanner.verify_checksum = True
        with pytest.raises(ChecksumError):
            list(reader)
    damaged = bytearray(LOG)
    damaged[later + 9 : later + 13] = (1 << 31).to_bytes(4, "little")
    error, given = error_of(written(tmp_path, bytes(damaged)), start)
    assert type(error) is CorruptEventError
    assert error.position == later
    cut, _ = error_of(written(tmp_path, LOG[:-5]), start)
    assert type(cut) is TruncatedError


def test_where_damage_comes_before_the_position_nothing_is_claimed(tmp_path: Path) -> None:
    """The walk from the log's beginning meets it, so that the starts of events are unknown."""
    data = bytearray(LOG)
    data[POSITIONS[5] + 9 : POSITIONS[5] + 13] = bytes(4)
    name = written(tmp_path, bytes(data))
    assert error_of(name, POSITIONS[10])[0] is None
    error, _ = error_of(name, POSITIONS[10] + 1)
    assert error is not None
    assert not isinstance(error, StartPositionError)
    # a size that is wrong, though it leads to an event, makes no false claim about the event that was jumped over
    first, second = POSITIONS[8], POSITIONS[9]
    data = bytearray(LOG)
    data[first + 9 : first + 13] = (POSITIONS[10] - first).to_bytes(4, "little")
    data[second + 9 : second + 13] = (1 << 31).to_bytes(4, "little")
    error, _ = error_of(written(tmp_path, bytes(data)), second)
    assert type(error) is CorruptEventError


def test_bytes_inside_an_event_that_are_a_whole_event_are_no_start(tmp_path: Path) -> None:
    """As if a column contains a binary log: the event there is sound, but the bytes after it are not."""
    events = events_of(LOG)
    outer = bytearray(events[9])
    at = 40
    outer[at:at] = events[3]
    outer[9:13] = len(outer).to_bytes(4, "little")
    begin = sum(map(len, events[:9])) + 4
    data = joined([*events[:9], bytes(outer), *events[10:]])
    error, _ = error_of(written(tmp_path, data), begin + at)
    assert isinstance(error, StartPositionError)
    assert f"events start at {begin} and {begin + len(outer)}" in str(error)


def test_a_log_in_use_has_no_cut_tail_at_a_position_inside_an_event(tmp_path: Path) -> None:
    in_use = corpus_log("mysql-9.7/in-use")
    positions = positions_of(events_of(in_use))[:-1]
    name = written(tmp_path, in_use[:-3])
    error, _ = error_of(name, positions[-1] + 2)
    assert type(error) is not StartPositionError  # the event around it is cut itself: nothing is sure
    error, _ = error_of(name, positions[-2] + 2)
    assert isinstance(error, StartPositionError)
    assert error_of(name, positions[-1])[0] is None


def test_standard_input_says_what_can_be_known() -> None:
    result = real("-j", "1000", "-", stdin=LOG)
    assert result.status == 1
    assert result.err.startswith("ERROR: -: 1000 is not the start of an event, as far as can be told, or the log is ")
    assert "Give the log's file by its name" in result.err
    assert real("-j", str(POSITIONS[7]), "-", stdin=LOG).status == 0
    # farther on a pipe's damage is damage
    cut = real("-j", str(POSITIONS[7]), "-", stdin=LOG[:-5])
    assert f"at {POSITIONS[-1]}: the log ends inside an event" in cut.err


def test_recovery_continues_at_the_next_event(tmp_path: Path) -> None:
    damages: list[Damage] = []
    with open_source(written(tmp_path, LOG)) as source:
        reader = RecoveringReader(source, start_position=POSITIONS[9] + 3, on_damage=damages.append)
        given = [batch.header(index).position for batch in reader for index in range(len(batch))][1:]
    assert given == POSITIONS[10:]
    assert [(type(damage.error), damage.end) for damage in damages] == [(StartPositionError, POSITIONS[10])]


def test_the_program_ends_with_status_1_and_prints_nothing_from_there(tmp_path: Path) -> None:
    name = written(tmp_path, LOG)
    for options in ([], ["--jobs=4"], ["-v"], ["--verify-binlog-checksum"], ["--stop-position", "1200"]):
        result = real("-j", "1000", *options, name)
        assert result.status == 1, options
        assert b"# at 1000\n" not in result.out
        near = neighbours(1000)
        assert result.err == (
            f"ERROR: {name}: 1000 is not the start of an event: events start at {near[0]} and {near[1]}. Start at one "
            "of these.\n"
        )


@pytest.mark.parametrize("start", [5, POSITIONS[1] - 1, POSITIONS[1] + 1, POSITIONS[2] + 9])
def test_a_position_inside_the_opening_begins_after_it_with_a_warning(start: int, tmp_path: Path) -> None:
    name = written(tmp_path, LOG)
    before, after = neighbours(start)
    result = real("-j", str(start), name)
    assert result.status == 0
    assert f"# at {after}\n".encode() in result.out
    assert result.err.startswith(
        f"WARNING: The start position {start} is not the start of an event: events start at {before} and {after}, and "
        f"the log is read from {after}. [{name}]\n"
    )


@pytest.mark.parametrize("data", [LOG, LOG[: POSITIONS[1]]], ids=["log", "format-description-alone"])
def test_a_start_after_the_end_is_warned_of(data: bytes, tmp_path: Path) -> None:
    name = written(tmp_path, data)
    at_end = real("-j", str(len(data)), name)
    assert (at_end.status, at_end.err) == (0, "")
    for start in (len(data) + 1, 1 << 40):
        past = real("-j", str(start), name)
        assert past.status == 0
        assert past.out.splitlines()[-2:] == at_end.out.splitlines()[-2:]
        assert past.err == (f"WARNING: The start position {start} is after the log's end at {len(data)}. [{name}]\n")
        assert real("-j", str(start), "-", stdin=data).err == past.err.replace(name, "-")
