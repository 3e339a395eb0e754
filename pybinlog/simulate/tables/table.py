"""Table: a definition, and rows in memory; Storage: databases, and the whole of what a server stores.

Locks are on a table and its rows, as far as one statement at a time can meet those of another transaction. A statement
that finds rows by the whole of a unique key locks these rows, another one the table as a whole: with REPEATABLE READ,
InnoDB locks all rows that it looks at and the gaps between them. A key that is not there locks the gap between its
neighbours, so no other transaction inserts there. If the server would wait for another transaction, the lock wait times
out: no other connection runs meanwhile.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from pybinlog.column_types import ColumnType
from pybinlog.schema import Column, Key, TableDefinition, collation_id, default_collation, error
from pybinlog.schema.text import compare_key
from pybinlog.simulate.tables.data_file import DataFile, packed_length, varies

Gap: TypeAlias = tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]
"""The keys of the rows before and after it; None at an end."""


class Locks:
    """The locks on one table: of each transaction, the mode ("S", "X") by row, None for all rows."""

    def __init__(self) -> None:
        self._held: dict[Hashable, dict[Hashable | None, str]] = {}
        self._gaps: list[tuple[Hashable, Gap]] = []

    def acquire(self, transaction: Hashable, mode: str, row: Hashable | None = None, gap: Gap | None = None) -> None:
        """Lock a row, or all of them, shared ("S") or exclusively ("X"). Raise error 1205.

        With `gap`, the row is not there: the gap is locked, which several transactions can do.
        """
        for owner, held in self._held.items():
            met = (other for place, other in held.items() if row is None or place in (None, row))
            if owner is not transaction and any("X" in (mode, other) for other in met):
                raise error("LOCK_WAIT_TIMEOUT")
        own = self._held.setdefault(transaction, {})
        if gap is not None:
            self._gaps.append((transaction, gap))
            return
        own[row] = max(own.get(row, ""), mode)

    def enter(self, transaction: Hashable, key: tuple[Any, ...]) -> None:
        """Insert a row of that key. Raise error 1205 where another transaction has locked the gap."""
        for owner, (low, high) in self._gaps:
            if owner is not transaction and (low is None or low < key) and (high is None or key < high):
                raise error("LOCK_WAIT_TIMEOUT")

    def use(self, transaction: Hashable) -> None:
        """Note that the transaction uses the table, so that its definition cannot change."""
        self._held.setdefault(transaction, {})

    def redefine(self, transaction: Hashable) -> None:
        """Lock the table for a change of its definition. Raise error 1205 where another transaction uses the table."""
        if any(owner is not transaction for owner in self._held):
            raise error("LOCK_WAIT_TIMEOUT")

    def release(self, transaction: Hashable) -> None:
        self._held.pop(transaction, None)
        self._gaps = [(owner, gap) for owner, gap in self._gaps if owner is not transaction]


Row = tuple[Any, ...]
"""The values of a row in a table, by column."""


class Table:
    """A table's definition and its rows; `id` is that of its Table_map events, another one for each definition.

    A row lies in a slot. Slots are in the order of the data file, and what was deleted leaves a gap that the next row
    takes; where rows lie in a MyISAM file with rows of varying length, `DataFile` knows. InnoDB's rows are found in the
    order of the primary key, or of the first unique key without NULL.
    """

    def __init__(self, definition: TableDefinition, table_id: int, *, temporary: bool = False) -> None:
        self.define(definition, table_id)
        self.temporary = temporary
        self.emptied = False
        """True if the rows of a MEMORY table are gone, and the log has no statement about it yet."""
        self.triggers: list[Any] = []
        """The triggers of the table, as `simulate.sql.syntax` has them, in the order in which they were made."""
        self.next_auto_increment = definition.auto_increment
        self.locks = Locks()
        self._rows: dict[int, Row] = {}
        self._free: list[int] = []
        self._end = 0
        self._unique: dict[str, dict[tuple[Any, ...], int]] = {key.name: {} for key in self.unique_keys}
        self._file = DataFile() if self.definition.engine == "MyISAM" and varies(self.columns) else None

    def define(self, definition: TableDefinition, table_id: int) -> None:
        """Take a definition with the same columns and keys: another name."""
        self.definition, self.id = definition, table_id
        self.database, self.name = definition.database, definition.name
        self.columns, self.unique_keys = definition.columns, definition.unique_keys
        self.transactional = definition.transactional
        self.auto_increment_place = next((at for at, column in enumerate(self.columns) if column.auto_increment), None)
        self._places = {column.name.lower(): place for place, column in enumerate(self.columns)}
        self.stored_by = self._find_stored_by()

    @property
    def in_engine(self) -> bool:
        """Return True if the storage engine must commit a change: of a T-table that is not temporary."""
        return self.transactional and not self.temporary

    def __repr__(self) -> str:
        return f"{self.database}.{self.name}"

    def _find_stored_by(self) -> Key | None:
        """Return the key that InnoDB keeps its rows by."""
        for key in self.unique_keys if self.transactional else ():
            if not any(self.column(part.column).nullable or part.prefix for part in key.parts):
                return key
        return None

    def position(self, name: str) -> int | None:
        """Return the place of a column by name."""
        return self._places.get(name.lower())

    def column(self, name: str) -> Column:
        """Return a column by name. Raise KeyError."""
        return self.columns[self._places[name.lower()]]

    def key_values(self, key: Key, row: Row) -> tuple[Any, ...]:
        """Return a row's values in a key, made equal for equal rows; None is NULL."""
        places = [self._places[part.column.lower()] for part in key.parts]
        return tuple(
            comparable(row[place], self.columns[place], part.prefix)
            for place, part in zip(places, key.parts, strict=True)
        )

    def lock_keys(self, row: Row, slot: int) -> list[tuple[Any, ...]]:
        """Return the names of a row's locks: its values in each unique key, or its place if it has none."""
        keys: list[tuple[Any, ...]] = [(key.name, *self.key_values(key, row)) for key in self.unique_keys]
        return [key for key in keys if None not in key] or [("", slot)]

    def gap(self, key: tuple[Any, ...]) -> Gap | None:
        """Return the gap in which a row of that key would be, if that is the key that the rows are stored by."""
        if self.stored_by is None or self.stored_by.name != key[0]:
            return None
        keys = [self.key_values(self.stored_by, row) for row in self._rows.values()]
        low = max((one for one in keys if one < key[1:]), default=None)
        return low, min((one for one in keys if one > key[1:]), default=None)

    def chosen(self, slots: Iterable[int] | None = None) -> list[tuple[int, Row]]:
        """Return the rows of some slots, or all of them, in the order in which the server finds them."""
        file, key = self._file, self.stored_by
        places = sorted(self._rows if slots is None else slots, key=None if file is None else file.place)
        items = [(slot, self._rows[slot]) for slot in places]
        if key is not None:
            items.sort(key=lambda item: self.key_values(key, item[1]))
        return items

    def rows(self) -> list[Row]:
        """Return the rows in the order in which the server finds them."""
        return [row for _, row in self.chosen()]

    def row(self, slot: int) -> Row | None:
        return self._rows.get(slot)

    def duplicate(self, row: Row, own_slot: int | None = None) -> tuple[Key, int] | None:
        """Return the first unique key of which another row has the same values, and that row's slot."""
        for key in self.unique_keys:
            values = self.key_values(key, row)
            slot = self._unique[key.name].get(values) if None not in values else None
            if slot is not None and slot != own_slot:
                return key, slot
        return None

    def found(self, key: str, values: tuple[Any, ...]) -> int | None:
        """Return the slot of the row with these values (as `key_values` gives them) in a unique key, or None."""
        return self._unique[key].get(values)

    def insert(self, row: Row) -> int:
        """Store a new row; its slot."""
        slot = self._free.pop() if self._free else self._end
        self._end = max(self._end, slot + 1)
        self.put(slot, row)
        return slot

    def put(self, slot: int, row: Row) -> None:
        """Store a row in a slot, in the place of the one there."""
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

    def lose_rows(self) -> None:
        """Empty a MEMORY table after the server's restart."""
        for slot in list(self._rows):
            self.remove(slot)
        self.emptied = True

    def remove(self, slot: int) -> None:
        """Delete the row in a slot."""
        self._forget(slot)
        del self._rows[slot]
        if self._file is not None:
            self._file.delete(slot)
        elif not self.transactional:
            self._free.append(slot)

    def _forget(self, slot: int) -> None:
        row = self._rows.get(slot)
        for key in self.unique_keys if row is not None else ():
            values = self.key_values(key, row or ())
            if self._unique[key.name].get(values) == slot:
                del self._unique[key.name][values]


