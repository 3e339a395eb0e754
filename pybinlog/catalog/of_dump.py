"""Work out what a dump of unknown age says of tables at each place of the logs.

It is taken as of each place between two statements: from there the statements after it are followed and those before it
undone. A place that a statement contradicts (an ALTER that cannot apply, a CREATE of what is there) is out, for all
tables of the dump. If all other places agree, the definition is certain.

Of ALTER TABLE, RENAME and ADD at the end are undone. The definition after a statement does not tell what it dropped,
moved or gave another type. A definition that cannot be what the statement left (it lacks a column that was added, or
has one that was dropped) was not made after it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pybinlog.catalog.definitions import altered
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.catalog.timeline import Found, Place, Step, Timeline
from pybinlog.errors import Hint, UnsupportedStatement
from pybinlog.schema.column import Column, Settings
from pybinlog.schema.error import SqlError
from pybinlog.schema.statement import AddColumn, AddKey, AlterTable, DropColumn, DropKey, ModifyColumn, RenameColumn
from pybinlog.schema.text import UNKNOWN
from pybinlog.statement import Key
from pybinlog.statement.effect import Altered, DatabaseDropped, DatabaseMade, Dropped, Lost, Made, Renamed, tables_of
from pybinlog.statement.subjects import lower


class Contradiction(Exception):
    """The definition cannot be what the statement left, or found."""


class CannotUndo(Exception):
    """The definition before the statement does not follow from the one after it."""


def columns_before(columns: tuple[Column, ...], statement: AlterTable, settings: Settings) -> tuple[Column, ...]:
    """Return the columns before ALTER TABLE. Raise Contradiction or CannotUndo."""
    check_result(columns, statement, settings)
    if statement.convert is not None:
        raise CannotUndo("a statement converted its character set")
    if statement.versioned is not None:
        raise CannotUndo("a statement added or dropped system versioning")
    added: set[str] = set()
    old_names: dict[str, str] = {}
    for action in statement.actions:
        if isinstance(action, DropColumn):
            raise CannotUndo(f"a statement dropped the column {action.name}")
        if isinstance(action, ModifyColumn):
            raise CannotUndo(f"a statement changed the column {action.name}")
        if isinstance(action, (AddKey, DropKey)) or (isinstance(action, AddColumn) and action.keys):
            raise CannotUndo("a statement changed its primary key")
        if isinstance(action, AddColumn):
            if action.if_not_exists:
                raise CannotUndo(f"a statement may have added the column {action.declaration.name}")
            added.add(action.declaration.name.lower())
        elif isinstance(action, RenameColumn):
            if action.if_exists:
                raise CannotUndo(f"a statement may have renamed the column {action.old}")
            old_names[action.new.lower()] = action.old
    kept = (column for column in columns if column.name.lower() not in added)
    return tuple(replace(column, name=old_names.get(column.name.lower(), column.name)) for column in kept)


def check_result(columns: tuple[Column, ...], statement: AlterTable, settings: Settings) -> None:
    """Raise Contradiction if the columns cannot be those that the statement left."""
    names = [column.name.lower() for column in columns]
    made, gone = set(), set()
    at_end: list[str] = []
    movers = sum(isinstance(one, AddColumn) or getattr(one, "after", None) is not None for one in statement.actions)
    for action in statement.actions:
        if isinstance(action, (AddColumn, ModifyColumn)):
            name = action.declaration.name.lower()
            if isinstance(action, ModifyColumn):
                if action.if_exists:
                    continue
                gone.add(action.name.lower())
            elif action.if_not_exists:
                continue
            made.add(name)
            if name not in names:
                raise Contradiction
            if action.declaration.column(settings, UNKNOWN).type != columns[names.index(name)].type:
                raise Contradiction
            if action.after is not None:
                check_place(names, name, action.after.lower(), alone=movers == 1)
            elif isinstance(action, AddColumn):
                at_end.append(name)
        elif isinstance(action, RenameColumn) and not action.if_exists:
            made.add(action.new.lower())
            gone.add(action.old.lower())
        elif isinstance(action, DropColumn):
            gone.add(action.name.lower())
    if not made <= set(names) or (gone - made) & set(names):
        raise Contradiction
    if at_end and movers == len(at_end) and names[-len(at_end) :] != at_end:
        raise Contradiction


def check_place(names: list[str], name: str, after: str, *, alone: bool) -> None:
    """Raise Contradiction if a column is not at its declared place: after another, or first ("").

    If the statement puts other columns somewhere, too, they may stand between.
    """
    if after and after not in names:
        raise Contradiction
    behind = names.index(name) - (names.index(after) + 1 if after else 0)
    if behind < 0 or (alone and behind > 0):
        raise Contradiction


MOST_PLACES = 256
"""For a table that more statements change, only the logs' beginning and end are tried, and both must agree."""
AMBIGUOUS = Hint(
    "the dump does not say when it was made, and statements changed the table; {--schema-of=}start or "
    "{--schema-of=}end tells it"
)
CONTRADICTED = "statements in the logs contradict the dump"
OF_COLUMNS = (1054, 1060, 1091)
"""Errors of a statement that was written for other columns."""

