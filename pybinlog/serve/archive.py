"""Archive: the logs that are served, in the server's order, with what clients have to be told about them."""

from __future__ import annotations

import os
import threading
import uuid
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pybinlog.column_types import MetadataType
from pybinlog.errors import BinlogError, DataLossError, EmptyFileError, SourceError
from pybinlog.event_types import EventFlag, EventType
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner, whole_until
from pybinlog.layout.envelope import Format, parse_body
from pybinlog.log.executed import Executed
from pybinlog.log.gap import gap_of_numbers
from pybinlog.log.log_head import HEAD_BYTES, LogHead
from pybinlog.log.payload import Payload
from pybinlog.log.reader import Reader
from pybinlog.questions.search import Search
from pybinlog.source import open_source
from pybinlog.source.keyed_log import keyed_as
from pybinlog.source.log_series import COMPRESSION_SUFFIXES, LogName

Answer = TypeVar("Answer")
FIRST_ID = 1 << 30
"""The server ids that an archive may have begin here, where few people number their servers; MySQL prints those from
2**31 on as negative."""
CHECKSUM_CRC32 = 1
HINT = "Give the logs of one server, all of them, in their order"
NO_LIMIT = (1 << 64) - 1


@dataclass(eq=False)
class ServedLog:
    """A log: `name` is the server's for it, `path` what opens it. Positions are those of the uncompressed log.

    `opening` is its Format_description. Nothing from `end` on is sent; `omitted` are the positions (start, end) of what
    is not sent before. `rotates_to` is the log that its last event names; "" if that is not known, None if it names
    none. The last log of an archive tells all that.
    """

    name: str
    path: str
    head: LogHead
    opening: bytes
    format: Format
    end: int = NO_LIMIT
    rotates_to: str | None = ""
    omitted: list[tuple[int, int]] = field(default_factory=list)
    damage: BinlogError | None = None
    """The error with which the stream stops at `end`."""
    following: ServedLog | None = None
    """The next one of the archive."""

    @classmethod
    def read(cls, path: str) -> ServedLog:
        """Read the events that the log opens with. Raise BinlogError if they are unreadable, or are a relay log's."""
        head = LogHead(path)
        opening = b""
        with open_source(path) as source:
            reader = Reader(source)
            reader.read_size = HEAD_BYTES
            for batch in reader:
                if not opening:
                    header = batch.header(0)
                    if header.type != EventType.FORMAT_DESCRIPTION:
                        raise BinlogError("the log does not begin with a Format_description event", file=path)
                    if header.flags & EventFlag.RELAY_LOG:
                        raise BinlogError(
                            "this is a relay log: its events have the positions of another log",
                            file=path,
                            hint="Serve the source's own logs",
                        )
                    opening = batch.data(0)
                if head.read(batch):
                    break
                del batch
        if not opening:
            raise EmptyFileError("the log holds no events", file=path, hint="Leave it out")
        return cls(LogName.of(path).base, path, head, opening, Format.from_event(opening))

    @cached_property
    def size(self) -> int:
        """Its bytes, uncompressed; to learn it, a compressed log is read once."""
        return self.with_path(size_of)

    def with_path(self, read: Callable[[str], Answer]) -> Answer:
        """Return what `read` gives for the path; if the log was compressed meanwhile, for its new one."""
        try:
            return read(self.path)
        except BinlogError:
            if not self.was_compressed():
                raise
            return read(self.path)

    def was_compressed(self) -> bool:
        """Return True if a log of this machine was compressed; `path` then names the new file."""
        if not os.path.exists(self.path):
            for suffix in COMPRESSION_SUFFIXES:
                if os.path.exists(self.path + suffix):
                    self.path = keyed_as(self.path, self.path + suffix)
                    return True
        return False

    @property
    def last_position(self) -> int:
        """The position up to which it is sent."""
        return self.size if self.end == NO_LIMIT else self.end


