"""Unlogged: statements that changed rows which the logs do not contain, to be added up over logs and machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from pybinlog.errors import Hint
from pybinlog.event_types import printed_name
from pybinlog.kernel.views.unlogged_rows import UnloggedRows
from pybinlog.record import Record

MOST_NAMES = 5
"""Tables in a sentence."""
CASCADED = "may have changed rows of {} by foreign keys, which the logs do not contain"
ONE_TABLE = "if names that differ in case alone are one table's (lower_case_table_names)"


class Unlogged(Record):
    """Counts of statements in STATEMENT format: the logs contain their text, and not the rows that they changed.

    `changed` changed rows. `uncertain` may have, such as CALL. So may `respelled`: they name the chosen tables in
    another case. Of `changed`, `unnamed` changed tables that their text does not tell. `tables` counts all others by
    table; one statement may count for several. `types` are the types of their events.
    """

    changed: int = 0
    uncertain: int = 0
    respelled: int = 0
    unnamed: int = 0
    types: Set[int] = frozenset()
    tables: Mapping[str, int] = MappingProxyType({})
    cascaded: int = 0
    """Statements, with row events or without, whose foreign keys may have changed rows that the logs do not contain."""
    cascades: Mapping[tuple[str, str], int] = MappingProxyType({})
    """These statements by the table that they changed and the one that its foreign key changes."""

    @classmethod
    def of(cls, counts: UnloggedRows) -> Unlogged:
        """Return what the kernel counted."""
        changed, uncertain, respelled, unnamed, types, tables, cascaded, cascades = counts.counted()
        names = {label(database, table): count for (database, table), count in tables.items()}
        return cls(changed, uncertain, respelled, unnamed, frozenset(types), names, cascaded, dict(cascades))

    @property
    def count(self) -> int:
        """The number of statements that changed rows, or may have."""
        return self.changed + self.uncertain + self.respelled

    def plus(self, other: Unlogged | None) -> Unlogged:
        """Return both as one."""
        if other is None:
            return self
        return Unlogged(
            self.changed + other.changed,
            self.uncertain + other.uncertain,
            self.respelled + other.respelled,
            self.unnamed + other.unnamed,
            self.types | other.types,
            Counter(self.tables) + Counter(other.tables),
            self.cascaded + other.cascaded,
            Counter(self.cascades) + Counter(other.cascades),
        )

    @property
    def named(self) -> str:
        """The tables, as a part of a sentence; "" if there are none."""
        return in_words(self.tables, ["unknown tables"] * bool(self.unnamed))

    @property
    def deed(self) -> str:
        """The predicate of a sentence about the statements."""
        reasons = ["such as CALL"] * bool(self.uncertain) + [ONE_TABLE] * bool(self.respelled)
        of = f", of {self.named}" if self.tables or self.unnamed else ""
        if not self.changed:
            why = f"{of} ({'; or '.join(reasons)})" if self.respelled else f", {reasons[0]}"
            return f"may have changed rows that the logs do not contain{why}"
        unsure = self.uncertain + self.respelled
        may = f" ({unsure:,} of them may have, {'; or '.join(reasons)})" if unsure else ""
        return f"changed rows that the logs do not contain{may}{of}"

    @property
    def cascaded_tables(self) -> Counter[str]:
        """The tables whose rows foreign keys may have changed, with the number of these statements."""
        children: Counter[str] = Counter()
        for (_, child), count in self.cascades.items():
            children[child] += count
        return children

    def sentences(self) -> Iterator[str]:
        """Yield sentences that name the commands that show the statements."""
        if self.count:
            types = ",".join(sorted(printed_name(type) for type in self.types))
            sentence = "{statements} {deed}; see {pybinlog --event-type=}{types}"
            yield Hint(sentence, statements=statements(self.count), deed=self.deed, types=types)
        if self.cascaded:
            parents = ",".join(sorted({parent for parent, _ in self.cascades})[:MOST_NAMES])
            sentence = "{statements} {cascade}; see {pybinlog rows --table=}{parents}"
            cascade = CASCADED.format(in_words(self.cascaded_tables))
            yield Hint(sentence, statements=statements(self.cascaded), cascade=cascade, parents=parents)


def statements(count: int) -> str:
    return f"{count:,} statement{'' if count == 1 else 's'}"


def in_words(tables: Mapping[str, int], others: Sequence[str] = ()) -> str:
    """Return the tables with most statements, as a part of a sentence."""
    names = sorted(tables, key=lambda name: (-tables[name], name))
    more = len(names) - MOST_NAMES
    parts = [*(names if more <= 1 else [*names[:MOST_NAMES], f"{more} more tables"]), *others]
    return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if len(parts) > 1 else parts)


def label(database: bytes, table: bytes) -> str:
    """Return the name of a table, with its database's if that is known."""
    name = table.decode("utf-8", "surrogateescape")
    return f"{database.decode('utf-8', 'surrogateescape')}.{name}" if database else name
