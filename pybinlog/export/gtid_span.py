"""GtidSpan: the transactions whose rows a file has, as a GTID set."""

from pybinlog.kernel.views.column_runs import gtid_intervals
from pybinlog.views.column_values import Buffers

MOST = 10_000
"""Intervals of one source that are kept apart. With more, the set is from the first of them to the last."""
MANY = 2 * MOST
"""Intervals from which on those that touch are made one."""


class GtidSpan:
    """`add` the rows of columns of GTIDs; `text` is their set, as `--include-gtids` takes it."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, list[tuple[int, int]]] = {}
        """Source (`uuid`, `uuid:tag`, of MariaDB `domain-server`) -> intervals: first number and last."""

    def add(self, gtids: Buffers, first: int, last: int) -> None:
        """Add the GTIDs in the rows of a column, in the form of the views' column `gtid`."""
        for source, low, high in gtid_intervals(gtids, first, last):
            intervals = self._numbers.setdefault(source, [])
            if intervals and intervals[-1][1] + 1 == low:
                intervals[-1] = intervals[-1][0], high
            elif not intervals or (low, high) != intervals[-1]:
                intervals.append((low, high))
            if len(intervals) >= MANY:
                self._numbers[source] = joined(intervals)

    @property
    def text(self) -> str:
        """The set; "" if there is no transaction with a GTID."""
        of_mysql: dict[str, list[str]] = {}
        of_mariadb: list[str] = []
        for data in sorted(self._numbers):
            source, intervals = data.decode(), joined(self._numbers[data])
            uuid, colon, tag = source.partition(":")
            if source.count("-") == 1:
                of_mariadb += [f"{source}-{text_of(interval, ':')}" for interval in intervals]
            else:
                pieces = of_mysql.setdefault(uuid, [])
                pieces += [tag] * bool(colon) + [text_of(interval, "-") for interval in intervals]
        return ",".join([*(":".join([uuid, *pieces]) for uuid, pieces in of_mysql.items()), *of_mariadb])


def text_of(interval: tuple[int, int], to: str) -> str:
    first, last = interval
    return str(first) if first == last else f"{first}{to}{last}"


def joined(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the same numbers in ascending intervals that do not touch; one if they would be too many."""
    result: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if result and first <= result[-1][1] + 1:
            result[-1] = result[-1][0], max(last, result[-1][1])
        else:
            result.append((first, last))
    return result if len(result) <= MOST else [(result[0][0], result[-1][1])]
