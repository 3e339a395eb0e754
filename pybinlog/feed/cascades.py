"""Cascades: how changes of a table's rows change others that the logs do not contain: by keys, triggers and views."""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from pybinlog.catalog import Catalog
    from pybinlog.catalog.relations import Relations
    from pybinlog.feed.policy import Policy
    from pybinlog.statement.effect import Reference

    Pair: TypeAlias = tuple[str, str]
    """A table, and one whose rows change with its own."""

WATCHED = (1 << 64) - 1


class Plan:
    """Holds what changes of a table carry on: `deletes` is that of a DELETE.

    `columns` are those that an UPDATE must change to carry on anything, as bits.
    """

    def __init__(self, deletes: list[Pair], updates: list[tuple[int, list[Pair]]]):
        self.deletes = deletes
        self.columns = 0
        for bits, _ in updates:
            self.columns |= bits
        self._updates = updates

    def of_columns(self, changed: int) -> list[Pair]:
        """Return what a change of some columns carries on."""
        return list(dict.fromkeys(pair for bits, pairs in self._updates if bits & changed for pair in pairs))


class Reach(NamedTuple):
    """Tells what statements on a table may do to others: `deletes` if one deletes rows, others if one sets `columns`.

    `is_unclear`: they may change any table.
    """

    is_unclear: bool
    deletes: list[Pair]
    columns: frozenset[str]

    @classmethod
    def of(cls, relations: Relations, key: tuple[str, str], deletes: list[Pair]) -> Reach:
        columns = {name for one in relations.references_to(key) if one.cascades_updates for name in one.columns}
        return cls(relations.reached([key]) is None, deletes, frozenset(columns))


class Cascades:
    """Finds the foreign keys by which rows that a policy asks for may change."""

    def __init__(self, policy: Policy):
        self._policy = policy
        self._of: Relations | None = None
        self._changes = 0
        self._reaches: dict[tuple[str, str], Reach] = {}
        """By table, as the definitions are after so many changes."""

    def of_table(
        self, catalog: Catalog, database: bytes, table: bytes, body: bytes, file: bytes, position: int, mariadb: bool
    ) -> Plan:
        """Return the plan of a table by its Table_map, given as for `Catalog.definition`."""
        from pybinlog.catalog.answers import names_of_columns

        key = decoded(database), decoded(table)
        relations = catalog.relations
        references = relations.references_to(key)
        if not any(one.cascades_deletes or one.cascades_updates for one in references):
            return Plan([], [])
        names = names_of_columns(catalog.definition(body, file, position, mariadb), body)
        deletes = self._pairs(key, relations.carried_on(key, "DELETE"))
        updates = []
        for one in references:
            if one.cascades_updates:
                pairs = self._pairs(key, relations.carried_on(key, "UPDATE", one.columns or None))
                if pairs:
                    updates.append((bits_of(one, names), pairs))
        return Plan(deletes, updates)

    def of_statement(
        self, catalog: Catalog, database: bytes, table: bytes, operation: int, text: bytes, checks_keys: bool
    ) -> list[Pair] | None:
        """Return what a statement carries on that changes rows of a table.

        None: it may change rows of any table, through a view, a trigger or a function. `checks_keys`: foreign keys act.
        """
        key = decoded(database), decoded(table)
        relations = catalog.relations
        if self._of is not relations or self._changes != catalog.definitions.changes:
            self._of, self._changes = relations, catalog.definitions.changes
            self._reaches.clear()
        if (reach := self._reaches.get(key)) is None:
            reach = self._reaches[key] = Reach.of(relations, key, self._pairs(key, relations.carried_on(key, "DELETE")))
        if reach.is_unclear or (relations.has_functions and relations.reached([key], decoded(text)) is None):
            return None
        from pybinlog.verbs import Operation

        replaces = operation == Operation.INSERTS and text.lstrip()[:7].upper() == b"REPLACE"
        if checks_keys and (operation == Operation.DELETES or replaces):
            return reach.deletes
        if not checks_keys or operation != Operation.UPDATES or not reach.columns:
            return []
        changed = re.split(r"\bwhere\b", decoded(text).lower(), maxsplit=1)[0]
        return self._pairs(
            key, relations.carried_on(key, "UPDATE", [name for name in reach.columns if name in changed])
        )

    def _pairs(self, key: tuple[str, str], carried: Iterable[tuple[tuple[str, str], str]]) -> list[Pair]:
        parent = ".".join(key)
        return [(parent, ".".join(child)) for child, does in carried if self._policy.keeps_rows(child, does)]


def decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def bits_of(reference: Reference, names: list[str]) -> int:
    """Return the columns that a foreign key refers to as bits; all if they are not known, or far behind."""
    places = [names.index(name) if name in names else -1 for name in reference.columns]
    if not places or not all(0 <= place < 64 for place in places):
        return WATCHED
    return sum(1 << place for place in set(places))
