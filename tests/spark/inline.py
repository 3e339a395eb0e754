"""Jobs without Spark: the same tasks one after the other, packed and unpacked as if they travelled."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Generator, Iterable
from typing import Any

from pybinlog.check import Checker, Finding
from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.spark.dump import run_to_output


class InlineJobs:
    """In the place of pybinlog.spark.jobs.Jobs; `functions` counts what was asked for."""

    cores = 1

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.spool: str | None = self.folder.name
        self.functions: list[str] = []

    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        self.functions.append(getattr(function, "func", function).__name__)
        return travelled(travelled(function)(travelled(item)))

    def in_order(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Generator[tuple[Any, Any], None, None]:
        for item in items:
            yield item, self.one(function, item)

    def close(self) -> None:
        self.folder.cleanup()


def travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


class Output:
    """What was written."""

    def __init__(self) -> None:
        self.text = bytearray()

    def write(self, data: Any) -> None:
        self.text.extend(data)


Dumped = tuple[bytes, list[str], str]
"""Text, warnings, error."""


def dumped(names: Iterable[Any], options: DumpOptions, jobs: Any = None) -> Dumped:
    """By the plain dump; with `jobs`, by that of Spark."""
    output = Output()
    warnings: list[str] = []
    error = ""
    try:
        if jobs is None:
            run([str(name) for name in names], options, output, warnings.append)
        else:
            run_to_output([str(name) for name in names], options, output, warnings.append, jobs)
            assert not os.listdir(jobs.spool)
    except BinlogError as found:
        error = f"{type(found).__name__}: {found}"
    return bytes(output.text), warnings, error


Checked = tuple[list[tuple[str, list[Finding], int, int, str]], Any]


def checked(checker: Checker) -> Checked:
    """All that a check tells: its results log by log, and the totals."""
    results = [
        (result.file, result.findings, result.events, result.bytes, str(result.failure)) for result in checker.results()
    ]
    totals = checker.totals
    return results, (
        totals.findings,
        totals.not_shown,
        totals.known,
        [str(failure) for failure in totals.failures],
        totals.files,
        totals.events,
        totals.bytes,
        checker.found,
    )
