"""RecoveringReader, and `pybinlog dump --recover`."""

import io
import struct
from pathlib import Path

import pytest

from pybinlog.errors import BadMagicError, ChecksumError, CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.log.recover import Damage, RecoveringReader
from pybinlog.source import open_source
from pybinlog.source.file import ObjectSource
from tests.check.logs import changed, events_of, first, log
from tests.cli.conftest import real
from tests.dump.log_parts import RELAY_LOG

BASIC = "mysql-9.7/row-basic"


class Slow(io.RawIOBase):
    """Bytes that come one by one, as through a slow pipe."""

    def __init__(self, data: bytes, step: int):
        self._data = data
        self._step = step

    def read(self, size: int = -1) -> bytes:
        piece, self._data = self._data[: min(size, self._step)], self._data[min(size, self._step) :]
        return piece


def read(data: bytes, step: int = 1 << 20) -> tuple[list[int], list[Damage]]:
    """The positions of the events that were read, and the damage."""
    damages: list[Damage] = []
    reader = RecoveringReader(ObjectSource("log", Slow(data, step)), on_damage=damages.append)  # type: ignore[arg-type]
    positions = [batch.header(index).position for batch in reader for index in range(batch.count)]
    return positions, damages


def places(data: bytes) -> list[int]:
    at, result = 4, []
    for event in events_of(data):
        result.append(at)
        at += len(event)
    return result


@pytest.mark.parametrize("step", [1, 7, 1000, 1 << 20])
def test_an_intact_log_is_read_as_ever(step: int) -> None:
    data = log(BASIC)
    assert read(data, step) == (places(data), [])


@pytest.mark.parametrize("step", [1, 7, 1000, 1 << 20])
def test_only_the_damaged_event_is_passed_over(step: int) -> None:
    data = log(BASIC)
    at = places(data)[20]
    positions, damages = read(changed(data, at + 25, bytes((data[at + 25] ^ 1,))), step)
    assert positions == [place for place in places(data) if place != at]
    (damage,) = damages
    assert isinstance(damage.error, ChecksumError)
    assert (damage.start, damage.end, damage.length) == (at, places(data)[21], places(data)[21] - at)


@pytest.mark.parametrize("step", [1, 1 << 20])
@pytest.mark.parametrize("size", [0, 18, 5000, 1 << 24, (1 << 32) - 1])
def test_a_size_that_lies(size: int, step: int) -> None:
    data = log(BASIC)
    at = places(data)[20]
    positions, damages = read(changed(data, at + 9, struct.pack("<I", size)), step)
    assert positions == [place for place in places(data) if place != at]
    assert [(damage.start, damage.end) for damage in damages] == [(at, places(data)[21])]


def islands(data: bytes, whole: int) -> tuple[list[int], list[int]]:
    """The places of `whole` events between two whose sizes are gone; and which of these are read."""
    at = places(data)
    for number in (20, 21 + whole):
        data = changed(data, at[number] + 9, bytes(4))
    positions, _ = read(data)
    between = at[21 : 21 + whole]
    return between, [place for place in positions if place in between]


@pytest.mark.parametrize(
    ("name", "moved", "needed"),
    [
        (BASIC, False, 1),
        ("mysql-9.7/checksum-none", False, 2),
        ("mysql-9.7/relay", False, 2),
        ("mysql-5.6/checksum-none", True, 5),
    ],
    ids=["position and checksum", "position alone", "checksum alone", "neither"],
)
def test_so_many_events_in_a_row_are_believed(name: str, moved: bool, needed: int) -> None:
    """One of which position and checksum speak, two of which one of them does, five else."""
    data = log(name, 2 if "relay" in name else 0)
    if moved:
        data = as_relay_log(data)
    for whole in (needed - 1, needed):
        between, found = islands(data, whole)
        assert found == (between if whole == needed else [])


def as_relay_log(data: bytes) -> bytes:
    """The log as one whose events have the positions of another."""
    opening, *events = events_of(data)
    opening = changed(opening, 17, struct.pack("<H", struct.unpack_from("<H", opening, 17)[0] | RELAY_LOG))
    return data[:4] + opening + b"".join(events)


