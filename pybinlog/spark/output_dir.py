"""`--output-dir`: the text of each log in a file of its own, as a dump of it alone has it, written by the executors."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from pybinlog.dump import run as run_dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError, OutputError
from pybinlog.export.file import make_folder
from pybinlog.export.one_file import FileName, OneFile
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


@dataclass(frozen=True)
class TextTask:
    options: DumpOptions
    name: str
    target: FileName
    size: int


@dataclass
class TextResult:
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    tally: Tally | None = None


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

    `fail` is given the error of each such log, whose file holds the text before the error. BinlogError where the folder
    cannot be made.
    """
    sizes = [stored_size(name) for name in names]
    tasks = [
        TextTask(options, name, FileName(f"{folder.rstrip('/') or '/'}/{text}", "sql", compression), size)
        for name, text, size in zip(names, text_names(names, folder, compression), sizes, strict=True)
    ]
    make_folder(folder)
    good, tally = True, None
    for pack, results in jobs.in_order(write_texts, packs(tasks, sizes, jobs.cores)):
        for task, result in zip(pack, results, strict=True):
            for warning in result.warnings:
                warn(warning)
            if result.tally is not None:
                tally = result.tally.plus(tally)
            if result.error is not None:
                good = False
                fail(result.error)
            if progress is not None:
                progress(task.size)
    return good, tally


def write_texts(tasks: list[TextTask]) -> list[TextResult]:
    return [write_text(task) for task in tasks]


def write_text(task: TextTask) -> TextResult:
    """Dump one log into its file, on an executor."""
    result = TextResult()
    with OneFile(task.target) as target:
        try:
            result.tally = run_dump([task.name], task.options, target, result.warnings.append)
        except BinlogError as error:
            result.error = error
        target.commit()
    return result
