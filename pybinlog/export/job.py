"""ExportJob: spans of logs, each written to a file of its own."""

from __future__ import annotations

import io
import os
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field

from pybinlog.errors import BinlogError, SourceError
from pybinlog.export.definitions import continues_definitions
from pybinlog.export.writers import FORMATS, SafeCsvWriter
from pybinlog.output.replacement import Replacement
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.source.log_name import log_name
from pybinlog.source.remote import file_system, is_url, said
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO

    from pybinlog.catalog import Catalog


@dataclass(frozen=True)
class Target:
    """A span and the name of the file, in the output folder, that it is written to."""

    span: Span
    name: str


@dataclass
class Result:
    """What became of one target: its rows, what there was to warn of, and the error that ended it, if one did.

    `notes` tell of tables whose definitions are lost: their rows are all there, without names.
    """

    target: Target
    rows: int = 0
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: BinlogError | None = None


@dataclass(frozen=True)
class ExportJob:
    """`write(target)` exports one span; it can be pickled, so that others do the writing.

    `folder` is a folder, made where it is not there, or a URL. A file gets its name when it is whole. `csv_safe`, for
    the format csv: nothing that a spreadsheet runs. `catalog`: the tables as they are before the first log, for the
    view rows; without one, names come from Table_maps alone.
    """

    options: ViewOptions
    format: str
    folder: str
    csv_safe: bool = False
    catalog: Catalog | None = field(default=None, compare=False)

    def prepare(self) -> None:
        """Make the folder. BinlogError where that is not possible."""
        if is_url(self.folder):
            system, path = file_system(self.folder)
            try:
                system.makedirs(path, exist_ok=True)
            except Exception as error:
                raise BinlogError(f"the folder cannot be made: {said(error)}", file=self.folder) from error
            return
        try:
            os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            raise BinlogError(f"the folder cannot be made: {error.strerror}", file=self.folder) from error

    def write_all(
        self,
        targets: Iterable[Target],
        stdin: BinaryIO | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[Result]:
        """Write these files, a batch of small ones at a time; a result comes when its file has its name.

        What a log does to the definitions of tables holds in the log that its server wrote after it.
        """
        done: list[Result] = []
        failed: BinlogError | None = None
        known: Catalog | None = None
        with ReplacementBatch() as batch:
            before: Span | None = None
            for target in targets:
                try:
                    if self.catalog is not None and not continues_definitions(before, target.span):
                        known = self.catalog.copy()
                    before = target.span
                    done.append(self.write(target, batch, stdin, progress, known))
                except BinlogError as error:
                    failed = error
                    break
                if batch.full:
                    batch.commit()
                    yield from done
                    done.clear()
        yield from done
        if failed is not None:
            raise failed

    def write(
        self,
        target: Target,
        batch: ReplacementBatch | None = None,
        stdin: BinaryIO | None = None,
        progress: Callable[[int], None] | None = None,
        catalog: Catalog | None = None,
    ) -> Result:
        """Write one file, which gets its name at once, or with its batch.

        An error about the log is in the result: what comes before it has been written.
        """
        result = Result(target)
        if catalog is not None:
            catalog.warn = result.notes.append
        reader = ViewReader(self.options, warn=result.warnings.append, stdin=stdin, progress=progress, catalog=catalog)
        batches = reader.batches(target.span)
        rows = None
        try:
            rows = next(batches, None)
        except BinlogError as error:
            result.error = error
            if isinstance(error, SourceError):
                return result  # nothing could be read: no file for it
        with ExitStack() as stack:
            file = stack.enter_context(self._open(target.name))
            with CountedFile(file) as stream:
                form = SafeCsvWriter if self.csv_safe else FORMATS[self.format]
                writer = form(stream, self.options.definition, self.options.column_names)
                try:
                    while rows is not None:
                        writer.write(rows)
                        result.rows += rows.count
                        rows = None  # before the next is made
                        rows = next(batches, None)
                except BinlogError as error:
                    result.error = error
                writer.close()
            if batch is None or not isinstance(file, Replacement):
                file.commit()
            else:
                stack.pop_all()
                batch.add(file)
        return result

    def _open(self, name: str) -> Any:
        if is_url(self.folder):
            return RemoteFile(f"{self.folder.rstrip('/')}/{name}")
        return Replacement(os.path.join(self.folder, name))


class CountedFile(io.RawIOBase):
    """What the writers of pyarrow need of a file, over one that knows `write` only.

    A writer that was given up writes once more when it is collected: after the context that goes nowhere.
    """

    def __init__(self, file: Any):
        super().__init__()
        self._file = file
        self._position = 0

    def __exit__(self, *_: object) -> None:
        self._file = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        if self._file is not None:
            self._file.write(view)
        self._position += len(view)
        return len(view)

    def tell(self) -> int:
        return self._position


class RemoteFile:
    """A file on the file system of a URL; `commit` closes it, which is when an object store has it."""

    def __init__(self, url: str):
        self._url = url
        self._system, self._path = file_system(url)
        self._file: BinaryIO | None = None
        self._failed: BinlogError | None = None
        try:
            self._file = self._system.open(self._path, "wb")
        except Exception as error:
            raise BinlogError(f"cannot be written: {said(error)}", file=url) from error

    def write(self, data: memoryview) -> None:
        assert self._file is not None
        try:
            self._file.write(bytes(data))
        except Exception as error:
            self._failed = BinlogError(f"cannot be written: {said(error)}", file=self._url)
            raise self._failed from error

    def commit(self) -> None:
        assert self._file is not None
        if self._failed is not None:
            raise self._failed  # what could not be written whole gets no name
        try:
            self._file.close()
        except Exception as error:
            raise BinlogError(f"cannot be written: {said(error)}", file=self._url) from error
        self._file = None

    def __enter__(self) -> RemoteFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            discard = getattr(self._file, "discard", None)
            if discard is not None:
                discard()


def targets(spans: Sequence[Span], format: str) -> list[Target]:
    """A file for each span, named after its first log; parts of one log and logs of the same name get numbers."""
    bases = [base_name(span.names[0]) for span in spans]
    times = Counter(bases)
    seen: Counter[str] = Counter()
    result = []
    for span, base in zip(spans, bases, strict=True):
        part = f".part-{seen[base]:05d}" if times[base] > 1 else ""
        seen[base] += 1
        result.append(Target(span, f"{base}{part}.{format}"))
    return result


def base_name(name: str) -> str:
    """The log's name without its folder and without a compression suffix."""
    return "stdin" if name == "-" else log_name(name.rstrip("/")) or "log"
