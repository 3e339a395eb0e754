"""Writers: record batches as Parquet, CSV or JSON lines."""

from __future__ import annotations

import io
import json
import re

from pybinlog.export.large_row import split
from pybinlog.export.parquet_chunk import with_chunks, write_chunk
from pybinlog.views.arrow import require_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import RawIOBase
    from typing import Any

    import pyarrow

    from pybinlog.export.large_row import LargeRow
    from pybinlog.export.parquet_chunk import Chunk

__all__ = ["FORMATS", "CsvWriter", "JsonLinesWriter", "ParquetWriter", "SafeCsvWriter", "Writer"]

PORTION = 1 << 20
"""Bytes of a batch that are made text at once: the text is in memory some five times on its way."""
INSTANT = "%Y-%m-%dT%H:%M:%SZ"
"""With pyarrow's %S, which has the microseconds: 2026-11-21T01:22:50.000000Z."""

FORMULA_STARTS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What begins a text that spreadsheets take for a formula; the wide forms are for those of East Asia."""


class Writer:
    """Writes batches of one schema to a binary file, which stays open: `write` each batch, then `close`."""

    def __init__(self, file: RawIOBase, schema: pyarrow.Schema):
        self._file = file
        self._schema = schema

    def write(self, batch: pyarrow.RecordBatch) -> None:
        """Write all rows of the batch; a large one at its end piece by piece, in memory that does not grow with it."""
        rows, large = split(batch)
        if large is None:
            self.write_rows(batch)
            return
        if rows.num_rows:
            self.write_rows(rows)
        self.write_large(large)

    def write_rows(self, batch: pyarrow.RecordBatch) -> None:
        raise NotImplementedError

    def write_large(self, row: LargeRow) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Write what belongs behind the last batch."""


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
    """Apache Parquet, compressed with zstd; a row group for each batch, and one for each large row."""

    def __init__(self, file: RawIOBase, schema: pyarrow.Schema):
        super().__init__(file, schema)
        import pyarrow.parquet

        self._sink = Sink(file)
        self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema, compression="zstd")
        self._row_groups = 0
        self._chunks: list[Chunk] = []

    def write_rows(self, batch: pyarrow.RecordBatch) -> None:
        self._writer.write_batch(batch)
        self._row_groups += 1

    def write_large(self, row: LargeRow) -> None:
        pa = require_pyarrow()
        self.write_rows(row.without_strings())
        leaf = 0
        for number, field in enumerate(self._schema):
            in_map = pa.types.is_map(field.type)
            if number in row.large:
                self._chunks.append(
                    write_chunk(
                        self._file,
                        self._file.tell(),
                        self._row_groups - 1,
                        leaf + in_map,  # a map's keys come before its values
                        row.values(number),
                        in_map=in_map,
                    )
                )
            leaf += 1 + in_map

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


class CsvWriter(Writer):
    """Comma-separated values (RFC 4180) with a line of names, in UTF-8.

    A null is an empty field, an empty string `""`. Times are in UTC as ISO 8601 has them, lists and maps as JSON.
    """

    def __init__(self, file: RawIOBase, schema: pyarrow.Schema):
        super().__init__(file, schema)
        import pyarrow as pa
        import pyarrow.csv

        flat = pa.schema([pa.field(field.name, flat_type(field.type)) for field in schema])
        self._flat = flat
        self._writer = pyarrow.csv.CSVWriter(file, flat)

    def write_rows(self, batch: pyarrow.RecordBatch) -> None:
        import pyarrow as pa

        for portion in portions(batch):
            columns = [self.cells(column) for column in portion.columns]
            self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._flat))

    def write_large(self, row: LargeRow) -> None:
        other = row.without_strings()
        for number in range(other.num_columns):
            if number:
                self._file.write(b",")
            if number in row.large:
                self._file.write(b'"')
                for place, piece in enumerate(pieces(row, number, as_json=False)):
                    self._file.write((b"" if place else self.before(piece)) + piece.replace(b'"', b'""'))
                self._file.write(b'"')
            else:
                self._file.write(csv_field(self.cells(other.column(number))))
        self._file.write(b"\n")

    def before(self, start: bytes) -> bytes:
        """What is written before a large text that starts so."""
        return b""

    def cells(self, column: pyarrow.Array) -> pyarrow.Array:
        """The column as it is written."""
        return flattened(column)

    def close(self) -> None:
        self._writer.close()


class SafeCsvWriter(CsvWriter):
    """CSV for a spreadsheet: an apostrophe stands before a text that it would run as a formula. Numbers stay numbers.

    The first characters are those of OWASP's page "CSV Injection".
    """

    def cells(self, column: pyarrow.Array) -> pyarrow.Array:
        import pyarrow.compute

        flat = flattened(column)
        if not pyarrow.types.is_string(flat.type):
            return flat
        return pyarrow.compute.replace_substring_regex(
            flat, pattern=rf"\A([{re.escape(FORMULA_STARTS)}])", replacement=r"'\1"
        )

    def before(self, start: bytes) -> bytes:
        return b"'" if start[:4].decode("utf-8", "ignore").startswith(tuple(FORMULA_STARTS)) else b""


