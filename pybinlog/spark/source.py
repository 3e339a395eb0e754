"""The data source `binlog`: spark.read.format("binlog").load(path), and spark.readStream for a folder that grows.

See docs/spark.md for the options and docs/views.md for the columns.
"""

from __future__ import annotations

import sys

from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructType

from pybinlog.spark.data_source.column_types import spark_field
from pybinlog.spark.data_source.log_reader import BinlogReader, here, table_in_logs
from pybinlog.spark.data_source.source_options import SourceOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.spark.data_source.stream import BinlogStreamReader
    from pybinlog.spark.surveys import Run

PUSHDOWN_WORKER = "pyspark.sql.worker.data_source_pushdown_filters"


class BinlogDataSource(DataSource):
    """Registered by itself where pybinlog is installed, through the module pyspark_binlog."""

    @classmethod
    def name(cls) -> str:
        return "binlog"

    @property
    def run(self) -> Run:
        """Read logs before Spark plans a query."""
        return here

    def schema(self) -> StructType:
        options = SourceOptions(self.options)
        view = options.view.definition
        if view.of_one_table:
            shape = table_in_logs(options, self.run)
            fields = [spark_field(column, from_log=True) for column in shape.view.columns[: len(shape.columns)]]
            return StructType([*fields, *map(spark_field, view.columns)])
        return StructType([spark_field(column) for column in view.columns])

    def reader(self, schema: StructType) -> DataSourceReader:
        options = SourceOptions(self.options)
        if filters_are_pushed():
            from pybinlog.spark.data_source.source_filters import FilteringReader

            return FilteringReader(options, schema, self.run)
        return BinlogReader(options, schema, self.run)

    def streamReader(self, schema: StructType) -> BinlogStreamReader:
        from pybinlog.spark.data_source.stream import BinlogStreamReader

        return BinlogStreamReader(SourceOptions(self.options), schema)


def filters_are_pushed() -> bool:
    """Return True if this is the process in which Spark pushes filters down.

    A reader that takes filters makes Spark fail where spark.sql.python.filterPushdown.enabled is off, and that setting
    is not known here. It is on where Spark has started this worker. Should a Spark call the worker by another name, no
    filter is pushed down: that costs time, and no row is another.
    """
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return PUSHDOWN_WORKER in sys.modules or getattr(main, "name", None) == PUSHDOWN_WORKER
