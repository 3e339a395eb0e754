"""Writers: batches of a view as Parquet or as text."""

from __future__ import annotations

import io
from binascii import b2a_base64

from pybinlog import __version__
from pybinlog.export.file import CountedFile
from pybinlog.export.large_row import large_row
from pybinlog.kernel.views.row_text import cell_piece, cell_text
from pybinlog.log.large_event import give_back
from pybinlog.views.batch import LineBatch, arrow_schema, require_pyarrow
from pybinlog.views.view import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import RawIOBase

    import pyarrow

    from pybinlog.export.large_row import LargeRow, Value
    from pybinlog.export.parquet_chunk import ColumnChunk
    from pybinlog.export.text_format import TextFormat
    from pybinlog.feed.log_read import LogRead
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.view import View

    Ranges = Sequence[tuple[int, int]]

GTID = "gtid"
"""The names of the column that identifies a row's transaction, in every view."""
ROW_GROUP_SIZE = 128 << 20
"""Bytes in memory of a Parquet file's row group, about."""
ROW_GROUP_ROWS = 1 << 20
PORTION = 1 << 20
"""Bytes of a batch that are made text at once."""


class Writer:
    """Writes batches of the columns `names` of a view to a binary file, which stays open.

    `write` each batch, which may have other columns besides, then `close`.
    """

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        self._file = file
        self._names = tuple(names)

    def write(self, batch: ViewBatch, ranges: Ranges | None = None) -> None:
        """Write all rows of the batch, or those of some ranges, in order: the first of each and the one after the last.

        A large one at its end is written piece by piece, in memory that does not grow with it.
        """
        batch = batch.only(self._names)
        ranges = [(0, batch.count)] if ranges is None else ranges
        large = large_row(batch) if ranges and ranges[-1][1] == batch.count else None
        if large is not None:
            first, last = ranges[-1]
            ranges = [*ranges[:-1], (first, last - 1)] if last - first > 1 else ranges[:-1]
        if ranges:
            self.write_rows(batch, ranges)
        if large is not None:
            self.write_large(large)

    @property
    def held(self) -> int:
        """Bytes of rows that are held back until there are enough of them."""
        return 0

    def flush(self) -> None:
        """Write what is held back."""

    def write_rows(self, batch: ViewBatch, ranges: Ranges) -> None:
        """Write these rows, none of which is large."""
        raise NotImplementedError

    def write_large(self, row: LargeRow) -> None:
        raise NotImplementedError

    def close(self, logs: Sequence[LogRead] = ()) -> None:
        """Write what belongs after the last batch; `logs` are those whose rows came."""


class ParquetWriter(Writer):
    """Apache Parquet, with row groups of about `row_group_size` bytes, and one for each large row. Needs pyarrow.

    Where a batch has GTIDs, the footer has the set of them, whether they are among the columns `names` or not.
    """

    def __init__(
        self,
        file: RawIOBase,
        view: View,
        names: Sequence[str],
        *,
        compression: str = "zstd",
        row_group_size: int = ROW_GROUP_SIZE,
    ):
        super().__init__(file, view, names)
        self._schema = schema = arrow_schema(view, tuple(names))
        import pyarrow.parquet

        from pybinlog.export.gtid_span import GtidSpan

        self._sink = CountedFile(file)
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema, compression=compression)
        self._compression = compression
        self._row_group_size = row_group_size
        self._row_groups = 0
        self._held: list[pyarrow.RecordBatch] = []
        self._held_bytes = self._held_rows = 0
        self._gtids = GtidSpan()
        self._chunks: list[ColumnChunk] = []

    def write(self, batch: ViewBatch, ranges: Ranges | None = None) -> None:
        if GTID in batch.taken:
            for first, last in [(0, batch.count)] if ranges is None else ranges:
                self._gtids.add(batch.taken[GTID], first, last)
        super().write(batch, ranges)

    def write_rows(self, batch: ViewBatch, ranges: Ranges) -> None:
        rows = batch.to_arrow(self._schema)
        if ranges != [(0, batch.count)]:
            rows = copied(rows, ranges)
        self._held.append(rows)
        self._held_bytes += rows.nbytes
        self._held_rows += rows.num_rows
        if self._held_bytes >= self._row_group_size or self._held_rows >= ROW_GROUP_ROWS:
            self.flush()

    @property
    def held(self) -> int:
        return self._held_bytes

    def flush(self) -> None:
        import pyarrow

        if self._held_rows:
            self._write_group(pyarrow.Table.from_batches(self._held, self._schema))
        self._held.clear()
        self._held_bytes = self._held_rows = 0

    def _write_group(self, rows: pyarrow.Table) -> None:
        self._writer.write_table(rows, row_group_size=rows.num_rows)
        self._row_groups += 1

    def write_large(self, row: LargeRow) -> None:
        self.flush()
        import pyarrow

        from pybinlog.export.parquet_chunk import write_chunk

        self._write_group(pyarrow.Table.from_batches([without_strings(row, self._schema)]))
        group = self._row_groups - 1
        # every column is one leaf of the schema, a list too
        self._chunks += [
            write_chunk(self._file, self._file.tell(), group, number, row.value(number), self._compression)
            for number in sorted(row.large)
        ]

    def close(self, logs: Sequence[LogRead] = ()) -> None:
        from pybinlog.export.parquet_chunk import rewritten

        self.flush()
        end = io.BytesIO()
        self._sink.lead_to(end)
        self._writer.close()
        written = end.getvalue()
        length = int.from_bytes(written[-8:-4], "little")
        begin = len(written) - 8 - length
        footer = rewritten(written[begin:-8], self._chunks, self._facts(logs))
        self._file.write(written[:begin] + footer + len(footer).to_bytes(4, "little") + written[-4:])

    def _facts(self, logs: Sequence[LogRead]) -> dict[str, str]:
        """Return the footer's entries on the origin of the rows; several logs, or servers, on lines of their own."""
        facts = {
            "version": [__version__],
            "log": [log.name for log in logs],
            "log_size": [str(log.size) for log in logs],
            "server_id": distinct(log.server_id for log in logs),
            "server_version": distinct(log.server_version for log in logs),
            "gtids": [self._gtids.text],
        }
        return {f"pybinlog.{key}": "\n".join(values) for key, values in facts.items() if any(values)}


