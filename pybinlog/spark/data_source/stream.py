"""BinlogStreamReader: spark.readStream.format("binlog") over a folder that a server writes its logs to."""

from __future__ import annotations

from contextlib import contextmanager

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.spark.data_source.log_reader import arrow_schema_of, shipped
from pybinlog.spark.data_source.micro_batches import MicroBatches
from pybinlog.spark.data_source.source_options import IN_SPARK
from pybinlog.spark.data_source.stream_logs import WAY_OUT
from pybinlog.spark.data_source.stream_offset import Offset
from pybinlog.spark.worker import a_task
from pybinlog.views.reader import ViewReader, to_standard_error, without_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pyspark.sql.types import StructType

    from pybinlog.spark.data_source.source_options import SourceOptions
    from pybinlog.spark.data_source.stream_task import StreamTask
    from pybinlog.views.span import Span

try:
    from pyspark.sql.streaming.datasource import (
        ReadAllAvailable,
        ReadMaxBytes,
        ReadMaxFiles,
        SupportsTriggerAvailableNow,
    )

    BASES: tuple[type, ...] = (DataSourceStreamReader, SupportsTriggerAvailableNow)
except ImportError:  # PySpark 4.0 and 4.1 know no limits
    ReadAllAvailable = ReadMaxBytes = ReadMaxFiles = None  # type: ignore[assignment, misc]
    BASES = (DataSourceStreamReader,)


class BinlogStreamReader(*BASES):  # type: ignore[misc]
    """Offsets are a log's base name, a position always between two transactions, and a LogMark of the log there.

    So a query continues from its checkpoint with nothing lost and nothing twice. Whether the log
    is still the same is looked at when a micro-batch is planned, and before and after a task reads.
    """

    def __init__(self, options: SourceOptions, schema: StructType):
        if options["schemaFile"]:
            raise BinlogError(
                "option schemaFile: a stream does not know what was changed in tables before its micro-batch",
                hint="spark.read takes it; for a stream, let the server write names (binlog_row_metadata=FULL)",
            )
        self._options = options
        self._view = options.projected(schema)
        self._schema = schema
        self._batches = MicroBatches(options)
        self._target: Offset | None = None
        self._end: Offset | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)

    def initialOffset(self) -> dict[str, Any]:
        starting = self._options["startingOffsets"]
        if starting.lower() == "earliest":
            return self._batches.first().as_dict()
        if starting.lower() == "latest":
            return self._batches.last().as_dict()
        name, colon, position = starting.rpartition(":")
        if not colon or not name or not position.isdecimal():
            raise BinlogError(
                f"option startingOffsets: {starting!r} is none of earliest, latest and FILE:POSITION",
                hint="An example is binlog.000003:4",
            )
        return self._batches.named(name, int(position)).as_dict()

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:
        if start is None:
            return self._batches.last().as_dict()
        begin = Offset.of(start)
        max_files = limit.max_files if ReadMaxFiles is not None and isinstance(limit, ReadMaxFiles) else None
        max_bytes = limit.max_bytes if ReadMaxBytes is not None and isinstance(limit, ReadMaxBytes) else None
        self._end = self._batches.advanced(begin, max_files, max_bytes, self._target)
        return self._end.as_dict()

    def getDefaultReadLimit(self) -> Any:
        if self._options["maxBytesPerTrigger"] is not None:
            return ReadMaxBytes(self._options["maxBytesPerTrigger"])
        if self._options["maxLogsPerTrigger"] is not None:
            return ReadMaxFiles(self._options["maxLogsPerTrigger"])
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._batches.last()

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return `latestOffset` of the source for a query's progress: the end of the logs, and the lag."""
        lag = None if self._end is None else self._batches.lag(self._end)
        return None if lag is None else lag._asdict()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return [InputPartition(task) for task in self._batches.tasks(Offset.of(start), Offset.of(end))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        task: StreamTask = partition.value
        reader = ViewReader(self._view, schema=arrow_schema_of(self._schema))
        try:
            if not self._options["failOnDataLoss"]:
                task.check()
        except BinlogError as error:
            to_standard_error(f"{without_hint(error)}; what was to be read of the logs before it is left out")
            return
        with a_task():
            for span in task.spans:
                yield from self._read(reader, span)
        with IN_SPARK, way_out():
            task.check()

    def _read(self, reader: ViewReader, span: Span) -> Iterator[Any]:
        try:
            with IN_SPARK, way_out():
                yield from reader.read(span)
        except BinlogError as error:
            gone = isinstance(error, DataLossError) or isinstance(error.__cause__, FileNotFoundError)
            if self._options["failOnDataLoss"] or not gone or error.file not in span.names:
                raise
            to_standard_error(f"{without_hint(error)}; what was to be read of it is left out")


@contextmanager
def way_out() -> Iterator[None]:
    """Let an error about lost logs name the way out."""
    try:
        yield
    except DataLossError as error:
        error.hint = WAY_OUT
        raise
