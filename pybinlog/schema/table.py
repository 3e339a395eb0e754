"""TableDefinition: a table's columns, keys and options, without its rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.column import Column, Key, Settings, in_server_order, key_name
from pybinlog.schema.error import error
from pybinlog.schema.expression import Call, String
from pybinlog.schema.statement import CreateTable, TableOptions

ENGINES = {
    "innodb": ("InnoDB", True),
    "myisam": ("MyISAM", False),
    "memory": ("MEMORY", False),
    "heap": ("MEMORY", False),
    "csv": ("CSV", False),
    "archive": ("ARCHIVE", False),
}
"""The engines by their names in lower case: the name as the server words it, and whether they are transactional."""
_OTHER_ENGINES = frozenset({"blackhole", "merge", "mrg_myisam", "federated", "ndb", "ndbcluster", "example"})


@dataclass(frozen=True)
class TableDefinition:
    """A table as it is defined. `engine` is the name as the server words it; `collation` that of new columns.

    `named_options` are the options that the statement names, of which a CREATE TABLE in the server's words speaks.
    """

    database: str
    name: str
    columns: tuple[Column, ...]
    keys: tuple[Key, ...] = ()
    engine: str = "InnoDB"
    collation: int = 255
    comment: str = ""
    auto_increment: int = 1
    named_options: TableOptions = field(default_factory=TableOptions)

    @property
    def transactional(self) -> bool:
        """Return True if its engine has transactions."""
        return ENGINES[self.engine.lower()][1]

    @property
    def unique_keys(self) -> tuple[Key, ...]:
        """The primary key and the other unique ones, in the server's order."""
        return tuple(key for key in self.keys if key.unique)

    def position(self, name: str) -> int | None:
        """Return the place of a column by name."""
        lowered = name.lower()
        return next((place for place, column in enumerate(self.columns) if column.name.lower() == lowered), None)


def engine_of(name: str) -> str:
    """Return an engine's name as the server words it.

    Raise error 1286, UnsupportedStatement for one that is not known.
    """
    if name.lower() in _OTHER_ENGINES:
        raise UnsupportedStatement(f"the engine {name} is not in the model", missing=name)
    if name.lower() not in ENGINES:
        raise error("UNKNOWN_STORAGE_ENGINE", name)
    return ENGINES[name.lower()][0]


def collation_of(charset: str | None, collate: str | None, default: int, settings: Settings) -> int:
    """Return the collation that options of a table or database name. Raise errors 1115 and 1273."""
    if collate is not None:
        return settings.collation(collate, default if charset is None else settings.charset(charset))
    return settings.charset(charset) if charset is not None else default


def define(
    statement: CreateTable, database: str, default: int, settings: Settings, selected: Sequence[Column] = ()
) -> TableDefinition:
    """Return the table that CREATE TABLE makes in a database whose collation is `default`.

    `selected` are the columns of CREATE TABLE ... SELECT, in the query's order. Raise SqlError as the server would
    for a definition that is wrong in itself, and UnsupportedStatement.
    """
    options = statement.options
    collation = collation_of(options.charset, options.collate, default, settings)
    declared = [declaration.column(settings, collation) for declaration in statement.columns]
    names = {column.name.lower() for column in selected}
    own = {column.name.lower(): column for column in declared}
    columns = [column for column in declared if column.name.lower() not in names]
    columns += [own.get(column.name.lower(), column) for column in selected]
    if not settings.explicit_defaults_for_timestamp:
        columns = _timestamps(columns)
    finished, keys = finish(columns, statement.keys)
    return TableDefinition(
        database,
        statement.path[1],
        finished,
        keys,
        engine=engine_of(options.engine or settings.default_storage_engine),
        collation=collation,
        comment=options.comment or "",
        auto_increment=options.auto_increment or 1,
        named_options=options,
    )


def finish(columns: Sequence[Column], keys: Sequence[Key]) -> tuple[tuple[Column, ...], tuple[Key, ...]]:
    """Return the columns and keys of a definition as they belong together: names of keys, their order, NOT NULL.

    Raise SqlError for what is wrong: 1060, 1061, 1068, 1072 and 1075.
    """
    if sum(key.primary for key in keys) > 1:
        raise error("MULTIPLE_PRI_KEY")
    places: dict[str, int] = {}
    for place, column in enumerate(columns):
        if column.name.lower() in places:
            raise error("DUP_FIELDNAME", column.name)
        places[column.name.lower()] = place
    made = list(columns)
    finished: list[Key] = []
    taken = {key.name.lower() for key in keys if key.name}
    for key in keys:
        for part in key.parts:
            if part.column.lower() not in places:
                raise error("KEY_COLUMN_DOES_NOT_EXITS", part.column)
            if key.primary:
                place = places[part.column.lower()]
                made[place] = replace(made[place], nullable=False)
        if not key.name:
            key = replace(key, name=key_name(key, taken))
            taken.add(key.name.lower())
        if any(other.name.lower() == key.name.lower() for other in finished):
            raise error("DUP_KEYNAME", key.name)
        finished.append(key)
    automatic = [column for column in made if column.auto_increment]
    if len(automatic) > 1 or (automatic and not any(key.has(automatic[0].name) for key in finished)):
        raise error("WRONG_AUTO_KEY")
    return tuple(made), in_server_order(finished, made)


def _timestamps(columns: Sequence[Column]) -> list[Column]:
    """Let the first TIMESTAMP keep the time of the last change, without explicit_defaults_for_timestamp."""
    made, first = [], True
    for column in columns:
        if column.type == ColumnType.TIMESTAMP2 and not column.nullable and not column.has_default:
            if first and not column.on_update_now:
                column = replace(column, default=Call("NOW"), has_default=True, on_update_now=True)
            elif not first:
                column = replace(column, default=String("0000-00-00 00:00:00"), has_default=True)
        first = first and column.type != ColumnType.TIMESTAMP2
        made.append(column)
    return made
