"""The data source `binlog`: spark.read.format("binlog").load(path), and spark.readStream for a folder that grows.

See docs/spark.md for the options and docs/export.md for the columns.
"""

from __future__ import annotations

import sys

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from pybinlog.errors import SourceError
from pybinlog.spark.data_source.source_options import SourceOptions
from pybinlog.spark.span_parts import parts_of
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import Kind
from pybinlog.views.span import Span, spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow

    from pybinlog.spark.data_source.stream import BinlogStreamReader
    from pybinlog.views.options import ViewOptions

__all__ = ["BinlogDataSource", "BinlogReader", "SpanPartition"]

SPARK_TYPES: dict[Kind, DataType] = {
    Kind.STRING: StringType(),
    Kind.LONG: LongType(),
    Kind.INTEGER: IntegerType(),
    Kind.BOOLEAN: BooleanType(),
    Kind.TIMESTAMP: TimestampType(),
    Kind.STRINGS: ArrayType(StringType()),
    Kind.MAP: MapType(StringType(), StringType()),
}
MOST_FILES_CUT = 32
"""Of more files than this each is one task, however large it is: to cut one, planning has to read it."""
PUSHDOWN_WORKER = "pyspark.sql.worker.data_source_pushdown_filters"


class BinlogDataSource(DataSource):
    """Registered by itself where pybinlog is installed, through the module pyspark_binlog."""

    @classmethod
    def name(cls) -> str:
        return "binlog"

    def schema(self) -> StructType:
        options = SourceOptions.of(self.options)
        fields = [
            StructField(column.name, SPARK_TYPES[column.kind], True) for column in options.view.definition.columns
        ]
        return StructType(fields)

    def reader(self, schema: StructType) -> DataSourceReader:
        options = SourceOptions.of(self.options)
        if filters_are_pushed():
            from pybinlog.spark.data_source.source_filters import FilteringReader

            return FilteringReader(options, schema)
        return BinlogReader(options, schema)

    def streamReader(self, schema: StructType) -> BinlogStreamReader:
        from pybinlog.spark.data_source.stream import BinlogStreamReader

        return BinlogStreamReader(SourceOptions.of(self.options), schema)


def filters_are_pushed() -> bool:
    """Whether this is the process in which Spark pushes filters down.

    A reader that takes filters makes Spark fail where spark.sql.python.filterPushdown.enabled is off, and that setting
    is not known here. It is on where Spark has started this worker. Should a Spark call the worker by another name, no
    filter is pushed down: that costs time, and no row is another.
    """
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return PUSHDOWN_WORKER in sys.modules or getattr(main, "name", None) == PUSHDOWN_WORKER


class SpanPartition(InputPartition):
    """What one task reads."""

    def __init__(self, span: Span):
        super().__init__(span)


class BinlogReader(DataSourceReader):
    """Reads logs as batches of Arrow; a task for each file, part of a large one, or series of relay logs."""

    def __init__(self, options: SourceOptions, schema: StructType):
        self._options = options
        self._view: ViewOptions = options.projected(schema)
        self._schema = schema

    def partitions(self) -> list[InputPartition]:
        options = self._options
        names = located(options)
        planned = spans(self.chosen_files(names))
        if len(planned) <= MOST_FILES_CUT:
            planned = [part for span in planned for part in parts_of(span, options.part_size)]
        return [SpanPartition(span) for span in planned]

    def chosen_files(self, names: list[str]) -> list[str]:
        return names

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if partition.value is None:
            return iter(())  # Spark makes a task of its own where there is nothing to read
        return ViewReader(self._view, schema=arrow_schema_of(self._schema)).read(partition.value)


def located(options: SourceOptions) -> list[str]:
    """The logs at the places asked for; a place that is not there is passed over where the options say so."""
    from pybinlog.source.location import locate

    found: list[str] = []
    for place in [*options.indexes, *options.paths]:
        index = place in options.indexes
        try:
            found += locate(
                () if index else (place,), indexes=(place,) if index else (), glob_filter=options.glob_filter
            )
        except SourceError as error:
            if not (options.view.ignore_corrupt_files or options.view.ignore_missing_files):
                raise
            from pybinlog.visible import visible

            sys.stderr.write(f"WARNING: {visible(str(error))}; it is left out\n")
    return found


def arrow_schema_of(schema: StructType) -> pyarrow.Schema:
    """The schema that Spark wants batches to have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # PySpark 4.0
        return to_arrow_schema(schema)
