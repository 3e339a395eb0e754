"""The keys of rows: unique values that later rows took, collations, and sets that are too large for memory."""

from __future__ import annotations

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
    assert b"INSERT" not in skipped.out
    assert b"UPDATE `" not in skipped.out


def pairs(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def test_a_value_marks_the_rows_that_have_it_once() -> None:
    keys = KeySet()
    first, second, value = 2, 4, 6
    assert keys.settle(pairs(first, 0, second, 0, value, first, value, second, value, first)) == 0
    assert keys.settle(pairs(value | MARK, 1)) == 2
    assert keys.settle(pairs(value | MARK, 1, first | MARK, 0)) == 0
    assert keys.settle(pairs(8 | MARK, 0, 8 | MARK, 1)) == 0


@pytest.mark.parametrize("limit", [0, 1 << 16, 1 << 30], ids=["in files", "both", "in memory"])
def test_a_set_is_the_same_in_memory_and_in_files(limit: int) -> None:
    try:
        key_set.set_most_in_memory(limit)
        keys = KeySet()
        numbers = [(n * 0x9E3779B97F4A7C15 & (1 << 64) - 2) or 2 for n in range(1, 20000)]
        keys.settle(b"".join(pairs(number, 0, number ^ 2, number) for number in numbers))
        assert keys.count == len(numbers)
        odd = numbers[1::2]
        assert keys.settle(b"".join(pairs(number ^ 2 | MARK, 1) for number in odd)) == len(odd)
        assert keys.settle(b"".join(pairs(number | MARK, 0) for number in numbers)) == len(numbers) - len(odd)
    finally:
        key_set.set_most_in_memory(16 << 20)


LARGE = """
import resource
from pybinlog.kernel.undo.key_set import KeySet
keys = KeySet()
def pairs(start):
    numbers = range(start, start + 4000)
    return b"".join(((n * 0x9E3779B97F4A7C15 & (1 << 64) - 2) or 2).to_bytes(16, "little") for n in numbers)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for start in range(1, 1_500_001, 4000):
    keys.settle(pairs(start))
assert 1_450_000 < keys.count <= 1_500_000, keys.count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_most_of_many_keys_are_not_in_memory() -> None:
    done = subprocess.run([sys.executable, "-c", LARGE], cwd=PROJECT, capture_output=True, check=True)
    assert int(done.stdout) < 36 << 10  # KiB; the set has 32 MiB, and 48 MiB as it grows
