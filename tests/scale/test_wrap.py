"""Positions beyond 4 GiB: end_log_pos has 32 bits and begins again at 0, the position in the log does not."""

import base64
import json
import os
import re
import subprocess
import sys
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.inflate import BEGINS_TRANSACTION, END_LOG_POS, HEADER, WORD, Template
from tests.scale.sparse import write_sparse

PROGRAM = [sys.executable, "-m", "pybinlog"]
WRAP = 1 << 32
NEAR = 1 << 16
"""The beginning of the transactions in the log whose text is known to be right."""
BINLOG = re.compile(rb"(?<=^BINLOG '\n)[^']*(?=^')", re.MULTILINE)
PLACES = re.compile(rb"(?m)(?<=# at )(\d+)$|(?<= end_log_pos )(\d+)")


@dataclass(frozen=True)
class Pair:
    """The same transactions beyond the wrap and at the beginning of a small log, `shift` bytes apart."""

    far: Path
    near: Path
    shift: int
    near_positions: list[int]
    """The positions of the events in the small log."""
    near_begins: list[int]
    """Those that begin transactions: a dump that starts at one needs nothing before it."""

    def shifted(self, text: bytes) -> bytes:
        """The text of the small log with the places of the large one."""

        def place(found: re.Match[bytes]) -> bytes:
            if found[1]:
                return b"%d" % (int(found[1]) + self.shift)
            return b"%d" % ((int(found[2]) + self.shift) % WRAP)

        return BINLOG.sub(lambda found: self._statement(found[0]), PLACES.sub(place, text))

    def _statement(self, text: bytes) -> bytes:
        """The base64 text of a BINLOG statement whose events stand elsewhere."""
        moved, event = b"", b""
        for line in text.split(b"\n"):
            event += base64.b64decode(line)
            if len(event) >= HEADER.size and len(event) == HEADER.unpack_from(event)[3]:
                end_log_pos = (HEADER.unpack_from(event)[4] + self.shift) % WRAP
                event = event[:END_LOG_POS] + WORD.pack(end_log_pos) + event[END_LOG_POS + WORD.size :]
                moved += base64.encodebytes(event)
                event = b""
        return moved


