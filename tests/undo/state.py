"""The exact state of a database on a running server, and how two states differ."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.undo.columns import quoted
from tests.undo.session import Session

Row = tuple[str | None, ...]
REMOVED, ADDED = -1, -2
"""In the place of a key's number, for rows without one. Only a change that removes an equal row is in the way."""
OCTETS = {
    "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "binary", "varbinary", "tinyblob", "blob",
    "mediumblob", "longblob", "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring",
    "multipolygon", "geomcollection", "geometrycollection", "vector",
}  # fmt: skip


@dataclass(frozen=True)
class Definition:
    """A table's columns, and expressions whose texts hold their values exactly; its unique keys as column numbers.

    The primary key is the first of `keys`, if it `has_primary_key`. `along` are columns that the server sets with each
    UPDATE: generated ones, and ON UPDATE. The `identities` are expressions that are equal where a unique key of
    their column holds two values for equal.
    """

    columns: tuple[str, ...]
    exact: tuple[str, ...]
    identities: tuple[str, ...]
    keys: tuple[tuple[int, ...], ...]
    has_primary_key: bool = False
    along: frozenset[int] = frozenset()
    generated: frozenset[int] = frozenset()


@dataclass(frozen=True)
class State:
    """Every row of every table, each with what identifies it by the table's keys, as often as it is there."""

    rows: dict[str, Counter[Row]] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """A row is `expected` but not there, is there (`found`) and not expected, or has other values in `columns`."""

    table: str
    key: tuple[str | None, ...]
    columns: tuple[str, ...]
    expected: tuple[str | None, ...] | None
    found: tuple[str | None, ...] | None

    def __str__(self) -> str:
        where = f"{self.table} {self.key}"
        if self.expected is None or self.found is None:
            there, row = ("missing", self.expected) if self.found is None else ("surplus", self.found)
            return f"{where}: {there} row {dict(zip(self.columns, row or (), strict=True))}"
        values = zip(self.columns, self.expected, self.found, strict=True)
        return f"{where}: " + "; ".join(f"{name}: expected {before}, found {after}" for name, before, after in values)


@dataclass(frozen=True)
class Change:
    """Rows that a step removed from a table, and rows that it added."""

    removed: Counter[Row]
    added: Counter[Row]

    def identities(self, definition: Definition) -> set[tuple[int, tuple[str, ...]]]:
        """Return what identifies the rows."""
        found = set()
        for rows, without_key in ((self.removed, REMOVED), (self.added, ADDED)):
            for row in rows:
                found |= identities_of(row, definition, without_key)
        return found


def identities_of(row: Row, definition: Definition, without_key: int) -> set[tuple[int, tuple[str, ...]]]:
    """Return the values of the unique keys of a row, or the whole row, with REMOVED or ADDED in a key's place.

    A key with a NULL identifies nothing.
    """
    count, found = len(definition.columns), set()
    for number, key in enumerate(definition.keys):
        values = [row[count + column] for column in key]
        if None not in values:
            found.add((number, tuple(map(str, values))))
    return found or {(without_key, tuple(map(str, row[:count])))}


def definitions(session: Session, database: str) -> dict[str, Definition]:
    """Return the tables of a database by name."""
    columns: dict[str, list[tuple[str, str]]] = {}
    extra: dict[str, list[str]] = {}
    for table, name, type, more in session.select(
        "SELECT table_name, column_name, data_type, LOWER(extra) FROM information_schema.columns"
        f" WHERE table_schema = '{database}' ORDER BY table_name, ordinal_position"
    ):
        columns.setdefault(str(table), []).append((str(name), str(type).lower()))
        extra.setdefault(str(table), []).append(str(more))
    keys: dict[str, dict[str, list[int]]] = {}
    for table, index, name in session.select(
        "SELECT table_name, index_name, column_name FROM information_schema.statistics"
        f" WHERE table_schema = '{database}' AND non_unique = 0 AND column_name IS NOT NULL"
        " ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index"
    ):
        place = [column for column, _ in columns[str(table)]].index(str(name))
        keys.setdefault(str(table), {}).setdefault(str(index), []).append(place)
    return {
        table: Definition(
            tuple(name for name, _ in listed),
            tuple(exact_value(session.kind, name, type) for name, type in listed),
            tuple(identity(name, type) for name, type in listed),
            tuple(tuple(key) for key in keys.get(table, {}).values()),
            "PRIMARY" in keys.get(table, {}),
            frozenset(at for at, words in enumerate(extra[table]) if is_generated(words) or "on update" in words),
            frozenset(at for at, words in enumerate(extra[table]) if is_generated(words)),
        )
        for table, listed in columns.items()
    }


def exact_value(kind: str, name: str, type: str) -> str:
    """Return an expression whose text two values share only if they have the same bytes."""
    column = quoted(name)
    if type in OCTETS:
        return f"HEX({column})"
    if type in ("float", "double"):  # the text of a double may lack its last digit, and -0 equals 0
        return f"HEX(ST_AsBinary(POINT({column}, 0)))"
    if type in ("enum", "set", "bit", "year"):
        return f"{column} + 0"
    if type == "json":  # two numbers may have the same text and different types, and so different sizes
        size = f"JSON_STORAGE_SIZE(JSON_ARRAY({column}))"  # that of the column counts what a partial update left free
        return f"CONCAT({size}, ' ', HEX(CONVERT({column} USING utf8mb4)))"
    return column


