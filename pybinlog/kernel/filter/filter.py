"""Filter: the stage of a pipeline that marks the events of a batch, or takes them out; compiled, as it sees every one.

Later readers of the batches need no conditions: the marks in `Event.bits` (kernel/base/event.pxd) tell which events are
dropped, and whether a part of them is printed. A pipeline without conditions has no filter.
"""

import cython

from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import LEFT_OUT, NOT_REFUSED, Event
from cython.cimports.pybinlog.kernel.filter.database import DatabaseCondition
from cython.cimports.pybinlog.kernel.filter.event_conditions import ENDS, KEPT, EventConditions
from cython.cimports.pybinlog.kernel.filter.transaction_scope import TransactionScope
from typing import NamedTuple

from pybinlog.kernel.filter.gtid_window import PackedWindow


class PackedFilter(NamedTuple):
    """The memory of a Filter as plain values, to travel beside the state of the text and of the scanner.

    Filters that judge whole transactions travel between transactions (`at_rest`).
    """

    events: int
    """That --offset has counted so far; 0 once it is used up."""
    offset_waits: bool
    start_waits: bool
    left_out: bool
    """The current transaction, by its GTID."""
    window: PackedWindow | None
    ignored: tuple
    """Ids of the current statement's tables that --database omits."""
    prepared: tuple
    """XA transactions that were prepared, each with whether something of it was kept."""


@cython.final
@cython.cclass
class Filter:
    """Marks batch after batch.

    `events` come first. Then `transactions` takes out whole transactions; without it each event is judged by itself, as
    the reference does, and `database` is its --database.
    """

    def __init__(
        self, events: EventConditions, database: DatabaseCondition = None, transactions: TransactionScope = None
    ):
        self.events = events
        self.database = database
        self.transactions = transactions

    @property
    def ended(self) -> bool:
        """True if nothing after the last batch is kept."""
        return bool(self.over or (self.transactions is not None and self.transactions.ended))

    @property
    def judges_wholes(self) -> bool:
        """True if it judges whole transactions, from now on by nothing else: only an error ends it."""
        return self.transactions is not None and self.events.is_empty()

    @property
    def raised(self):
        """The error to raise after the last batch; None if there is none."""
        return None if self.transactions is None else self.transactions.raised

    @property
    def row_conditions(self):
        """The conditions on the values of rows, outside payloads and inside."""
        scope: TransactionScope = self.transactions
        scopes = (scope, None if scope is None else scope.inside)
        return [each.rows.condition for each in scopes if each is not None and each.rows is not None]

    @property
    def at_rest(self) -> bool:
        """True if another filter can continue here, from what is packed."""
        return self.transactions is None or self.transactions.at_rest

    @property
    def unfinished_xa(self):
        """Return the kept and unfinished XA transactions.

        These are `TransactionScope.open_xa`, the ids of prepared ones, and those of which only the decision was read.
        """
        scope = self.transactions
        return scope.open_xa, [xid for xid, kept in scope.packed() if kept], scope.undecidable

    @property
    def window(self):
        """The GtidWindow; None if there is none."""
        return self.events.window

    def set_stop_position(self, position: cython.ulonglong) -> None:
        """Leave out what begins there or after it, and end there."""
        self.events.stop_position = position

    def begin_stream(self) -> None:
        """Begin another stream of events, or another payload's."""
        if self.transactions is not None:
            self.transactions.begin_stream()

    def apply(self, batch: EventBatch) -> list:
        """Mark the events of a batch, or leave in it what is kept. Return batches of earlier events that come before
        it: those that waited, and are kept."""
        if self.transactions is not None:
            return self.transactions.apply(batch)
        with cython.nogil:
            self.mark(batch)
        return []

    def mark(self, batch):
        i: cython.Py_ssize_t
        verdict: cython.int
        e: cython.pointer(Event)
        judges: cython.bint = not self.events.is_empty()
        for i in range(batch.count):
            e = batch.events + i
            verdict = self.events.judge(e, cython.address(batch.format)) if judges else KEPT
            if verdict == KEPT:
                if self.database is None:
                    continue
                verdict = self.database.judge(batch, i)
            elif verdict == ENDS:
                # keep the dropped event for the verification of checksums
                e.bits |= LEFT_OUT
                batch.cut(i + 1)
                if e.refused_from != NOT_REFUSED:
                    e.refused_from = NOT_REFUSED
                    batch.refusals -= 1
                self.over = True
                return
            e.bits |= verdict

    # ---- travel

    def packed(self) -> PackedFilter:
        """Return what it remembers."""
        events = self.events
        return PackedFilter(
            events=events.events if events.offset else 0,
            offset_waits=events.offset > 0,
            start_waits=events.start_time > 0,
            left_out=bool(events.left_out),
            window=None if events.window is None else events.window.packed(),
            ignored=() if self.database is None else self.database.packed(),
            prepared=() if self.transactions is None else self.transactions.packed(),
        )

    def unpack(self, packed: PackedFilter) -> None:
        """Continue from what another one remembered."""
        events = self.events
        events.events = packed.events
        if not packed.offset_waits:
            events.offset = 0
        if not packed.start_waits:
            events.start_time = 0
        events.left_out = packed.left_out
        if events.window is not None:
            events.window.unpack(packed.window)
        if self.database is not None:
            self.database.unpack(packed.ignored)
        if self.transactions is not None:
            self.transactions.unpack(packed.prepared)
