"""A table in memory: columns, keys, rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from pybinlog.layout import ColumnType

from .charset import compare_key
from .column import Column
from .data_file import DataFile, packed_length, varies
from .lock import Locks
from .transaction import Row

__all__ = ["ENGINES", "Key", "KeyPart", "Table", "comparable"]

ENGINES = {
    "innodb": ("InnoDB", True),
    "myisam": ("MyISAM", False),
    "memory": ("MEMORY", False),
    "heap": ("MEMORY", False),
    "csv": ("CSV", False),
    "archive": ("ARCHIVE", False),
}
"""The engines by their names in lower case: the name as the server words it, and whether they are transactional."""


@dataclass(frozen=True)
class KeyPart:
    """A column of a key; `prefix` is how many characters of it count, None for all."""

    column: str
    prefix: int | None = None
    descending: bool = False


@dataclass(frozen=True)
class Key:
    """A key; the primary key's name is PRIMARY."""

    name: str
    parts: tuple[KeyPart, ...]
    unique: bool = False
    kind: str = ""

    @property
    def primary(self) -> bool:
        return self.name == "PRIMARY"


class Table:
    """A table's definition and its rows.

    A row lies in a slot. Slots are in the order of the data file, and what was deleted leaves a gap that the next row
    takes; where rows lie in a MyISAM file with rows of varying length, `DataFile` knows. InnoDB's rows are found in the
    order of the primary key, or of the first unique key without NULL.
    """

    def __init__(
        self,
        database: str,
        name: str,
        columns: Sequence[Column],
        keys: Sequence[Key] = (),
        *,
        engine: str = "InnoDB",
        collation: int = 255,
        temporary: bool = False,
        version: tuple[int, ...] = (9, 7),
        table_id: int = 0,
    ) -> None:
        self.database = database
        self.name = name
        self.columns = tuple(columns)
        self.keys = _ordered(keys, self.columns)
        self.engine = engine
        self.transactional = ENGINES[engine.lower()][1]
        self.collation = collation
        self.temporary = temporary
        self.version = version
        self.id = table_id
        self.next_auto_increment = 1
        self.series = (1, 1)
        self.locks = Locks()
        self.comment: str | None = None
        self.options = ""
        self.triggers: list[Any] = []
        self.referenced = False
        self.generated_primary_key = False
        self.foreign_keys: tuple[str, ...] = ()
        self._index = {column.name.lower(): index for index, column in enumerate(self.columns)}
        self._rows: dict[int, Row] = {}
        self._free: list[int] = []
        self._end = 0
        self._unique: dict[str, dict[tuple[Any, ...], int]] = {key.name: {} for key in self.unique_keys}
        self._file = DataFile() if self.engine == "MyISAM" and varies(self.columns) else None

    def __repr__(self) -> str:
        return f"{self.database}.{self.name}"

    def redefined(self, table_id: int, database: str | None = None, name: str | None = None) -> Table:
        """The same table after its definition has changed, under another number and perhaps another name.

        The rows go over to it; the changes that are logged already keep the table that they were made on.
        """
        new = copy(self)
        new.id = table_id
        new.database, new.name = database or self.database, name or self.name
        new.locks = Locks()
        new.triggers = list(self.triggers)
        new._rows, new._free = dict(self._rows), list(self._free)
        new._file = self._file.copy() if self._file is not None else None
        new._unique = {key: dict(slots) for key, slots in self._unique.items()}
        return new

    @property
    def unique_keys(self) -> list[Key]:
        return [key for key in self.keys if key.unique]

    @property
    def clustered_key(self) -> Key | None:
        """The key that InnoDB keeps its rows by."""
        if not self.transactional:
            return None
        for key in self.unique_keys:
            if not any(self.column(part.column).nullable or part.prefix for part in key.parts):
                return key
        return None

    @property
    def auto_increment_column(self) -> Column | None:
        return next((column for column in self.columns if column.auto_increment), None)

    def position(self, name: str) -> int | None:
        """The place of a column by name."""
        return self._index.get(name.lower())

    def column(self, name: str) -> Column:
        """A column by name. Raises KeyError."""
        return self.columns[self._index[name.lower()]]

    def key_values(self, key: Key, row: Row) -> tuple[Any, ...]:
        """What a key holds of a row, so that equal rows have equal values; None is NULL."""
        values = []
        for part in key.parts:
            index = self._index[part.column.lower()]
            values.append(comparable(row[index], self.columns[index], part.prefix))
        return tuple(values)

    def lock_keys(self, row: Row, slot: int) -> list[tuple[Any, ...]]:
        """What names a row for its locks: its values in each unique key, its place where it has none."""
        keys: list[tuple[Any, ...]] = [(key.name, *self.key_values(key, row)) for key in self.unique_keys]
        return [key for key in keys if None not in key] or [("", slot)]

    def scan(self) -> list[tuple[int, Row]]:
        """The rows with their slots, in the order in which the server finds them."""
        return self.ordered(self._rows)

    def ordered(self, rows: dict[int, Row]) -> list[tuple[int, Row]]:
        """Rows by slot in the order in which the server finds them."""
        file = self._file
        items = sorted(rows.items(), key=None if file is None else lambda item: file.place(item[0]))
        key = self.clustered_key
        if key is not None:
            items.sort(key=lambda item: self.key_values(key, item[1]))
        return items

    def chosen(self, slots: Iterable[int]) -> list[tuple[int, Row]]:
        """The rows of some slots in the order in which the server finds them."""
        return self.ordered({slot: self._rows[slot] for slot in slots})

    def slots(self) -> dict[int, Row]:
        """A copy of the rows by slot."""
        return dict(self._rows)

    def rows(self) -> list[Row]:
        """The rows in the order in which the server finds them."""
        return [row for _, row in self.scan()]

    def row(self, slot: int) -> Row | None:
        return self._rows.get(slot)

    def duplicate(self, row: Row, own_slot: int | None = None) -> tuple[Key, int] | None:
        """The first unique key of which another row has the same values, and that row's slot."""
        for key in self.unique_keys:
            values = self.key_values(key, row)
            slot = self._unique[key.name].get(values) if None not in values else None
            if slot is not None and slot != own_slot:
                return key, slot
        return None

    def found(self, key: str, values: tuple[Any, ...]) -> int | None:
        """The slot of the row with these values (as `key_values` gives them) in a unique key, None where none has."""
        return self._unique[key].get(values)

    def insert(self, row: Row) -> int:
        """Stores a new row; gives its slot."""
        slot = self._free.pop() if self._free else self._end
        self._end = max(self._end, slot + 1)
        self.put(slot, row)
        return slot

    def put(self, slot: int, row: Row) -> None:
        """Stores a row in a slot, in the place of the one there."""
        self._forget(slot)
        if slot in self._free:
            self._free.remove(slot)
        self._rows[slot] = row
        if self._file is not None:
            self._file.write(slot, packed_length(row, self.columns))
        for key in self.unique_keys:
            values = self.key_values(key, row)
            if None not in values:
                self._unique[key.name][values] = slot

    def remove(self, slot: int) -> None:
        """Deletes the row in a slot."""
        self._forget(slot)
        del self._rows[slot]
        if self._file is not None:
            self._file.delete(slot)
        elif not self.transactional:
            self._free.append(slot)

    def _forget(self, slot: int) -> None:
        row = self._rows.get(slot)
        if row is not None:
            for key in self.unique_keys:
                values = self.key_values(key, row)
                if self._unique[key.name].get(values) == slot:
                    del self._unique[key.name][values]

    def clear(self) -> None:
        """Empties the table as TRUNCATE does."""
        self._rows.clear()
        self._free.clear()
        self._end = 0
        if self._file is not None:
            self._file = DataFile()
        for index in self._unique.values():
            index.clear()
        self.next_auto_increment = 1


def comparable(value: Any, column: Column, prefix: int | None = None) -> Any:
    """A stored value in a form that sorts as the column does; the values of one column compare with each other."""
    if value is None:
        return None
    if isinstance(value, str) and column.is_text:
        return compare_key(value[:prefix] if prefix else value, column.collation or 255)
    if isinstance(value, bytes):
        return value[:prefix] if prefix else value
    if column.type in (ColumnType.DATE, ColumnType.DATETIME2, ColumnType.TIMESTAMP2):
        return str(value)
    return value


def _ordered(keys: Sequence[Key], columns: Sequence[Column]) -> tuple[Key, ...]:
    """The server's order: the primary key, unique keys without NULL, other unique keys, the rest."""
    nullable = {column.name.lower() for column in columns if column.nullable}

    def rank(key: Key) -> int:
        if key.primary:
            return 0
        if not key.unique:
            return 3
        return 1 + any(part.column.lower() in nullable for part in key.parts)

    return tuple(sorted(keys, key=rank))