def test_nothing_behind_the_damage() -> None:
    data = log(BASIC)
    at = places(data)[-1]
    positions, damages = read(data[: at + 5] + bytes(1000))
    assert positions == places(data)[:-1]
    assert (damages[0].end, damages[0].length, damages[0].zeros) == (None, 1005, False)
    assert isinstance(damages[0].error, CorruptEventError)


def test_damage_larger_than_what_is_read_at_once() -> None:
    data = log(BASIC)
    at = places(data)[20]
    positions, damages = read(data[:at] + bytes(1_000_000) + data[at:])
    assert len(positions) == len(places(data))
    assert (damages[0].length, damages[0].zeros) == (1_000_000, True)


def test_a_stream_of_several_logs_continues_with_the_next_one() -> None:
    data = log(BASIC)
    at = places(data)[-1]
    damages: list[Damage] = []
    reader = RecoveringReader(
        ObjectSource("-", io.BytesIO(data[: at + 9] + bytes(10) + data)), on_damage=damages.append
    )
    reader.scanner.many_logs = True
    count = sum(batch.count for batch in reader)
    assert count == 2 * len(places(data)) - 1
    assert [(damage.start, damage.length) for damage in damages] == [(at, 19)]


def test_what_is_no_binary_log_is_an_error_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("hello, world")
    with open_source(str(path)) as source, pytest.raises(BadMagicError):
        list(RecoveringReader(source, on_damage=lambda damage: None))


def test_the_dump_continues_after_damage(tmp_path: Path) -> None:
    data = log(BASIC)
    events = events_of(data)
    index = first(events, EventType.XID, 2)
    at = places(data)[index]
    path = tmp_path / "binlog.000001"
    path.write_bytes(changed(data, at + 20, b"\xff\xff"))
    stopped, recovered = real(str(path), "--verify-binlog-checksum"), real(str(path), "--recover")
    (path.parent / "whole").write_bytes(data)
    whole = real(str(path.parent / "whole"))
    assert stopped.status == recovered.status == 1
    marks = [f"# at {place}\n".encode() for place in places(data)]
    assert [mark for mark in marks if mark not in recovered.out] == [marks[index]]
    assert all(mark in whole.out for mark in marks)
    assert marks[index + 1] not in stopped.out
    assert f"31 bytes are skipped, up to {at + 31}. [{path}, at {at}]" in recovered.err
    assert recovered.err.splitlines()[-1] == (
        f"ERROR: {path}, at {at}: the log is damaged from here on: 31 bytes were skipped."
    )


def test_an_intact_log_is_dumped_as_without_recover(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(log(BASIC))
    assert real(str(path), "--recover") == real(str(path))


def test_the_cut_tail_of_a_log_in_use_is_a_warning_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(log("mysql-9.7/in-use")[:-10])
    assert real(str(path), "--recover") == real(str(path))
    assert real(str(path), "--recover").status == 0


@pytest.mark.parametrize("hole", [64, 300 << 10, 5 << 20, 1 << 40])
@pytest.mark.parametrize("at_end", [False, True])
def test_a_hole_of_a_sparse_file_is_jumped_over(hole: int, at_end: bool, tmp_path: Path) -> None:
    data = log(BASIC)
    cut = places(data)[20]
    path = tmp_path / "binlog.000001"
    with path.open("wb") as file:
        file.write(data[:cut])
        if at_end:
            file.truncate(cut + hole)
        else:
            file.seek(cut + hole)
            file.write(data[cut:])
    if path.stat().st_blocks * 512 >= hole > 1 << 20:
        pytest.skip("this file system has no holes")
    damages: list[Damage] = []
    with open_source(str(path)) as source:
        reader = RecoveringReader(source, on_damage=damages.append)
        positions = [batch.header(index).position for batch in reader for index in range(batch.count)]
    behind = [] if at_end else [place + hole for place in places(data)[20:]]
    assert positions == places(data)[:20] + behind
    assert [(damage.start, damage.length, damage.zeros) for damage in damages] == [(cut, hole, True)]
    assert damages[0].hole <= hole
    assert bool(damages[0].hole) == (hole > 1 << 20)
    assert (f"{damages[0].hole} of them are a hole" in damages[0].message) == (hole > 1 << 20)
    report = real("check", "--format=json", str(path)).out.decode()
    assert str(hole) in report
    assert ("hole of the sparse file" in report) == (hole > 1 << 20)
