"""Writers: batches of a view as Parquet, CSV or JSON lines."""

from __future__ import annotations

import io
from base64 import b64encode
from json.encoder import encode_basestring

from pybinlog.export.large_row import large_row
from pybinlog.export.parquet_chunk import with_chunks, write_chunk
from pybinlog.kernel.views.row_text import CSV_TEXT, JSON_TEXT, SAFE_CSV_TEXT, begins_as_formula
from pybinlog.views.arrow import arrow_schema, require_pyarrow
from pybinlog.views.schema import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import RawIOBase
    from typing import Any

    import pyarrow

    from pybinlog.export.large_row import LargeRow, Value
    from pybinlog.export.parquet_chunk import ColumnChunk
    from pybinlog.views.batch import ViewBatch
    from pybinlog.views.schema import View

PORTION = 1 << 20
"""Bytes of a batch that are made text at once."""


class Writer:
    """Writes batches of the columns `names` of a view to a binary file, which stays open.

    `write` each batch, then `close`.
    """

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        self._file = file

    def write(self, batch: ViewBatch) -> None:
        """Write all rows of the batch; a large one at its end piece by piece, in memory that does not grow with it."""
        large = large_row(batch)
        rows = batch.count if large is None else large.index
        if rows:
            self.write_rows(batch, rows)
        if large is not None:
            self.write_large(large)

    def write_rows(self, batch: ViewBatch, count: int) -> None:
        """Write the first `count` rows of the batch."""
        raise NotImplementedError

    def write_large(self, row: LargeRow) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Write what belongs after the last batch."""


class Sink(io.RawIOBase):
    """What pyarrow writes, on its way to the file; `footer` instead takes what comes once that is set."""

    def __init__(self, file: RawIOBase):
        super().__init__()
        self._file = file
        self.footer: bytearray | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self.footer is not None:
            self.footer += data
        else:
            self._file.write(data)
        return len(data)


class ParquetWriter(Writer):
    """Apache Parquet, compressed with zstd; a row group for each batch, and one for each large row. Needs pyarrow."""

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(file, view, names)
        self._schema = schema = arrow_schema(view, tuple(names))
        import pyarrow.parquet

        self._sink = Sink(file)
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema, compression="zstd")
        self._row_groups = 0
        self._chunks: list[ColumnChunk] = []

    def write_rows(self, batch: ViewBatch, count: int) -> None:
        self._write_group(batch.to_arrow(self._schema).slice(0, count))

    def _write_group(self, batch: pyarrow.RecordBatch) -> None:
        self._writer.write_batch(batch)
        self._row_groups += 1

    def write_large(self, row: LargeRow) -> None:
        self._write_group(without_strings(row, self._schema))
        # every column is one leaf of the schema, a list too
        self._chunks += [
            write_chunk(self._file, self._file.tell(), self._row_groups - 1, number, row.value(number))
            for number in sorted(row.large)
        ]

    def close(self) -> None:
        if not self._chunks:
            self._writer.close()
            return
        self._sink.footer = bytearray()
        self._writer.close()
        written = bytes(self._sink.footer)
        length = int.from_bytes(written[-8:-4], "little")
        begin = len(written) - 8 - length
        footer = with_chunks(written[begin:-8], self._chunks)
        self._file.write(written[:begin] + footer + len(footer).to_bytes(4, "little") + written[-4:])


class TextWriter(Writer):
    """Writes rows as lines."""

    form: int
    after: bytes
    """What ends a line."""

    def __init__(self, file: RawIOBase, view: View, names: Sequence[str]):
        super().__init__(file, view, names)
        self._befores = [self.before(number, name) for number, name in enumerate(names)]

    def before(self, number: int, name: str) -> bytes:
        """What stands before each cell of the column."""
        raise NotImplementedError

    def write_rows(self, batch: ViewBatch, count: int) -> None:
        text = batch.text(self.form, self._befores, self.after)
        for first, last in portions(batch, count):
            self._file.write(text.rows(first, last))

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

    def before(self, number: int, name: str) -> bytes:
        return b"," if number else b""

    def write_pieces(self, row: LargeRow, number: int) -> None:
        self._file.write(b'"')
        value = row.value(number)
        is_binary = row.batch.columns[number].kind is Kind.BINARY
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

    def before(self, number: int, name: str) -> bytes:
        return f"{',' if number else '{'}{encode_basestring(name)}:".encode()

    def write_pieces(self, row: LargeRow, number: int) -> None:
        value, kind = row.value(number), row.batch.columns[number].kind
        if kind is Kind.BINARY:
            self._file.write(b'"')
            for piece in base64_pieces(value):
                self._file.write(piece)
            self._file.write(b'"')
            return
        for text in value.pieces() if kind is Kind.JSON else json_pieces(value):
            self._file.write(text)


FORMATS: dict[str, type[Writer]] = {"parquet": ParquetWriter, "csv": CsvWriter, "jsonl": JsonLinesWriter}
"""Format -> its writer; the name is the files' suffix, too."""


def portions(batch: ViewBatch, count: int) -> Iterator[tuple[int, int]]:
    """The first `count` rows of the batch, some at a time: the first of them and the one after the last."""
    size = sum(column.size(0, count) for column in batch.columns) + VALUE * len(batch.columns) * count
    rows = max(1, count * PORTION // max(PORTION, size))
    for first in range(0, count, rows):
        yield first, min(first + rows, count)


VALUE = 8
"""Bytes of a value besides its strings, at most."""


def json_pieces(value: Value) -> Iterator[bytes]:
    """A large string as JSON."""
    yield b'"'
    for piece in value.pieces():
        yield encode_basestring(str(piece, "utf-8"))[1:-1].encode()
    yield b'"'


def base64_pieces(value: Value) -> Iterator[bytes]:
    """Large bytes as base64."""
    rest = b""
    for piece in value.pieces():
        data = rest + bytes(piece)
        whole = len(data) - len(data) % 3
        yield b64encode(data[:whole])
        rest = data[whole:]
    yield b64encode(rest)


def without_strings(row: LargeRow, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """The row as a record batch, with empty strings in the place of the large ones."""
    pa = require_pyarrow()
    columns = [
        pa.array([""], array.type) if number in row.large else array.slice(row.index, 1)
        for number, array in enumerate(row.batch.to_arrow(schema).columns)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