class Archive:
    """The logs of these names. Raise BinlogError if they are not the logs of one server, or if one is missing.

    What the last log ends with is read at once: it ends after its last whole transaction.
    """

    def __init__(self, names: Sequence[str], warn: Callable[[str], object]):
        self._warn = warn
        self._guard = threading.Lock()
        self._logs: dict[str, ServedLog] = {}
        """By name, in order."""
        for name in names:
            self.add(ServedLog.read(name))
        last = self.last
        end_of(last)
        if last.end != last.size and last.damage is None:
            warn(
                f"{last.path}: its last transaction is not whole, or its end is cut off: nothing from position "
                f"{last.end} on is sent"
            )

    def add(self, log: ServedLog) -> None:
        """Add the next log. Raise BinlogError if it is not the next one."""
        before = self.last if self._logs else None
        if (twin := self.named(log.name)) is not None:
            raise BinlogError(
                f"{twin.path} has the same name: after a failover, a RESET or a restored backup, a server begins its "
                "names again",
                file=log.path,
                hint="Name the logs of one history, in their order",
            )
        if before is not None:
            gap = gap_of_numbers(LogName.of(before.path), before.rotates_to or None, LogName.of(log.path))
            if gap is not None:
                raise BinlogError(gap.message(before.path), file=log.path, hint=HINT)
            if LogName.of(log.path).series != LogName.of(before.path).series:
                raise BinlogError(f"{log.name} is not of the series of {before.name}", file=log.path, hint=HINT)
            if log.format.mariadb != before.format.mariadb:
                raise BinlogError(f"{log.name} and {before.name} are of MySQL and of MariaDB", file=log.path)
        with self._guard:
            self._logs[log.name] = log
            if before is not None:
                before.following = log

    def forget_missing(self, paths: Mapping[str, str]) -> None:
        """Forget the first logs that are gone, and learn where the others are now; the last one remains."""
        with self._guard:
            for name in list(self._logs)[:-1]:
                if name in paths:
                    break
                del self._logs[name]
            for log in self._logs.values():
                log.path = paths.get(log.name, log.path)

    # ---- the logs

    @property
    def logs(self) -> list[ServedLog]:
        """All of them now, in order."""
        with self._guard:
            return list(self._logs.values())

    @property
    def first(self) -> ServedLog:
        with self._guard:
            return next(iter(self._logs.values()))

    @property
    def last(self) -> ServedLog:
        with self._guard:
            return next(reversed(self._logs.values()))

    def named(self, name: str) -> ServedLog | None:
        """Return the log of a name that a client gives."""
        return self._logs.get(name)

    def after(self, log: ServedLog) -> ServedLog | None:
        """Return the log after one that is sent to its end; None if it is the last.

        Raise DataLossError if it was removed meanwhile.
        """
        if self.named(log.name) is log:
            return log.following
        first = self.first
        if LogName.of(first.path).follows(LogName.of(log.path)):
            return first
        raise DataLossError(
            f"the logs after it were removed before they were sent; the first one is {first.name}", file=log.path
        )

    def end_at(self, log: ServedLog, position: int) -> None:
        """Let the archive end at a position of a log, at which a transaction has ended."""
        with self._guard:
            while (name := next(reversed(self._logs))) != log.name:
                del self._logs[name]
            log.following = None
        log.end, log.rotates_to, log.damage = position, None, None

    # ---- who it is

    @property
    def is_mariadb(self) -> bool:
        return self.first.format.mariadb

    @property
    def version(self) -> str:
        """As the newest log has it."""
        return self.last.format.server_version

    @property
    def checksum(self) -> str:
        return "CRC32" if self.last.format.checksum_algorithm == CHECKSUM_CRC32 else "NONE"

    @cached_property
    def server_uuid(self) -> str:
        """The same for the same place: a replica warns if it changes."""
        place = self.first.path
        if "://" not in place:
            place = os.path.realpath(place)
        return str(uuid.uuid5(uuid.NAMESPACE_URL, LogName.of(place).series))

    @property
    def server_id(self) -> int:
        return FIRST_ID + uuid.UUID(self.server_uuid).int % FIRST_ID

    @property
    def gtid_mode(self) -> str:
        """MySQL's, as far as the beginnings of the logs tell."""
        logs = self.logs
        anonymous = [log.head.is_anonymous for log in logs]
        last = logs[-1].head
        if last.previous is None or not (last.previous or last.first or not any(anonymous)):
            return "OFF"  # a last log without transactions tells nothing
        return "ON_PERMISSIVE" if any(anonymous) else "ON"

    @cached_property
    def row_metadata(self) -> str:
        """FULL if the first Table_map names its columns, as binlog_row_metadata=FULL lets a server write them."""
        for log in reversed(self.logs):
            if (names := log.with_path(names_in)) is not None:
                return "FULL" if names else "MINIMAL"
        return "FULL"

    # ---- GTIDs

    @property
    def purged(self) -> GtidSet:
        """MySQL's GTIDs before the first log."""
        return self.first.head.previous or GtidSet()

    def executed(self) -> Executed:
        """Return the GTIDs up to the end of the last log."""
        last = self.last
        return self.executed_at(last, last.end)

    def executed_at(self, log: ServedLog, position: int) -> Executed:
        """Return the GTIDs up to a position. Raise BinlogError if it is after the end of the log."""
        return log.with_path(lambda path: Search([path], self._warn).executed_at(path, position))


