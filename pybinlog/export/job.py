"""ExportJob: spans of logs, each written to a file of its own, or all to one stream."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from pybinlog.catalog import Catalog
from pybinlog.errors import BinlogError, GapError, SourceError
from pybinlog.export.file import CountedFile, Output, make_folder
from pybinlog.export.partitions import MOST_OPEN, MOST_REMOTE, Partitions, column_of
from pybinlog.export.sheet import Sheet
from pybinlog.export.text_format import SAFE_CSV, TEXT_FORMATS, TextFormat
from pybinlog.export.writers import GTID, ROW_GROUP_SIZE, ParquetWriter, TextWriter, Writer
from pybinlog.feed.log_read import LogRead
from pybinlog.feed.remarks import Remarks
from pybinlog.feed.span import Span
from pybinlog.log.gap_watch import GapWatch
from pybinlog.output.outputs import Outputs
from pybinlog.output.replacement_batch import ReplacementBatch
from pybinlog.source.log_series import log_name
from pybinlog.source.remote import is_url
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader


@dataclass(frozen=True)
class Target:
    """A span and the name of the file, in the output folder, that it is written to."""

    span: Span
    name: str


@dataclass
class Result:
    """The result of one target: its rows, its warnings, and the error that ended it, if one did.

    `notes` tell of tables whose definitions are lost: their rows are all there, without names.
    """

    target: Target
    rows: int = 0
    files: int = 1
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    remarks: Remarks = field(default_factory=Remarks)
    """Those about the log, which are made at the end of the run."""


@dataclass(frozen=True)
class ExportJob:
    """`write(target)` exports one span; it can be pickled, so that others do the writing.

    `folder` is a folder, made if it is not there, or a URL. A file gets its name when it is whole. `csv_safe`, for
    the format csv: nothing that a spreadsheet runs. For the format parquet: `compression` is the codec, by Arrow's name
    of it, and `row_group_size` bytes in memory from which on rows are written. `partition_by` are some of
    `partitions.KEYS`: files then lie in folders named after their values, and `outputs` is asked before each is made.
    `catalog`: the tables as they are before the first log, for the
    view rows; without one, names come from Table_maps alone.
    """

    options: ViewOptions
    format: str
    folder: str
    csv_safe: bool = False
    compression: str = "zstd"
    row_group_size: int = ROW_GROUP_SIZE
    partition_by: tuple[str, ...] = ()
    outputs: Outputs | None = field(default=None, compare=False)
    catalog: Catalog | None = field(default=None, compare=False)
    catalogs: CatalogsAlong | None = field(default=None, compare=False)
    """The tables known at each log's beginning, if more is known than `catalog` has."""
    gaps: GapWatch | None = field(default=None, compare=False)
    """Looks for missing logs. A GapError in a result ends the export."""

    def prepare(self) -> None:
        """Make the folder. Raise BinlogError if that is not possible."""
        make_folder(self.folder)

    def write_all(
        self, targets: Iterable[Target], stdin: BinaryIO | None = None, progress: Callable[[int], None] | None = None
    ) -> Iterator[Result]:
        """Write these files, a batch of small ones at a time; a result comes when its file has its name.

        What a log does to the definitions of tables holds in the log that its server wrote after it.
        """
        done: list[Result] = []
        failed: BinlogError | None = None
        along = self._catalogs_along()
        with ReplacementBatch() as batch:
            for target in targets:
                try:
                    known = None if along is None else along(target.span)
                    done.append(self.write(target, batch, stdin, progress, known))
                    if isinstance(done[-1].error, GapError):
                        break
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
        result = Result(target, files=0 if self.partition_by else 1)
        reader = self._reader(result, stdin, progress, catalog)
        sheet: Sheet | Partitions | None = None

        def open_sheet() -> Sheet | Partitions:
            nonlocal sheet
            if sheet is None and self.partition_by:
                most = MOST_REMOTE if is_url(self.folder) else MOST_OPEN
                sheet = Partitions(
                    self._keys, self.row_group_size, most, reader.feed.logs, partial(self._partition, result)
                )
            sheet = sheet or Sheet(f"{self.folder.rstrip('/') or '/'}/{target.name}", self._writer)
            return sheet

        try:
            if self._copy(reader, result, open_sheet):
                assert sheet is not None
                sheet.finish(reader.feed.logs)
                sheet.commit(batch)
        finally:
            if sheet is not None:
                sheet.discard()
        return result

    @property
    def _keys(self) -> list[tuple[str, str]]:
        """The parts of folders' names, and the columns that they are of."""
        return [(key, column_of(key, self.options.definition) or key) for key in self.partition_by]

    def _partition(self, result: Result, folder: str, number: int) -> Sheet:
        """Return a file for rows of a partition; those after the first have numbers."""
        base, _, suffix = result.target.name.rpartition(".")
        name = f"{base}.more-{number:05d}.{suffix}" if number else result.target.name
        folder = f"{self.folder.rstrip('/') or '/'}/{folder}"
        make_folder(folder)
        if self.outputs is not None:
            self.outputs.writes_into(folder, [name])
        sheet = Sheet(f"{folder}/{name}", self._writer)
        result.files += 1
        return sheet

    def _catalogs_along(self) -> CatalogsAlong | None:
        return self.catalogs or (None if self.catalog is None else CatalogsAlong(self.catalog))

    def write_stream(
        self,
        spans: Iterable[Span],
        output: Output,
        stdin: BinaryIO | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[Result]:
        """Write all spans to one output, which is a pipe or the like; a result comes for each.

        Text comes as soon as its rows are there. An error about a log is in its result, and the next follows.
        """
        writer: Writer | None = None
        logs: list[LogRead] = []
        along = self._catalogs_along()
        with CountedFile(output) as stream:

            def the_writer() -> Writer:
                nonlocal writer
                writer = writer or self._writer(stream)
                return writer

            for span in spans:
                result = Result(Target(span, "-"))
                known = None if along is None else along(span)
                reader = self._reader(result, stdin, progress, known, as_it_comes=self.format != "parquet")
                self._copy(reader, result, the_writer)
                logs += reader.feed.logs
                yield result
                if isinstance(result.error, GapError):
                    break
            if writer is not None:
                writer.close(logs)

    def _reader(
        self,
        result: Result,
        stdin: BinaryIO | None,
        progress: Callable[[int], None] | None,
        catalog: Catalog | None,
        *,
        as_it_comes: bool = False,
    ) -> ViewReader:
        if catalog is not None:
            catalog.warn = result.notes.append
        options, lines = self._reading, None
        text = self._text_format
        if text is not None and options.definition.has_lines:
            options = options.replace(columns=tuple(self._written))
            lines = text.line_form(self._written, [column for _, column in self._keys])
        return ViewReader(
            options,
            warn=result.warnings.append,
            stdin=stdin,
            progress=progress,
            as_it_comes=as_it_comes,
            catalog=catalog,
            lines=lines,
            gaps=self.gaps,
        )

    @property
    def _text_format(self) -> TextFormat | None:
        return SAFE_CSV if self.format == "csv" and self.csv_safe else TEXT_FORMATS.get(self.format)

    def _writer(self, stream: CountedFile) -> Writer:
        view = self.options.definition
        text = self._text_format
        if text is not None:
            return TextWriter(stream, view, self._written, text)
        size = self.row_group_size
        return ParquetWriter(stream, view, self._written, compression=self.compression, row_group_size=size)

    @property
    def _written(self) -> list[str]:
        """The columns in the files: what folders are named after is not there once more."""
        return [name for name in self.options.column_names if name not in self.partition_by]

    @property
    def _reading(self) -> ViewOptions:
        """The options with all columns that a writer needs, in batches that fit into a row group."""
        names = self.options.column_names
        hidden = [column for _, column in self._keys]
        size = self.options.batch_bytes
        if self.format == "parquet":
            hidden += [column.name for column in self.options.definition.columns if column.source_name == GTID]
            size = min(size, self.row_group_size)
        return self.options.replace(columns=tuple(dict.fromkeys([*names, *hidden])), batch_bytes=size)

    def _copy(self, reader: ViewReader, result: Result, opened: Callable[[], Writer | Sheet | Partitions]) -> bool:
        """Write the rows of the result's span to what `opened` gives; False if nothing could be read."""
        batches = reader.batches(result.target.span)
        while True:
            rows = None  # before the next is made
            try:
                rows = next(batches, None)
            except BinlogError as error:
                result.error = error
                is_behind_gap = isinstance(error, GapError) and error.file in result.target.span.names
                if is_behind_gap:
                    result.files = 0
                if is_behind_gap or (isinstance(error, SourceError) and not result.rows):
                    return False
            output = opened()
            if rows is None:
                result.remarks = reader.feed.remarks
                return True
            try:
                output.write(rows)
            except BinlogError as error:
                result.error = error
                return True
            result.rows += rows.count


def targets(spans: Sequence[Span], format: str) -> list[Target]:
    """Return a file for each span, named after its first log; parts of a log and logs of one name get numbers."""
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
    """Return the log's name without its folder and without a compression suffix."""
    return "stdin" if name == "-" else log_name(name.rstrip("/")) or "log"
