"""`--output-dir`: the text of each log in a file of its own, written by the executors."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass, field

from pybinlog.dump import run as run_dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError, OutputError
from pybinlog.output.modes import make_folders
from pybinlog.output.replacement import Replacement
from pybinlog.source.location import size_of
from pybinlog.source.remote import file_system, is_url, said
from pybinlog.spark.zone import local_zone, use_zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pybinlog.spark.jobs import Jobs

SUFFIX = ".sql"


def text_names(names: Sequence[str], folder: str) -> list[str]:
    """The file for each log's text, in the folder: `binlog.000001.sql`. OutputError where two logs have the same."""
    taken: dict[str, str] = {}
    for name in names:
        base = os.path.basename(name)
        if base in taken:
            raise OutputError(
                f"{taken[base]} and {name} would both be written to {base}{SUFFIX}",
                file=folder,
                hint="Give logs of the same name to commands with folders of their own",
            )
        taken[base] = name
    return [base + SUFFIX for base in taken]


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
    targets = [f"{folder.rstrip('/') or '/'}/{text}" for text in text_names(names, folder)]
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
            make_folders(folder)
    except BinlogError:
        raise
    except Exception as error:
        raise BinlogError(f"the folder cannot be made: {said(error)}", file=folder) from error


def write_text(task: TextTask) -> TextResult:
    """Dump one log into its file, on an executor."""
    use_zone(task.zone)
    result = TextResult()
    with open_target(task.target) as target:
        try:
            run_dump([task.name], task.options, target, result.warnings.append)
        except BinlogError as error:
            result.error = error
        target.commit()
    return result


def open_target(name: str) -> Replacement | RemoteText:
    """A file that gets its name when it is whole: a task that is killed or run twice leaves no half of one."""
    return RemoteText(name) if is_url(name) else Replacement(name)


class RemoteText:
    """The file of a URL, under another name until `commit`. BinlogError where it cannot be written."""

    def __init__(self, url: str):
        self._url = url
        self._system, self._path = file_system(url)
        self._part = f"{self._path}.{uuid.uuid4().hex[:12]}.part"
        self._placed = False
        self._failed: BinlogError | None = None
        try:
            self._stream = self._system.open(self._part, "wb")
        except Exception as error:
            raise self._error(error) from error

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except Exception as error:
            self._failed = self._error(error)
            raise self._failed from error

    def commit(self) -> None:
        """Give it its name. What could not be written whole gets none: the error is raised once more."""
        if self._failed is not None:
            raise self._failed
        try:
            self._stream.close()
            self._system.mv(self._part, self._path)
        except Exception as error:
            raise self._error(error) from error
        self._placed = True

    def _error(self, error: Exception) -> BinlogError:
        return BinlogError(f"the text cannot be written: {said(error)}", file=self._url)

    def __enter__(self) -> RemoteText:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._placed:
            with suppress(Exception):
                self._stream.close()
            with suppress(Exception):
                self._system.rm(self._part)
