"""Effect: what a statement does, as steps in their order.

A table is a pair of names, its database first; that is "" if neither the statement nor its session names one.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pybinlog.record import Record
from pybinlog.schema.statement import AlterDatabase, AlterTable, CreateDatabase, CreateTable
from pybinlog.statement.session import Key
from pybinlog.verbs import Operation


class Made(Record):
    """CREATE TABLE, and CREATE SEQUENCE (`definition` is None). With `keeps` (IF NOT EXISTS) the table may have been
    there, with `replaces` another one. `like` is the table that it copies.
    """

    key: Key
    definition: CreateTable | None = None
    keeps: bool = False
    replaces: bool = False
    temporary: bool = False
    like: Key | None = None


class Dropped(Record):
    """DROP TABLE, DROP SEQUENCE. `temporary`: it drops only a temporary table."""

    key: Key
    temporary: bool = False


class Altered(Record):
    """ALTER TABLE, without the new name that it may give; CREATE INDEX and DROP INDEX."""

    key: Key
    statement: AlterTable


class Renamed(Record):
    """A table has another name from here on."""

    old: Key
    new: Key


class Emptied(Record):
    """A statement removes rows without row events: TRUNCATE, and what drops, truncates or discards partitions."""

    key: Key


class Exchanged(Record):
    """Rows of a table go to another, and its rows perhaps come back: EXCHANGE PARTITION, and CONVERT of MariaDB."""

    key: Key
    other: Key


class Lost(Record):
    """A statement that is not understood: it may do anything to the table; to any table if that is None."""

    key: Key | None
    reason: str


class DatabaseMade(Record):
    """CREATE DATABASE."""

    name: str
    definition: CreateDatabase


class DatabaseAltered(Record):
    """ALTER DATABASE; "" for the default database."""

    name: str
    definition: AlterDatabase


class DatabaseDropped(Record):
    """DROP DATABASE."""

    name: str


class TriggerMade(Record):
    """CREATE TRIGGER; `operations` are those that run it. `key` are its database and its name."""

    key: Key
    table: Key
    operations: tuple[str, ...]


class TriggerDropped(Record):
    """DROP TRIGGER."""

    key: Key


class ViewMade(Record):
    """CREATE VIEW and ALTER VIEW: rows of other tables change under its name."""

    key: Key


class ViewDropped(Record):
    """DROP VIEW."""

    key: Key


class FunctionMade(Record):
    """CREATE FUNCTION, but not of one in a shared library: a statement that calls it may change rows of any table."""

    key: Key


class FunctionDropped(Record):
    """DROP FUNCTION."""

    key: Key


class Reference(NamedTuple):
    """A foreign key: the table that refers, its columns, those that it refers to (in lower case), and its actions.

    `name` is "" if the server gave the name. `dropped_as` is the child in another spelling, if a statement
    dropped a foreign key of that name from it: this one, if lower_case_table_names makes both names one table.
    """

    child: Key
    child_columns: tuple[str, ...]
    columns: tuple[str, ...]
    on_delete: str
    on_update: str
    name: str = ""
    dropped_as: str = ""

    @property
    def cascades_deletes(self) -> bool:
        return self.on_delete in CHANGES_CHILDREN

    @property
    def cascades_updates(self) -> bool:
        return self.on_update in CHANGES_CHILDREN


CHANGES_CHILDREN = ("CASCADE", "SET NULL", "SET DEFAULT")


class ForeignKeyMade(Record):
    """A foreign key that CREATE TABLE or ALTER TABLE adds.

    `is_certain`: its server does not ignore it, and `reference.name` is empty only if the server numbers it.
    """

    parent: Key
    reference: Reference
    is_certain: bool = True


class ForeignKeyDropped(Record):
    """A foreign key, or another constraint, that ALTER TABLE drops.

    `is_unique`: it is a foreign key, and its server has only one of that name in a database.
    """

    table: Key
    name: str
    is_unique: bool = False


Step = (
    Made
    | Dropped
    | Altered
    | Renamed
    | Emptied
    | Exchanged
    | Lost
    | DatabaseMade
    | DatabaseAltered
    | DatabaseDropped
    | TriggerMade
    | TriggerDropped
    | ViewMade
    | ViewDropped
    | FunctionMade
    | FunctionDropped
    | ForeignKeyMade
    | ForeignKeyDropped
)


class Effect(Record):
    """The steps of a statement, and the tables whose rows it changes.

    `verb` are its first words, such as "INSERT", "XA COMMIT" or "CREATE TABLE". `changed` are the tables whose rows it
    changes as INSERT, UPDATE, DELETE, LOAD and CREATE ... SELECT do; None if the text does not say which.
    """

    operation: Operation
    verb: str
    steps: tuple[Step, ...] = ()
    changed: tuple[Key, ...] | None = ()

    @property
    def may_change_rows(self) -> bool:
        """Return True if rows may change that no row event shows."""
        return self.changed != () or any(isinstance(step, Emptied | Exchanged | Lost) for step in self.steps)

    @property
    def tables(self) -> tuple[Key, ...] | None:
        """The tables that it is about, each once, without those of a database; None if that is unknown."""
        if self.changed is None or any(isinstance(step, Lost) and step.key is None for step in self.steps):
            return None
        return tuple(dict.fromkeys([*self.changed, *(key for step in self.steps for key in tables_of(step))]))


def tables_of(step: Step) -> Iterator[Key]:
    """Yield the tables that a step is about, but not all those of a database."""
    if isinstance(step, Renamed):
        yield from (step.old, step.new)
    elif isinstance(step, Exchanged):
        yield from (step.key, step.other)
    elif isinstance(step, Lost):
        yield from () if step.key is None else (step.key,)
    elif isinstance(step, Made | Dropped | Altered | Emptied):
        yield step.key
    elif isinstance(step, TriggerMade | ForeignKeyDropped):
        yield step.table
    elif isinstance(step, ForeignKeyMade):
        yield step.reference.child
