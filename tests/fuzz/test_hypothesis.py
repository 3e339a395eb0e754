"""Real logs damaged as Hypothesis sees fit, through the program: whatever their bytes, one of its three statuses."""

import resource
import struct
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pybinlog.layout import crc32
from tests.cli.conftest import Result, real
from tests.corpus import scenarios
from tests.fuzz.mutator import BYTES, END_LOG_POS, HEADER, LARGE, MAGIC, NUMBERS, SIZE, Seed
from tests.fuzz.subject import ALLOWANCE

LARGEST = 20_000
SEEDS = [
    Seed.of(scenario.name, path.read_bytes())
    for scenario in scenarios()
    for path in scenario.logs
    if path.stat().st_size <= LARGEST
]
WITH_EVENTS = [seed for seed in SEEDS if len(seed.events) > 1]
COMMANDS = {
    "dump": ("-vv", "--print-table-metadata", "{log}"),
    "rows": ("-v", "--base64-output=decode-rows", "--hexdump", "--verify-binlog-checksum", "{log}"),
    "recover": ("--recover", "-v", "{log}"),
    "check": ("check", "--format=json", "{log}"),
    "tag": ("tag", "{log}", "-o", "{folder}/marked"),
    "dry run": ("tag", "--dry-run", "{log}"),
}
STATUSES = (0, 1, 2)
MOST_TEXT = 50 << 20
MOST_SECONDS = 5
"""Of CPU, for one input."""


@st.composite
def raw_damage(draw: st.DrawFn) -> bytes:
    """Bytes changed, cut out, put in, or cut off, wherever."""
    data = bytearray(draw(st.sampled_from(SEEDS)).data)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        piece = draw(st.one_of(st.binary(max_size=8), st.sampled_from(BYTES).map(lambda byte: bytes((byte,)))))
        data[at : at + draw(st.integers(0, 12))] = piece
    return bytes(data[: draw(st.integers(0, len(data)))]) if draw(st.booleans()) else bytes(data)


@st.composite
def damage_inside(draw: st.DrawFn) -> bytes:
    """Bytes inside events changed, and sizes, positions and checksums made right again."""
    seed = draw(st.sampled_from(WITH_EVENTS))
    first = draw(st.integers(1, len(seed.events) - 1))
    events = [bytearray(event) for event in (seed.events[0], *seed.events[first : first + 20])]
    for _ in range(draw(st.integers(1, 4))):
        event = events[draw(st.integers(0, len(events) - 1))]
        at = draw(st.integers(min(HEADER, len(event)), len(event)))
        number = draw(st.sampled_from((*BYTES, *NUMBERS, *LARGE))).to_bytes(8, "little")
        event[at : at + draw(st.integers(0, 8))] = number[: draw(st.integers(0, 8))]
    if draw(st.booleans()):
        events[draw(st.integers(0, len(events) - 1))][4] = draw(st.integers(0, 172))
    data = bytearray(MAGIC)
    for event in events:
        struct.pack_into("<I", event, SIZE, len(event))
        struct.pack_into("<I", event, END_LOG_POS, len(data) + len(event))
        if seed.checksums and len(event) >= HEADER + 4:
            event[-4:] = crc32(bytes(event[:-4])).to_bytes(4, "little")
        data += event
    return bytes(data)


def memory() -> int:
    """The highest that this process needed so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def run(command: str, data: bytes) -> Result:
    with TemporaryDirectory() as folder:
        log = Path(folder) / "binlog.000001"
        log.write_bytes(data)
        arguments = [argument.format(log=log, folder=folder) for argument in COMMANDS[command]]
        if command in ("dump", "rows", "recover"):
            arguments.append(f"--local-load={folder}")
        before, begin = memory(), time.process_time()
        result = real(*arguments)
        assert time.process_time() - begin < MOST_SECONDS
        assert memory() - before < 4 * len(data) + ALLOWANCE
        assert log.read_bytes() == data
        if command == "tag":
            marked = Path(folder) / "marked"
            assert marked.exists() == (result.status == 0)
            assert not marked.exists() or marked.stat().st_size == len(data)
        assert [path.name for path in Path(folder).iterdir() if path.name.startswith(".")] == []
    return result


@pytest.mark.parametrize("command", COMMANDS)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.one_of(raw_damage(), damage_inside(), st.binary(max_size=200).map(MAGIC.__add__)))
def test_any_damage_ends_with_a_result_or_a_sentence(command: str, data: bytes) -> None:
    result = run(command, data)
    assert result.status in STATUSES
    assert "Traceback" not in result.err
    assert "fault in pybinlog" not in result.err
    assert len(result.out) < MOST_TEXT
    for line in result.err.splitlines():
        assert line.startswith(("ERROR: ", "WARNING: ")), line
    if result.status:
        assert result.err or command == "check"
