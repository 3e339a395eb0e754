"""Relations: foreign keys, triggers and unique keys of tables, by the statements that dumps and logs contain so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from pybinlog.schema.column import Key
from pybinlog.schema.statement import Action, AddColumn, AddKey, CreateTable, DropKey, ModifyColumn, RenameColumn
from pybinlog.statement import Effect, LoggedStatement
from pybinlog.statement import Key as TableKey
from pybinlog.statement import effect as steps
from pybinlog.statement.subjects import lower

_MOST_PAST = 1024
LOST = "?"
"""Stands for the name of foreign keys that are not defined."""


class ReadStatement(NamedTuple):
    """A statement and what it does. `reached` are the tables whose rows may change with it, or None for any."""

    logged: LoggedStatement
    effect: Effect
    reached: set[TableKey] | None


class UniqueKeys:
    """Unique keys by table, each by its name in lower case. A table that was dropped keeps its own."""

    def __init__(self) -> None:
        self._keys: dict[TableKey, dict[str, Key]] = {}

    def of(self, table: TableKey) -> list[Key]:
        """Return a table's unique keys."""
        return list(self._keys.get(table, {}).values())

    def copy(self) -> UniqueKeys:
        made = UniqueKeys()
        made._keys = {table: dict(keys) for table, keys in self._keys.items()}
        return made

    def make(self, step: steps.Made) -> None:
        """Take those of a new table."""
        keys = self._keys.get(step.like, {}) if step.like else {}
        if isinstance(step.definition, CreateTable):
            keys = keys | {name_of(key): key for key in step.definition.keys if is_wanted(key)}
        self._keys[step.key] = (self._keys.get(step.key, {}) if step.keeps else {}) | keys

    def rename_table(self, old: TableKey, new: TableKey) -> None:
        self._keys[new] = self._keys.pop(old, {})

    def alter(self, table: TableKey, actions: Iterable[Action]) -> None:
        """Follow the changes of an ALTER TABLE."""
        keys = self._keys.setdefault(table, {})
        for action in actions:
            if isinstance(action, DropKey):
                keys.pop(action.name.lower(), None)
            elif isinstance(action, AddKey) and is_wanted(action.key):
                keys[name_of(action.key)] = action.key
            elif isinstance(action, AddColumn | ModifyColumn):
                keys.update({name_of(key): key for key in action.keys if is_wanted(key)})
        names = renamed_columns(actions)
        for name, key in keys.items() if names else ():
            parts = (replace(part, column=names.get(part.column.lower(), part.column)) for part in key.parts)
            keys[name] = replace(key, parts=tuple(parts))


def is_wanted(key: Key) -> bool:
    return key.unique and not key.primary


def name_of(key: Key) -> str:
    return (key.name or key.parts[0].column).lower()


def renamed_columns(actions: Iterable[Action]) -> dict[str, str]:
    """Return the new names of columns by the old ones, in lower case; all change at once."""
    names = {}
    for action in actions:
        if isinstance(action, RenameColumn):
            names[action.old.lower()] = action.new
        elif isinstance(action, ModifyColumn) and action.name.lower() != action.declaration.name.lower():
            names[action.name.lower()] = action.declaration.name
    return names


