"""The two caches of WL#2687: what a connection has logged, and the log does not have yet.

    con1 ──▶ stmt-cache   changes to N-tables; flushed when the statement ends
         └─▶ trx-cache    changes to T-tables; flushed when the transaction ends

A cache that is not empty begins with BEGIN (the trx-cache of an XA transaction: with XA START).
"""

from pybinlog.simulate.log.event import LoggedEvent


class StmtCache:
    """The changes of the statement that runs which cannot be taken back (WL#2687's stmt-cache)."""

    def __init__(self) -> None:
        self.events: list[LoggedEvent] = []

    @property
    def empty(self) -> bool:
        return not self.events

    def add(self, event: LoggedEvent) -> None:
        self.events.append(event)

    def pop(self) -> list[LoggedEvent]:
        """Return all events, which the cache then no longer holds."""
        events, self.events = self.events, []
        return events


class TrxCache(StmtCache):
    """The changes of the transaction (WL#2687's trx-cache)."""

    def __init__(self) -> None:
        super().__init__()
        self.cannot_roll_back = False
        """A change to an N-table is in here: on ROLLBACK the cache is logged nevertheless."""
        self.before_statement: int | None = None
        """How many events there were before the statement that runs, once that has added some."""

    def mark_statement(self) -> None:
        """Mark the beginning of a statement that is about to add events."""
        if self.before_statement is None:
            self.before_statement = len(self.events)

    def keep_statement(self) -> None:
        """End the statement and keep its events."""
        self.before_statement = None

    def drop_statement(self) -> None:
        """Drop the events of a statement that failed."""
        if self.before_statement is not None:
            del self.events[self.before_statement :]
            self.before_statement = None

    def pop(self) -> list[LoggedEvent]:
        self.cannot_roll_back = False
        self.before_statement = None
        return super().pop()