State = tuple[Key, Known | Unknown]
"""A table under the name that it has."""


def of_dump(
    tables: Iterator[State], sources: Mapping[Key, str], steps: Sequence[Step], at: Place | None, *, at_end: bool
) -> Timeline:
    """Return the timeline of the dump's tables. `at` or `at_end` is the place that the dump describes, if known.

    `sources` names the dump that defines each table.
    """
    timeline = Timeline()
    changes: dict[int, list[tuple[Key, Found]]] = {}
    listed = list(tables)
    by_key = Touching(steps, {key for key, _ in listed})
    taken: list[Taken] = []
    for key, known in listed:
        if isinstance(known, Known):
            touched, own = by_key.of(key)
            taken.append(Taken((key, known), touched, own, agreeable((key, known), own, at, at_end=at_end)))
    common = dict.fromkeys(sources.values(), -1)
    for one in taken:
        common[sources[one.table[0]]] &= one.gaps(len(steps))
    for one in taken:
        touched = one.touched
        states = agreed(one, one.steps, common[sources[one.table[0]]])
        for name, found in states[0].items():
            timeline.first[name] = found if name not in timeline.first else Unknown(CONTRADICTED, "the dump")
        for number, before, after in zip(touched, states, states[1:], strict=False):
            gone: list[tuple[Key, Found]] = [(name, None) for name in before if name not in after]
            new: list[tuple[Key, Found]] = [
                (name, found) for name, found in after.items() if before.get(name) is not found
            ]
            changes.setdefault(number, []).extend([*gone, *new])
    timeline.changes = [(steps[number].statement.place, changes[number]) for number in sorted(changes)]
    return timeline


class Touching:
    """Find the steps about a table, under all names that RENAME gives it. `there` are the tables of the dump.

    A server may take names in any case: a step about a table that is not there may be about one that is spelled
    otherwise, whose columns are lost then.
    """

    def __init__(self, steps: Sequence[Step], there: set[Key]):
        self._steps = steps
        self._of_spelling: dict[Key, dict[int, Key]] = {}
        self._of_key: dict[Key, list[int]] = {}
        self._of_database: dict[str, list[int]] = {}
        self._of_all: list[int] = []
        self._renames: dict[Key, set[Key]] = {}
        for number, step in enumerate(steps):
            entry = step.entry
            if isinstance(entry, (DatabaseMade, DatabaseDropped)):
                self._of_database.setdefault(entry.name, []).append(number)
            elif isinstance(entry, Renamed):
                for key, other in ((entry.old, entry.new), (entry.new, entry.old)):
                    self._of_key.setdefault(key, []).append(number)
                    self._renames.setdefault(key, set()).add(other)
            elif isinstance(entry, Lost) and entry.key is None:
                self._of_all.append(number)
            else:
                for key in tables_of(entry):
                    self._of_key.setdefault(key, []).append(number)
            for key in tables_of(entry):
                if key not in there and not isinstance(entry, Made):
                    self._of_spelling.setdefault(lower(key), {})[number] = key
            if isinstance(entry, Renamed):
                there.discard(entry.old)
                there.add(entry.new)
            elif isinstance(entry, Dropped):
                there.discard(entry.key)
            elif isinstance(entry, Made) and not entry.keeps:
                there.add(entry.key)

    def of(self, key: Key) -> tuple[list[int], list[Step]]:
        """Return the numbers of the steps, in order, and the steps."""
        keys, waiting = {key}, [key]
        while waiting:
            for other in self._renames.get(waiting.pop(), ()):
                if other not in keys:
                    keys.add(other)
                    waiting.append(other)
        found = set(self._of_all)
        for name in keys:
            found.update(self._of_key.get(name, ()))
            found.update(self._of_database.get(name[0], ()))
        steps = {number: self._steps[number] for number in found}
        for name in keys:
            for number, other in self._of_spelling.get(lower(name), {}).items():
                lost = Lost(None, f"it changes {other[1]}, which may be this table")
                steps.setdefault(number, self._steps[number]._replace(entry=lost))
        return sorted(steps), [steps[number] for number in sorted(steps)]


