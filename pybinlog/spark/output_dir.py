"""`--output-dir`: the text of each log in a file of its own, as a dump of it alone has it, written by the executors."""

from __future__ import annotations

import os
from functools import partial
from typing import NamedTuple

from pybinlog.dump import run as run_dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError, OutputError
from pybinlog.export.file import FileName, OneFile, make_folder
from pybinlog.jobs.packs import packs, stored_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybinlog.spark.jobs import SparkJobs
    from pybinlog.where.tally import Tally

SUFFIX = ".sql"


def text_names(names: Sequence[str], folder: str, compression: str = "") -> list[str]:
    """Return the file for each log's text, in the folder: `binlog.000001.sql`.

    OutputError where two logs have the same.
    """
    ending = SUFFIX + (f".{compression}" if compression else "")
    taken: dict[str, str] = {}
    for name in names:
        base = os.path.basename(name)
        if base in taken:
            raise OutputError(
                f"{taken[base]} and {name} would both be written to {base}{ending}",
                file=folder,
                hint="Give logs of the same name to commands with folders of their own, or add --joined",
            )
        taken[base] = name
    return [base + ending for base in taken]


class Written(NamedTuple):
    """A log's text in its file: what was said of it, the rows that a condition kept, and what ended it early."""

    warnings: list[str]
    tally: Tally | None
    error: BinlogError | None


def run(
    names: Sequence[str],
    options: DumpOptions,
    folder: str,
    warn: Callable[[str], None],
    fail: Callable[[BinlogError], None],
    jobs: SparkJobs,
    progress: Callable[[int], None] | None = None,
    compression: str = "",
) -> tuple[bool, Tally | None]:
    """Write the texts; each is what a dump of its log alone writes.

    Return False if a log could not be read to its end, and what became of the rows that a condition was asked of.

    `fail` is given the error of each such log, whose file holds the text before the error. Raise BinlogError if the
    folder cannot be made.
    """
    sizes = [stored_size(name) for name in names]
    texts = [f"{folder.rstrip('/') or '/'}/{text}" for text in text_names(names, folder, compression)]
    logs = [(name, FileName(text, "sql", compression)) for name, text in zip(names, texts, strict=True)]
    make_folder(folder)
    good, tally, size = True, None, iter(sizes)
    for _, results in jobs.in_order(partial(write_texts, options), packs(logs, sizes, jobs.cores)):
        for result in results:
            for warning in result.warnings:
                warn(warning)
            if result.tally is not None:
                tally = result.tally.plus(tally)
            if result.error is not None:
                good = False
                fail(result.error)
            if progress is not None:
                progress(next(size))
    return good, tally


def write_texts(options: DumpOptions, logs: list[tuple[str, FileName]]) -> list[Written]:
    """Dump logs into their files, on an executor."""
    results = []
    for name, text in logs:
        warnings: list[str] = []
        tally = found = None
        with OneFile(text) as file:
            try:
                tally = run_dump([name], options, file, warnings.append)
            except BinlogError as error:
                found = error
            file.commit()
        results.append(Written(warnings, tally, found))
    return results
