"""Writers: batches of a view as Parquet, CSV, TSV, JSON or JSON lines."""

from __future__ import annotations

import io
from base64 import b64encode
from json.encoder import encode_basestring

from pybinlog import __version__
from pybinlog.export.file import CountedFile
from pybinlog.export.gtid_span import GtidSpan
from pybinlog.export.large_row import large_row
from pybinlog.export.parquet_chunk import rewritten, write_chunk
from pybinlog.kernel.views.row_text import CSV_TEXT, JSON_TEXT, SAFE_CSV_TEXT, TSV_TEXT, begins_as_formula
from pybinlog.log.large_event import give_back
from pybinlog.views.batch import LineBatch, LineForm, arrow_schema, require_pyarrow
from pybinlog.views.view import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import RawIOBase
    from typing import Any

    import pyarrow

    from pybinlog.export.large_row import LargeRow, Value
    from pybinlog.export.parquet_chunk import ColumnChunk
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

        self._write_group(pyarrow.Table.from_batches([without_strings(row, self._schema)]))
        group = self._row_groups - 1
        # every column is one leaf of the schema, a list too
        self._chunks += [
            write_chunk(self._file, self._file.tell(), group, number, row.value(number), self._compression)
            for number in sorted(row.large)
        ]

    def close(self, logs: Sequence[LogRead] = ()) -> None:
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
    """Writes rows as lines."""

    form: int
    after: bytes
    """The end of a line."""

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(file, view, names)
        self._befores = self.line_form(names).befores

    @classmethod
    def line_form(cls, names: Sequence[str], keys: Sequence[str] = ()) -> LineForm:
        """Return the form of the lines, for a reader that makes them itself."""
        befores = tuple(cls.before(number, name) for number, name in enumerate(names))
        return LineForm(cls.form, befores, cls.after, tuple(keys))

    @staticmethod
    def before(number: int, name: str) -> bytes:
        """Return the text before each cell of the column."""
        raise NotImplementedError

    def write(self, batch: ViewBatch, ranges: Ranges | None = None) -> None:
        """Write a batch; the ranges of a LineBatch are of its bytes."""
        if not isinstance(batch, LineBatch):
            super().write(batch, ranges)
            return
        for first, last in [(0, len(batch.lines))] if ranges is None else ranges:
            for begin in range(first, last, PORTION):
                self._file.write(batch.lines[begin : min(begin + PORTION, last)])
                give_back(batch.lines.obj)  # of large rows, which lie in a file

    def lines(self, batch: ViewBatch, rows: Iterable[int]) -> list[bytes]:
        """Return some rows as lines, for `write_lines`."""
        text = batch.only(self._names).text(self.form, self._befores, self.after)
        return [text.rows(row, row + 1) for row in rows]

    def write_lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._file.write(line)

    def write_rows(self, batch: ViewBatch, ranges: Ranges) -> None:
        text = batch.text(self.form, self._befores, self.after)
        parts: list[bytes] = []
        size = 0
        for first, last in ranges:
            for begin, end in portions(batch, first, last):
                parts.append(text.rows(begin, end))
                size += len(parts[-1])
                if size >= PORTION:
                    self._file.write(b"".join(parts))
                    parts.clear()
                    size = 0
        self._file.write(b"".join(parts))

    def write_large(self, row: LargeRow) -> None:
        text = row.batch.text(self.form, self._befores, self.after)
        for number, before in enumerate(self._befores):
            if number in row.large:
                self._file.write(before)
                self.write_pieces(row, number)
            else:
                self._file.write(text.cell(number, row.index))
        self._file.write(self.after)

    def write_pieces(self, row: LargeRow, number: int) -> None:
        """Write the large value of a column."""
        raise NotImplementedError


class CsvWriter(TextWriter):
    """Comma-separated values (RFC 4180) with a line of names, in UTF-8.

    A null is an empty field, an empty string `""`. Times are in UTC as ISO 8601 has them, lists as JSON.
    """

    form = CSV_TEXT
    after = b"\n"

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(file, view, names)
        file.write(",".join([f'"{name}"' for name in names]).encode() + self.after)

    @staticmethod
    def before(number: int, name: str) -> bytes:
        return b"," if number else b""

    def write_pieces(self, row: LargeRow, number: int) -> None:
        self._file.write(b'"')
        value = row.value(number)
        is_binary = row.batch.columns[number].kind.form is Form.BYTES
        for place, piece in enumerate(base64_pieces(value) if is_binary else map(bytes, value.pieces())):
            if not place and self.form == SAFE_CSV_TEXT and begins_as_formula(piece):
                self._file.write(b"'")
            self._file.write(piece.replace(b'"', b'""'))
        self._file.write(b'"')


