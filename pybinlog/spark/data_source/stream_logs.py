"""StreamLogs: the logs of one series in a folder that a server writes, and the offsets of a stream in them.

An Offset is a place between two transactions, in the form that Spark keeps in a checkpoint. A LogTail finds how far
whole transactions reach in a log that grows, each byte of which is read once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from pybinlog.boundary import BoundaryType
from pybinlog.errors import BinlogError, DataLossError, EmptyFileError, SourceError, TruncatedError
from pybinlog.feed.feed import cut, to_standard_error
from pybinlog.feed.policy import without_hint
from pybinlog.feed.span import ENDS_GROUP
from pybinlog.jobs.packs import stored_size
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.boundary_state import ScannerState, scanner_state
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.log_mark import ENDING, LogMark, LogState, lost, mark_at, opening_state, state_at, unchanged
from pybinlog.log.reader import Reader
from pybinlog.log.recover import RecoveringReader
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source import open_source
from pybinlog.source.location import is_pattern, locate
from pybinlog.source.log_folder import SeveralSeriesError
from pybinlog.source.log_series import LogName
from pybinlog.source.remote import is_url
from pybinlog.spark.data_source.source_options import SourceOptions

WAY_OUT = "Start the query with a new checkpoint folder, or with failOnDataLoss=false"
"""The way out if rows of a stream are lost."""
IN_GROUP = (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION)


class Offset(NamedTuple):
    """A place between two transactions; the file is "" before there is any log.

    `mark` says which log of that name is meant; None at the beginning of a log that has none.
    """

    file: str
    position: int
    mark: LogMark | None = None

    @classmethod
    def of(cls, offset: dict[str, Any]) -> Offset:
        """Raise BinlogError if a checkpoint contains something else."""
        try:
            file, position = offset["file"], offset["position"]
            if isinstance(file, str) and type(position) is int and position >= 0:
                mark = LogMark.of(offset)
                if mark is not None or position <= MAGIC_LENGTH:
                    return cls(file, position, mark)
        except (KeyError, TypeError, ValueError):
            pass
        raise BinlogError(
            f"the checkpoint holds {offset!r}, which is not an offset of the data source binlog",
            hint="Start the query with a new checkpoint folder",
        )

    def as_dict(self) -> dict[str, Any]:
        mark = self.mark._asdict() if self.mark is not None else {}
        return {"file": self.file, "position": self.position, **mark}

    @property
    def order(self) -> tuple[int, int]:
        """By which two offsets of a series compare."""
        return LogName.of(self.file).number or 0, self.position


BEFORE_ALL = Offset("", 0)


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

    def __init__(self, options: SourceOptions):
        if len(options.paths) != 1 or options["index"] is not None:
            raise BinlogError("a stream reads one folder", hint='readStream.format("binlog").load(FOLDER)')
        self._options = options
        self.path = options.paths[0]
        self._is_checked = False
        self._warned: set[str] = set()

    def names(self) -> list[str]:
        """Return the logs in their order. Raise BinlogError if they are of more than one series."""
        try:
            found = locate(
                (self.path,), glob_filter=self._options["pathGlobFilter"], one_series=True, warn=self._warn_once
            )
        except SeveralSeriesError as error:
            error.hint = "Choose one with the option pathGlobFilter, for example 'binlog.*'"
            raise
        except SourceError:
            if is_url(self.path) or is_pattern(self.path) or os.path.isdir(self.path):
                return []  # there may be logs later
            raise SourceError("the folder does not exist", file=self.path) from None
        by_number: dict[int, str] = {}
        for name in reversed(found):  # of a log and its compressed copy the one is enough
            number = LogName.of(name).number
            # an index may be copied before the last of its logs
            if number is not None and (is_url(name) or os.path.exists(name)):
                by_number[number] = name
        logs = self._options.keyed([by_number[number] for number in sorted(by_number)])
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
            to_standard_error(text)

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


class LogTail:
    """Reads the newest log on from its last whole transaction; `recovers` continues after damage."""

    def __init__(self, recovers: bool):
        self._recovers = recovers
        self._open = partial(RecoveringReader, on_damage=lambda damage: None) if recovers else Reader
        self._scanner = Scanner()
        self._inside = False
        self._resume: tuple[str, int, ScannerState] | None = None
        """The log, the end of its last whole transaction, and where reading it continues."""

    def __reduce__(self) -> tuple[type[LogTail], tuple[bool]]:
        return LogTail, (self._recovers,)  # what it has read stays in its process

    def end(self, name: str, position: int, mark: LogMark | None, limit: int | None = None) -> Offset | None:
        """Return the end of the last whole transaction after `position`; None if there is none.

        Stop after a batch of events with which `limit` bytes are reached. `mark` is the log's, if it is known already.
        Raise DataLossError if the log is replaced meanwhile.
        """
        before, self._resume = self._resume, None
        resume = before[2] if before is not None and before[:2] == (name, position) else None
        if resume is None:
            self._scanner.reset()
            self._inside = False
        mark = mark or mark_at(name, position)
        with unchanged(name, ((position, mark),) if mark is not None else ()) as source:
            found = position
            try:
                for batch in self._open(source, self._scanner, position, resume=resume):
                    reached, self._inside = group_end(batch, self._inside)
                    found = max(found, reached or 0)
                    if limit is not None and found > position and found - position >= limit:
                        break
            except (TruncatedError, EmptyFileError):
                pass  # its writer has not come further
            end = Offset(LogName.of(name).base, found, mark_at(source, found)) if found > position else None
        if not self._recovers:
            self._resume = name, found, scanner_state(self._scanner)
        return end

    def between_groups(self, name: str, position: int) -> bool | None:
        """Return whether a position lies between two event groups of a log; None if damage before it hides that."""
        end, inside = MAGIC_LENGTH, False
        try:
            with open_source(name) as source:
                batches = iter(self._open(source, Scanner()))
                while end < position and (batch := next(batches, None)) is not None:
                    cut(batch, position)
                    if not batch.count:
                        return None
                    end = batch.header(batch.count - 1).end
                    _, inside = group_end(batch, inside)
        except (TruncatedError, EmptyFileError):
            pass  # the log does not come to it
        except BinlogError:
            return None
        return end == position and not inside


def group_end(batch: EventBatch, inside: bool) -> tuple[int | None, bool]:
    """Return the end of the batch's last event group, None if none ends; and True if one is open after it."""
    open_behind = False
    for index in reversed(range(batch.count)):
        header = batch.header(index)
        if header.boundary in ENDS_GROUP:
            return header.end, open_behind
        open_behind = open_behind or header.boundary in IN_GROUP
    return None, inside or open_behind


def left_after(end: Offset, logs: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield logs with something left after a place: the log, the position, and the bytes from there on."""
    for name in logs:
        log = LogName.of(name)
        if (log.number or 0) >= end.order[0]:
            position = end.position if log.base == end.file else MAGIC_LENGTH
            size = stored_size(name) - (position if position > MAGIC_LENGTH else 0)
            if size > 0:
                yield name, position, size


def event_time(name: str, position: int) -> int | None:
    """Return the time of the event at a position, in seconds since 1970; None if it is not known without reading on."""
    data = bytearray(4)
    try:
        with open_source(name) as source:
            if source.reads_at and source.read_at(position, memoryview(data)) == len(data):
                return int.from_bytes(data, "little") or None
    except BinlogError:
        pass  # reading it says so
    return None
