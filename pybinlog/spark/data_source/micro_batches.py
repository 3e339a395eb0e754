"""MicroBatches: where the micro-batches of a stream over a folder of logs begin and end, and what their tasks read."""

from __future__ import annotations

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.log_mark import LogState
from pybinlog.source.log_series import LogName
from pybinlog.spark.data_source.log_tail import LogTail
from pybinlog.spark.data_source.stream_lag import StreamLag
from pybinlog.spark.data_source.stream_logs import WAY_OUT, StreamLogs
from pybinlog.spark.data_source.stream_offset import BEFORE_ALL, Offset
from pybinlog.spark.data_source.stream_task import StreamTask
from pybinlog.views.options import Mode
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.log.log_mark import LogMark
    from pybinlog.spark.data_source.source_options import SourceOptions


class MicroBatches:
    """Each begins at the offset with which the one before it ended, between two transactions."""

    def __init__(self, options: SourceOptions):
        self._logs = StreamLogs(options)
        self._tail = LogTail(options.view.mode is not Mode.FAILFAST)
        self._is_current = False
        """The last micro-batch ends with the last whole transaction that is there."""

    def first(self) -> Offset:
        """Return the beginning of the oldest log."""
        logs = self._logs.names()
        return self._logs.offset(logs[0], MAGIC_LENGTH) if logs else BEFORE_ALL

    def last(self) -> Offset:
        """Return the end of the last whole transaction there is now."""
        logs = self._logs.names()
        if not logs:
            return BEFORE_ALL
        return self._end_in(logs[-1], MAGIC_LENGTH) or self._logs.offset(logs[-1], MAGIC_LENGTH)

    def named(self, name: str, position: int) -> Offset:
        """Return a place that the user chose.

        Raise BinlogError if it is not between two transactions of an existing log.
        """
        logs = self._logs.names()
        base = LogName.of(name).base
        found = next((log for log in logs if LogName.of(log).base == base), None)
        if found is None:
            there = f"it holds {LogName.of(logs[0]).base} to {LogName.of(logs[-1]).base}" if logs else "it holds none"
            raise BinlogError(f"there is no log {base}", file=self._logs.path, hint=f"As to its logs, {there}")
        offset = self._logs.offset(found, max(position, MAGIC_LENGTH))
        if offset.mark is None or self._tail.between_groups(found, offset.position) is False:
            raise BinlogError(
                "the position is not between two transactions of the log",
                file=found,
                position=position,
                hint="A dump of the log shows them: '# at' before the GTID event of each",
            )
        return offset

    def advanced(
        self, start: Offset, max_files: int | None, max_bytes: int | None, target: Offset | None = None
    ) -> Offset:
        """Return the end of a micro-batch that begins at `start`, within the limits and up to `target`.

        Closed logs count whole, by their sizes, and are not read; at least one is taken. In the newest log it is the
        end of a transaction; at least one is taken, however large it is. If the stream cannot continue at `start`, it
        begins with the log that follows. A `start` that says less about its log than is known now is completed.
        """
        logs = self._logs.names()
        place = self._logs.place(logs, start)
        index, position = place.following, place.position
        if index >= len(logs):
            return start
        begin = logs[index], position
        mark = start.mark if place.state is LogState.SAME else None
        taken = files = 0
        is_full = False
        while index < len(logs) - 1 and not is_full:
            taken += max(stored_size(logs[index]) - position, 1)
            files += 1
            is_full = files == max_files or (max_bytes is not None and taken >= max_bytes)
            index, position, mark = index + 1, MAGIC_LENGTH, None
        end: Offset | None = None
        if not is_full:
            if target is not None and max_bytes is None and target.file == LogName.of(logs[index]).base:
                end = target if target.position > position else None
            else:
                end = self._end_in(logs[index], position, mark, None if max_bytes is None else max_bytes - taken)
            if end is not None:
                taken += end.position - position
                is_full = files + 1 == max_files or (max_bytes is not None and taken >= max_bytes)
        self._is_current = not is_full
        if end is None:
            end = self._logs.offset(logs[index], position)
            is_known = mark is not None and end.mark is not None and mark.opening_bytes >= end.mark.opening_bytes
            if files == 0 and (end.mark is None or is_known):
                end = start
        if target is not None and end.order > target.order:
            # an offset that was reached before is a place between transactions, too
            return target if target.order >= (LogName.of(begin[0]).number or 0, begin[1]) else start
        return end

    def _end_in(self, name: str, position: int, mark: LogMark | None = None, limit: int | None = None) -> Offset | None:
        """Return the end of the newest log's last whole transaction, as LogTail finds it."""
        try:
            return self._tail.end(name, position, mark, limit)
        except DataLossError as error:  # replaced just now
            error.hint = WAY_OUT
            self._logs.lose(error, [name])
            return None

    def lag(self, end: Offset) -> StreamLag | None:
        """Return what is there beyond the end of the last micro-batch; None if there is no log."""
        logs = self._logs.names()
        return StreamLag.of(logs, None if self._is_current else end) if logs else None

    def tasks(self, start: Offset, end: Offset) -> list[StreamTask]:
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
        marks: dict[str, list[tuple[str, int, LogMark]]] = {name: [] for name in names}
        guard = None
        if first.state is LogState.SAME and start.mark is not None and names:
            marks[names[0]].append((names[0], first.position, start.mark))
        if stop is not None and end.mark is not None:
            guard = names[-1], stop, end.mark
            marks[names[-1]].append(guard)
        if stop == MAGIC_LENGTH:
            names = names[:-1]  # it ends where this log begins
        if not names or (len(names) == 1 and stop == first.position):
            return []
        spans = [
            Span(
                (name,),
                first.position if name == names[0] else MAGIC_LENGTH,
                stop if LogName.of(name).base == end.file else None,
                tuple(marks[name]),
            )
            for name in names
        ]
        return [StreamTask(pack, guard) for pack in packs(spans, [stored_size(name) for name in names])]
