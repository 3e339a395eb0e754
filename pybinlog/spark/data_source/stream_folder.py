"""LogFolder: the logs of one series in a folder, the offsets of a stream over them, and what lies between two."""

from __future__ import annotations

import os
from itertools import chain
from typing import NamedTuple

from pybinlog.errors import BinlogError, DataLossError, EmptyFileError, SourceError, TruncatedError
from pybinlog.jobs.packs import CORES, packs, stored_size
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.log_mark import ENDING, LogState, lost, mark_at, opening_state, state_at
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName
from pybinlog.source.remote import is_url
from pybinlog.spark.data_source.log_tail import LogTail, group_end
from pybinlog.spark.data_source.stream_lag import StreamLag
from pybinlog.spark.data_source.stream_offset import BEFORE_ALL, Offset
from pybinlog.spark.data_source.stream_task import StreamTask
from pybinlog.views.options import Mode
from pybinlog.views.reader import cut, to_standard_error, without_hint
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.log.log_mark import LogMark
    from pybinlog.spark.data_source.source_options import SourceOptions

WAY_OUT = "Start the query with a new checkpoint folder, or with failOnDataLoss=false"
"""Where rows that a stream was to deliver are lost."""


class Place(NamedTuple):
    """Where an offset lies in the logs that are there now."""

    state: LogState
    log: int
    """The index of the offset's log; where it is gone, of the next one after it, or the number of logs."""
    following: int
    """The index of the log with which the stream continues; the number of logs where it has to wait for one."""
    position: int
    """In that log."""


