"""ReadGtids: the GTIDs up to the last transaction that was read, as the server has them there.

After a purge, a reader whose log is gone continues with the oldest log if nothing between them is missing.
"""

from collections.abc import Sequence
from typing import Any

from pybinlog.errors import DataLossError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.views.column_runs import gtid_intervals
from pybinlog.log.executed import Executed
from pybinlog.log.log_head import LogHead
from pybinlog.views.column_values import Buffers


class ReadGtids:
    """Those of the beginning of the log, and of the whole transactions after it.

    `executed` is None if they are not known: reading began inside a log, and no other log has begun since.
    `are_places` says that the last transaction has a GTID: without GTIDs, equal sets are not one place.
    """

    def __init__(self) -> None:
        self.executed: Executed | None = None
        self.are_places = False
        self._head: LogHead | None = None
        """The beginning of a log that is being read."""

    @property
    def text(self) -> str | None:
        """The set as its server prints it, of MariaDB the position of each domain; None if it is not a place."""
        return str(self.executed) if self.executed is not None and self.are_places else None

    def restore(self, text: str | None) -> None:
        """Continue from a `text`. Raise ValueError if it is invalid."""
        self.executed = None if text is None else Executed.of_text(text)
        self.are_places = text is not None

    def begin_log(self, name: str) -> None:
        """Begin with a log, at its start or at a place in it."""
        self._head = LogHead(name)

    def read_opening(self, batch: EventBatch) -> None:
        """Read the next batch: a log's opening has the GTIDs before it."""
        if self._head is None:
            return
        is_over = self._head.read(batch)
        if self._head.previous is not None:
            self.executed = self._head.executed()
        if is_over:
            self._head = None

    def add(self, gtids: Buffers, transactions: Sequence[dict[str, Any]]) -> None:
        """Add transactions, by the column of their GTIDs and their rows; those that a crash cut off do not count."""
        if not transactions:
            return
        self.are_places = transactions[-1]["gtid"] is not None
        first = 0
        for at, one in enumerate(transactions):
            if one["ended"] is None:
                self._add(gtids, first, at)
                first = at + 1
        self._add(gtids, first, len(transactions))

    def _add(self, gtids: Buffers, first: int, last: int) -> None:
        if self.executed is None:
            return
        for source, low, high in gtid_intervals(gtids, first, last):
            self.executed.add_run(source.decode("utf-8", "surrogateescape"), low, high)


def continues(read: ReadGtids, head: LogHead, keeper: str, *, file: str, position: int, hint: str) -> bool:
    """Return True if the oldest log begins with the GTIDs that were read; False if GTIDs do not tell.

    The reader, or `keeper`, is at a position in bytes of `file`, which is gone. Raise DataLossError, naming the
    difference, if the log begins elsewhere. No transaction is skipped because its GTID was read: after a reset, the
    same GTIDs name other transactions.
    """
    if read.executed is None or read.text is None or head.previous is None or head.is_anonymous:
        return False
    there = head.executed()
    if lost := read.executed.beyond(there):
        raise DataLossError(
            f"{keeper} ends in this log, which is gone, and the oldest one, {head.name}, begins without transactions "
            f"that were read ({lost}): the logs were reset, or are another server's",
            file=file,
            position=position,
            hint=hint,
        )
    if missing := there.beyond(read.executed):
        raise DataLossError(
            f"{keeper} ends in this log, which was purged, with transactions that were not read ({missing}); the "
            f"oldest log is {head.name}",
            file=file,
            position=position,
            hint=hint,
        )
    return True
