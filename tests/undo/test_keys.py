"""The keys of rows: unique values that later rows took, collations, and sets that are too large for memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.kernel.undo import key_set
from pybinlog.kernel.undo.key_set import KeySet
from tests.cli.conftest import Result, real
from tests.corpus import PROJECT, TESTDATA

UNIQUE = TESTDATA / "undo" / "mysql-unique" / "binlog.000001"
MARK = 1


def undo(*arguments: str | Path) -> Result:
    return real("undo", *map(str, arguments))


@pytest.mark.parametrize(("asked", "place"), [("1731 2048", 3153), ("2048 2344", 3458)], ids=["update", "delete"])
def test_a_later_row_that_took_a_unique_value_is_a_conflict(asked: str, place: int) -> None:
    start, stop = asked.split()
    for form in ("sql", "binlog"):
        result = undo(f"--format={form}", f"--start-position={start}", f"--stop-position={stop}", UNIQUE)
        assert (result.status, result.out) == (1, b"")
        assert f"at {place}: 1 of 1 rows of u.t was changed again, here first by" in result.err
    skipped = undo("--skip-changed", f"--start-position={start}", f"--stop-position={stop}", UNIQUE)
    assert skipped.status == 0
    assert b"INSERT INTO" not in skipped.out
    assert b"UPDATE `" not in skipped.out
    assert b"left as they are" in skipped.out


def triples(*numbers: int) -> bytes:
    """Keys, what they are linked to, and what changes in their rows."""
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def test_a_value_marks_the_rows_that_have_it_once() -> None:
    keys = KeySet()
    first, second, value = 2, 4, 6
    assert keys.settle(triples(first, 0, 1, second, 0, 1, value, first, 0, value, second, 0, value, first, 0)) == 0
    assert keys.settle(triples(value | MARK, 1, 0)) == 2
    assert keys.settle(triples(value | MARK, 1, 0, first | MARK, 0, 1)) == 0
    assert keys.settle(triples(8 | MARK, 0, 1, 8 | MARK, 1, 0)) == 0


def test_a_key_is_marked_only_if_the_changes_of_its_row_meet() -> None:
    keys = KeySet()
    keys.settle(triples(2, 0, 0b001, 2, 0, 0b100))
    assert keys.settle(triples(2 | MARK, 0, 0b010)) == 0
    assert keys.settle(triples(2 | MARK, 0, 0b110)) == 1


@pytest.mark.parametrize("limit", [0, 1 << 16, 1 << 30], ids=["in files", "both", "in memory"])
def test_a_set_is_the_same_in_memory_and_in_files(limit: int) -> None:
    try:
        key_set.set_most_in_memory(limit)
        keys = KeySet()
        numbers = [(n * 0x9E3779B97F4A7C15 & (1 << 64) - 2) or 2 for n in range(1, 20000)]
        keys.settle(b"".join(triples(number, 0, 1, number ^ 2, number, 0) for number in numbers))
        assert keys.count == len(numbers)
        odd = numbers[1::2]
        assert keys.settle(b"".join(triples(number ^ 2 | MARK, 1, 0) for number in odd)) == len(odd)
        assert keys.settle(b"".join(triples(number | MARK, 0, 1) for number in numbers)) == len(numbers) - len(odd)
    finally:
        key_set.set_most_in_memory(16 << 20)


LARGE = """
import resource
from pybinlog.kernel.undo.key_set import KeySet
keys = KeySet()
def triples(start):
    numbers = range(start, start + 4000)
    return b"".join(((n * 0x9E3779B97F4A7C15 & (1 << 64) - 2) or 2).to_bytes(24, "little") for n in numbers)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for start in range(1, 1_500_001, 4000):
    keys.settle(triples(start))
assert 1_450_000 < keys.count <= 1_500_000, keys.count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_most_of_many_keys_are_not_in_memory() -> None:
    done = subprocess.run([sys.executable, "-c", LARGE], cwd=PROJECT, capture_output=True, check=True)
    assert int(done.stdout) < 36 << 10  # KiB; the set has 64 MiB, and 96 MiB as it grows
