"""BinaryLog: groups of events become the bytes of log files, which FLUSH BINARY LOGS rotates.

Boundary markers are as the server writes them (WL#4162, "Low-Level Design Specification"). `by_constructor` is the
worklog's table: the type that an event gets when it is made. `when_written` is what modifications M1 and M2 of
binlog.cc make of it when the event's group goes into the log. Two rows are of later servers than the worklog: XA START
opens a group as BEGIN does, and XA_prepare ends it (WL#6860). A DDL statement is "immediate" even if the server gives
it its transaction's number (atomic DDL). `bits_when_written` has the statement bits of the worklog's first form, for
MySQL 6.0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pybinlog.boundary import BoundaryType, EndBits, StartBits, StatementBits
from pybinlog.event_types import EventFlag, EventType, RowsFlag
from pybinlog.kernel.base.event import MAGIC
from pybinlog.layout import Format, StatusVar, build_body, new_event
from pybinlog.layout.mariadb import MariaGtidFlag
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.log.gtid import Gtid, Gtids, with_length
from pybinlog.simulate.log.mariadb import HEADER_LENGTHS, V1, in_mariadb, opening
from pybinlog.simulate.options import LogEnd, Markers, ServerOptions

GTIDS = (EventType.GTID, EventType.GTID_TAGGED, EventType.ANONYMOUS_GTID, EventType.MARIA_GTID)
ABOUT_THE_LOG = (
    EventType.FORMAT_DESCRIPTION,
    EventType.STOP,
    EventType.ROTATE,
    EventType.PREVIOUS_GTIDS,
    EventType.MARIA_GTID_LIST,
    EventType.MARIA_BINLOG_CHECKPOINT,
)
ROWS = (*V1, *V1.values())
VARIABLES = (EventType.INTVAR, EventType.RAND, EventType.USER_VAR)
CONSTRUCTORS = {
    **dict.fromkeys(ABOUT_THE_LOG, BoundaryType.SELF_CONTAINED),
    EventType.FORMAT_DESCRIPTION: BoundaryType.IGNORE_BOUNDARY,
    **dict.fromkeys(GTIDS, BoundaryType.START_TRANSACTION),
    EventType.XID: BoundaryType.END_TRANSACTION,
    EventType.XA_PREPARE: BoundaryType.END_TRANSACTION,
}
"""The worklog's table; what is not in it is inside a transaction, and a Query is what its text says."""


def by_constructor(event: LoggedEvent) -> BoundaryType:
    """Return the boundary type that the constructor of the event's class sets."""
    if event.event_type == EventType.QUERY:
        return _of_query(event)
    return CONSTRUCTORS.get(event.event_type, BoundaryType.INSIDE_TRANSACTION)


def _of_query(event: LoggedEvent) -> BoundaryType:
    text: bytes = event.body["query"]
    if text == b"BEGIN" or text.startswith(b"XA START "):
        return BoundaryType.START_TRANSACTION
    if text in (b"COMMIT", b"ROLLBACK") or (text.startswith(b"XA ROLLBACK ") and not event.immediate):
        return BoundaryType.END_TRANSACTION
    return BoundaryType.SELF_CONTAINED if event.immediate else BoundaryType.INSIDE_TRANSACTION


def when_written(events: Sequence[LoggedEvent]) -> list[BoundaryType]:
    """Return the boundary types of the events of one group, in order, once M1 and M2 have looked at them."""
    types = [by_constructor(event) for event in events]
    # M2: the variables of a statement that is a group by itself are what begins that group.
    if types[-1] == BoundaryType.SELF_CONTAINED:
        first = next((at for at, event in enumerate(events) if event.event_type in VARIABLES), None)
        if first is not None:
            types[first] = BoundaryType.START_TRANSACTION
            types[-1] = BoundaryType.END_TRANSACTION
    # M1: where a GTID event goes before, that is what begins the group.
    if events[0].event_type in GTIDS:
        for at in range(1, len(types)):
            if types[at] == BoundaryType.START_TRANSACTION:
                types[at] = BoundaryType.INSIDE_TRANSACTION
            elif types[at] == BoundaryType.SELF_CONTAINED:
                types[at] = BoundaryType.END_TRANSACTION
    return types


def bits_when_written(events: Sequence[LoggedEvent]) -> list[StatementBits]:
    """Return the statement bits of the events of one group, in order.

    The server knows where a statement begins and ends as it writes it. BEGIN is a statement of its own, which the GTID
    event begins where there is one; so is XA PREPARE, which commits nothing.
    """
    found = []
    within = False
    for event, boundary in zip(events, when_written(events), strict=True):
        if event.event_type in ABOUT_THE_LOG:
            found.append(StatementBits(StartBits.NO_START, EndBits.NO_END))
            continue
        start, end = StartBits.NO_START, _end_of(event, boundary)
        if boundary in (BoundaryType.START_TRANSACTION, BoundaryType.SELF_CONTAINED):
            start = StartBits.TRANSACTION_START
        elif not within and (boundary is BoundaryType.INSIDE_TRANSACTION or end is EndBits.STATEMENT_END):
            start = StartBits.STATEMENT_START
        within = (within or start is not StartBits.NO_START) and end is EndBits.NO_END
        found.append(StatementBits(start, end))
    return found


