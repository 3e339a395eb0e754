"""BinlogReader: spark.read of logs, in tasks that each read one span."""

from __future__ import annotations

import sys

from pyspark.sql.datasource import DataSourceReader, InputPartition

from pybinlog.errors import SourceError
from pybinlog.spark.span_parts import parts_of
from pybinlog.views.reader import ViewReader
from pybinlog.views.span import Span, spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow
    from pyspark.sql.types import StructType

    from pybinlog.spark.data_source.source_options import SourceOptions
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.table_shape import TableShape

MOST_FILES_CUT = 32
"""Of more files than this each is one task, however large it is: to cut one, planning has to read it."""


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
            bits = self._view.statement_bits
            planned = [part for span in planned for part in parts_of(span, options.part_size, statement_bits=bits)]
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


def table_in_logs(options: SourceOptions) -> TableShape:
    """The columns of the table, for which the driver reads the logs once."""
    from pybinlog.views.table_survey import table_shape

    return table_shape(options.view, spans(located(options)))


def arrow_schema_of(schema: StructType) -> pyarrow.Schema:
    """The schema that Spark wants batches to have, to the letter."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # PySpark 4.0
        return to_arrow_schema(schema)