def template() -> Template:
    return Template(next(s for s in scenarios() if s.name == "mysql-9.7/checksum-none").logs[0].read_bytes())


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Path]:
    """A folder whose files are in memory, if there is one: the holes of a file on a disk fill the system's cache."""
    shared = Path("/dev/shm")
    has_room = os.access(shared, os.W_OK) and disk_usage(shared).free > 1 << 28
    with TemporaryDirectory(dir=shared if has_room else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module", params=["inside an event", "between events"])
def pair(request: pytest.FixtureRequest, in_memory: Path) -> Iterator[Pair]:
    """The wrap falls into the middle of the transactions, inside an event or exactly after one."""
    folder = in_memory
    parts = template()
    sizes = [len(event.data) for event in parts.transactions]
    half = sum(sizes[: len(sizes) // 2])
    begin = WRAP - half - (sizes[len(sizes) // 2] // 2 if request.param == "inside an event" else 0)
    pair = Pair(
        folder / "far.000001",
        folder / "near.000001",
        begin - NEAR,
        [NEAR + sum(sizes[:i]) for i in range(len(sizes))],
        [NEAR + sum(sizes[:i]) for i, event in enumerate(parts.transactions) if event.kind in BEGINS_TRANSACTION],
    )
    write_sparse(pair.far, parts, begin)
    write_sparse(pair.near, parts, NEAR)
    yield pair
    pair.far.unlink()
    pair.near.unlink()


def dump(log: Path, *options: str) -> tuple[bytes, str]:
    """Return its output and warnings."""
    done = real("dump", *options, str(log))
    assert done.status == 0, done.err
    return done.out, done.err


def transactions(text: bytes, begin: int) -> bytes:
    """The text from the event at `begin` on."""
    _, mark, rest = text.partition(b"# at %d\n" % begin)
    assert mark, f"nothing stands at {begin}"
    return mark + rest


@pytest.mark.parametrize(
    ("pair", "source"),
    [("inside an event", "file"), ("inside an event", "standard input"), ("between events", "file")],
    indirect=["pair"],
)
def test_the_text_on_both_sides_is_that_of_a_small_log(pair: Pair, source: str) -> None:
    if source == "file":
        far, warnings = dump(pair.far, "-v")
    else:
        with pair.far.open("rb") as stdin:
            done = subprocess.run([*PROGRAM, "-v", "-"], stdin=stdin, capture_output=True, timeout=120, check=True)
        far, warnings = done.stdout, done.stderr.decode()
    near, _ = dump(pair.near, "-v")
    assert transactions(far, NEAR + pair.shift) == transactions(pair.shifted(near), NEAR + pair.shift)
    assert warnings == ""
    assert far.count(b"\n# at ") > 1000, "the events before the wrap are not there"


def test_every_event_can_be_the_start_and_warns_where_it_does_in_a_small_log(pair: Pair) -> None:
    for position in around_the_wrap(pair):
        near, near_warnings = dump(pair.near, "-v", f"--start-position={position}")
        far, warnings = dump(pair.far, "-v", f"--start-position={position + pair.shift}")
        begin = position + pair.shift
        assert transactions(far, begin) == transactions(pair.shifted(near), begin)
        assert warnings == re.sub(
            r"(at|up to|--start-position=)( ?)(\d+)",
            lambda found: f"{found[1]}{found[2]}{int(found[3]) + pair.shift}",
            near_warnings.replace(str(pair.near), str(pair.far)),
        )


def test_every_event_can_be_the_stop(pair: Pair) -> None:
    start = pair.near_begins[bisect(pair.near_begins, around_the_wrap(pair)[0]) - 1]
    for position in around_the_wrap(pair):
        near, _ = dump(pair.near, f"--start-position={start}", f"--stop-position={position}")
        far, _ = dump(pair.far, f"--start-position={start + pair.shift}", f"--stop-position={position + pair.shift}")
        begin = start + pair.shift
        assert transactions(far, begin) == transactions(pair.shifted(near), begin)


def test_a_hexdump_counts_on_beyond_the_wrap(pair: Pair) -> None:
    position = pair.near_begins[-1] + pair.shift
    assert position > WRAP
    text, _ = dump(pair.far, "--hexdump", f"--start-position={position}")
    offsets = re.findall(rb"(?m)^# +([0-9a-f]+) [0-9a-f]{2} ", transactions(text, position))
    assert int(offsets[0], 16) == position


def test_a_check_knows_that_positions_wrap(pair: Pair) -> None:
    text, warnings = checked(pair.far)
    assert (text["findings"], warnings) == ([], "")
    assert text["summary"]["bytes"] > WRAP


def test_a_check_finds_a_wrong_position_beyond_the_wrap(pair: Pair) -> None:
    position = pair.near_positions[-1] + pair.shift
    with pair.far.open("r+b") as file:
        file.seek(position + END_LOG_POS)
        right = file.read(WORD.size)
        file.seek(position + END_LOG_POS)
        file.write(WORD.pack(WORD.unpack(right)[0] + 1))
    try:
        text, _ = checked(pair.far)
    finally:
        with pair.far.open("r+b") as file:
            file.seek(position + END_LOG_POS)
            file.write(right)
    (finding,) = text["findings"]
    assert (finding["code"], finding["position"]) == ("S007", position)
    assert "which end_log_pos holds as" in finding["message"]


def test_all_events_are_marked_beyond_the_wrap(pair: Pair) -> None:
    done = real("tag", "--dry-run", str(pair.far))
    (events,) = re.findall(rb"(\d+) events, (?=\1 to mark, 0 marked already)", done.out)
    assert int(events) > 1000
    assert (done.status, done.err) == (0, "")


def checked(log: Path) -> tuple[dict[str, Any], str]:
    """The report of a check, and what it says on standard error."""
    done = real("check", "--format=json", str(log))
    return json.loads(done.out), done.err


def around_the_wrap(pair: Pair) -> list[int]:
    """Positions in the small log of the events whose twins stand right before and after the wrap."""
    middle = len(pair.near_positions) // 2
    return pair.near_positions[middle - 1 : middle + 2]