@dataclass(frozen=True)
class Taken:
    """A table, the numbers of the steps that are about it, these, and by place what is before and after each."""

    table: State
    touched: list[int]
    steps: list[Step]
    told: dict[int, list[State | None]]

    def gaps(self, steps: int) -> int:
        """Return the places among all steps that the dump may be of, a bit for each; all where every place is out."""
        found = 0
        for place in self.told:
            found |= self.gap(place, steps)
        return found or -1

    def gap(self, place: int, steps: int) -> int:
        """Return the places among all steps that one place among this table's steps stands for."""
        first = self.touched[place - 1] + 1 if place else 0
        last = self.touched[place] if place < len(self.touched) else steps
        return ((1 << (last - first + 1)) - 1) << first


def agreeable(table: State, steps: Sequence[Step], at: Place | None, *, at_end: bool) -> dict[int, list[State | None]]:
    """Return the table's definition between its steps, for each place that the dump may be of."""
    if at_end:
        places = [len(steps)]
    elif at is not None:
        places = [sum(step.statement.place < at for step in steps)]
    elif len(steps) > MOST_PLACES:
        places = [0, len(steps)]
    else:
        places = list(range(len(steps) + 1))
    told = {place: taken_as_of(table, steps, place) for place in places}
    return {place: states for place, states in told.items() if states is not None}


def agreed(taken: Taken, steps: Sequence[Step], common: int) -> list[dict[Key, Known | Unknown]]:
    """Return what all possible places of the dump say of each stretch between the steps, by name.

    `common`: the places among all steps that no table contradicts.
    """
    total = max(common.bit_length(), *(number + 2 for number in taken.touched), 1)
    among = [states for place, states in taken.told.items() if taken.gap(place, total) & common]
    told = among or list(taken.told.values())
    if not told:
        lost = Unknown(CONTRADICTED, "the dump")
        keys = {key for step in steps for key in tables_of(step.entry)} | {taken.table[0]}
        return [dict.fromkeys(keys, lost) for _ in range(len(steps) + 1)]
    result: list[dict[Key, Known | Unknown]] = []
    for stretch in zip(*told, strict=True):
        found: dict[Key, Known | Unknown] = {}
        for state in stretch:
            if state is not None:
                key, one = state
                same = all(other is not None and other[0] == key and alike(other[1], one) for other in stretch)
                found.setdefault(key, with_common_engine(stretch, one) if same else reason(stretch))
        result.append(found)
    return result


def alike(one: Known | Unknown, other: Known | Unknown) -> bool:
    """Return True if two places say the same of a table's rows."""
    return isinstance(one, Known) and isinstance(other, Known) and of_rows(one) == of_rows(other)


def with_common_engine(stretch: Sequence[State | None], one: Known | Unknown) -> Known | Unknown:
    """Return what all places say of a table; without its engine if that is not the same for all."""
    engines = {getattr(state[1], "engine", None) for state in stretch if state is not None}
    return replace(one, engine=None) if isinstance(one, Known) and len(engines) > 1 else one


