"""Unlogged: statements that changed rows which the logs do not contain, to be added up over logs and machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from types import MappingProxyType

from pybinlog.errors import Hint
from pybinlog.event_types import printed_name
from pybinlog.kernel.views.unlogged_rows import UnloggedRows
from pybinlog.record import Record

MOST_NAMES = 5
"""Tables in a sentence."""


class Unlogged(Record):
    """Counts of statements in STATEMENT format: the logs contain their text, and not the rows that they changed.

    `changed` changed rows, `uncertain` may have, such as CALL. `unnamed` of the former changed tables that their text
    does not tell; `tables` has the others by table, of which one may have changed several. `types` are the types of
    their events.
    """

    changed: int = 0
    uncertain: int = 0
    unnamed: int = 0
    types: Set[int] = frozenset()
    tables: Mapping[str, int] = MappingProxyType({})

    @classmethod
    def of(cls, counts: UnloggedRows) -> Unlogged:
        """Return what the kernel counted."""
        changed, uncertain, unnamed, types, tables = counts.counted()
        names = {label(database, table): count for (database, table), count in tables.items()}
        return cls(changed, uncertain, unnamed, frozenset(types), names)

    @property
    def count(self) -> int:
        """The number of statements that changed rows, or may have."""
        return self.changed + self.uncertain

    def plus(self, other: Unlogged | None) -> Unlogged:
        """Return both as one."""
        if other is None:
            return self
        return Unlogged(
            self.changed + other.changed,
            self.uncertain + other.uncertain,
            self.unnamed + other.unnamed,
            self.types | other.types,
            Counter(self.tables) + Counter(other.tables),
        )

    @property
    def named(self) -> str:
        """The tables, as a part of a sentence; "" if there are none."""
        tables = sorted(self.tables, key=lambda name: (-self.tables[name], name))
        more = len(tables) - MOST_NAMES
        parts = tables if more <= 1 else [*tables[:MOST_NAMES], f"{more} more tables"]
        if self.unnamed:
            parts.append("unknown tables")
        return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if len(parts) > 1 else parts)

    @property
    def deed(self) -> str:
        """The predicate of a sentence about the statements."""
        if not self.changed:
            return "may have changed rows that the logs do not contain, such as CALL"
        may = f" ({self.uncertain:,} of them may have, such as CALL)" if self.uncertain else ""
        return f"changed rows that the logs do not contain{may}, of {self.named}"

    @property
    def sentence(self) -> str:
        """A sentence that names the command that shows them."""
        types = ",".join(sorted(printed_name(type) for type in self.types))
        statements = f"{self.count:,} statement{'' if self.count == 1 else 's'}"
        sentence = "{statements} {deed}; see {pybinlog --event-type=}{types}"
        return Hint(sentence, statements=statements, deed=self.deed, types=types)


def label(database: bytes, table: bytes) -> str:
    """Return the name of a table, with its database's if that is known."""
    name = table.decode("utf-8", "surrogateescape")
    return f"{database.decode('utf-8', 'surrogateescape')}.{name}" if database else name
