"""RowComparison: does a server still hold the rows as logs left them?"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pybinlog.asof.answer import AsOfRow, RowsAsOf
from pybinlog.asof.base import Base, known_table
from pybinlog.asof.current import log_of_rows
from pybinlog.asof.deeds import Key, RowChange, RowImage
from pybinlog.asof.folding import END
from pybinlog.asof.image import RowKey
from pybinlog.asof.moment import Moment
from pybinlog.asof.reading import Logs, Reading, renames_in
from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known
from pybinlog.difference.compare import Difference, text_of
from pybinlog.errors import BinlogError
from pybinlog.feed.span import spans
from pybinlog.filters import NameRules
from pybinlog.questions.statistics import Statistics
from pybinlog.replication.snapshot import Snapshot
from pybinlog.statement.logged_tables import encoded
from pybinlog.undo.table import quoted_name
from pybinlog.views.options import ViewOptions

BATCH = 500
"""Rows that one query asks for."""


@dataclass
class RowComparison:
    """Compares the rows that `logs` changed, as they were at `moment`, with those of a snapshot, which is that moment.

    `names` say which tables count. At most `per_second` rows are read from the server. `others` are logs of the
    server's other transactions, whose rows are not compared.

    Iterating raises BinlogError if the logs or the server are unreadable.
    """

    logs: Logs
    moment: Moment
    snapshot: Snapshot
    catalog: Catalog
    names: NameRules | None
    per_second: int
    others: Logs | None = None
    same: int = 0
    """Rows that are equal, or are deleted on both sides."""
    unknown: int = 0
    """Rows whose last state the logs do not tell."""
    changed: int = 0
    """Rows that transactions of `others` have changed, too."""
    _read: int = 0
    _begun: float = field(default_factory=time.monotonic)

    def __iter__(self) -> Iterator[Difference]:
        for key in self._tables():
            try:
                known = known_table(self.catalog, key, self.snapshot.address)
            except BinlogError as error:
                self.logs.warn(f"not compared: {error.message}")
                continue
            if not any(one.primary for one in known.table.keys):
                self.logs.warn(f"{'.'.join(key)} is not compared: it has no primary key")
                continue
            yield from self._of_table(key, known)

    def _tables(self) -> list[Key]:
        """Return the tables with rows in the logs, by the names that they have at the moment."""
        counted = Statistics(ViewOptions(view="rows"), ("database", "table"), warn=lambda _: None, in_order=False)
        counted.count(spans(self.logs.names))
        found: dict[Key, None] = {}
        for (database, table), measures in counted.groups():
            if measures.rows and isinstance(database, str) and isinstance(table, str):
                found[database, table[len(database) + 1 :]] = None
        there = self.catalog.definitions.tables
        if any(there.get(key) is None for key in found):
            place = self.moment.find(self.logs.names, lambda _: None) or END
            for rename in renames_in(self.logs):
                if rename.place < place and rename.old in found:
                    found[rename.new] = None
                    if there.get(rename.old) is None:  # else another one has its name now
                        del found[rename.old]
        options = ViewOptions(view="rows", names=self.names)
        return sorted(key for key in found if options.keep_names(*map(encoded, key)))

    def _of_table(self, key: Key, known: Known) -> Iterator[Difference]:
        answer = RowsAsOf(self.logs, key, self.moment, with_literals=True)
        rows = answer.keyed_rows()
        names = set(key_names(known))
        skipped: set[RowKey] = set()
        if self.others is not None:
            skipped = {one for one, _ in RowsAsOf(self.others, key, None).keyed_rows()}
        while batch := dict(islice(rows, BATCH)):
            rest = {one: row for one, row in batch.items() if one not in skipped}
            wanted = {one: row for one, row in rest.items() if row.state != "unknown" and names <= row.values.keys()}
            self.changed += len(batch) - len(rest)
            self.unknown += len(rest) - len(wanted)
            if wanted:
                there = self._there(answer.reading, key, known, wanted.values())
                for one, row in wanted.items():
                    difference = self._difference(key, known, row, there.get(one))
                    self.same += difference is None
                    if difference is not None:
                        yield difference

    def _there(self, reading: Reading, key: Key, known: Known, rows: Iterable[AsOfRow]) -> dict[RowKey, RowImage]:
        """Return the rows that the server has with the keys of some rows."""
        names = key_names(known)
        listed = ", ".join(f"({', '.join(text(row.values[name]) for name in names)})" for row in rows)
        columns = ", ".join(map(quoted, names))
        log = log_of_rows(self.snapshot, known, f" WHERE ({columns}) IN ({listed})")
        self._wait(log.count)
        found: dict[RowKey, RowImage] = {}

        def add(change: RowChange) -> None:
            assert change.after is not None
            found[change.after.key] = change.after

        reading.read_base(Base(self.snapshot.address, log.finish(), self.moment, self.catalog), add)
        return found

    def _wait(self, count: int) -> None:
        """Keep the limit of rows in a second."""
        self._read += count
        early = self._read / self.per_second - (time.monotonic() - self._begun)
        if early > 0:
            time.sleep(early)

    def _difference(self, key: Key, known: Known, row: AsOfRow, there: RowImage | None) -> Difference | None:
        what = ""
        if row.state == "deleted":
            what = "was deleted, and the server has it" if there is not None else ""
        elif there is None:
            what = "is not on the server"
        else:
            after = there.values
            others = [name for name, value in row.values.items() if name in after and after[name] != value]
            what = "; ".join(
                f"{name} is {shown(row.values[name])} in the logs and {shown(after[name])} on the server"
                for name in others
            )
        if not what:
            return None
        names = [name for name in key_names(known) if name in row.values]
        of_key = ", ".join(f"{name} = {shown(row.values[name])}" for name in names)
        origin = row.origin
        place = None if origin is None else f"{origin.file}:{origin.position}"
        return Difference(
            "row", origin and origin.gtid, place, self.snapshot.address, ".".join(key), f"{of_key}: {what}"
        )


def key_names(known: Known) -> list[str]:
    """Return the columns of the primary key, as the table names them."""
    (primary,) = (one for one in known.table.keys if one.primary)
    places = (known.table.position(part.column) for part in primary.parts)
    return [known.table.columns[place].name for place in places if place is not None]


def quoted(name: str) -> str:
    return quoted_name(name).decode("utf-8", "surrogateescape")


def text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def shown(value: str | bytes) -> str:
    return text_of(value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape"))