def distinct(values: Iterable[object]) -> list[str]:
    """Return each value once, in the order in which they come first."""
    return list(dict.fromkeys(str(value) for value in values if value is not None))


class TextWriter(Writer):
    """Writes rows as lines of a format."""

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str], format: TextFormat):
        super().__init__(file, view, names)
        self._format = format
        self._line = format.line_form(names)
        self._opening = format.opening
        self._put(format.header(names))

    def _put(self, data: bytes | memoryview) -> None:
        if not data:
            return
        if self._opening:
            self._file.write(self._opening)
            self._opening, data = b"", data[1:]
        self._file.write(data)

    def write(self, batch: ViewBatch, ranges: Ranges | None = None) -> None:
        """Write a batch; the ranges of a LineBatch are of its bytes."""
        if not isinstance(batch, LineBatch):
            super().write(batch, ranges)
            return
        for first, last in [(0, len(batch.lines))] if ranges is None else ranges:
            for begin in range(first, last, PORTION):
                self._put(batch.lines[begin : min(begin + PORTION, last)])
                give_back(batch.lines.obj)  # of large rows, which lie in a file

    def lines(self, batch: ViewBatch, rows: Iterable[int]) -> list[bytes]:
        """Return some rows as lines, for `write_lines`."""
        text = batch.only(self._names).text(self._line)
        return [text.rows(row, row + 1) for row in rows]

    def write_lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._put(line)

    def write_rows(self, batch: ViewBatch, ranges: Ranges) -> None:
        text = batch.text(self._line)
        parts: list[bytes] = []
        size = 0
        for first, last in ranges:
            for begin, end in portions(batch, first, last):
                parts.append(text.rows(begin, end))
                size += len(parts[-1])
                if size >= PORTION:
                    self._put(b"".join(parts))
                    parts.clear()
                    size = 0
        self._put(b"".join(parts))

    def write_large(self, row: LargeRow) -> None:
        text = row.batch.text(self._line)
        for number, before in enumerate(self._line.befores):
            if number in row.large:
                self._put(before)
                for piece in self._pieces(row, number):
                    self._put(piece)
            else:
                self._put(text.cell(number, row.index))
        self._put(self._format.end)

    def _pieces(self, row: LargeRow, number: int) -> Iterator[bytes]:
        """Yield the large value of a column."""
        value, kind, form = row.value(number), row.batch.columns[number].kind.form, self._format.form
        if self._format.has_keys and kind is Form.JSON:
            yield from map(bytes, value.pieces())
            return
        quote = cell_text(form, b"")[:1]
        yield quote
        for place, piece in enumerate(base64_pieces(value) if kind is Form.BYTES else map(bytes, value.pieces())):
            yield cell_piece(form, piece, not place)
        yield quote

    def close(self, logs: Sequence[LogRead] = ()) -> None:
        self._put(self._format.closing)


def portions(batch: ViewBatch, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of a range, some at a time: the first of them and the one after the last."""
    count = last - first
    size = sum(column.size(first, last) for column in batch.columns) + VALUE * len(batch.columns) * count
    rows = max(1, count * PORTION // max(PORTION, size))
    for begin in range(first, last, rows):
        yield begin, min(begin + rows, last)


VALUE = 8
"""Bytes of a value besides its strings, at most."""


def base64_pieces(value: Value) -> Iterator[bytes]:
    """Yield large bytes as base64."""
    rest = b""
    for piece in value.pieces():
        data = rest + bytes(piece)
        whole = len(data) - len(data) % 3
        yield b2a_base64(data[:whole], newline=False)
        rest = data[whole:]
    yield b2a_base64(rest, newline=False)


def copied(rows: pyarrow.RecordBatch, ranges: Ranges) -> pyarrow.RecordBatch:
    """Return the rows of these ranges alone, in memory of their own: the rest of their batch can go."""
    pa = require_pyarrow()
    parts = [rows.slice(first, last - first) for first, last in [*ranges, (0, 0)]]  # of one part there may be no copy
    columns = [pa.concat_arrays([part.column(number) for part in parts]) for number in range(rows.num_columns)]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def without_strings(row: LargeRow, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Return the row as a record batch, with empty strings in the place of the large ones."""
    pa = require_pyarrow()
    columns = [
        pa.array([""], array.type) if number in row.large else array.slice(row.index, 1)
        for number, array in enumerate(row.batch.to_arrow(schema).columns)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
