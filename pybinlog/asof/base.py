"""Base: all rows of a table at a moment of the logs, from which the logs lead to the rows at another moment."""

from collections import deque
from dataclasses import dataclass, field

from pybinlog.asof.deeds import Key
from pybinlog.asof.moment import Moment
from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known
from pybinlog.errors import BinlogError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import wanted_set

MOST_COMMITTING = 10_000
"""Transactions that a server commits at one time."""


class NotSettledError(Exception):
    """The snapshot may lack a transaction that was in the log already: it must be made anew."""


@dataclass
class Base:
    """`log` are the rows as a BaseLog gives them, `moment` when they were so, `catalog` their definition.

    `name` is where they come from; `remarks` are sentences about what is not exact. `executed` is as of a Snapshot.
    `lacks_keys`: the definition has no foreign keys, though the table may.
    """

    name: str
    log: str
    moment: Moment
    catalog: Catalog
    is_keyless: bool = False
    lacks_keys: bool = False
    remarks: tuple[str, ...] = ()
    executed: GtidSet | None = None
    _last: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_COMMITTING))

    def note(self, gtid: str | None) -> None:
        """Note a transaction of the table that the log has before the base's place."""
        if self.executed is not None and gtid is not None:
            self._last.append(gtid)

    def check(self) -> None:
        """Raise NotSettledError if a transaction may have been committed after the snapshot was made."""
        for gtid in self._last:
            if self.executed is not None and wanted_set(gtid).minus(self.executed):
                raise NotSettledError
        self._last.clear()


def known_table(catalog: Catalog, key: Key, name: str, hint: str | None = None) -> Known:
    """Return the definition of a table. Raise BinlogError if that is not known, or has versions of rows."""
    known = catalog.definitions.tables.get(key)
    if not isinstance(known, Known):
        reason = "no such table is defined there" if known is None else known.reason
        raise BinlogError(f"{'.'.join(key)}: {reason}", file=name, hint=hint)
    if known.versioned:
        raise BinlogError(f"{'.'.join(key)} keeps row versions (WITH SYSTEM VERSIONING)", file=name)
    return known