def comparable(value: Any, column: Column, prefix: int | None = None) -> Any:
    """Return a stored value in a form that sorts as the column does, and compares with the column's other values."""
    if isinstance(value, str) and column.is_text:
        return compare_key(value[:prefix] if prefix else value, column.charset)
    if isinstance(value, bytes):
        return value[:prefix] if prefix else value
    if value is not None and column.type in (ColumnType.DATE, ColumnType.DATETIME2, ColumnType.TIMESTAMP2):
        return str(value)
    return value


FIRST_TABLE_ID, FIRST_TABLE_ID_5_6 = 111, 63
UCA1400, LIKE_UCA1400 = 2304, "utf8mb4_unicode_520_ci"
"""MariaDB's utf8mb4_uca1400_ai_ci, and the collation that compares in its place."""


@dataclass
class Database:
    """A database: its default collation, its tables by name, its routines by kind and name in lower case."""

    name: str
    collation: int
    tables: dict[str, Table] = field(default_factory=dict)
    routines: dict[tuple[str, str], Any] = field(default_factory=dict)
    """As `simulate.sql.routine` has them."""


class Storage:
    """All databases of one server of a version such as (9, 7) or (5, 6)."""

    def __init__(self, version: tuple[int, ...] = (9, 7), *, mariadb: bool = False) -> None:
        self.version = version
        self.modern = version >= (8,)
        self.mariadb = mariadb
        self.databases: dict[str, Database] = {}
        self.programs = 0
        """How often stored programs were made and taken away."""
        self.default_collation = default_collation("utf8mb4" if self.modern else "latin1", version)
        if mariadb:
            self.default_collation = collation_id(LIKE_UCA1400)
        self._next_table_id = FIRST_TABLE_ID if self.modern else FIRST_TABLE_ID_5_6

    def logged_collation(self, number: int) -> int:
        """Return a collation's number as the server logs it."""
        return UCA1400 if self.mariadb and number == self.default_collation else number

    def rows(self) -> dict[str, list[Row]]:
        """Return the rows of all tables: "database.table" -> rows."""
        return {
            f"{database.name}.{table.name}": table.rows()
            for database in self.databases.values()
            for table in database.tables.values()
        }

    def database(self, name: str | None) -> Database:
        """Return a database by name. Raise errors 1046 and 1049."""
        if name is None:
            raise error("NO_DB")
        if name not in self.databases:
            raise error("BAD_DB", name)
        return self.databases[name]

    def find(self, database: str | None, name: str) -> Table | None:
        """Return a table by name; None if there is none."""
        home = self.databases.get(database or "")
        return home.tables.get(name) if home is not None else None

    def table(self, database: str | None, name: str) -> Table:
        """Return a table by name. Raise errors 1046, 1049 and 1146."""
        table = self.database(database).tables.get(name)
        if table is None:
            raise error("NO_SUCH_TABLE", f"{database}.{name}")
        return table

    def put(self, table: Table) -> None:
        """Add a table, or a new definition of one."""
        self.databases[table.database].tables[table.name] = table

    def new_table_id(self) -> int:
        """Return a number that no definition of a table has had."""
        self._next_table_id += 1
        return self._next_table_id - 1


