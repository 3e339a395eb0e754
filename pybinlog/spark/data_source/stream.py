"""BinlogStreamReader: spark.readStream.format("binlog") over a folder that a server writes its logs to."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.accumulators import Accumulator
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.feed.feed import to_standard_error
from pybinlog.feed.policy import Mode, without_hint
from pybinlog.feed.span import Span
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.log_mark import LogMark, LogState, lost, state_at
from pybinlog.source.log_series import LogName
from pybinlog.spark.data_source import stream_logs
from pybinlog.spark.data_source.column_types import projected
from pybinlog.spark.data_source.log_reader import arrow_schema_of, shipped
from pybinlog.spark.data_source.source_options import IN_SPARK, SourceOptions
from pybinlog.spark.data_source.task_remarks import Found, bring, partitions_of
from pybinlog.spark.worker import a_task
from pybinlog.views.reader import ViewReader

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


@dataclass
class StreamTask:
    """Spans that one task reads."""

    spans: list[Span]
    guard: tuple[str, int, LogMark] | None = None
    """The log in which the micro-batch ends, the position there and its mark. A reset takes that log, too, so a log
    that was read whole was the right one if this one is the same after it."""

    def check(self) -> None:
        """Raise DataLossError if the logs were reset since the micro-batch was planned."""
        if self.guard is not None and any(not span.marks for span in self.spans):
            name, position, mark = self.guard
            state = state_at(name, position, mark)
            if state is not LogState.SAME:
                raise lost(state, name, position)


class BinlogStreamReader(*BASES):  # type: ignore[misc]
    """Each micro-batch begins at the offset with which the one before it ended, between two transactions.

    Offsets are a log's base name, a position, and a LogMark of the log there. So a query continues from its checkpoint
    with nothing lost and nothing twice. Whether the log is still the same is looked at when a micro-batch is planned,
    and before and after a task reads.
    """

    def __init__(self, options: SourceOptions, schema: StructType, remarks: Accumulator[Found] | None = None):
        if options["schemaFile"]:
            raise BinlogError(
                "option schemaFile: a stream does not know what was changed in tables before its micro-batch",
                hint="spark.read takes it; for a stream, let the server write names (binlog_row_metadata=FULL)",
            )
        self._options = options
        self._view = projected(options, schema)
        self._schema = schema
        self._remarks = remarks
        self._logs = stream_logs.StreamLogs(options)
        self._tail = stream_logs.LogTail(options.view.mode is not Mode.FAILFAST)
        self._target: stream_logs.Offset | None = None
        self._end: stream_logs.Offset | None = None
        self._is_current = False
        """The last micro-batch ends with the last whole transaction that is there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped(self)

    # ---- where micro-batches begin and end

    def initialOffset(self) -> dict[str, Any]:
        starting = self._options["startingOffsets"]
        name, _, position = starting.rpartition(":")
        if starting.lower() not in ("earliest", "latest") and not (name and position.isdecimal()):
            raise BinlogError(
                f"option startingOffsets: {starting!r} is none of earliest, latest and FILE:POSITION",
                hint="An example is binlog.000003:4",
            )
        if starting.lower() == "latest":
            return self._last().as_dict()
        logs = self._logs.names()
        if starting.lower() == "earliest":
            return (self._logs.offset(logs[0], MAGIC_LENGTH) if logs else stream_logs.BEFORE_ALL).as_dict()
        base = LogName.of(name).base
        found = next((log for log in logs if LogName.of(log).base == base), None)
        if found is None:
            there = f"it holds {LogName.of(logs[0]).base} to {LogName.of(logs[-1]).base}" if logs else "it holds none"
            raise BinlogError(f"there is no log {base}", file=self._logs.path, hint=f"As to its logs, {there}")
        offset = self._logs.offset(found, max(int(position), MAGIC_LENGTH))
        if offset.mark is None or self._tail.between_groups(found, offset.position) is False:
            raise BinlogError(
                "the position is not between two transactions of the log",
                file=found,
                position=int(position),
                hint="A dump of the log shows them: '# at' before the GTID event of each",
            )
        return offset.as_dict()

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:
        if start is None:
            return self._last().as_dict()
        max_logs, max_bytes = getattr(limit, "max_files", None), getattr(limit, "max_bytes", None)
        self._end = self._end_after(stream_logs.Offset.of(start), max_logs, max_bytes)
        return self._end.as_dict()

    def getDefaultReadLimit(self) -> Any:
        if self._options["maxBytesPerTrigger"] is not None:
            return ReadMaxBytes(self._options["maxBytesPerTrigger"])
        if self._options["maxLogsPerTrigger"] is not None:
            return ReadMaxFiles(self._options["maxLogsPerTrigger"])
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._last()

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Return `latestOffset` of the source for a query's progress: the end of the newest log, and the lag.

        That is what is left beyond the last micro-batch: logs with something left, bytes as they are stored, and the
        age of the first event that is left, by this machine's clock.
        """
        logs = self._logs.names()
        if self._end is None or not logs:
            return None
        left = [] if self._is_current else list(stream_logs.left_after(self._end, logs))
        begun = stream_logs.event_time(*left[0][:2]) if left else None
        return {
            "file": LogName.of(logs[-1]).base,
            "position": stored_size(logs[-1]),
            "lag_logs": len(left),
            "lag_bytes": sum(size for _, _, size in left),
            "lag_seconds": 0 if begun is None else max(int(time.time()) - begun, 0),
        }

    def _last(self) -> stream_logs.Offset:
        """Return the end of the last whole transaction there is now."""
        logs = self._logs.names()
        if not logs:
            return stream_logs.BEFORE_ALL
        return self._end_in(logs[-1], MAGIC_LENGTH) or self._logs.offset(logs[-1], MAGIC_LENGTH)

    def _end_in(
        self, name: str, position: int, mark: LogMark | None = None, limit: int | None = None
    ) -> stream_logs.Offset | None:
        """Return the end of the newest log's last whole transaction, as LogTail finds it."""
        try:
            return self._tail.end(name, position, mark, limit)
        except DataLossError as error:  # replaced just now
            error.hint = stream_logs.WAY_OUT
            self._logs.lose(error, [name])
            return None

    def _end_after(self, start: stream_logs.Offset, max_logs: int | None, max_bytes: int | None) -> stream_logs.Offset:
        """Return the end of a micro-batch that begins at `start`, within the limits and up to the target.

        Closed logs count whole, by their sizes, and are not read; at least one is taken. In the newest log it is the
        end of a transaction; at least one is taken, however large it is. If the stream cannot continue at `start`, it
        begins with the log that follows. A `start` that says less about its log than is known now is completed.
        """
        logs, target = self._logs.names(), self._target
        place = self._logs.place(logs, start)
        index, position = place.following, place.position
        if index >= len(logs):
            return start
        begin = LogName.of(logs[index]).number or 0, position
        mark = start.mark if place.state is LogState.SAME else None
        taken = count = 0
        is_full = False
        while index < len(logs) - 1 and not is_full:
            taken += max(stored_size(logs[index]) - position, 1)
            count += 1
            is_full = count == max_logs or (max_bytes is not None and taken >= max_bytes)
            index, position, mark = index + 1, MAGIC_LENGTH, None
        end: stream_logs.Offset | None = None
        if not is_full:
            if target is not None and max_bytes is None and target.file == LogName.of(logs[index]).base:
                end = target if target.position > position else None
            else:
                end = self._end_in(logs[index], position, mark, None if max_bytes is None else max_bytes - taken)
            if end is not None:
                taken += end.position - position
                is_full = count + 1 == max_logs or (max_bytes is not None and taken >= max_bytes)
        self._is_current = not is_full
        if end is None:
            end = self._logs.offset(logs[index], position)
            is_known = mark is not None and end.mark is not None and mark.opening_bytes >= end.mark.opening_bytes
            if count == 0 and (end.mark is None or is_known):
                end = start
        if target is not None and end.order > target.order:
            # an offset that was reached before is a place between transactions, too
            return target if target.order >= begin else start
        return end

    # ---- what tasks read

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return partitions_of(self._tasks(stream_logs.Offset.of(start), stream_logs.Offset.of(end)))

    def _tasks(self, start: stream_logs.Offset, end: stream_logs.Offset) -> list[StreamTask]:
        """Return the tasks between two offsets, small logs together.

        With failOnDataLoss=false this is what is left of it. Logs that have taken the place of the end's come with
        the offsets that follow.
        """
        if start == end or not end.file:
            return []
        logs = self._logs.names()
        first = self._logs.place(logs, start)
        last = self._logs.place(logs, end)
        kept = last.state in (LogState.SAME, LogState.CUT)
        if not kept and first.state in (LogState.OTHER, LogState.GONE):
            return []
        stop = end.position if last.state is LogState.SAME else None
        if stop is not None and (first.following, first.position) > (last.log, stop):
            raise BinlogError(
                f"the stream is to go back, to {end.file}:{stop}", file=start.file, position=start.position
            )
        names = logs[first.following : last.log + kept]
        begin = guard = None
        if first.state is LogState.SAME and start.mark is not None and names:
            begin = names[0], first.position, start.mark
        if stop is not None and end.mark is not None:
            guard = names[-1], stop, end.mark
        if stop == MAGIC_LENGTH:
            names = names[:-1]  # it ends where this log begins
        if not names or (len(names) == 1 and stop == first.position):
            return []
        spans = [
            Span(
                (name,),
                first.position if name == names[0] else MAGIC_LENGTH,
                stop if LogName.of(name).base == end.file else None,
                tuple(mark for mark in (begin, guard) if mark is not None and mark[0] == name),
            )
            for name in names
        ]
        return [StreamTask(pack, guard) for pack in packs(spans, [stored_size(name) for name in names])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        task: StreamTask
        task, place = partition.value
        reader = ViewReader(self._view, schema=arrow_schema_of(self._schema), in_order=False)
        try:
            if not self._options["failOnDataLoss"]:
                task.check()
        except BinlogError as error:
            to_standard_error(f"{without_hint(error)}; what was to be read of the logs before it is left out")
            return
        with a_task():
            for span in task.spans:
                yield from self._read(reader, span)
        bring(reader.feed.remarks, place, self._remarks)
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
        error.hint = stream_logs.WAY_OUT
        raise