class LogFolder:
    """The logs that the options' path stands for, as they are now: a server keeps writing the last of them."""

    def __init__(self, options: SourceOptions, warn: Callable[[str], object] = to_standard_error):
        if len(options.paths) != 1 or options.indexes:
            raise BinlogError("a stream reads one folder", hint='readStream.format("binlog").load(FOLDER)')
        self._options = options
        self._path = options.paths[0]
        self._relay: bool | None = None
        self._tail = LogTail(options.view.mode is not Mode.FAILFAST)
        self._is_current = False
        """The last micro-batch ends with the last whole transaction that is there."""
        self._warn = warn
        self._warned: set[str] = set()

    # ---- files

    def logs(self) -> list[str]:
        """The logs in their order. BinlogError where they are of more than one series."""
        from pybinlog.source.location import locate
        from pybinlog.source.log_folder import SeveralSeriesError

        try:
            names = locate((self._path,), glob_filter=self._options.glob_filter, one_series=True, warn=self._warn_once)
        except SeveralSeriesError as error:
            error.hint = "Choose one with the option pathGlobFilter, for example 'binlog.*'"
            raise
        except SourceError:
            self._check_folder()
            return []
        # an index may be copied before the last of its logs
        names = [
            name for name in names if LogName.of(name).number is not None and (is_url(name) or os.path.exists(name))
        ]
        # of a log and its compressed copy the one is enough
        by_number = {LogName.of(name).number: name for name in reversed(names)}
        numbers = sorted(number for number in by_number if number is not None)
        logs = self._options.keyed([by_number[number] for number in numbers])
        if logs and stored_size(logs[-1]) < ENDING and is_just_begun(logs[-1]):
            logs.pop()
        return logs

    def _check_folder(self) -> None:
        """SourceError where there is no such folder; one without logs may get some."""
        if not is_url(self._path) and not any(sign in self._path for sign in "*?[") and not os.path.isdir(self._path):
            raise SourceError("there is no such folder", file=self._path)

    def _is_relay(self, logs: list[str]) -> bool:
        if self._relay is None:
            self._relay = looks_like_relay_log(logs[-1])
        return self._relay

    # ---- what has become of the logs

    def _place(self, logs: list[str], offset: Offset) -> Place:
        """Where the offset lies. DataLossError, or a warning, where what comes after it is no longer there."""
        if not offset.file:
            return Place(LogState.SAME, 0, 0, MAGIC_LENGTH)
        wanted = LogName.of(offset.file)
        found = [LogName.of(name) for name in logs]
        index = next((at for at, log in enumerate(found) if log.base == wanted.base), None)
        if index is None:
            later = next((at for at, log in enumerate(found) if (log.number or 0) > (wanted.number or 0)), len(logs))
            following = later if later < len(logs) else self._oldest_after(logs, later, offset.mark)
            self._lose(
                DataLossError(
                    f"the log {wanted.base}, from which the stream is to continue, is not there any more",
                    file=self._path,
                    position=offset.position,
                    hint="It was purged before it was read, or its server's logs were reset (RESET BINARY LOGS AND "
                    f"GTIDS). {WAY_OUT}, which continues with the oldest log after it",
                ),
                logs[following : following + 1],
            )
            return Place(LogState.GONE, later, following, MAGIC_LENGTH)
        self._check_gaps(logs, index)
        state = self._state(logs[index], offset)
        if state is LogState.SAME:
            return Place(state, index, index, max(offset.position, MAGIC_LENGTH))
        next_index = index + 1 if state is LogState.CUT else self._oldest_after(logs, index, offset.mark)
        error = lost(state, logs[index], offset.position)
        follows = "with the log after it" if state is LogState.CUT else "at the beginning of the new logs"
        error.hint = f"{WAY_OUT}, which continues {follows}"
        self._lose(error, logs[next_index : next_index + 1])
        return Place(state, index, next_index, MAGIC_LENGTH)

    def _state(self, name: str, offset: Offset) -> LogState:
        """What has become of the offset's log, which has that name now."""
        if offset.mark is not None:
            # a compressed log would be inflated up to the position, so only the task that reads it looks there
            compressed = LogName.of(name).base != os.path.basename(name)
            return opening_state(name, offset.mark) if compressed else state_at(name, offset.position, offset.mark)
        self._warn_once(
            f"{name}, at {offset.position}: the checkpoint is of an earlier version of pybinlog and does not tell "
            "which log of this name it means; the one that is there is taken for it"
        )
        return LogState.OTHER if self._between_groups(name, offset.position) is False else LogState.SAME

    def _oldest_after(self, logs: list[str], index: int, mark: LogMark | None) -> int:
        """Where the logs begin, before `index`, that were begun after one that is lost: nothing in them has been read.

        After a reset the server counts from 1 again, so they may have lower numbers. Without a mark, what is there
        instead of a lost log is taken for that.
        """
        if mark is None:
            return 0 if index == len(logs) else index
        while index > 0:
            before = self._opening_mark(logs[index - 1])
            if before is None or before.begun < max(mark.begun, 1):
                break
            index -= 1
        return index

    def _lose(self, error: DataLossError, following: list[str]) -> None:
        """Raise the error; with failOnDataLoss=false, warn of it and name the log with which the stream continues."""
        if self._options.fail_on_data_loss:
            raise error
        follows = f"with the beginning of {following[0]}" if following else "when there is another log"
        self._warn_once(f"{without_hint(error)}; the stream continues {follows}")

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)

    def _between_groups(self, name: str, position: int) -> bool | None:
        """Whether a position lies between two event groups of a log; None where damage before it hides that."""
        if position <= MAGIC_LENGTH:
            return True
        inside = False
        try:
            with open_source(name) as source:
                for batch in self._tail.reader(source, Scanner(), MAGIC_LENGTH):
                    end = batch.header(batch.count - 1).end
                    if end >= position:
                        begins = position in (end, *(batch.header(at).position for at in range(batch.count)))
                        if batch.header(0).position < position:
                            cut(batch, position)
                            _, inside = group_end(batch, inside)
                        return begins and not inside
                    _, inside = group_end(batch, inside)
        except (TruncatedError, EmptyFileError):
            return False
        except BinlogError:
            return None
        return False

    def _check_gaps(self, logs: list[str], first: int) -> None:
        for before, name in zip(logs[first:], logs[first + 1 :], strict=False):
            if LogName.of(name).number != (LogName.of(before).number or 0) + 1:
                error = DataLossError(
                    f"the logs between this one and {LogName.of(name).base} are missing",
                    file=before,
                    hint="failOnDataLoss=false continues without them",
                )
                self._lose(error, [name])

    # ---- offsets

    def first(self) -> Offset:
        """The beginning of the oldest log."""
        logs = self.logs()
        return self._offset(logs[0], MAGIC_LENGTH) if logs else BEFORE_ALL

    def last(self) -> Offset:
        """The end of the last whole transaction there is now."""
        logs = self.logs()
        for index in reversed(range(len(logs))):
            end = self._end_in(logs, index, MAGIC_LENGTH)
            if end is not None:
                return end
            if not self._is_relay(logs):
                return self._offset(logs[index], MAGIC_LENGTH)
        return self.first()

    def named(self, name: str, position: int) -> Offset:
        """A place that the user chose. BinlogError where it is none between two transactions of a log that is there."""
        logs = self.logs()
        base = LogName.of(name).base
        found = next((log for log in logs if LogName.of(log).base == base), None)
        if found is None:
            there = f"it holds {LogName.of(logs[0]).base} to {LogName.of(logs[-1]).base}" if logs else "it holds none"
            raise BinlogError(f"there is no log {base}", file=self._path, hint=f"As to its logs, {there}")
        offset = self._offset(found, max(position, MAGIC_LENGTH))
        if offset.mark is None or self._between_groups(found, offset.position) is False:
            raise BinlogError(
                "this is no place between two transactions of the log",
                file=found,
                position=position,
                hint="A dump of the log shows them: '# at' before the GTID event of each",
            )
        return offset

    def _offset(self, name: str, position: int) -> Offset:
        """A place in the log as it is now; without a mark where the log ends before it."""
        return Offset(LogName.of(name).base, position, mark_at(name, position))

    def advanced(
        self, start: Offset, max_files: int | None, max_bytes: int | None, target: Offset | None = None
    ) -> Offset:
        """The end of a micro-batch that begins at `start`, within the limits and up to `target`.

        Closed logs count whole, by their sizes, and are not read; at least one is taken. In the newest log, and in
        relay logs, it is the end of a transaction; at least one is taken, however large it is. Where the stream cannot
        continue at `start`, the beginning of the log with which it continues takes its place. A `start` that says less
        about its log than can be known now is given in its full form.
        """
        logs = self.logs()
        place = self._place(logs, start)
        index, position = place.following, place.position
        if index >= len(logs):
            return start
        begin, relay = (index, position), self._is_relay(logs)
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
            end = self._offset(logs[reached], MAGIC_LENGTH)
        if end is None:
            end = self._begin(logs[begin[0]], begin[1], start, start.mark if place.state is LogState.SAME else None)
        if target is not None and end.order > target.order:
            # an offset that was reached before is a place between transactions, too
            return target if target.order >= (LogName.of(logs[begin[0]]).number or 0, begin[1]) else start
        return end

    def _begin(self, name: str, position: int, start: Offset, mark: LogMark | None) -> Offset:
        """Where the stream continues, with all that can be known of the log now; `start` where that says as much."""
        now = self._offset(name, position)
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
        """The end of the last whole transaction of a log that has to be read for it, as LogTail finds it."""
        name = logs[index]
        closed = index < len(logs) - 1
        try:
            return self._tail.end(
                name, position, mark, limit, relay=self._is_relay(logs), follows=follows, closed=closed
            )
        except DataLossError as error:  # replaced just now
            error.hint = WAY_OUT
            self._lose(error, [name])
            return None

    def lag(self, end: Offset) -> StreamLag | None:
        """Return what is there beyond the end of the last micro-batch; None if there is no log."""
        logs = self.logs()
        return StreamLag.of(logs, None if self._is_current else end) if logs else None

    # ---- tasks

    def tasks(self, start: Offset, end: Offset) -> list[StreamTask]:
        """What lies between two offsets, small logs together.

        With failOnDataLoss=false this is what is left of it. Logs that have taken the place of the end's come with
        the offsets that follow.
        """
        if start == end or not end.file:
            return []
        logs = self.logs()
        first = self._place(logs, start)
        last = self._place(logs, end)
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
        if self._is_relay(logs):
            for name in names:
                if not marks[name] and (mark := self._opening_mark(name)) is not None:
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
        return [StreamTask(pack, guard) for pack in packs(spans, [stored_size(name) for name in names], CORES)]

    def _opening_mark(self, name: str) -> LogMark | None:
        try:
            return mark_at(name, MAGIC_LENGTH)
        except BinlogError:
            return None  # reading it says so


def is_just_begun(name: str) -> bool:
    """True if the log's server has not written its Format_description yet."""
    mark = mark_at(name, MAGIC_LENGTH)
    return mark is None or mark.opening_bytes == MAGIC_LENGTH