class SafeCsvWriter(CsvWriter):
    """CSV for a spreadsheet: an apostrophe stands before a text that it would run as a formula.

    Numbers stay numbers.
    """

    form = SAFE_CSV_TEXT


class JsonLinesWriter(TextWriter):
    """A JSON object on each line (jsonlines.org), with every column as a member; times as ISO 8601 has them."""

    form = JSON_TEXT
    after = b"}\n"

    @staticmethod
    def before(number: int, name: str) -> bytes:
        return f"{',' if number else '{'}{encode_basestring(name)}:".encode()

    def write_pieces(self, row: LargeRow, number: int) -> None:
        value, form = row.value(number), row.batch.columns[number].kind.form
        if form is Form.BYTES:
            self._file.write(b'"')
            for piece in base64_pieces(value):
                self._file.write(piece)
            self._file.write(b'"')
            return
        for text in value.pieces() if form is Form.JSON else json_pieces(value):
            self._file.write(text)


class JsonWriter(JsonLinesWriter):
    """One JSON array of the objects, each on a line of its own."""

    after = b"}"

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(JsonArray(file), view, names)

    @staticmethod
    def before(number: int, name: str) -> bytes:
        return JsonLinesWriter.before(number, name) if number else b",\n" + JsonLinesWriter.before(0, name)

    def close(self, logs: Sequence[LogRead] = ()) -> None:
        self._file.write(b"\n]\n")


class JsonArray(io.RawIOBase):
    """Writes to a file, with a bracket in the place of the first byte, which is a comma or a line's end."""

    def __init__(self, file: RawIOBase):
        super().__init__()
        self._file = file
        self._is_empty = True

    def write(self, data: Any) -> int:
        size = len(data)
        if self._is_empty and size:
            self._is_empty = False
            self._file.write(b"[")
            data = data[1:]
        self._file.write(data)
        return size


class TsvWriter(TextWriter):
    """Cells with tabs between, after a line of names; escapes and nulls are those of `mysql --batch`."""

    form = TSV_TEXT
    after = b"\n"

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(file, view, names)
        file.write("\t".join(names).encode() + self.after)

    @staticmethod
    def before(number: int, name: str) -> bytes:
        return b"\t" if number else b""

    def write_pieces(self, row: LargeRow, number: int) -> None:
        value = row.value(number)
        is_binary = row.batch.columns[number].kind.form is Form.BYTES
        for piece in base64_pieces(value) if is_binary else map(bytes, value.pieces()):
            for character, escape in TSV_ESCAPES:
                piece = piece.replace(character, escape)
            self._file.write(piece)


TSV_ESCAPES = ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\t", b"\\t"), (b"\0", b"\\0"))
TEXT_FORMATS: dict[str, type[TextWriter]] = {
    "csv": CsvWriter,
    "json": JsonWriter,
    "jsonl": JsonLinesWriter,
    "tsv": TsvWriter,
}
"""Format of text -> its writer: for files those that `export/file.py` names, for standard output all."""


def portions(batch: ViewBatch, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of a range, some at a time: the first of them and the one after the last."""
    count = last - first
    size = sum(column.size(first, last) for column in batch.columns) + VALUE * len(batch.columns) * count
    rows = max(1, count * PORTION // max(PORTION, size))
    for begin in range(first, last, rows):
        yield begin, min(begin + rows, last)


VALUE = 8
"""Bytes of a value besides its strings, at most."""


def json_pieces(value: Value) -> Iterator[bytes]:
    """Yield a large string as JSON."""
    yield b'"'
    for piece in value.pieces():
        yield encode_basestring(str(piece, "utf-8"))[1:-1].encode()
    yield b'"'


def base64_pieces(value: Value) -> Iterator[bytes]:
    """Yield large bytes as base64."""
    rest = b""
    for piece in value.pieces():
        data = rest + bytes(piece)
        whole = len(data) - len(data) % 3
        yield b64encode(data[:whole])
        rest = data[whole:]
    yield b64encode(rest)


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
