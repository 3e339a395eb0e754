"""Writers: record batches as Parquet, CSV or JSON lines."""

from __future__ import annotations

import json

from pybinlog.views.arrow import require_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import RawIOBase

    import pyarrow

__all__ = ["FORMATS", "CsvWriter", "JsonLinesWriter", "ParquetWriter", "SafeCsvWriter", "Writer"]

INSTANT = "%Y-%m-%dT%H:%M:%SZ"
"""With pyarrow's %S, which has the microseconds: 2026-11-21T01:22:50.000000Z."""

FORMULA = r"\A([=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}])"
"""What begins a text that spreadsheets take for a formula; the wide forms are for those of East Asia."""


class Writer:
    """Writes batches of one schema to a binary file, which stays open: `write` each batch, then `close`."""

    def __init__(self, file: RawIOBase, schema: pyarrow.Schema):
        self._file = file
        self._schema = schema

    def write(self, batch: pyarrow.RecordBatch) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Write what belongs behind the last batch."""


class ParquetWriter(Writer):
    """Apache Parquet, compressed with zstd; a row group for each batch."""

    def __init__(self, file: RawIOBase, schema: pyarrow.Schema):
        super().__init__(file, schema)
        import pyarrow.parquet

        self._writer = pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")

    def write(self, batch: pyarrow.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


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

    def write(self, batch: pyarrow.RecordBatch) -> None:
        import pyarrow as pa

        columns = [self.cells(column) for column in batch.columns]
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._flat))

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
        return pyarrow.compute.replace_substring_regex(flat, pattern=FORMULA, replacement=r"'\1")


class JsonLinesWriter(Writer):
    """A JSON object on each line (jsonlines.org), with every column as a member; times as ISO 8601 has them."""

    def write(self, batch: pyarrow.RecordBatch) -> None:
        names = [f"{json.dumps(name)}:" for name in batch.schema.names]
        columns = [json_values(column) for column in batch.columns]
        lines = (
            "{" + ",".join([name + value for name, value in zip(names, values, strict=True)]) + "}\n"
            for values in zip(*columns, strict=True)
        )
        self._file.write("".join(lines).encode())


FORMATS: dict[str, type[Writer]] = {"parquet": ParquetWriter, "csv": CsvWriter, "jsonl": JsonLinesWriter}
"""Format -> its writer; the name is the files' suffix, too."""


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