def _end_of(event: LoggedEvent, boundary: BoundaryType) -> EndBits:
    if event.event_type == EventType.MARIA_GTID and not event.body["flags2"] & MariaGtidFlag.STANDALONE:
        return EndBits.STATEMENT_END  # it stands for BEGIN
    if event.event_type == EventType.XA_PREPARE and not event.body["one_phase"]:
        return EndBits.STATEMENT_END
    if boundary in (BoundaryType.END_TRANSACTION, BoundaryType.SELF_CONTAINED):
        is_query = event.event_type == EventType.QUERY
        rolls_back = is_query and event.body["query"].startswith((b"ROLLBACK", b"XA ROLLBACK "))
        return EndBits.ROLLBACK if rolls_back else EndBits.TRANSACTION_COMMIT
    if event.event_type == EventType.QUERY:
        return EndBits.STATEMENT_END
    ends_rows = event.event_type in ROWS and event.body["flags"] & RowsFlag.STMT_END
    return EndBits.STATEMENT_END if ends_rows else EndBits.NO_END


def marked(events: Sequence[LoggedEvent], markers: Markers) -> list[int]:
    """Return the header flags of the events of one group, with their markers."""
    if markers is Markers.NONE:
        return [event.flags for event in events]
    if markers is Markers.TYPES:
        return [kind.to_flags(event.flags) for event, kind in zip(events, when_written(events), strict=True)]
    return [bits.to_flags(event.flags) for event, bits in zip(events, bits_when_written(events), strict=True)]


FIRST_POSITION = len(MAGIC)
FLAGS = FIRST_POSITION + 17
"""The offset of the flags of a file's Format_description."""
HEADER_LENGTHS_5_6 = bytes.fromhex("380d0008001200040404041200005c00041a08000000080808020000000a0a0a191900")
CRC32, NO_CHECKSUM = 1, 0


class Unit(NamedTuple):
    """A group of a log, or an event outside of groups: where it ends, and its GTID.

    `committed`: a storage engine has committed it, and so keeps its GTID even if the log does not.
    """

    end: int
    gtid: Gtid | None = None
    committed: bool = False
    is_group: bool = False


def committed_by_engine(last: LoggedEvent) -> bool:
    """Return True if a storage engine commits the group that ends with that event."""
    if last.event_type != EventType.QUERY:
        return last.event_type in (EventType.XID, EventType.XA_PREPARE)
    atomic = any(variable["code"] == StatusVar.DDL_LOGGED_WITH_XID for variable in last.body["status_vars"])
    return last.immediate and (atomic or last.body["query"].startswith(b"XA "))


