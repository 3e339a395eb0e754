"""The data source `binlog`: spark.read.format("binlog").load(path), and spark.readStream for a folder that grows.

See docs/spark.md for the options and docs/views.md for the columns.
"""

import atexit
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from pyspark.accumulators import Accumulator
from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructType

from pybinlog.errors import BinlogError
from pybinlog.spark.data_source.column_types import spark_field
from pybinlog.spark.data_source.log_reader import BinlogReader, located, tables_of
from pybinlog.spark.data_source.source_options import IN_SPARK, SourceOptions
from pybinlog.spark.data_source.stream import BinlogStreamReader
from pybinlog.spark.data_source.task_remarks import Found, RemarksOfReads, make
from pybinlog.spark.jobs import SparkJobs
from pybinlog.views.first_pass import Run, Surveyed

PUSHDOWN_WORKER = "pyspark.sql.worker.data_source_pushdown_filters"
DONE = "done"


class BinlogDataSource(DataSource):
    """Registered by itself where pybinlog is installed, through the module pyspark_binlog."""

    run: Run = map
    """Reads logs before Spark plans a query."""
    remarks: Accumulator[Found] | None = None
    """Brings what tasks have to say to the driver; without it, each says it on its executor."""

    @classmethod
    def name(cls) -> str:
        return "binlog"

    def schema(self) -> StructType:
        options = SourceOptions(self.options)
        view = options.view.definition
        if view.of_one_table:
            if options["asOf"] is not None:
                from pybinlog.spark.data_source.as_of import shape_as_of

                with IN_SPARK:
                    columns = shape_as_of(options, self.run).columns
                return StructType([spark_field(column, from_log=True) for column in columns])
            with IN_SPARK:
                shape = Surveyed(located(options), self.run).shape(options.view, tables_of(options))
            fields = [spark_field(column, from_log=True) for column in shape.view.columns[: len(shape.columns)]]
            return StructType([*fields, *map(spark_field, view.columns)])
        return StructType([spark_field(column) for column in view.columns])

    def reader(self, schema: StructType) -> DataSourceReader:
        options = SourceOptions(self.options)
        if options["asOf"] is not None:
            from pybinlog.spark.data_source.as_of import AsOfReader

            return AsOfReader(options, schema)
        if filters_are_pushed():
            from pybinlog.spark.data_source.source_filters import FilteringReader

            return FilteringReader(options, schema, self.run, self.remarks)
        return BinlogReader(options, schema, self.run, self.remarks)

    def streamReader(self, schema: StructType) -> BinlogStreamReader:

        options = SourceOptions(self.options)
        if options["asOf"] is not None:
            raise BinlogError("option asOf: a stream has no end, and so no rows of one moment", hint="Use spark.read")
        return BinlogStreamReader(options, schema, self.remarks)


def filters_are_pushed() -> bool:
    """Return True if this is the process in which Spark pushes filters down.

    A reader that takes filters makes Spark fail where spark.sql.python.filterPushdown.enabled is off, and that setting
    is not known here. It is on where Spark has started this worker. Should a Spark call the worker by another name, no
    filter is pushed down: that costs time, and no row is another.
    """
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return PUSHDOWN_WORKER in sys.modules or getattr(main, "name", None) == PUSHDOWN_WORKER


def source_of(context: Any) -> type[BinlogDataSource]:
    """Return the data source for a session with this context: its planning reads logs on executors, and its driver
    says what tasks have to say.

    Spark plans a query of a Python data source in a process of its own, which knows no session. So a thread of the
    driver, which has one, listens on a socket of this machine and runs the jobs that such a process asks for.
    """
    key = os.urandom(32)
    listener = Listener(family="AF_UNIX", authkey=key)
    jobs = SparkJobs(context)

    def listen() -> None:
        while True:
            with suppress(Exception):  # who asks may have gone
                threading.Thread(target=answer, args=(jobs, listener.accept()), daemon=True).start()

    threading.Thread(target=listen, name="binlog-planner", daemon=True).start()
    of_reads = RemarksOfReads(make)
    atexit.register(of_reads.finish)

    class SessionDataSource(BinlogDataSource):
        run = staticmethod(partial(ask, listener.address, key))
        remarks = context.accumulator([], of_reads)

    return SessionDataSource


def answer(jobs: SparkJobs, connection: Connection) -> None:
    with connection:
        function, tasks = connection.recv()
        try:
            for results in jobs.in_order(function, tasks):
                connection.send(results)
            connection.send(DONE)
        except Exception as error:
            connection.send(error)


def ask(address: Any, key: bytes, function: Callable[[Any], list[Any]], tasks: Iterable[Any]) -> Iterator[list[Any]]:
    """Run a function for tasks on the executors; yield the results in order, and raise what it raised."""
    with Client(address, authkey=key) as connection:
        connection.send((function, list(tasks)))
        while (results := connection.recv()) != DONE:
            if isinstance(results, Exception):
                raise results
            yield results
