"""LogDataset: what DuckDB scans. It asks for columns, and for rows by a filter, which it does not test again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pybinlog.errors import BinlogError
from pybinlog.questions.statistics import Measures, Statistics
from pybinlog.sql.logs import Logs
from pybinlog.sql.narrowing import narrowed
from pybinlog.views.batch import arrow_schema
from pybinlog.views.options import ViewOptions

ROW = pa.field(" row", pa.bool_())
"""The first column, which is null: DuckDB asks for it to count rows, so it costs nothing."""


class LogDataset(ds.Dataset):
    """`columns` are those that DuckDB knows, after ROW. `read` yields batches of some of them, for a filter or None."""

    def __init__(
        self, columns: pa.Schema, read: Callable[[tuple[str, ...], pc.Expression | None], Iterator[pa.RecordBatch]]
    ):
        self.columns = columns
        self._read = read

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([ROW, *self.columns])

    def scanner(self, columns: Sequence[str] | None = None, filter: pc.Expression | None = None, **_: object) -> Scan:
        schema = self.schema
        names = schema.names if columns is None else columns
        asked = [name for name in names if name != ROW.name]
        needed = asked if filter is None else [*asked, *(name for name in self._named(filter) if name not in asked)]
        wanted = pa.schema([schema.field(name) for name in names])
        return Scan(wanted, self._matching(tuple(needed), filter, wanted))

    def _named(self, filter: pc.Expression) -> list[str]:
        """Return the columns that a filter needs, and maybe others; all if its printed form does not show them."""
        names = [name for name in self.columns.names if name in str(filter)]
        try:
            pa.schema([self.columns.field(name) for name in names]).empty_table().filter(filter)
        except pa.ArrowException:
            return list(self.columns.names)
        return names

    def _matching(
        self, needed: tuple[str, ...], filter: pc.Expression | None, wanted: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        for batch in self._read(needed, filter):
            arrays = [
                pa.nulls(batch.num_rows, field.type) if field.name == ROW.name else batch.column(field.name)
                for field in wanted
            ]
            if batch.num_rows:
                yield pa.RecordBatch.from_arrays(arrays, schema=wanted)


class Scan:
    """The result of `scanner`, of which DuckDB takes the reader."""

    def __init__(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]):
        self.projected_schema = schema
        self._batches = batches

    def to_reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self.projected_schema, self._batches)


def matching(rows: pa.RecordBatch, filter: pc.Expression) -> list[pa.RecordBatch]:
    """Return the rows that match a filter; a batch's own `filter` fails in pyarrow 19 if none does."""
    found: list[pa.RecordBatch] = pa.Table.from_batches([rows]).filter(filter).to_batches()
    return found


def dataset_of(logs: Logs, options: ViewOptions, extra: Sequence[str] = ()) -> LogDataset:
    """Return the dataset of a view, with some of its extra columns."""
    view = options.definition
    columns = arrow_schema(view, (*view.column_names, *extra), for_frames=True, narrow=True)

    def read(names: tuple[str, ...], filter: pc.Expression | None) -> Iterator[pa.RecordBatch]:
        reading = options
        if filter is not None:
            found = narrowed(options, filter, columns)
            if found.options is None:
                return
            reading = found.options
            if found.exact:
                filter = None
        schema = pa.schema([columns.field(name) for name in names])
        for batch in logs.read(reading.replace(columns=names)):
            rows = batch.to_arrow(schema)
            del batch
            yield from [rows] if filter is None else matching(rows, filter)
            del rows

    return LogDataset(columns, read)


def tables_dataset(logs: Logs) -> LogDataset:
    """Return the dataset of the view `tables`: the groups of `pybinlog stats --by=database,table`."""
    time = pa.timestamp("us", tz="UTC")
    columns = pa.schema(
        [
            ("database", pa.string()),
            ("table", pa.string()),
            *((name, time if name.endswith("_time") else pa.int64()) for name in Measures._fields),
        ]
    )

    def read(names: tuple[str, ...], filter: pc.Expression | None) -> Iterator[pa.RecordBatch]:
        counted = Statistics(
            ViewOptions(view="transactions", **vars(logs.policy)), ("database", "table"), warn=logs.remark
        )
        try:
            counted.count(logs.spans)
        except BinlogError as error:
            logs.error = error
            raise
        rows = []
        for (database, table), measures in counted.groups():
            if table is not None:
                values: dict[str, Any] = {**measures._asdict(), "database": database}
                values["table"] = str(table).removeprefix(f"{database}.")
                for name in ("first_time", "last_time"):
                    values[name] = None if values[name] is None else values[name] * 1_000_000
                rows.append(values)
        found = pa.RecordBatch.from_pylist(rows, columns)
        yield from [found] if filter is None else matching(found, filter)

    return LogDataset(columns, read)
