"""After a purge: a reader whose log is gone continues with the oldest log if nothing between them is missing."""

from __future__ import annotations

from pybinlog.errors import DataLossError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.live.read_gtids import ReadGtids
    from pybinlog.questions.log_head import LogHead


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
