"""StreamLogs: the logs of one series in a folder that a server writes, and the offsets of a stream in them."""

from __future__ import annotations

import os
from typing import NamedTuple

from pybinlog.errors import BinlogError, DataLossError, SourceError
from pybinlog.jobs.packs import stored_size
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.log_mark import ENDING, LogState, lost, mark_at, opening_state, state_at
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source.log_series import LogName
from pybinlog.source.remote import is_url
from pybinlog.spark.data_source.stream_offset import Offset
from pybinlog.views.reader import to_standard_error, without_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.log.log_mark import LogMark
    from pybinlog.spark.data_source.source_options import SourceOptions

WAY_OUT = "Start the query with a new checkpoint folder, or with failOnDataLoss=false"
"""The way out if rows of a stream are lost."""


class Place(NamedTuple):
    """The place of an offset in the present logs."""

    state: LogState
    log: int
    """The index of the offset's log; where it is gone, of the next one after it, or the number of logs."""
    following: int
    """The index of the log with which the stream continues; the number of logs if it must wait for one."""
    position: int
    """In that log."""


class StreamLogs:
    """The logs that the options' path stands for, as they are now: a server keeps writing the last of them."""

    def __init__(self, options: SourceOptions, warn: Callable[[str], object] = to_standard_error):
        if len(options.paths) != 1 or options["index"] is not None:
            raise BinlogError("a stream reads one folder", hint='readStream.format("binlog").load(FOLDER)')
        self._options = options
        self.path = options.paths[0]
        self._is_checked = False
        self._warn = warn
        self._warned: set[str] = set()

    def names(self) -> list[str]:
        """Return the logs in their order. Raise BinlogError if they are of more than one series."""
        from pybinlog.source.location import locate
        from pybinlog.source.log_folder import SeveralSeriesError

        try:
            found = locate(
                (self.path,), glob_filter=self._options["pathGlobFilter"], one_series=True, warn=self._warn_once
            )
        except SeveralSeriesError as error:
            error.hint = "Choose one with the option pathGlobFilter, for example 'binlog.*'"
            raise
        except SourceError:
            self._check_folder()
            return []
        # an index may be copied before the last of its logs
        found = [
            name for name in found if LogName.of(name).number is not None and (is_url(name) or os.path.exists(name))
        ]
        # of a log and its compressed copy the one is enough
        by_number = {LogName.of(name).number: name for name in reversed(found)}
        numbers = sorted(number for number in by_number if number is not None)
        logs = self._options.keyed([by_number[number] for number in numbers])
        if logs and stored_size(logs[-1]) < ENDING and is_just_begun(logs[-1]):
            logs.pop()
        if logs and not self._is_checked:
            if looks_like_relay_log(logs[-1]):
                raise BinlogError(
                    "a stream does not read relay logs",
                    file=logs[-1],
                    hint="Follow the source's binary logs, or those that the replica writes (log_replica_updates)",
                )
            self._is_checked = True
        return logs

    def _check_folder(self) -> None:
        """Raise SourceError if there is no such folder; one without logs may get some."""
        if not is_url(self.path) and not any(sign in self.path for sign in "*?[") and not os.path.isdir(self.path):
            raise SourceError("there is no such folder", file=self.path)

    def offset(self, name: str, position: int) -> Offset:
        """Return a place in the log as it is now, without a mark if the log ends before it."""
        return Offset(LogName.of(name).base, position, mark_at(name, position))

    def place(self, logs: list[str], offset: Offset) -> Place:
        """Return the place of the offset. Raise DataLossError, or warn, if the events after it are missing."""
        if not offset.file:
            return Place(LogState.SAME, 0, 0, MAGIC_LENGTH)
        wanted = LogName.of(offset.file)
        found = [LogName.of(name) for name in logs]
        index = next((at for at, log in enumerate(found) if log.base == wanted.base), None)
        if index is None:
            later = next((at for at, log in enumerate(found) if (log.number or 0) > (wanted.number or 0)), len(logs))
            following = later if later < len(logs) else self._oldest_after(logs, later, offset.mark)
            self.lose(
                DataLossError(
                    f"the log {wanted.base}, from which the stream is to continue, is not there any more",
                    file=self.path,
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
        self.lose(error, logs[next_index : next_index + 1])
        return Place(state, index, next_index, MAGIC_LENGTH)

    def _state(self, name: str, offset: Offset) -> LogState:
        """Return the state of the offset's log, or of the log that has its name now."""
        if offset.mark is None:
            return LogState.SAME  # nothing of it has been read
        # a compressed log would be inflated up to the position, so only the task that reads it looks there
        compressed = LogName.of(name).base != os.path.basename(name)
        return opening_state(name, offset.mark) if compressed else state_at(name, offset.position, offset.mark)

    def _oldest_after(self, logs: list[str], index: int, mark: LogMark | None) -> int:
        """Return the index, before `index`, of the oldest log that was begun after a lost one: nothing in these has
        been read.

        After a reset the server counts from 1 again, so they may have lower numbers. Without a mark, what is there
        instead of a lost log is taken for that.
        """
        if mark is None:
            return 0 if index == len(logs) else index
        while index > 0:
            try:
                before = mark_at(logs[index - 1], MAGIC_LENGTH)
            except BinlogError:
                break  # reading it says so
            if before is None or before.begun < max(mark.begun, 1):
                break
            index -= 1
        return index

    def lose(self, error: DataLossError, following: list[str]) -> None:
        """Raise the error; with failOnDataLoss=false, warn of it and name the log with which the stream continues."""
        if self._options["failOnDataLoss"]:
            raise error
        follows = f"with the beginning of {following[0]}" if following else "when there is another log"
        self._warn_once(f"{without_hint(error)}; the stream continues {follows}")

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warn(text)

    def _check_gaps(self, logs: list[str], first: int) -> None:
        for before, name in zip(logs[first:], logs[first + 1 :], strict=False):
            if LogName.of(name).number != (LogName.of(before).number or 0) + 1:
                error = DataLossError(
                    f"the logs between this one and {LogName.of(name).base} are missing",
                    file=before,
                    hint="failOnDataLoss=false continues without them",
                )
                self.lose(error, [name])


def is_just_begun(name: str) -> bool:
    """Return True if the log's server has not written its Format_description yet."""
    mark = mark_at(name, MAGIC_LENGTH)
    return mark is None or mark.opening_bytes == MAGIC_LENGTH
