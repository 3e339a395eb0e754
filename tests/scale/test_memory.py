"""Memory does not grow with the log, nor with a statement."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.benchmarks.logs import LogMissing, source
from tests.corpus import PROJECT
from tests.inflate import inflate
from tests.stopwatch import measure

PROGRAM = [sys.executable, "-m", "pybinlog"]
SMALL = 8
LIMIT = 96
"""MiB that no run may reach."""
NOISE = 4
"""MiB by which two runs of the same kind may differ."""


def peak(log: Path, *options: str) -> float:
    return measure([*PROGRAM, *options, str(log)]).mebibytes


@pytest.fixture(scope="module")
def inflated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """A log of so many MiB of the kind, which is made once."""
    folder = tmp_path_factory.mktemp("inflated")

    @cache
    def path(name: str, size: int) -> Path:
        path = folder / f"{name}.{size:06d}"
        with path.open("wb") as out:
            inflate(read(name), out, size << 20)
        return path

    return path


FILTER = "--database=no_such_database"
SORTS = [
    *(("large", ()), ("large", ("-v",)), ("large-rows", ("-v",)), ("large-rows", (FILTER,))),
    *(("statement", ()), ("statement", (FILTER,)), ("compressed", ("-v",)), ("compressed", (FILTER,))),
]


@pytest.mark.parametrize(("name", "options"), SORTS, ids=lambda o: o if isinstance(o, str) else " ".join(o))
def test_a_large_log_peaks_like_a_small_one(
    name: str, options: tuple[str, ...], inflated: Callable[[str, int], Path], mebibytes: int
) -> None:
    if name == "compressed":
        mebibytes = max(SMALL, mebibytes // 8)  # what it holds is ten times as much
    peaks = []
    for size in (SMALL if name != "compressed" else 1, mebibytes):
        path = inflated(name, size)
        peaks.append(peak(path, "--jobs=1", *options))
        if size == mebibytes and options != (FILTER,):
            # how much text waits for its turn depends on which thread is ahead: only the bound is sure
            assert peak(path, "--jobs=2", *options) < LIMIT
    assert peaks[1] - peaks[0] < NOISE


def read(name: str) -> bytes:
    """The log `name` is made from; a test that needs one that is not there is skipped."""
    try:
        return source(name)
    except LogMissing as missing:
        pytest.skip(str(missing))


def peak_of_statement(size: int, *options: str) -> float:
    """With one statement of so many MiB from standard input, through a pipe."""
    writer = [sys.executable, "-m", "tests.scale.statement", str(size)]
    return measure(writer, [*PROGRAM, *options, "-"], folder=str(PROJECT)).mebibytes


@pytest.mark.parametrize("options", [("-v",), ("-v", "--base64-output=DECODE-ROWS"), ()], ids=" ".join)
def test_a_large_statement_peaks_like_a_small_one(options: tuple[str, ...], mebibytes: int) -> None:
    read("large-rows")
    # how much text waits for its turn depends on which thread is ahead: only the bound is sure
    assert peak_of_statement(mebibytes, *options) < LIMIT
    large, small = (peak_of_statement(size, "--jobs=1", *options) for size in (mebibytes, SMALL * 3))
    # Up to 16 MiB of pending text are held in memory, above that in a file; how full they were last makes a difference.
    assert large - small < 2 * NOISE