def of_rows(known: Known) -> tuple[Column, ...]:
    """Return the columns without what does not matter for names and values."""
    return tuple(replace(column, on_update_now=False) for column in known.columns)


def reason(stretch: Sequence[State | None]) -> Unknown:
    """Return the reason why the places do not agree."""
    if len(stretch) == 1 and stretch[0] is not None and isinstance(stretch[0][1], Unknown):
        return stretch[0][1]
    unknown = [state[1] for state in stretch if state is not None and isinstance(state[1], Unknown)]
    if len(unknown) == len(stretch):
        return unknown[0]
    return Unknown(AMBIGUOUS, "the dump")


def taken_as_of(table: State, steps: Sequence[Step], place: int) -> list[State | None] | None:
    """Return the table's definition before each step and after the last if the dump is of that place; None if it
    cannot be.
    """
    states: list[State | None] = [None] * (len(steps) + 1)
    states[place] = table
    try:
        for number in range(place, len(steps)):
            states[number + 1] = after(states[number], steps[number])
        for number in range(place, 0, -1):
            states[number - 1] = before(states[number], steps[number - 1])
    except Contradiction:
        return None
    return states


def after(state: State | None, step: Step) -> State | None:
    """Return the table after a step. Raise Contradiction if the server could not take it."""
    if state is None:
        return None
    key, found = state
    entry = step.entry
    if isinstance(entry, Altered) and entry.key == key and isinstance(found, Known):
        try:
            return key, altered(found, entry.statement, step.settings)
        except (SqlError, UnsupportedStatement) as problem:
            if isinstance(problem, SqlError) and problem.number in OF_COLUMNS:
                raise Contradiction from None
            return key, not_understood(str(problem), step)
    if isinstance(entry, Renamed):
        if entry.new == key:
            raise Contradiction
        return renamed(state, entry.new) if entry.old == key else state
    if isinstance(entry, Made) and entry.key == key and not entry.keeps:
        if entry.replaces:
            return None
        raise Contradiction
    if isinstance(entry, Dropped):
        return None if entry.key == key else state
    if isinstance(entry, Lost) and entry.key in (key, None):
        return key, not_understood(entry.reason, step)
    if isinstance(entry, DatabaseMade) and entry.name == key[0]:
        raise Contradiction
    if isinstance(entry, DatabaseDropped) and entry.name == key[0]:
        return None
    return state


def before(state: State | None, step: Step) -> State | None:
    """Return the table before a step. Raise Contradiction if it cannot be what the step left."""
    if state is None:
        return None
    key, found = state
    entry = step.entry
    if isinstance(entry, Altered) and entry.key == key and isinstance(found, Known):
        try:
            columns = columns_before(found.table.columns, entry.statement, step.settings)
        except CannotUndo as problem:
            return key, Unknown(str(problem), step.statement.logged.where)
        engine = None if entry.statement.options.engine else found.engine
        return key, replace(found, table=replace(found.table, columns=columns), engine=engine)
    if isinstance(entry, Renamed):
        if entry.old == key:
            raise Contradiction
        return renamed(state, entry.old) if entry.new == key else state
    if isinstance(entry, Made) and entry.key == key and not entry.keeps:
        if isinstance(found, Known) and isinstance(step.after, Known) and names_of(found) != names_of(step.after):
            raise Contradiction
        return None
    if isinstance(entry, Dropped) and entry.key == key:
        raise Contradiction
    if isinstance(entry, Lost) and entry.key in (key, None):
        return key, not_understood(entry.reason, step)
    if isinstance(entry, DatabaseMade) and entry.name == key[0]:
        return None
    if isinstance(entry, DatabaseDropped) and entry.name == key[0]:
        raise Contradiction
    return state


def names_of(known: Known) -> list[str]:
    return [column.name.lower() for column in known.columns]


def renamed(state: State, key: Key) -> State:
    found = state[1]
    if isinstance(found, Known):
        found = replace(found, table=replace(found.table, database=key[0], name=key[1]))
    return key, found


def not_understood(reason: str, step: Step) -> Unknown:
    return Unknown(f"a statement was not understood ({reason.rstrip('.')})", step.statement.logged.where)
