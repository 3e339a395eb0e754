"""Limits: what of an archive is not sent: everything after a point, and single transactions."""

from collections.abc import Callable, Sequence

from pybinlog.errors import BinlogError
from pybinlog.gtid_set import parse_gtid_set
from pybinlog.kernel.scan.gtid_fields import GtidFilter
from pybinlog.log.executed import set_text, wanted_set
from pybinlog.questions.search import Search
from pybinlog.serve.archive import Archive, ServedLog, end_of

HINT = "The logs are {} to {}"


class Limits:
    """Sets limits to an archive. Raise BinlogError if its logs do not have the named place."""

    def __init__(self, archive: Archive, warn: Callable[[str], object]):
        self._archive = archive
        self._warn = warn
        self._logs = archive.logs
        self._search = Search([log.path for log in self._logs], warn)
        self._hint = HINT.format(self._logs[0].name, self._logs[-1].name)

    def _log(self, name: str) -> ServedLog:
        log = self._archive.named(name)
        if log is None:
            raise BinlogError(f"{name} is not one of the logs", hint=self._hint)
        return log

    def _of_path(self, path: str) -> ServedLog:
        return next(log for log in self._logs if log.path == path)

    # ---- the end

    def end_after_gtids(self, text: str) -> None:
        """End after the transaction with which all GTIDs of the set were executed."""
        found = self._search.place_of(text)
        if found is None:
            raise BinlogError(f"the logs do not have all of {text}", hint=self._hint)
        self._archive.end_at(self._of_path(found.log), found.end)

    def end_before_time(self, time: int) -> None:
        """End before the first transaction committed at that time, in microseconds since 1970 UTC, or later."""
        found = self._search.first_since(time)
        if found is not None and found.position is not None:
            self._archive.end_at(self._of_path(found.log), found.position)

    def end_at_position(self, name: str, position: int) -> None:
        """End after the last transaction that ends at a position of a log or before it."""
        log = self._log(name)
        if position > log.last_position:
            raise BinlogError(f"{name} ends at {log.last_position}, before {position}", hint=self._hint)
        end_of(log, position)
        if log.end < position:
            self._warn(f"position {position} is inside a transaction of {name}; the end is before it, at {log.end}")
        self._archive.end_at(log, log.end)

    # ---- transactions

    def omit_positions(self, places: Sequence[tuple[str, int]]) -> None:
        """Omit the transactions that these positions of logs are in."""
        for name, position in places:
            log = self._log(name)
            found = self._search.transaction_at(log.path, position)
            if found is None or found.position is None:
                raise BinlogError(f"--exclude-positions: no transaction of {name} is at {position}", hint=self._hint)
            log.omitted = sorted({*log.omitted, (found.position, found.end)})

    def gtids_to_omit(self, text: str) -> GtidFilter:
        """Return the GTIDs of a set, to be omitted. Warn of those that no log has."""
        left = wanted_set(text)
        for found in self._search.gtids(text):
            left = left.minus(wanted_set(str(found.gtid)))
        if left:
            self._warn(f"--exclude-gtids: the logs do not have {set_text(left)}")
        return GtidFilter(parse_gtid_set(text))