def end_of(log: ServedLog, stop: int = NO_LIMIT, *, begin: int = MAGIC_LENGTH) -> None:
    """Read a log up to `stop`, and let it end after its last whole transaction before that, or before damage.

    All up to `begin` was read before.
    """
    scanner = Scanner(verify_checksum=True, joins_parts=False)
    end = max(begin, MAGIC_LENGTH + len(log.opening))
    rotates_to = log.rotates_to if begin == log.end else None
    with open_source(log.path) as source:
        source.live = True  # the last event may be cut off
        reader = Reader(source, scanner, begin)
        try:
            for batch in reader:
                if stop < NO_LIMIT:
                    batch.truncate(events_until(batch, stop))
                end = max(end, whole_until(batch))
                is_over = batch.count == 0 or reader.position > stop
                del batch
                if is_over:
                    break
            else:
                if begin < end == reader.position:
                    rotates_to = reader.rotates_to
        except SourceError:
            raise
        except BinlogError as error:
            log.damage = error
    log.end, log.rotates_to = end, rotates_to


def events_until(batch: EventBatch, position: int) -> int:
    """Return how many events of a batch end at a position or before it."""
    return bisect_right(range(batch.count), position, key=lambda index: batch.header(index).end)


def size_of(path: str) -> int:
    with open_source(path) as source:
        return source.skip_to(1 << 62) if source.size is None else source.size


def names_in(path: str) -> bool | None:
    """Return whether the first Table_map of a log names its columns; None if it has none."""
    with open_source(path) as source:
        for batch in Reader(source):
            for index in range(batch.count):
                if (names := names_columns(batch, index)) is not None:
                    return names
            del batch
    return None


def names_columns(batch: EventBatch, index: int) -> bool | None:
    """Return whether a Table_map, or the first one inside a payload, names its columns; None for another event."""
    kind = batch.type(index)
    if kind == EventType.TRANSACTION_PAYLOAD:
        for inner in Payload(batch.body(index)).batches(Scanner(), batch):
            for at in range(inner.count):
                if (names := names_columns(inner, at)) is not None:
                    return names
        return None
    if kind != EventType.TABLE_MAP:
        return None
    table_map = parse_body(kind, batch.body(index), Format.default())
    return any(field.type == MetadataType.COLUMN_NAME for field in table_map.optional_metadata or ())
