"""Dumps, checks and exports on Spark's executors, and the data source `binlog`.

pybinlog.spark.register(spark)
spark.read.format("binlog").option("view", "rows").load("/backup/binlogs")
"""

import os
import sys
from contextlib import suppress
from typing import Any

__all__ = ["register"]

SETTINGS = {"spark.sql.python.filterPushdown.enabled": "true", "spark.sql.pyspark.jvmStacktrace.enabled": "false"}
"""The reader takes conditions of queries; an error ends with its sentence, not with Java's stack."""


def run_same_python(context: Any) -> None:
    """Let the workers of a local master run this Python, which has pybinlog, unless PYSPARK_PYTHON names another."""
    if context.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = os.environ["PYSPARK_PYTHON"] = sys.executable


def register(spark: Any) -> None:
    """Let a SparkSession know the format `binlog`.

    Conditions of queries are passed to the reader, logs that have to be read before a query is planned are read by the
    executors, and errors end with their sentence. Without this, Spark finds the format where pybinlog is installed.
    """
    from pybinlog.spark.source import BinlogDataSource, source_of

    source = BinlogDataSource
    with suppress(AttributeError):  # with Spark Connect the driver is elsewhere
        source = source_of(spark.sparkContext)
        run_same_python(spark.sparkContext)
    spark.dataSource.register(source)
    for name, value in SETTINGS.items():
        if spark.conf.isModifiable(name):
            spark.conf.set(name, value)
