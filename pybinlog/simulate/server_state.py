"""ServerState: what the connections of a server share: tables, clock, GTIDs, prepared XA transactions and the log."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.simulate.log.event import LoggedEvent, Trace
from pybinlog.simulate.log.gtid import Gtid, Gtids
from pybinlog.simulate.log.log_file import BinaryLog
from pybinlog.simulate.options import ServerOptions
from pybinlog.simulate.tables.table import Storage
from pybinlog.simulate.transaction_state import PreparedTransactions

MICROSECONDS = 1_000_000


class ServerState:
    """A server's state. `time` is in microseconds; `warnings` are (line of the scenario, text)."""

    def __init__(self, options: ServerOptions, base_name: str) -> None:
        self.options = options
        self.storage = Storage(version=options.numbers)
        self.time = options.time
        self.log = BinaryLog(options, base_name, Gtids(options), self.now[0])
        self.xa = PreparedTransactions()
        self.groups: list[list[LoggedEvent]] = []
        """The groups of all logs, in their order."""
        self.traces: list[Trace] = []
        """The statements of the run."""
        self.warnings: list[tuple[int, str]] = []
        self.line = 0

    @property
    def now(self) -> tuple[int, int]:
        """The time, in seconds since 1970 and microseconds."""
        return divmod(self.time, MICROSECONDS)

    def restart(self) -> None:
        """Start again: what is in memory only is gone, and a prepared XA transaction that has changed nothing.

        The log that was written is closed, and another one begins.
        """
        self.log.gtids.owned.clear()
        lost = self.log.start(self.now[0])
        del self.groups[len(self.groups) - lost :]
        for xid, prepared in list(self.xa.prepared.items()):
            if not prepared.transaction.changes:
                del self.xa.prepared[xid]
                prepared.transaction.roll_back()
        self.xa.in_use.clear()
        for database in self.storage.databases.values():
            for table in database.tables.values():
                if table.definition.engine == "MEMORY":
                    table.lose_rows()

    def rotate(self) -> None:
        """FLUSH BINARY LOGS."""
        self.log.rotate(self.now[0])

    def write_group(self, events: Sequence[LoggedEvent], gtid: Gtid | None, flush: str) -> None:
        """Write the events of one group into the log; `flush` is the letter of WL#2687's table."""
        for event in events:
            self.traces[event.statement].flushed.add(flush)
        self.groups.append(list(events))
        self.log.write_group(events, gtid, self.now)

    def warn(self, text: str) -> None:
        """Warn about the line that runs."""
        self.warnings.append((self.line, text))