class RowChange(NamedTuple):
    """A row that was inserted (`before` is None), changed, or deleted (`after` is None).

    `slot` is where in its table the row lies, `written` the columns that the statement names; None where it names none,
    which means all.
    """

    table: Table
    before: Row | None
    after: Row | None
    slot: int
    written: frozenset[int] | None = None

    def undo(self) -> None:
        """Bring the table back to what it was before."""
        if self.before is None:
            self.table.remove(self.slot)
        else:
            self.table.put(self.slot, self.before)


class Transaction:
    """The uncommitted changes of one connection (or of a prepared XA transaction), and its locks.

    Only changes of transactional tables are here: the others cannot be undone.
    """

    def __init__(self) -> None:
        self.changes: list[RowChange] = []
        self.locked: set[Table] = set()

    def lock(self, table: Table, mode: str, row: Hashable | None = None, gap: Gap | None = None) -> None:
        """Lock a table, or a row of it, until the end, if its engine does that. Raise error 1205.

        A row that is not there has a gap to lock.
        """
        if table.transactional:
            table.locks.acquire(self, mode, row, gap)
        else:
            table.locks.use(self)
        self.locked.add(table)

    def enter_gap(self, table: Table, row: Row) -> None:
        """Insert a row between others. Raise error 1205."""
        if table.stored_by is not None:
            table.locks.enter(self, table.key_values(table.stored_by, row))

    def roll_back_to(self, mark: int) -> None:
        """Undo all but the first `mark` changes. The locks stay."""
        while len(self.changes) > mark:
            self.changes.pop().undo()

    def roll_back(self) -> None:
        """Undo all changes, and release the locks."""
        self.roll_back_to(0)
        self._end()

    def commit(self) -> None:
        """Make the changes those of everybody, and release the locks."""
        self.changes.clear()
        self._end()

    def _end(self) -> None:
        for table in self.locked:
            table.locks.release(self)
        self.locked.clear()
