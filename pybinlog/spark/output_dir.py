"""`--output-dir`: the text of each log in a file of its own, written by the executors."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass, field

from pybinlog.dump import run as run_dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.source.file import reason
from pybinlog.source.location import size_of
from pybinlog.source.remote import file_system, is_url, said
from pybinlog.spark.zone import local_zone, use_zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

    from pybinlog.spark.jobs import Jobs

__all__ = ["run", "text_names"]

SUFFIX = ".sql"


def text_names(names: Sequence[str], folder: str) -> list[str]:
    """The file for each log's text: `FOLDER/binlog.000001.sql`. BinlogError where two logs would have the same."""
    taken: dict[str, str] = {}
    for name in names:
        base = os.path.basename(name)
        if base in taken:
            raise BinlogError(
                f"{taken[base]} and {name} would both be written to {base}{SUFFIX}",
                file=folder,
                hint="Give logs of the same name to commands with folders of their own",
            )
        taken[base] = name
    return [f"{folder.rstrip('/') or '/'}/{base}{SUFFIX}" for base in taken]


@dataclass(frozen=True)
class TextTask:
    options: DumpOptions
    name: str
    target: str
    zone: str
    size: int


@dataclass
class TextResult:
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None


def run(
    names: Sequence[str],
    options: DumpOptions,
    folder: str,
    warn: Callable[[str], None],
    fail: Callable[[BinlogError], None],
    jobs: Jobs,
    progress: Callable[[int], None] | None = None,
) -> bool:
    """Write the texts; each is what a dump of its log alone writes. False where a log could not be read to its end.

    `fail` is given the error of each such log, whose file holds the text before the error. BinlogError where the folder
    cannot be made.
    """
    targets = text_names(names, folder)
    make_folder(folder)
    good = True
    for task, result in jobs.in_order(write_text, tasks(names, targets, options)):
        assert result is not None
        for warning in result.warnings:
            warn(warning)
        if result.error is not None:
            good = False
            fail(result.error)
        if progress is not None:
            progress(task.size)
    return good


def tasks(names: Sequence[str], targets: Sequence[str], options: DumpOptions) -> Iterator[TextTask]:
    zone = local_zone()
    for name, target in zip(names, targets, strict=True):
        try:
            size = size_of(name)
        except BinlogError:
            size = 0
        yield TextTask(options, name, target, zone, size)


def make_folder(folder: str) -> None:
    try:
        if is_url(folder):
            system, path = file_system(folder)
            system.makedirs(path, exist_ok=True)
        else:
            os.makedirs(folder, exist_ok=True)
    except BinlogError:
        raise
    except Exception as error:
        raise BinlogError(f"the folder cannot be made: {said(error)}", file=folder) from error


def write_text(task: TextTask) -> TextResult:
    """Dump one log into its file, on an executor."""
    use_zone(task.zone)
    result = TextResult()
    try:
        with Target(task.target) as target:
            try:
                run_dump([task.name], task.options, target, result.warnings.append)
            except BinlogError as error:
                result.error = error
    except OSError as error:
        raise BinlogError(f"the text cannot be written: {reason(error)}", file=task.target) from error
    return result


class Target:
    """A file that gets its name when it is whole: a task that is killed or run twice leaves no half of one."""

    def __init__(self, name: str):
        self._name = name
        self._waiting = f"{name}.{uuid.uuid4().hex[:12]}.part"
        self._system: Any = None
        if is_url(name):
            self._system, self._path = file_system(name)
            self._part = file_system(self._waiting)[1]
            self._stream = self._system.open(self._part, "wb")
        else:
            # as restricted as a result file: the text holds what the tables hold
            descriptor = os.open(self._waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o640)
            self._stream = os.fdopen(descriptor, "wb")

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def __enter__(self) -> Target:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        if error is not None:
            if self._system is None:
                os.unlink(self._waiting)
            else:
                self._system.rm(self._part)
        elif self._system is None:
            os.replace(self._waiting, self._name)
        else:
            self._system.mv(self._part, self._path)
