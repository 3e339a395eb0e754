"""Spark finds the data source `binlog` by itself here: it looks for modules named pyspark_* with a DefaultSource."""

from pybinlog.spark.source import BinlogDataSource

__all__ = ["DefaultSource"]


class DefaultSource(BinlogDataSource):
    """The data source under the name that Spark looks for."""
