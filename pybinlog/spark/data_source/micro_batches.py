"""MicroBatches: where the micro-batches of a stream over a folder of logs begin and end, and what their tasks read."""

from __future__ import annotations

from itertools import chain

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
        for index in reversed(range(len(logs))):
            end = self._end_in(logs, index, MAGIC_LENGTH)
            if end is not None:
                return end
            if not self._logs.is_relay(logs):
                return self._logs.offset(logs[index], MAGIC_LENGTH)
        return self.first()

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

        Closed logs count whole, by their sizes, and are not read; at least one is taken. In the newest log, and in
        relay logs, it is the end of a transaction; at least one is taken, however large it is. Where the stream cannot
        continue at `start`, the beginning of the log with which it continues takes its place. A `start` that says less
        about its log than can be known now is given in its full form.
        """
        logs = self._logs.names()
        place = self._logs.place(logs, start)
        index, position = place.following, place.position
        if index >= len(logs):
            return start
        begin, relay = (index, position), self._logs.is_relay(logs)
        mark = start.mark if place.state is LogState.SAME else None
        taken = files = 0
        reached: int | None = None
        """The log at whose beginning the micro-batch ends if no transaction after it does."""
        end: Offset | None = None
        while index < len(logs):
            closed, left = index < len(logs) - 1, None if max_bytes is None else max_bytes - taken
            if closed and not relay:
                taken += max(stored_size(logs[index]) - position, 1)
                reached, end = index + 1, None
            else:
                if target is not None and left is None and not closed and target.file == LogName.of(logs[index]).base:
                    found = target if target.position > position else None
                else:
                    found = self._end_in(logs, index, position, mark, left, follows=index > begin[0])
                if found is not None:
                    end = found
                    taken += found.position - position
            files += 1
            if taken and (files == max_files or (max_bytes is not None and taken >= max_bytes)):
                break
            index, position, mark = index + 1, MAGIC_LENGTH, None
        self._is_current = index == len(logs)
        if end is None and reached is not None:
            end = self._logs.offset(logs[reached], MAGIC_LENGTH)
        if end is None:
            end = self._begin(logs[begin[0]], begin[1], start, start.mark if place.state is LogState.SAME else None)
        if target is not None and end.order > target.order:
            # an offset that was reached before is a place between transactions, too
            return target if target.order >= (LogName.of(logs[begin[0]]).number or 0, begin[1]) else start
        return end

    def _begin(self, name: str, position: int, start: Offset, mark: LogMark | None) -> Offset:
        """Return the place at which the stream continues, with the present knowledge of the log; return `start` if that
        is the same.
        """
        now = self._logs.offset(name, position)
        if now.mark is None or (mark is not None and mark.opening_bytes >= now.mark.opening_bytes):
            return start
        return now

    def _end_in(
        self,
        logs: list[str],
        index: int,
        position: int,
        mark: LogMark | None = None,
        limit: int | None = None,
        *,
        follows: bool = False,
    ) -> Offset | None:
        """Return the end of the last whole transaction of a log that has to be read for it, as LogTail finds it."""
        name = logs[index]
        closed = index < len(logs) - 1
        try:
            return self._tail.end(
                name, position, mark, limit, relay=self._logs.is_relay(logs), follows=follows, closed=closed
            )
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
        if self._logs.is_relay(logs):
            for name in names:
                if not marks[name] and (mark := self._logs.opening_mark(name)) is not None:
                    marks[name].append((name, MAGIC_LENGTH, mark))
            return [StreamTask([Span(tuple(names), first.position, stop, tuple(chain(*marks.values())))])]
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