class Relations:
    """Foreign keys by the table that they refer to, triggers, views and stored functions.

    Keys and triggers follow their tables, when these are renamed or dropped. A foreign key whose name is not certain
    stays. Names that differ in case alone may be one table (lower_case_table_names), until two tables are made with
    such names.
    """

    def __init__(self) -> None:
        self._references: dict[TableKey, set[steps.Reference]] = {}
        self._triggers: dict[TableKey, tuple[TableKey, tuple[str, ...]]] = {}
        """By the trigger's database and name: its table, and the operations that run it."""
        self._past: dict[tuple[TableKey, steps.Reference], None] = {}
        """The last foreign keys that were dropped, each with the table that it referred to."""
        self._respelled: set[TableKey] = set()
        """Tables with foreign keys that statements may have renamed or dropped under another spelling, or whose columns
        they may have renamed.
        """
        self._views: set[TableKey] = set()
        self._functions: set[TableKey] = set()
        self.unique_keys = UniqueKeys()
        self.distinguishes_case = False
        self._there: dict[TableKey, TableKey] = {}
        """The tables that were made, by their names in lower case."""
        self._engines: dict[TableKey, int] = {}
        """By table, the last statement that may have given it its engine, by number."""
        self._engine_statements = 0
        self._lost: dict[TableKey, set[str]] = {}
        """By table, the names of foreign keys that it has, as a later statement says that drops them."""
        self.journal: list[steps.Step] | None = None
        """Gets the steps that are followed, if it is a list."""

    def copy(self) -> Relations:
        made = Relations()
        made.distinguishes_case, made._there = self.distinguishes_case, dict(self._there)
        made._engines, made._engine_statements = dict(self._engines), self._engine_statements
        made._respelled = set(self._respelled)
        made._references = {key: set(found) for key, found in self._references.items()}
        made._triggers, made._views, made._past = dict(self._triggers), set(self._views), dict(self._past)
        made._functions = set(self._functions)
        made._lost = {key: set(names) for key, names in self._lost.items()}
        made.unique_keys = self.unique_keys.copy()
        return made

    def references_to(self, key: TableKey) -> list[steps.Reference]:
        """Return the foreign keys that refer to a table, in a fixed order."""
        return sorted({one for parent, found in self._references.items() if self._may_be(parent, key) for one in found})

    def references_of(self, key: TableKey) -> list[tuple[TableKey, steps.Reference]]:
        """Return the foreign keys that a table has or had, each with the table that it refers to, in a fixed order."""
        there = ((parent, one) for parent, listed in self._references.items() for one in listed)
        return sorted({(parent, one) for parent, one in (*there, *self._past) if self._may_be(one.child, key)})

    def lost(self) -> list[steps.Reference]:
        """Return the foreign keys of which only names are known, as if they did what they can: one for each table."""
        return [
            steps.Reference(key, (), (), "CASCADE", "CASCADE", LOST)
            for key, names in sorted(self._lost.items())
            if names
        ]

    def triggers_of(self, key: TableKey) -> dict[str, tuple[str, ...]]:
        """Return a table's triggers by name, with the operations that run them: INSERT, UPDATE, DELETE."""
        found = self._triggers.items()
        return {name: operations for (_, name), (table, operations) in found if self._may_be(table, key)}

    def children(self) -> list[TableKey]:
        """Return the tables whose rows cascades of foreign keys change, or did."""
        found = [one for references in self._references.values() for one in references]
        found += [one for _, one in self._past]
        return sorted({one.child for one in found if one.cascades_deletes or one.cascades_updates})

    def spellings(self, key: TableKey) -> set[TableKey]:
        """Return the names that may be those of the same table (lower_case_table_names)."""
        if self.distinguishes_case:
            return {key}
        return {key, lower(key), self._there.get(lower(key), key)}

    def reached(self, tables: Iterable[TableKey], text: str = "") -> set[TableKey] | None:
        """Return the tables whose rows may change with those of some tables: their own, and what cascades change.

        None stands for any table: one of them has triggers, or is a view, or the statement calls a stored function.
        """
        found: set[TableKey] = set()
        waiting = list(tables)
        if waiting and self._functions and self._calls_function(text):
            return None
        while waiting:
            table = waiting.pop()
            if table in found:
                continue
            found.add(table)
            if self.triggers_of(table) or any(self._may_be(view, table) for view in self._views):
                return None
            waiting += [one.child for one in self.references_to(table) if one.cascades_deletes or one.cascades_updates]
        return found

    def carried_on(
        self, table: TableKey, operation: str, columns: Iterable[str] | None = None
    ) -> dict[tuple[TableKey, str], None]:
        """Return what foreign keys do when rows of a table change: each table with the DELETE or UPDATE of its rows.

        `columns` are those that an UPDATE changes, in lower case; None for any.
        """
        found: dict[tuple[TableKey, str], None] = {}
        waiting = [(table, operation, None if columns is None else set(columns))]
        while waiting:
            parent, does, changed = waiting.pop()
            for one in self.references_to(parent):
                action = one.on_delete
                if does == "UPDATE":
                    action = one.on_update if changed is None or not changed.isdisjoint(one.columns) else ""
                if action not in steps.CHANGES_CHILDREN:
                    continue
                step = one.child, "DELETE" if does == "DELETE" and action == "CASCADE" else "UPDATE"
                if step not in found:
                    found[step] = None
                    waiting.append((*step, set(map(str.lower, one.child_columns))))
        return found

    @property
    def has_functions(self) -> bool:
        """Return True if a stored function is known, which a statement may call."""
        return bool(self._functions)

    @property
    def reach_others(self) -> bool:
        """Return True if changes of a table may change rows of others."""
        return bool(self._functions or self._views or self._triggers or self.children())

    def _calls_function(self, text: str) -> bool:
        called = {word.lower() for word in re.findall(r"(\w+)[`\"]?\s*\(", text)}
        return any(name.lower() in called for _, name in self._functions)

    def _may_be(self, key: TableKey, other: TableKey) -> bool:
        return key == other or (not self.distinguishes_case and lower(key) == lower(other))

    def engine_of(self, key: TableKey) -> tuple[TableKey, int]:
        """Return what stands for a table with the engine that it has now: it is another one if statements may have
        given it another engine.
        """
        return key, self._engines.get(key, 0)

    def _follow_engines(self, step: steps.Step) -> None:
        keys: list[TableKey] = []
        if isinstance(step, steps.Renamed):
            keys = [step.old, step.new]
        elif isinstance(step, steps.DatabaseDropped):
            keys = [key for key in self._engines if key[0] == step.name]
        elif isinstance(step, steps.Made | steps.Dropped) or (
            isinstance(step, steps.Altered) and step.statement.options.engine
        ):
            keys = [step.key]
        elif isinstance(step, steps.Lost):
            keys = list(self._engines) if step.key is None else [step.key]
        self._engine_statements += len(keys) > 0
        self._engines.update(dict.fromkeys(keys, self._engine_statements))

    def go_back(self, step: steps.Step) -> None:
        """Take back what a step has changed. A foreign key that it dropped has its name alone then."""
        if isinstance(step, steps.Renamed):
            self._rename(step.new, step.old)
        elif isinstance(step, steps.Altered):
            if names := renamed_columns(step.statement.actions):
                self._rename_columns(step.key, {new.lower(): old for old, new in names.items()})
        elif isinstance(step, steps.ForeignKeyDropped):
            self._lost.setdefault(step.table, set()).add(step.name.lower())
        elif isinstance(step, steps.ForeignKeyMade):
            self._lost.get(step.reference.child, set()).discard(step.reference.name.lower())
        elif isinstance(step, steps.Made) and not step.keeps:
            self._references = {
                parent: {one for one in found if one.child != step.key} for parent, found in self._references.items()
            }
            self._lost.pop(step.key, None)

    def follow(self, step: steps.Step) -> None:
        """Take what a step of a statement changes. One about a temporary table is not for here."""
        self._follow_engines(step)
        if self.journal is not None:
            self.journal.append(step)
        if isinstance(step, steps.Made):
            if step.replaces:
                self._drop(lambda table: table == step.key)
            elif not step.keeps and self._there.get(lower(step.key), step.key) != step.key:
                self.distinguishes_case = True
            self._there[lower(step.key)] = step.key
            if not step.keeps:
                self._views.discard(step.key)
            self.unique_keys.make(step)
        elif isinstance(step, steps.Altered):
            self.unique_keys.alter(step.key, step.statement.actions)
            if names := renamed_columns(step.statement.actions):
                self._respell(lambda table: table != step.key and lower(table) == lower(step.key))
                self._rename_columns(step.key, names)
        elif isinstance(step, steps.Renamed):
            self._respell(lambda table: table != step.old and lower(table) == lower(step.old))
            self._rename(step.old, step.new)
        elif isinstance(step, steps.Dropped):
            self._respell(lambda table: table != step.key and lower(table) == lower(step.key))
            self._drop(lambda table: table == step.key)
            self._there.pop(lower(step.key), None)  # in whatever spelling: the server writes its own
        elif isinstance(step, steps.DatabaseDropped):
            self._respell(lambda table: table[0] != step.name and table[0].lower() == step.name.lower())
            self._drop(lambda table: table[0] == step.name)
            self._there = {name: table for name, table in self._there.items() if name[0] != step.name.lower()}
            self._functions = {key for key in self._functions if key[0] != step.name}
        elif isinstance(step, steps.TriggerMade):
            self._triggers[step.key] = step.table, step.operations
        elif isinstance(step, steps.TriggerDropped):
            self._triggers.pop(step.key, None)
        elif isinstance(step, steps.ViewMade):
            self._views.add(step.key)
        elif isinstance(step, steps.ViewDropped):
            self._views.discard(step.key)
        elif isinstance(step, steps.FunctionMade):
            self._functions.add(step.key)
        elif isinstance(step, steps.FunctionDropped):
            self._functions.discard(step.key)
        elif isinstance(step, steps.ForeignKeyMade):
            reference = step.reference
            if not reference.name and step.is_certain:
                reference = reference._replace(name=self._next_name(reference.child))
            self._references.setdefault(step.parent, set()).add(reference)
        elif isinstance(step, steps.ForeignKeyDropped):
            self._drop_foreign_key(step)

    def _drop_foreign_key(self, step: steps.ForeignKeyDropped) -> None:
        """Drop a foreign key; one of a table in another spelling only if it is the only one of its name."""

        def may_be(one: steps.Reference) -> bool:
            return one.name.lower() == step.name.lower() and self._may_be(one.child, step.table)

        self._lost.get(step.table, set()).discard(step.name.lower())

        def is_it(one: steps.Reference) -> bool:
            is_same = one.child == step.table or (step.is_unique and one.child[0] == step.table[0])
            return may_be(one) and is_same

        self._keep(lambda one: not is_it(one))
        self._change(lambda _, one: one._replace(dropped_as=".".join(step.table)) if may_be(one) else one)

    def is_respelled(self, child: TableKey) -> bool:
        """Return True if a table with foreign keys may have other names, or be gone (lower_case_table_names)."""
        return child in self._respelled and not self.distinguishes_case

    def _respell(self, is_other: Callable[[TableKey], bool]) -> None:
        if not self.distinguishes_case:
            found = (one.child for references in self._references.values() for one in references)
            self._respelled.update(filter(is_other, found))

    def _next_name(self, table: TableKey) -> str:
        """Return the name that InnoDB gives to the next foreign key of a table; "" if that is not certain."""
        numbers = [0]
        for one in (one for found in self._references.values() for one in found if one.child == table):
            if not one.name:
                return ""
            if (number := _number_of(one.name, table)) is not None:
                numbers.append(number)
        return f"{table[1]}_ibfk_{max(numbers) + 1}"

    def _keep(self, keeps: Callable[[steps.Reference], bool]) -> None:
        for parent, found in self._references.items():
            self._past.update({(parent, one): None for one in sorted(found) if not keeps(one)})
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]
        self._references = {
            parent: kept for parent, found in self._references.items() if (kept := set(filter(keeps, found)))
        }

    def _change(self, change: Callable[[TableKey, steps.Reference], steps.Reference]) -> None:
        """Put another foreign key in the place of each."""
        for parent, found in self._references.items():
            self._references[parent] = {change(parent, one) for one in found}

    def _drop(self, is_dropped: Callable[[TableKey], bool]) -> None:
        """Drop the foreign keys and triggers of tables. Those of others that refer to one refer to its name."""
        self._views = {view for view in self._views if not is_dropped(view)}
        self._keep(lambda one: not is_dropped(one.child))
        self._lost = {table: names for table, names in self._lost.items() if not is_dropped(table)}
        self._triggers = {key: found for key, found in self._triggers.items() if not is_dropped(found[0])}

    def _rename(self, old: TableKey, new: TableKey) -> None:
        def renamed(_: TableKey, one: steps.Reference) -> steps.Reference:
            if one.child != old:
                return one
            number = _number_of(one.name, old)
            return one._replace(child=new, name=one.name if number is None else f"{new[1]}_ibfk_{number}")

        if old in self._views:
            self._views.remove(old)
            self._views.add(new)
        self.unique_keys.rename_table(old, new)
        if old in self._lost:
            self._lost[new] = self._lost.pop(old)
        self._change(renamed)
        self._past = {
            (new if parent == old else parent, one._replace(child=new) if one.child == old else one): None
            for parent, one in self._past
        }
        self._there.pop(lower(old), None)
        self._there[lower(new)] = new
        moved = self.references_to(old)
        self._references.pop(old, None)  # one of another spelling may be of another table, too
        if moved:
            self._references[new] = self._references.get(new, set()).union(moved)
        for key, (table, operations) in list(self._triggers.items()):
            if self._may_be(table, old):
                del self._triggers[key]
                self._triggers[new[0], key[1]] = new, operations

    def _rename_columns(self, table: TableKey, names: dict[str, str]) -> None:
        def renamed(parent: TableKey, one: steps.Reference) -> steps.Reference:
            if parent == table:
                one = one._replace(columns=tuple(names.get(name, name).lower() for name in one.columns))
            if one.child == table:
                one = one._replace(child_columns=tuple(names.get(name.lower(), name) for name in one.child_columns))
            return one

        self._change(renamed)


def _number_of(name: str, table: TableKey) -> int | None:
    """Return the number in a name that InnoDB gave to a foreign key."""
    found = re.fullmatch(re.escape(table[1]) + r"_ibfk_(\d{1,9})", name, re.IGNORECASE)
    return None if found is None else int(found[1])
