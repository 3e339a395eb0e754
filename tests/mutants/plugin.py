"""A plugin of pytest, `-p tests.mutants.plugin`: note which code each test runs, and how long it takes.

Of Python by coverage, whose context it names; of a kernel that `tests.fuzz.build --kind branches` made by reach.c. The
processes that a test starts count as the test.
"""

import ctypes
import json
import os
import pickle
import shutil
import tempfile
from array import array
from collections.abc import Generator
from functools import cache
from pathlib import Path

import coverage
import pytest

PLACES = 1 << 22
"""As reach.c has it."""
RESULTS = "PYBINLOG_REACH_RESULTS"
"""The variable with the folder for what is noted."""
WATCHED = "PYBINLOG_REACH"
IMPORTED = ""
"""The test of what runs before any test."""


@cache
def blocks() -> ctypes.Array[ctypes.c_uint8] | None:
    """Return the map of the kernel's blocks; None if they are not watched."""
    try:
        pointer = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "kernel_reached").value
    except ValueError:
        return None
    return (ctypes.c_uint8 * PLACES).from_address(pointer or 0)


def reached(data: bytes) -> set[int]:
    """Return the places that are set."""
    found, place = set(), data.find(1)
    while place >= 0:
        found.add(place)
        place = data.find(1, place + 1)
    return found


def note_blocks(test: str, places: set[int]) -> None:
    with (Path(os.environ[RESULTS]) / f"blocks.{os.getpid()}").open("ab") as file:
        pickle.dump((test, array("I", sorted(places)).tobytes()), file)


def pytest_collection_finish() -> None:
    if (watched := blocks()) is not None:
        note_blocks(IMPORTED, reached(bytes(watched)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    measured, watched = coverage.Coverage.current(), blocks()
    if measured is not None:
        measured.switch_context(item.nodeid)
    if watched is not None:
        ctypes.memset(watched, 0, PLACES)
        os.environ[WATCHED] = folder = tempfile.mkdtemp(dir=os.environ[RESULTS])
    try:
        return (yield)
    finally:
        if measured is not None:
            measured.switch_context(IMPORTED)
        if watched is not None:
            del os.environ[WATCHED]
            started = [path.read_bytes() for path in Path(folder).iterdir()]
            shutil.rmtree(folder)
            note_blocks(item.nodeid, set().union(*map(reached, [bytes(watched), *started])))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed and "PYTEST_XDIST_WORKER" not in os.environ:
        with (Path(os.environ[RESULTS]) / "seconds").open("a", encoding="utf-8") as file:
            print(json.dumps([report.nodeid, report.duration]), file=file)
