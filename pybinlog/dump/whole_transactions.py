"""Find the beginning of the transaction around the start of a dump."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.kernel.scan.log_contents import OpenTransaction
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source


def transaction_around(names: Sequence[str], position: int, since: int | None = None) -> tuple[int, int] | None:
    """Return the log, as its number in `names`, and the offset at which the transaction around a start begins.

    The start is the first event at `position` of the first log, or after it, that is not older than `since` (seconds
    since 1970 UTC). None if it stands outside of a transaction, or if the logs never come to it. Raise BinlogError if
    a log cannot be read up to there.
    """
    scanner = Scanner()
    begun: tuple[int, int] | None = None
    for number, name in enumerate(names):
        looked = OpenTransaction(position if number == 0 else 0, -1 if since is None else since)
        first = True
        with open_source(name) as source:
            for batch in Reader(source, scanner):
                if first and not batch.is_relay_log:
                    begun = None  # only relay logs continue a transaction
                first = False
                found = looked.read(batch)
                if looked.begins >= 0:
                    begun = (number, looked.begins)
                elif looked.ended:
                    begun = None
                if found:
                    return begun
                del batch  # its bytes go before the next are read
    return None
