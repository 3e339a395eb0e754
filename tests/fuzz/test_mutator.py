"""The mutator, and a short run of it."""

import json
import subprocess
import sys
from pathlib import Path

from pybinlog.errors import BinlogError
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.corpus import PROJECT, scenarios
from tests.fuzz.mutator import HEADER, MAGIC, Mutator, Seed, closed_payload, opened_payload

LOGS = ("mysql-9.7/row-basic", "mysql-9.7/compression", "mysql-9.7/types-json")
SEEDS = [Seed.of(s.name, s.logs[0].read_bytes()) for s in scenarios() if s.name in LOGS]


def test_a_seed_is_its_events() -> None:
    for seed in SEEDS:
        assert MAGIC + b"".join(seed.events) + seed.rest == seed.data
        assert len(seed.events) > 10
        assert seed.checksums


def test_the_input_of_a_number_is_always_the_same() -> None:
    first, second, other = Mutator(SEEDS, 1), Mutator(SEEDS, 1), Mutator(SEEDS, 2)
    inputs = [first.make(first.random(number)) for number in range(100)]
    assert inputs == [second.make(second.random(number)) for number in reversed(range(100))][::-1]
    assert inputs != [other.make(other.random(number)) for number in range(100)]
    assert len(set(inputs)) > 90


def test_most_inputs_reach_the_events_behind_the_first(tmp_path: Path) -> None:
    mutator, deep = Mutator(SEEDS, 3), 0
    for number in range(100):
        path = tmp_path / "binlog.000001"
        path.write_bytes(mutator.make(mutator.random(number)))
        events = 0
        try:
            with open_source(str(path)) as source:
                for batch in Reader(source):
                    events += batch.count
        except BinlogError:
            pass
        deep += events > 2
    assert deep > 50


def test_a_payload_is_opened_and_closed_again() -> None:
    event = next(event for seed in SEEDS for event in seed.events if event[4] == 40)
    data = opened_payload(bytearray(event))
    assert data is not None
    again = event[:HEADER] + closed_payload(data, len(data)) + bytes(4)
    assert opened_payload(bytearray(again)) == data


def test_some_hundred_inputs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--inputs", "700", "--jobs", "2", "--folder", str(tmp_path)],
        cwd=PROJECT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    figures = json.loads(done.stdout)
    assert (figures["inputs"], figures["faults"]) == (700, 0)
    assert 0 < figures["refused"] < 700
