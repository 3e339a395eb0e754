"""Find the beginning of the transaction around the start of a dump."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pybinlog.kernel.scan.log_contents import OpenTransaction
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.replication.server_log import ServerLog
from pybinlog.source import Source, open_source


class Beginning(NamedTuple):
    """The beginning of a transaction: its offset in bytes in a log, which the name with this number stands for."""

    number: int
    log: str
    position: int


def transaction_around(names: Sequence[str], position: int, since: int | None = None) -> Beginning | None:
    """Return the beginning of the transaction around a start.

    The start is the first event at `position` of the first log, or after it, that is not older than `since` (seconds
    since 1970 UTC). None if it stands outside of a transaction, or if the logs never come to it. Raise BinlogError if
    a log cannot be read up to there. A server sends its log from the beginning for this.
    """
    scanner = Scanner()
    begun: Beginning | None = None
    is_first_log = True
    for number, source in sources(names):
        looked = OpenTransaction(position if is_first_log else 0, -1 if since is None else since)
        is_first_log = False
        first = True
        for batch in Reader(source, scanner):
            if first and not batch.is_relay_log:
                begun = None  # only relay logs continue a transaction
            first = False
            found = looked.read(batch)
            if looked.begins >= 0:
                begun = Beginning(number, source.name, looked.begins)
            elif looked.ended:
                begun = None
            if found:
                return begun
            del batch  # its bytes go before the next are read
    return None


def sources(names: Sequence[str]) -> Iterator[tuple[int, Source]]:
    """Yield each log with its number in `names`; a log of a server may be followed by others."""
    for number, name in enumerate(names):
        with open_source(name.whole() if isinstance(name, ServerLog) else name) as opened:
            source: Source | None = opened
            while source is not None:
                yield number, source
                source = source.following()


def starting_with(name: str, beginning: Beginning) -> str:
    """Return the log in which a transaction begins. A server sends it from the beginning of the transaction on."""
    if not isinstance(name, ServerLog):
        return name
    return name.requested_from(beginning.position, beginning.log.rpartition("/")[2])
