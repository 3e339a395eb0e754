"""Selection: what a dump prints of its logs, which is all of them; `filters.FilteredSelection` has conditions.

XaDecisions: the statements that finish the XA transactions of a text that was cut (`--resolve-xa`).
"""

from __future__ import annotations

from pybinlog.feed.remarks import Remarks
from pybinlog.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.filter.filter import Filter


class Selection:
    """Every event of log after log."""

    filter: Filter | None = None
    """Marks the events; None if all are kept."""
    ended = False
    """True once nothing more is kept."""
    error: Exception | None = None
    """The error to raise after the last batch."""
    at_rest = True
    """True if another one can continue after the batch that came out last, from what the filter remembers."""
    takes_out = False
    """True if events are gone from the batches that come out."""
    more_follows = False
    """True if `batches` has more of a batch than it has given out."""
    takes_turns = False
    """True if other threads may read further batches before `apply` is called of one; only an error ends it then."""

    def payload_filter(self) -> Filter | None:
        """Return a filter for the events inside payloads that are kept; None if all of them are."""
        return None

    def begin_log(self, *, last: bool) -> None:
        """Begin the next log; stop positions are in the last one."""

    def begin_stream(self) -> None:
        """Begin another stream of events: what comes does not continue what came."""

    def batches(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        """Yield what is kept of each batch. End early if nothing more is kept."""
        return batches

    def apply(self, batch: EventBatch) -> list[EventBatch]:
        """Leave in a batch what is kept. Return batches of earlier events that are kept, and come before it."""
        return []

    def check_position(self, name: str) -> None:
        """Raise BinlogError if the log does not fit the positions by GTIDs."""

    def remarks(self) -> Remarks:
        """Return what there is to say of what the filter has kept and dropped."""
        return Remarks()

    def xa_decisions(self) -> XaDecisions | None:
        """Return what the text leaves undecided of XA transactions; None if that is not asked."""
        return None

    def starts_missed(self) -> list[str]:
        """Return the GTIDs of the start position that no log came to."""
        return []

    def stops_missed(self) -> list[str]:
        """Return the GTIDs of the stop position that no log passed."""
        return []


SHOWN = 3
"""Ids in a warning."""


class XaDecisions:
    """XA transactions of which the text has only a part; ids are text as XA COMMIT takes them.

    `opened`: the text ends inside of this one; True if its XA END is printed. `prepared`: XA PREPARE is printed, and no
    decision. `dropped`: the decision was dropped, because XA PREPARE is not printed.
    """

    def __init__(
        self, how: str, opened: tuple[bytes, bool] | None, prepared: Sequence[bytes], dropped: Sequence[bytes]
    ):
        self._how = how
        self._opened = opened
        self._prepared = prepared
        self._dropped = dropped

    def rolled_back(self) -> bytes:
        """Return the statements that end the transaction inside of which the text ends; none if it does not.

        Until they are run, the session can neither set GTID_NEXT nor decide about another transaction.
        """
        if self._opened is None:
            return b""
        xid, ended = self._opened
        ending = b"" if ended else b"XA END " + xid + b"\n/*!*/;\n"
        return b"# The text ends before XA PREPARE.\n" + ending + b"XA ROLLBACK " + xid + b"\n/*!*/;\n"

    def decided(self) -> bytes:
        """Return the statements that decide about what is prepared, or the comment that says what is held."""
        if not self._prepared:
            return b""
        if self._how == "hold":
            lines = [b"# Left prepared, for a later XA COMMIT or XA ROLLBACK:", *map(comment, self._prepared)]
        else:
            lines = [b"# Prepared in this text and not decided in it:"]
            lines += [b"XA " + self._how.upper().encode() + b" " + xid + b";" for xid in self._prepared]
        return b"".join(line + b"\n" for line in lines)

    def warnings(self) -> list[str]:
        """Return what the user has to know of decisions that are not in the text."""
        if not self._dropped:
            return []
        shown = [visible(xid.decode("utf-8", "surrogateescape")) for xid in self._dropped[:SHOWN]]
        more = f" and {len(self._dropped) - SHOWN} more" if len(self._dropped) > SHOWN else ""
        return [
            "--resolve-xa drops the XA COMMIT or XA ROLLBACK of transactions whose XA PREPARE is not in the text: "
            f"{'; '.join(shown)}{more}."
        ]


def comment(xid: bytes) -> bytes:
    return b"#   " + visible(xid.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