class JsonLinesWriter(Writer):
    """A JSON object on each line (jsonlines.org), with every column as a member; times as ISO 8601 has them."""

    def write_rows(self, batch: pyarrow.RecordBatch) -> None:
        names = [f"{json.dumps(name)}:" for name in batch.schema.names]
        for portion in portions(batch):
            columns = [json_values(column) for column in portion.columns]
            lines = (
                "{" + ",".join([name + value for name, value in zip(names, values, strict=True)]) + "}\n"
                for values in zip(*columns, strict=True)
            )
            self._file.write("".join(lines).encode())

    def write_large(self, row: LargeRow) -> None:
        other = row.without_strings()
        for number, name in enumerate(other.schema.names):
            self._file.write(("," if number else "{").encode() + f"{json.dumps(name)}:".encode())
            if number in row.large:
                for piece in pieces(row, number, as_json=True):
                    self._file.write(piece)
            else:
                self._file.write(json_values(other.column(number))[0].encode())
        self._file.write(b"}\n")


FORMATS: dict[str, type[Writer]] = {"parquet": ParquetWriter, "csv": CsvWriter, "jsonl": JsonLinesWriter}
"""Format -> its writer; the name is the files' suffix, too."""


def portions(batch: pyarrow.RecordBatch) -> Iterator[pyarrow.RecordBatch]:
    """The batch's rows, some at a time."""
    rows = max(1, batch.num_rows * PORTION // max(PORTION, batch.nbytes))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def flat_type(type: pyarrow.DataType) -> pyarrow.DataType:
    pa = require_pyarrow()
    if pa.types.is_nested(type) or pa.types.is_timestamp(type):
        return pa.string()
    return type


def flattened(column: pyarrow.Array) -> pyarrow.Array:
    """The column as one of simple values: times and nested ones as text."""
    pa = require_pyarrow()
    if pa.types.is_timestamp(column.type):
        return instants(column)
    if pa.types.is_nested(column.type):
        return pa.array(nested(column), pa.string())
    return column


def instants(column: pyarrow.Array) -> pyarrow.Array:
    import pyarrow.compute

    return pyarrow.compute.strftime(column, format=INSTANT)


def nested(column: pyarrow.Array) -> list[str | None]:
    """Lists, or maps (which pyarrow gives as lists of pairs), as JSON."""
    plain = dict if require_pyarrow().types.is_map(column.type) else list
    return [
        None if value is None else json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
        for value in column.to_pylist()
    ]


def json_values(column: pyarrow.Array) -> list[str]:
    """The JSON text of each value."""
    pa = require_pyarrow()
    encode = json.encoder.encode_basestring
    if pa.types.is_timestamp(column.type):
        column = instants(column)
    if pa.types.is_nested(column.type):
        return [text or "null" for text in nested(column)]
    values = column.to_pylist()
    if pa.types.is_string(column.type):
        return ["null" if value is None else encode(value) for value in values]
    if pa.types.is_boolean(column.type):
        return ["null" if value is None else "true" if value else "false" for value in values]
    return ["null" if value is None else str(value) for value in values]


def pieces(row: LargeRow, number: int, *, as_json: bool) -> Iterator[bytes]:
    """A large column's text: a map as JSON, a string as it is or as JSON."""
    encode = json.encoder.encode_basestring
    if not require_pyarrow().types.is_map(row.batch.column(number).type):
        (value,) = row.values(number)
        assert value is not None
        if not as_json:
            yield from map(bytes, value.pieces())
            return
        yield b'"'
        for piece in value.pieces():
            yield encode(str(piece, "utf-8"))[1:-1].encode()
        yield b'"'
        return
    before = "{"
    for key, value in zip(row.keys(number), row.values(number), strict=True):
        yield f"{before}{encode(key)}:".encode()
        before = ","
        if value is None:
            yield b"null"
            continue
        yield b'"'
        for piece in value.pieces():
            yield encode(str(piece, "utf-8"))[1:-1].encode()
        yield b'"'
    yield b"}"


def csv_field(column: pyarrow.Array) -> bytes:
    """The one value of the column as pyarrow writes it between commas."""
    import pyarrow as pa
    import pyarrow.csv

    out = io.BytesIO()
    options = pyarrow.csv.WriteOptions(include_header=False)
    pyarrow.csv.write_csv(pa.RecordBatch.from_arrays([column], ["value"]), out, options)
    return out.getvalue().removesuffix(b"\n")