def identity(name: str, type: str) -> str:
    column = quoted(name)
    if type in ("char", "varchar"):
        return f"HEX(WEIGHT_STRING({column}))"
    return f"{column} + 0" if type in ("float", "double", "enum", "set", "bit", "year") else f"HEX({column})"


def snapshot(session: Session, database: str, tables: dict[str, Definition]) -> State:
    """Read every row of the tables as the session sees them."""
    rows = {}
    for table, definition in tables.items():
        listed = ", ".join(definition.exact + definition.identities)
        rows[table] = Counter(session.select(f"SELECT {listed} FROM {quoted(database)}.{quoted(table)}"))
    return State(rows)


def changes_between(before: State, after: State) -> dict[str, Change]:
    """Return what differs, for each table that differs."""
    found = {}
    for table in before.rows:
        removed, added = before.rows[table] - after.rows[table], after.rows[table] - before.rows[table]
        if removed or added:
            found[table] = Change(removed, added)
    return found


def is_generated(extra: str) -> bool:
    """Return True if information_schema says that of a column; MySQL says DEFAULT_GENERATED of a default."""
    return "generated" in extra.replace("default_generated", "")


def undone(
    now: State, before: State, after: State, tables: dict[str, Definition], ids: set[str | None] | None = None
) -> tuple[State, dict[str, list[Row]]]:
    """Take back what led from `before` to `after`: of updated rows with a primary key the columns that changed.

    Return the state, and by table the rows, as they were left, that are not so any more: those stay as they are. `ids`
    are the values of the column id that count.
    """
    rows = dict(now.rows)
    met: dict[str, list[Row]] = {}
    for table, change in changes_between(before, after).items():
        definition, left = tables[table], Counter(now.rows[table])
        removed, added = list(change.removed.elements()), list(change.added.elements())
        if ids is not None:
            place = definition.columns.index("id")
            removed, added = ([row for row in of if row[place] in ids] for of in (removed, added))
        set_back: list[Row] = []
        old = {key_of(row, definition): row for row in removed} if definition.has_primary_key else {}
        for row in added:
            was = old.get(key_of(row, definition)) if definition.has_primary_key else None
            if was is not None:
                removed.remove(was)
            one = None if was is None else updated_back(left, was, row, definition)
            if was is None and left[row]:
                left[row] -= 1
            elif one is not None:
                left[one[0]] -= 1
                left[one[1]] += 1
                set_back.append(one[1])
            else:
                met.setdefault(table, []).append(row)
        left.update(removed)
        taken = doubled(+left, definition)
        for row in (*removed, *set_back):
            if taken & identities_of(row, definition, REMOVED):
                met.setdefault(table, []).append(row)
        rows[table] = +left
    return State(rows), met


def doubled(rows: Counter[Row], definition: Definition) -> set[tuple[int, tuple[str, ...]]]:
    """Return the values of unique keys that more than one row has."""
    found = Counter(one for row in rows.elements() for one in identities_of(row, definition, REMOVED) if one[0] >= 0)
    return {one for one, count in found.items() if count > 1}


def updated_back(left: Counter[Row], was: Row, row: Row, definition: Definition) -> tuple[Row, Row] | None:
    """Return an updated row as it is, and as its undo leaves it; None if its changed columns have other values."""
    count = len(definition.columns)
    key = key_of(row, definition)
    there = next((one for one in +left if key_of(one, definition) == key), None)
    changed = [place for place in range(count) if was[place] != row[place] and place not in definition.generated]
    compared = [place for place in changed if place not in definition.along] or changed
    if there is None or any(there[place] != row[place] for place in compared):
        return None
    back = list(there)
    for place in changed:
        if place in compared or there[place] == row[place]:
            back[place], back[count + place] = was[place], was[count + place]
    return there, tuple(back)


def differences(expected: State, found: State, tables: dict[str, Definition]) -> list[Difference]:
    """Return how a state differs from the expected one: of rows with the same key the columns that differ."""
    listed = []
    for table, change in changes_between(expected, found).items():
        definition = tables[table]
        surplus = list(change.added.elements())
        for row in change.removed.elements():
            key = key_of(row, definition)
            twin = next((other for other in surplus if definition.keys and key_of(other, definition) == key), None)
            if twin is not None:
                surplus.remove(twin)
            listed.append(difference(table, key, definition, row, twin))
        listed += [difference(table, key_of(row, definition), definition, None, row) for row in surplus]
    return listed


def key_of(row: Row, definition: Definition) -> Row:
    return tuple(row[column] for column in definition.keys[0]) if definition.keys else ()


def difference(table: str, key: Row, definition: Definition, expected: Row | None, found: Row | None) -> Difference:
    count = len(definition.columns)
    if expected is None or found is None:
        whole = [None if row is None else row[:count] for row in (expected, found)]
        return Difference(table, key, definition.columns, *whole)
    places = [place for place in range(count) if expected[place] != found[place]]
    names, *values = (tuple(row[place] for place in places) for row in (definition.columns, expected, found))
    return Difference(table, key, tuple(map(str, names)), *values)


def describe(listed: Iterable[Difference], limit: int = 20) -> str:
    """Return a line for each difference, at most `limit` of them."""
    lines = [str(one) for one in listed]
    return "\n".join(lines[:limit] + ([f"... and {len(lines) - limit} more"] if len(lines) > limit else []))
