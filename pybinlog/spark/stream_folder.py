"""LogFolder: the logs of one series in a folder, and how far whole transactions reach in them."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.errors import BinlogError, EmptyFileError, SourceError, TruncatedError
from pybinlog.kernel.scan import Scanner
from pybinlog.log_series import LogName
from pybinlog.reader import Reader
from pybinlog.relay_log import looks_like_relay_log
from pybinlog.source import open_source
from pybinlog.views.options import Mode
from pybinlog.views.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pybinlog.kernel.batch import EventBatch
    from pybinlog.spark.source_options import SourceOptions

__all__ = ["LogFolder", "Offset"]

MAGIC_LENGTH = 4
END_TRANSACTION, SELF_CONTAINED = 5, 2
IN_A_GROUP = (3, 4)  # Start and Inside Transaction


class Offset(NamedTuple):
    """A place between two transactions; the file is "" before there is any log."""

    file: str
    position: int

    @classmethod
    def of(cls, offset: dict[str, Any]) -> Offset:
        return cls(offset["file"], offset["position"])

    def as_dict(self) -> dict[str, Any]:
        return {"file": self.file, "position": self.position}

    @property
    def order(self) -> tuple[int, int]:
        """By which two offsets of a series compare."""
        return LogName.of(self.file).number or 0, self.position


BEFORE_ALL = Offset("", 0)


class LogFolder:
    """The logs that the options' path stands for, as they are now: a server goes on writing the last of them."""

    def __init__(self, options: SourceOptions):
        if len(options.paths) != 1 or options.indexes:
            raise BinlogError("a stream reads one folder", hint='readStream.format("binlog").load(FOLDER)')
        self._options = options
        self._path = options.paths[0]
        self._relay: bool | None = None

    # ---- files

    def logs(self) -> list[str]:
        """The logs in their order. BinlogError where they are of more than one series."""
        from pybinlog.source.location import locate

        try:
            names = locate((self._path,), glob_filter=self._options.glob_filter)
        except SourceError:
            self._check_folder()
            return []
        names = [name for name in names if LogName.of(name).number is not None]
        series = sorted({LogName.of(name).series for name in names})
        if len(series) > 1:
            raise BinlogError(
                f"the folder holds logs of {len(series)} series, such as {names[0]} and {names[-1]}",
                file=self._path,
                hint="Choose one with the option pathGlobFilter, for example 'binlog.*'",
            )
        # of a log and its compressed copy the one is enough
        by_number = {LogName.of(name).number: name for name in reversed(names)}
        return [by_number[number] for number in sorted(number for number in by_number if number is not None)]

    def _check_folder(self) -> None:
        """SourceError where there is no such folder; one without logs may get some."""
        import os

        from pybinlog.source.remote import is_url

        if not is_url(self._path) and not any(sign in self._path for sign in "*?[") and not os.path.isdir(self._path):
            raise SourceError("there is no such folder", file=self._path)

    def _is_relay(self, name: str) -> bool:
        if self._relay is None:
            self._relay = looks_like_relay_log(name)
        return self._relay

    def _place(self, logs: list[str], offset: Offset) -> tuple[int, int]:
        """The index of the offset's log, and the position in it. BinlogError where that log is gone."""
        if not offset.file:
            return 0, MAGIC_LENGTH
        base = LogName.of(offset.file).base
        numbers = [LogName.of(name).number or 0 for name in logs]
        for index, name in enumerate(logs):
            if LogName.of(name).base == base:
                self._check_gaps(logs, numbers, index)
                return index, max(offset.position, MAGIC_LENGTH)
        number = LogName.of(offset.file).number or 0
        if self._options.fail_on_data_loss:
            raise BinlogError(
                f"the log {base}, from which the stream is to go on, is not there any more",
                file=self._path,
                position=offset.position,
                hint="It was purged before it was read; failOnDataLoss=false goes on with the oldest log after it",
            )
        later = [index for index, found in enumerate(numbers) if found > number]
        return (later[0] if later else 0), MAGIC_LENGTH

    def _check_gaps(self, logs: list[str], numbers: list[int], first: int) -> None:
        if not self._options.fail_on_data_loss:
            return
        for index in range(first, len(logs) - 1):
            if numbers[index + 1] != numbers[index] + 1:
                raise BinlogError(
                    f"the logs between this one and {LogName.of(logs[index + 1]).base} are missing",
                    file=logs[index],
                    hint="failOnDataLoss=false goes on without them",
                )

    # ---- offsets

    def first(self) -> Offset:
        """The beginning of the oldest log."""
        logs = self.logs()
        return Offset(LogName.of(logs[0]).base, MAGIC_LENGTH) if logs else BEFORE_ALL

    def last(self) -> Offset:
        """The end of the last whole transaction there is now."""
        logs = self.logs()
        for index in reversed(range(len(logs))):
            end, _ = self._end_in(logs, index, MAGIC_LENGTH, Scanner(), None)
            if end is not None:
                return Offset(LogName.of(logs[index]).base, end)
        return self.first()

    def advanced(
        self, start: Offset, max_files: int | None, max_bytes: int | None, target: Offset | None = None
    ) -> Offset:
        """The end of the last whole transaction behind `start`, within the limits; `start` where there is none.

        At least one transaction is taken, however large it is.
        """
        logs = self.logs()
        if not logs:
            return start
        index, position = self._place(logs, start)
        end = start
        taken = files = 0
        scanner = Scanner()
        inside = False
        while index < len(logs):
            found, inside = self._end_in(
                logs, index, position, scanner, None if max_bytes is None else max_bytes - taken, inside
            )
            if found is not None and found > position:
                end = Offset(LogName.of(logs[index]).base, found)
                taken += found - position
            files += 1
            index, position = index + 1, MAGIC_LENGTH
            enough = (max_files is not None and files >= max_files) or (max_bytes is not None and taken >= max_bytes)
            if enough and end != start:
                break
        if target is not None and end.order > target.order:
            # an offset that was reached before is a place between transactions, too
            return target if target.order >= start.order else start
        return end

    def spans(self, start: Offset, end: Offset) -> list[Span]:
        """What lies between two offsets, as spans that can be read apart."""
        if start == end or not end.file:
            return []
        logs = self.logs()
        first, position = self._place(logs, start)
        last, stop = self._place(logs, end)
        names = logs[first : last + 1]
        if not names:
            return []
        if self._is_relay(names[0]):
            return [Span(tuple(names), position, stop)]
        return [
            Span((name,), position if number == 0 else MAGIC_LENGTH, stop if number == len(names) - 1 else None)
            for number, name in enumerate(names)
        ]

    # ---- transactions

    def _end_in(
        self, logs: list[str], index: int, position: int, scanner: Scanner, limit: int | None, inside: bool = False
    ) -> tuple[int | None, bool]:
        """Where the last whole transaction behind `position` ends in a log, None where there is none; and whether
        another one is open at its end, which in relay logs goes on in the next.
        """
        name = logs[index]
        relay = self._is_relay(name)
        if not (relay and inside):
            scanner.reset()
        end: int | None = None
        try:
            with open_source(name) as source:
                if source.size is not None:
                    self._check_length(name, position, source.size)
                for batch in self._batches(source, scanner, MAGIC_LENGTH if relay else position):
                    found, inside = group_end(batch, inside)
                    if found is not None and found > position:
                        end = found
                        if limit is not None and end - position >= limit:
                            break
                self._check_length(name, position, source.position)
        except (TruncatedError, EmptyFileError):
            # its writer has not come further; a log that has one after it stays so, for the reader to tell
            if index < len(logs) - 1 and self._options.view.mode is Mode.FAILFAST:
                raise
        return end, inside

    def _batches(self, source: Any, scanner: Scanner, position: int) -> Iterator[EventBatch]:
        if self._options.view.mode is Mode.FAILFAST:
            return iter(Reader(source, scanner, position))
        from pybinlog.recover import RecoveringReader

        return iter(RecoveringReader(source, scanner, position, on_damage=lambda damage: None))

    def _check_length(self, name: str, position: int, reached: int) -> None:
        if reached < position and position > MAGIC_LENGTH and self._options.fail_on_data_loss:
            raise BinlogError(
                f"the log ends at {reached}, before the place from which the stream is to go on",
                file=name,
                position=position,
                hint="Another log has its name now (RESET BINARY LOGS?); start with a new checkpoint folder",
            )


def group_end(batch: EventBatch, inside: bool) -> tuple[int | None, bool]:
    """Where the last event group of the batch ends, None where none does; and whether one is open behind it."""
    open_behind = False
    for index in reversed(range(batch.count)):
        position, _, _, _, size, _, _, boundary, _ = batch.header(index)
        if boundary in (END_TRANSACTION, SELF_CONTAINED):
            return position + size, open_behind
        open_behind = open_behind or boundary in IN_A_GROUP
    return None, inside or open_behind
