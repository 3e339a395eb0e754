"""BinaryLog: groups of events become the bytes of log files, which FLUSH BINARY LOGS rotates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pybinlog.event_types import EventFlag, EventType
from pybinlog.kernel.base.event import MAGIC
from pybinlog.layout import Format, StatusVar, new_event
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.log.gtid import Gtid, Gtids, with_length
from pybinlog.simulate.log.markers import marked
from pybinlog.simulate.options import LogEnd, ServerOptions

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
        algorithm = CRC32 if options.checksum else NO_CHECKSUM
        if options.modern:
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

    def write_group(self, events: Sequence[LoggedEvent], gtid: Gtid | None, now: tuple[int, int]) -> None:
        """Write the events of one group, after its GTID event if the server writes one."""
        first = self.gtids.event(events, gtid, now)
        group = [first, *events] if first is not None else list(events)
        if first is not None and self.options.modern:
            group[0] = self._with_length(first, group[1:])
        for event, flags in zip(group, marked(group, self.options.markers), strict=True):
            self.statements[self.name, self.position] = event.statement
            self._write(event, flags)
        self.units.append(Unit(self.position, gtid, committed_by_engine(events[-1]), is_group=True))

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
        """The server starts, at `now` in seconds: another log begins. Return how many groups the last log has lost.

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
        previous = self.gtids.previous_gtids(now)
        if previous is not None:
            self._write_alone(previous)

    def _close(self) -> None:
        """Clear the in-use flag, which the checksum omits."""
        self._file[FLAGS] &= ~EventFlag.BINLOG_IN_USE & 0xFF

    def _write_alone(self, event: LoggedEvent) -> None:
        """Write an event about the log itself, outside of groups."""
        (flags,) = marked([event], self.options.markers)
        self._write(event, flags)
        self.units.append(Unit(self.position))

    def _write(self, event: LoggedEvent, flags: int) -> None:
        self._file += new_event(
            event.event_type,
            event.body,
            self.format,
            timestamp=event.timestamp,
            server_id=self.options.server_id,
            flags=flags,
            position=self.position,
        )

    def _with_length(self, gtid: LoggedEvent, rest: Sequence[LoggedEvent]) -> LoggedEvent:
        """Return the GTID event with the group's length in bytes, its own included, which depends on how that is
        written.
        """
        length = sum(self._length_of(event) for event in rest)
        total = 0
        while True:
            event = replace(gtid, body=with_length(gtid.body, total))
            needed = length + self._length_of(event)
            if needed == total:
                return event
            total = needed

    def _length_of(self, event: LoggedEvent) -> int:
        return len(new_event(event.event_type, event.body, self.format))
