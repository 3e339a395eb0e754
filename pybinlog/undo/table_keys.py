"""TableKeys: the keys of a table by which later changes of its rows are found."""

from collections.abc import Iterable, Sequence
from typing import Any

from pybinlog.catalog.tables import Known
from pybinlog.column_types import ColumnType
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.column import Key
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.text import UNKNOWN, character_set, collation_of_number
from pybinlog.undo.table import STRINGS, UndoTable, collation_of

KeyPart = tuple[int, int, int]
"""A column's place, the number of its collation (0: its bytes are compared), the characters that count (0: all)."""

CUT = frozenset({"utf8mb4", "utf8mb3", "ascii", "latin1", "latin2", "latin5", "latin7", "cp1250", "cp1251", "koi8r"})
"""Character sets whose first characters the kernel finds."""


class TableKeys:
    """`primary` is the primary key, empty without one.

    `keys`: the primary key and the unique keys; none at all if one column of bytes is the key.

    `not_compared` are the names of unique keys whose values are expressions, or the first characters of others.
    """

    def __init__(self, table: UndoTable, described: Sequence[tuple[Any, ...]], unique_keys: Iterable[Key]):
        self._table = table
        self._described = described
        self.not_compared: list[str] = []
        self.primary = primary = [self._part(place, None) for place in table.key]
        self.keys = [primary]
        if isinstance(table.known, Known) and table.columns:
            for key in unique_keys:
                self._add(table.known.table, key)
        if len(self.keys) == 1 and (len(primary) <= 1 and not any(collation for _, collation, _ in primary)):
            self.keys = []

    def _add(self, definition: TableDefinition, key: Key) -> None:
        parts = []
        for part in key.parts:
            place = definition.position(part.column)
            if place is None or (part.prefix and not self._is_cut(place)):
                self.not_compared.append(key.name or key.parts[0].column)
                return
            parts.append(self._part(place, part.prefix))
        self.keys.append(parts)

    def _collation(self, place: int) -> int:
        column = self._table.known.columns[place] if isinstance(self._table.known, Known) else None
        return collation_of(self._described[place], column) if self._described[place][1] in STRINGS else UNKNOWN

    def _part(self, place: int, prefix: int | None) -> KeyPart:
        collation = self._collation(place)
        return place, 0 if collation in (UNKNOWN, COLLATION_BINARY) else collation, prefix or 0

    def _is_cut(self, place: int) -> bool:
        collation = self._collation(place)
        try:
            return collation in (UNKNOWN, COLLATION_BINARY) or character_set(collation_of_number(collation)) in CUT
        except KeyError:
            return False


def bits_without_documents(bits: int, described: Sequence[tuple[Any, ...]]) -> int:
    """Return some bits without those of JSON columns: an update may log only a part of a document."""
    for place, column in enumerate(described):
        if column[1] == ColumnType.JSON:
            bits &= ~(1 << place)
    return bits
