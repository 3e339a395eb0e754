"""LogMark: by what a log is known again at a position that was reached in it.

A server that resets its logs begins again with the names it had, so a name and a position do not tell which log was
meant. A mark holds hashes of the events that the log opens with and of the bytes that end at the position. To
continue in the middle of a log, after a restart or in another process, take one and compare it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, BinaryIO, NamedTuple

from pybinlog.errors import BinlogError, DataLossError
from pybinlog.event_types import OPENING_TYPES
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, MAGIC, MAGIC_LENGTH
from pybinlog.source import Source, open_source

FLAGS_AT = MAGIC_LENGTH + 17
"""The offset of the Format_description's flags.

When a server closes a log, or comes up again after a crash, it clears this byte, in which is the in-use flag. The
event's checksum stays as it is, because it is that of the event without the flag.
"""
MOST_OPENING = 1 << 16
"""Bytes. A Previous_gtids event may be larger: then its first part stands for it."""
ENDING = 1 << 12
"""Bytes before the position that are hashed: the last events, with their times and checksums."""
DIGITS = 32
"""Hexadecimal digits of a SHA-256: 128 bits."""


class LogState(Enum):
    """The comparison of a log with its mark."""

    SAME = "same"
    CUT = "cut"  # it opens in the same way and ends before the position
    OTHER = "other"  # its opening, or what ends at the position, is not what it was
    GONE = "gone"


class LogMark(NamedTuple):
    """`opening_bytes` are hashed to `opening`; `begun` is the time of the Format_description, in seconds since 1970."""

    begun: int
    opening_bytes: int
    opening: str
    ending: str

    @classmethod
    def of(cls, offset: dict[str, Any]) -> LogMark | None:
        """Return the mark in an offset, as `as_dict` put it there; None if it has none.

        Raise ValueError if it is not one.
        """
        given = [offset.get(name) for name in cls._fields]
        if all(value is None for value in given):
            return None
        mark = cls(*given)  # type: ignore[arg-type]
        whole = all(type(number) is int and number >= 0 for number in (mark.begun, mark.opening_bytes))
        text = all(isinstance(digest, str) and len(digest) == DIGITS for digest in (mark.opening, mark.ending))
        if not (whole and text and mark.opening_bytes <= MOST_OPENING):
            raise ValueError("no mark of a log")
        return mark


def mark_at(log: Source | str, position: int) -> LogMark | None:
    """Return the mark of a log at a position; None if the log ends before it. Raise SourceError if it cannot be read.

    A source stays where it is: a file is read at other places, anything else is opened once more.
    """
    with Pieces(log) as pieces:
        for most in (ENDING, MOST_OPENING):
            head = pieces.head(most)
            length = opening_length(head, position, most)
            if length < most:
                break
        ending = pieces.before(position)
    if ending is None:
        return None
    return LogMark(begun(head), length, digest(head[:length]), digest(ending))


def state_at(log: Source | str, position: int, mark: LogMark) -> LogState:
    """Return whether a log is still the one of which `mark` was taken at that position. As `mark_at` otherwise."""
    with Pieces(log) as pieces:
        if not pieces.opens(mark):
            return LogState.OTHER
        ending = pieces.before(position)
    if ending is None:
        return LogState.CUT
    return LogState.SAME if digest(ending) == mark.ending else LogState.OTHER


def opening_state(log: Source | str, mark: LogMark) -> LogState:
    """Return whether a log opens as the one of which `mark` was taken."""
    with Pieces(log) as pieces:
        return LogState.SAME if pieces.opens(mark) else LogState.OTHER


@contextmanager
def unchanged(name: str, marks: Iterable[tuple[int, LogMark]], stdin: BinaryIO | None = None) -> Iterator[Source]:
    """Open the log. Raise DataLossError if one of its marks does not fit, before and after it is read.

    An error in reading it is reported only if it is still the same log.
    """

    def check(source: Source) -> None:
        for position, mark in marks:
            state = state_at(source, position, mark)
            if state is not LogState.SAME:
                raise lost(state, name, position)

    with open_source(name, stdin) as source:
        check(source)
        try:
            yield source
        except BinlogError:
            check(source)
            raise
        check(source)


def lost(state: LogState, name: str, position: int) -> DataLossError:
    """Return the error for a log that is cut, or another one."""
    return DataLossError(LOST[state], file=name, position=position, hint="Run this again")


LOST = {
    LogState.CUT: "the log ends before this place now: its end was lost, as in a crash of a server with sync_binlog=0",
    LogState.OTHER: "the log of this name is another one now: its server's logs were reset (RESET BINARY LOGS AND "
    "GTIDS), or the file was replaced",
}


def begun(head: bytes) -> int:
    """Return the time in the Format_description of a log that begins with these bytes; 0 if it is not there."""
    if not head.startswith(MAGIC) or len(head) < MAGIC_LENGTH + COMMON_HEADER_LENGTH:
        return 0
    return int.from_bytes(head[MAGIC_LENGTH : MAGIC_LENGTH + 4], "little")


def opening_length(head: bytes, position: int, most: int = MOST_OPENING) -> int:
    """Return the bytes of the control events that open a log, and of the event after them if that ends by `position`.

    `most` bytes of it were asked for, and are the result if the opening is longer.

    That event tells two logs apart that were begun in the same second: a Gtid has its commit's time in microseconds. A
    log that lost even this event in a crash has no transaction left.
    """
    if not head.startswith(MAGIC):
        return 0
    at = MAGIC_LENGTH
    while at + COMMON_HEADER_LENGTH <= len(head):
        size = int.from_bytes(head[at + 9 : at + 13], "little")
        control = head[at + 4] in OPENING_TYPES
        if size < COMMON_HEADER_LENGTH or (not control and at + size > position):
            break
        if at + size > len(head):
            return len(head) if len(head) == most else at
        at += size
        if not control:
            break
    return at


def digest(data: bytes) -> str:
    import hashlib  # OpenSSL takes long to load, and most runs mark no log

    return hashlib.sha256(data, usedforsecurity=False).hexdigest()[:DIGITS]


class Pieces:
    """The beginning of a log and the bytes before a position, both without the flags that its server clears."""

    def __init__(self, log: Source | str):
        name = log if isinstance(log, str) else None if log.reads_at else log.name
        self._own = name is not None
        self._source: Source = open_source(name) if name is not None else log  # type: ignore[assignment]
        self._head = b""

    def __enter__(self) -> Pieces:
        return self

    def __exit__(self, *error: object) -> None:
        if self._own:
            self._source.close()

    def head(self, size: int) -> bytes:
        """Return the first bytes, so many if there are. It may be called again for more of them."""
        known = len(self._head)
        self._head = without_flags(self._head + self._read(known, max(size - known, 0)), 0)
        return self._head[:size]

    def opens(self, mark: LogMark) -> bool:
        """Return True if the log opens as the mark has it."""
        head = self.head(mark.opening_bytes)
        return len(head) == mark.opening_bytes and digest(head) == mark.opening

    def before(self, position: int) -> bytes | None:
        """Return the bytes that end at a position, after `head` was called; None if the log ends before it."""
        start = max(0, position - ENDING)
        known = self._head[start:position]
        data = known + self._read(start + len(known), position - start - len(known))
        return without_flags(data, start) if len(data) == position - start else None

    def _read(self, position: int, size: int) -> bytes:
        data = bytearray(size)
        reached = 0
        source = self._source
        with memoryview(data) as view:
            if not source.reads_at and size and source.skip_to(position) < position:
                return b""
            while reached < size:
                rest = view[reached:]
                count = source.read_at(position + reached, rest) if source.reads_at else source.readinto(rest)
                if not count:
                    break
                reached += count
        return bytes(data[:reached])


def without_flags(data: bytes, start: int) -> bytes:
    """Return the bytes from `start` on, with zero if the server clears flags."""
    at = FLAGS_AT - start
    return data[:at] + b"\0" + data[at + 1 :] if 0 <= at < len(data) else data
