"""Follower: the logs of a server while it writes them, one after the other."""

import os
from collections.abc import Callable, Iterator, Sequence

from pybinlog.errors import DataLossError, SourceError, StartPositionError
from pybinlog.kernel.base.event import MAGIC_LENGTH, RELAY_LOG
from pybinlog.log.reader import Reader
from pybinlog.source import Source
from pybinlog.source.followed import FLAGS_AT, FollowedSource
from pybinlog.source.index import read_index
from pybinlog.source.keyed_log import keyed_as, opened_with
from pybinlog.source.log_series import COMPRESSION_SUFFIXES, LogName

LOOKS = 8
"""Of so many looks at a log that does not grow, one is at all logs that there are."""


class Follower:
    """Says which log comes next, and when; `pause(seconds)` is called to wait for it, or for more of this one.

    A log ends where its server has begun the next one, which it does after the last byte: that is the log that the
    Rotate event at its end names, in the same folder, or that has the next number, or, if an `index` is followed,
    the one after it there. With `stop_position`, it ends there, or with the log of which that is a position.
    """

    def __init__(
        self,
        pause: Callable[[float], object],
        warn: Callable[[str], object] = lambda warning: None,
        *,
        index: str | None = None,
        stop_position: int | None = None,
    ):
        self._pause = pause
        self._warn = warn
        self._index = index
        self._stop_position = stop_position
        self._source: FollowedSource | None = None
        self._log: Source | None = None
        """The same log as its reader has it: decrypted, if it is encrypted."""
        self._reader: Reader | None = None
        self._next: str | None = None
        self._looks = 0

    def look_at(self, name: str) -> None:
        """Raise SourceError if the log cannot be followed."""
        self.open(name).close()

    def logs(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the logs of these names, and those that come after the last of them, each when it is there."""
        yield from names
        while self._next is not None:
            yield keyed_as(names[-1], self._next)

    def open(self, name: str) -> Source:
        """Open the log of that name, from its first byte."""
        self._log = None
        self._reader = None
        self._looks = 0
        self._next = None
        self._source = FollowedSource(name, self._has_ended, self._pause)
        self._source.live = self._sequel() is None
        self._log = opened_with(name, self._source)
        return self._log

    def reads(self, reader: Reader) -> None:
        """Note the reader of the log that was opened last.

        Raise StartPositionError if that is to begin after its end.
        """
        assert self._source is not None
        start, stored = reader.start_position, self._stored
        if start > max(stored, MAGIC_LENGTH):
            raise StartPositionError(
                f"the start position {start} is after the log's end at {stored}",
                file=self._source.name,
                hint="Begin at a position that is in the log",
            )
        self._reader = reader

    def finish(self) -> None:
        """End a log that is read to its end: warn if its server did not close it."""
        source, reader = self._source, self._reader
        assert source is not None
        assert reader is not None
        if self._next is not None and source.live and not reader.cut_tail and not self._is_closed:
            self._warn(
                "The log ends without a Rotate or Stop event: its server crashed, or not all of it is here. Reading "
                f"continues with {self._next}. [{source.name}, at {reader.position}]"
            )

    @property
    def _is_closed(self) -> bool:
        """Return True if the last event that was read is one with which the log's server closes it."""
        if self._reader is None or self._source is None:
            return False
        return self._reader.closes(self._is_relay_log)

    @property
    def _is_relay_log(self) -> bool:
        """True if a replica has written the log's head."""
        source = self._log if self._log is not None and self._log.reads_at else self._source
        flags = bytearray(1)
        return source is not None and bool(source.read_at(FLAGS_AT, memoryview(flags)) and flags[0] & RELAY_LOG)

    @property
    def _stored(self) -> int:
        """Bytes of the log that are there now; its positions count them."""
        assert self._source is not None
        return max(self._source.stored - (self._log.stored_at if self._log is not None else 0), 0)

    # ---- whenever all that is there has been read

    def _has_ended(self) -> bool:
        """Return True if the log is whole. Raise DataLossError if what comes next cannot be read any more."""
        source, reader = self._source, self._reader
        if source is None or self._log is None or reader is None:
            return False
        if self._stop_position is not None and self._log.position == reader.position >= self._stop_position:
            return True
        self._check_length(source, reader.position)
        is_there = source.path_names_it()  # before the look for the next log, which comes before a purge
        self._looks += 1
        sequel = self._sequel() or self._sequel_of_all(is_there)
        if is_there is False and not (sequel is not None and self._is_closed):
            from pybinlog.log.log_mark import LogState, lost

            raise lost(LogState.OTHER, source.name, reader.position)
        if is_there is None and sequel is None:
            raise DataLossError(
                "the log is gone, and none comes after it: its server's logs were reset (RESET BINARY LOGS AND "
                "GTIDS), or the file was deleted or moved",
                file=source.name,
                position=reader.position,
                hint="Run this again with a log that is there",
            )
        if sequel is not None and self._stop_position is None:
            self._next = sequel
        return sequel is not None

    def _check_length(self, source: FollowedSource, whole: int) -> None:
        """Raise DataLossError if the log was cut before an event that is printed, or anything was written after a cut.

        A server that comes up again after a crash cuts off the event that it had not written to its end.
        """
        stored = source.stored
        if self._stored < whole or source.cut_to not in (None, stored):
            from pybinlog.log.log_mark import LogState, lost

            raise lost(LogState.CUT, source.name, whole)
        if stored < source.position:
            source.cut_to = stored

    def _sequel(self) -> str | None:
        """Return the next log, if it is there, by its name: that of the Rotate event, or the next number."""
        expected = self._expected()
        return expected if expected is not None and os.path.exists(expected) else None

    def _expected(self) -> str | None:
        assert self._source is not None
        folder = os.path.dirname(self._source.name)
        own = LogName.of(self._source.name)
        if self._reader is not None and self._reader.rotates_to is not None and self._is_closed:
            named = os.path.join(folder, self._reader.rotates_to.replace("\\", "/").rpartition("/")[2])
            # A renamed log's Rotate may name the log itself, or one before it.
            if LogName.of(named).series != own.series or self.comes_after(named, own):
                return named
        return None if own.number is None else os.path.join(folder, own.numbered(own.number + 1))

    def _sequel_of_all(self, is_there: bool | None) -> str | None:
        """Return the next log among all that exist: a server may have another folder or name for it.

        Looks now and then, and where the log is gone. Raise DataLossError if there are only later ones.
        """
        if self._looks % LOOKS and is_there:
            return None
        source, reader = self._source, self._reader
        assert source is not None
        assert reader is not None
        own = LogName.of(source.name)
        names = self._all(own)
        bases = [LogName.of(name).base for name in names]
        if self._index is not None and own.base in bases[:-1]:
            found = names[bases.index(own.base) + 1]
            return found if os.path.exists(found) else None
        later = [name for name in names if self.comes_after(name, own)]
        if not later or own.number is None:
            return None
        oldest = min(later, key=lambda name: LogName.of(name).number or 0)
        if LogName.of(oldest).number == own.number + 1:
            return oldest if os.path.exists(oldest) else None
        if (sequel := self._sequel()) is not None:  # it was begun meanwhile
            return sequel
        raise DataLossError(
            f"{own.numbered(own.number + 1)}, which comes next, was purged before it could be read",
            file=source.name,
            position=reader.position,
            hint=f"The oldest log that is there after it is {oldest}",
        )

    def _all(self, own: LogName) -> list[str]:
        """Return the logs that the index lists, or those of the series; none if they cannot be listed just now."""
        try:
            if self._index is not None:
                return read_index(self._index)
            folder, series = os.path.split(own.series)
            return [os.path.join(folder, base) for base in os.listdir(folder or ".") if base.startswith(series)]
        except (SourceError, OSError):
            return []

    @staticmethod
    def comes_after(name: str, own: LogName) -> bool:
        """Return True if a log is a later one of the same series."""
        other = LogName.of(name)
        if other.number is None or own.number is None or name.endswith(COMPRESSION_SUFFIXES):
            return False
        return os.path.basename(other.series) == os.path.basename(own.series) and other.number > own.number
