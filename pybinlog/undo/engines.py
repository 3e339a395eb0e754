"""Engines: the tables whose engines have no transactions, as the logs show."""

from collections.abc import Iterable

from pybinlog.catalog import Catalog
from pybinlog.catalog.relations import Relations
from pybinlog.catalog.tables import Known
from pybinlog.statement.effect import Reference
from pybinlog.undo.table import TRANSACTIONAL

TableEngine = tuple[tuple[str, str], int]
"""A table with the engine that it had at some time: see `Relations.engine_of`."""


class Engines:
    """The tables of engines without transactions: COMMIT ends their changes, not Xid. They ignore foreign keys."""

    def __init__(self) -> None:
        self._found: set[TableEngine] = set()

    def __len__(self) -> int:
        return len(self._found)

    def note(self, catalog: Catalog, database: bytes, name: bytes) -> None:
        """Note a table of which COMMIT shows that it has no transactions."""
        key = database.decode("utf-8", "surrogateescape"), name.decode("utf-8", "surrogateescape")
        known = catalog.definitions.table(key)
        if not isinstance(known, Known) or (known.engine or "").lower() not in TRANSACTIONAL:
            self._found.add(catalog.relations.engine_of(key))

    def has_any(self, tables: Iterable[TableEngine]) -> bool:
        return not self._found.isdisjoint(tables)

    def references_to(self, relations: Relations, key: tuple[str, str]) -> list[Reference]:
        """Return the foreign keys that refer to a table, without those of tables that are known to ignore them."""
        return [one for one in relations.references_to(key) if relations.engine_of(one.child) not in self._found]
