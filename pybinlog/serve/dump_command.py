"""DumpCommand: what a client asks for with COM_BINLOG_DUMP or COM_BINLOG_DUMP_GTID, and in the session before it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pybinlog.errors import CorruptEventError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.previous_gtids import previous_gtids
from pybinlog.replication.client_channel import ClientGone, Fields
from pybinlog.replication.server_log import COM_BINLOG_DUMP_GTID, NON_BLOCKING
from pybinlog.serve.refused import Refused

HEARTBEATS_OF_64_BITS = 2
"""Of MySQL: send heartbeats of version 2."""
ER_MALFORMED_PACKET = 1835
NANOSECONDS = 1_000_000_000
SHORTEST_PERIOD = 0.001
"""Seconds between heartbeats at least, as servers have it."""


@dataclass(frozen=True)
class DumpCommand:
    """`known` are the GTIDs that the client has; None if it asks by position. `name` may be empty: the first log."""

    name: str
    position: int
    flags: int
    server_id: int
    known: GtidSet | None = None

    @classmethod
    def of(cls, command: int, body: bytes) -> DumpCommand:
        """Read the command. Raise Refused if it is malformed."""
        fields = Fields(body)
        try:
            if command != COM_BINLOG_DUMP_GTID:
                position, flags, server_id = fields.number(4), fields.number(2), fields.number(4)
                return cls(text_of(fields.rest()), position, flags, server_id)
            flags, server_id = fields.number(2), fields.number(4)
            name = text_of(fields.octets(fields.number(4)))
            position = fields.number(8)
            return cls(name, position, flags, server_id, previous_gtids(fields.octets(fields.number(4))))
        except (ClientGone, CorruptEventError):
            raise Refused("Malformed communication packet.", ER_MALFORMED_PACKET) from None

    @property
    def is_non_blocking(self) -> bool:
        return bool(self.flags & NON_BLOCKING)


def text_of(name: bytes) -> str:
    return name.partition(b"\0")[0].decode("utf-8", "surrogateescape")


@dataclass
class Session:
    """The variables that a client has set, by their names in lower case, and what it has asked."""

    user: str = ""
    connection_id: int = 0
    variables: dict[str, str | None] = field(default_factory=dict)
    asked_server_id: bool = False

    def variable(self, *names: str) -> str | None:
        """Return the first of these variables that is set: they have an old and a new name."""
        return next((value for name in names if (value := self.variables.get(name)) is not None), None)

    @property
    def checksum(self) -> str | None:
        """The checksum that the client can read: CRC32, NONE; None if it did not say."""
        return self.variable("source_binlog_checksum", "master_binlog_checksum")

    @property
    def heartbeat(self) -> float | None:
        """Seconds after which the client wants to hear something; None for never."""
        period = number(self.variable("source_heartbeat_period", "master_heartbeat_period"))
        return max(period / NANOSECONDS, SHORTEST_PERIOD) if period else None

    @property
    def replica_uuid(self) -> str | None:
        return self.variable("replica_uuid", "slave_uuid")

    @property
    def mariadb_capability(self) -> int:
        """Which of MariaDB's events the client knows: 4 for all of them, 0 if it is not of MariaDB."""
        return number(self.variable("mariadb_slave_capability"))

    @property
    def is_mysql_replica(self) -> bool:
        """Replicas ask for the source's server id, tools do not."""
        return self.asked_server_id and self.replica_uuid is not None

    @property
    def is_mariadb_replica(self) -> bool:
        return self.asked_server_id and self.mariadb_capability > 0 and self.replica_uuid is None

    @property
    def is_replica(self) -> bool:
        return self.is_mysql_replica or self.is_mariadb_replica


def number(text: str | None) -> int:
    """Return the number that a variable holds; 0 for everything else."""
    return int(text) if text is not None and re.fullmatch("[0-9]{1,18}", text) else 0