class BinaryLog:
    """The binary logs of a server, in memory: `files` has their names and bytes in order.

    `statements` has the number of the statement of each event that is part of a group, by log and position.
    """

    def __init__(self, options: ServerOptions, base_name: str, gtids: Gtids, now: int):
        self.options = options
        self.base_name = base_name
        self.gtids = gtids
        self.files: dict[str, bytearray] = {}
        self.statements: dict[tuple[str, int], int] = {}
        self.units: list[Unit] = []
        """The groups of the last log, and the events outside of groups."""
        self.sync_binlog = options.sync_binlog
        """After how many groups the log is synchronized; 0: only when it begins and ends."""
        self._last_number = 0
        """The number of the last GTID, in MariaDB."""
        algorithm = CRC32 if options.checksum else NO_CHECKSUM
        if options.mariadb:
            self.format = Format.of(f"{options.model}-MariaDB-log", algorithm, HEADER_LENGTHS)
        elif options.modern:
            self.format = Format.of(options.model, algorithm)
        else:
            self.format = Format.of(f"{options.model}-log", algorithm, HEADER_LENGTHS_5_6)
        self._open(now, server_starts=True)

    @property
    def name(self) -> str:
        """The name of the log that is written."""
        return self._numbered(len(self.files))

    @property
    def position(self) -> int:
        """Return the position of its next event."""
        return len(self._file)

    def _numbered(self, number: int) -> str:
        return f"{self.base_name}.{number:06}"

    def write_group(
        self,
        events: Sequence[LoggedEvent],
        gtid: Gtid | None,
        now: tuple[int, int],
        *,
        transactional: bool,
        committed: bool,
    ) -> None:
        """Write the events of one group, after its GTID event if the server writes one.

        `transactional`: a replica can roll all of it back, `committed`: COMMIT wrote it. MariaDB's GTIDs say both.
        """
        in_engine = committed_by_engine(events[-1])
        if self.options.mariadb:
            self._last_number += 1
            first = None
            events = in_mariadb(events, self._last_number, transactional=transactional, committed=committed)
        else:
            first = self.gtids.event(events, gtid, now)
        bodies = [self._body_of(event) for event in events]
        if first is not None:
            if self.options.modern:
                first = self._with_length(first, bodies)
            events, bodies = [first, *events], [self._body_of(first), *bodies]
        for event, body, flags in zip(events, bodies, marked(events, self.options.markers), strict=True):
            self.statements[self.name, self.position] = event.statement
            # MariaDB does not know the positions of what is in a cache.
            is_cached = self.options.mariadb and event is not events[0] and event is not events[-1]
            self._write(event, flags, body, is_cached=is_cached)
        self.units.append(Unit(self.position, gtid, in_engine, is_group=True))
        self._unsynchronized_groups += 1
        if self.sync_binlog and self._unsynchronized_groups >= self.sync_binlog:
            self._synchronize()

    @property
    def unsynchronized(self) -> int:
        """Return how many bytes the log has after the last that is surely on disk."""
        return self.position - self._synchronized

    def _synchronize(self) -> None:
        self._synchronized, self._unsynchronized_groups = self.position, 0

    def rotate(self, now: int) -> None:
        """FLUSH BINARY LOGS at `now`, in seconds: the log ends and names the next one, which begins."""
        self._rotate_event(now)
        self._close()
        self._open(now, server_starts=False)

    def end(self, how: LogEnd, now: int) -> None:
        """End the scenario, at `now` in seconds."""
        if how is LogEnd.STOP:
            self._write_alone(LoggedEvent(EventType.STOP, {}, now))
        elif how is LogEnd.ROTATE:
            self._rotate_event(now)
        if how is not LogEnd.OPEN:
            self._close()

    def lose(self, size: int) -> None:
        """Cut the last bytes off the log, which had not reached the disk. Raise ScenarioError if it has fewer."""
        if size > len(self._file) - FIRST_POSITION:
            raise ScenarioError(f"lost={size}: the log has {len(self._file)} bytes")
        del self._file[len(self._file) - size :]

    def start(self, now: int) -> int:
        """Start the server at `now`, in seconds, with another log. Return how many groups the last log has lost.

        Recovery trims a log that was cut to its last whole group, and closes it; what has lost its Format_description
        stays as it is. If the Previous_gtids is lost, the next one is empty: the server reads the GTIDs of the last log
        only.
        """
        whole = [unit for unit in self.units if unit.end <= len(self._file)]
        lost = self.units[len(whole) :]
        self.gtids.recover(
            [unit.gtid for unit in whole if unit.gtid], [unit.gtid for unit in lost if unit.gtid and unit.committed]
        )
        if len(whole) < 2:
            self.gtids.logged = []
        if whole:
            del self._file[whole[-1].end :]
            self._close()
        self._open(now, server_starts=True)
        return sum(unit.is_group for unit in lost)

    def _rotate_event(self, now: int) -> None:
        following = self._numbered(len(self.files) + 1)
        self._write_alone(LoggedEvent(EventType.ROTATE, {"position": FIRST_POSITION, "new_log_ident": following}, now))

    def _open(self, now: int, *, server_starts: bool) -> None:
        self._file = self.files[self._numbered(len(self.files) + 1)] = bytearray(MAGIC)
        self.gtids.new_log()
        self.units = []
        description = {
            "binlog_version": 4,
            "server_version": self.format.server_version,
            "create_timestamp": now if server_starts else 0,
            "header_length": self.format.header_length,
            "post_header_lengths": self.format.post_header_lengths,
            "checksum_algorithm": self.format.checksum_algorithm,
        }
        self._write_alone(LoggedEvent(EventType.FORMAT_DESCRIPTION, description, now, EventFlag.BINLOG_IN_USE))
        if self.options.mariadb:
            for event in opening(self.name, self._last_number, self.options.server_id, now):
                self._write_alone(event)
        elif (previous := self.gtids.previous_gtids(now)) is not None:
            self._write_alone(previous)
        self._synchronize()

    def _close(self) -> None:
        """Clear the in-use flag, which the checksum omits."""
        self._file[FLAGS] &= ~EventFlag.BINLOG_IN_USE & 0xFF

    def _write_alone(self, event: LoggedEvent) -> None:
        """Write an event about the log itself, outside of groups."""
        (flags,) = marked([event], self.options.markers)
        self._write(event, flags, event.body)
        self.units.append(Unit(self.position))

    def _write(
        self, event: LoggedEvent, flags: int, body: Mapping[str, Any] | bytes, *, is_cached: bool = False
    ) -> None:
        self._file += new_event(
            event.event_type,
            body,
            self.format,
            timestamp=event.timestamp,
            server_id=self.options.server_id,
            flags=flags,
            position=None if is_cached else self.position,
        )

    def _with_length(self, gtid: LoggedEvent, rest: Sequence[bytes]) -> LoggedEvent:
        """Return the GTID event with the group's length in bytes, its own included, which depends on how that is
        written.
        """
        more = self.format.header_length + self.format.checksum_length
        length = sum(map(len, rest)) + more * (len(rest) + 1)
        total = 0
        while True:
            event = replace(gtid, body=with_length(gtid.body, total))
            needed = length + len(self._body_of(event))
            if needed == total:
                return event
            total = needed

    def _body_of(self, event: LoggedEvent) -> bytes:
        return build_body(event.event_type, event.body, self.format)
