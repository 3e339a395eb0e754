"""Definitions as JSON, from which a later run continues: the columns that rows need, and what statements rely on."""

import json
from dataclasses import fields
from typing import Any

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import ColumnType
from pybinlog.schema.column import PRIMARY, Column, Generated, Key, KeyPart
from pybinlog.schema.expression import Null
from pybinlog.schema.table import TableDefinition
from pybinlog.statement import Key as TableKey

MOST = 16 << 20
"""Characters of all tables together. With more, those that were defined first are omitted."""
_UNNEEDED = frozenset({"default", "has_default", "on_update_now", "auto_increment"})
_PLAIN = Column("", ColumnType.NULL, "")
_SEPARATORS = (",", ":")


class SavedDefinitions:
    """`text(definitions)` is their JSON, in ASCII; it costs little if nothing has changed."""

    def __init__(self) -> None:
        self._tables: dict[TableKey, tuple[Known | Unknown, str]] = {}
        self._of: Definitions | None = None
        self._changes = 0
        self._text = ""
        self.omitted = 0
        """Tables that the text omits because there are too many."""

    def text(self, definitions: Definitions) -> str:
        if self._of is not definitions or self._changes != definitions.changes:
            self._of, self._changes = definitions, definitions.changes
            self._text = self._changed(definitions)
        return self._text

    def _changed(self, definitions: Definitions) -> str:
        before, self._tables = self._tables, {}
        for key, what in definitions.tables.items():
            kept = before.get(key)
            if kept is None or kept[0] is not what:
                kept = what, json.dumps([*key, *saved(what)], separators=_SEPARATORS)
            self._tables[key] = kept
        texts = [text for _, text in self._tables.values()]
        size = sum(map(len, texts))
        self.omitted = 0
        while size > MOST:
            size -= len(texts[self.omitted])
            self.omitted += 1
        others = json.dumps(definitions.others(), separators=_SEPARATORS)
        return f'{others[:-1]},"tables":[{",".join(texts[self.omitted :])}]}}'


def restored(content: dict[str, Any]) -> Definitions:
    """Return the definitions of a text of SavedDefinitions, as `json` reads it. Raise ValueError if it is damaged."""
    definitions = Definitions()
    try:
        for database, name, *what in content["tables"]:
            key = _checked(database, str), _checked(name, str)
            definitions.tables.put(key, _restored(key, *what))
        definitions.restore_others(content)
    except (LookupError, TypeError, AttributeError) as problem:
        raise ValueError(f"the definitions are damaged: {problem}") from problem
    return definitions


def saved(what: Known | Unknown) -> list[Any]:
    if isinstance(what, Unknown):
        return [what.reason, what.where]
    table = what.table
    primary = [part.column for key in table.keys if key.primary for part in key.parts]
    return [list(map(_saved_column, table.columns)), primary, table.collation, what.versioned, what.engine]


def _restored(key: TableKey, first: Any, second: Any, *more: Any) -> Known | Unknown:
    if not more:
        return Unknown(_checked(first, str), _checked(second, str))
    collation, versioned, engine = more
    parts = tuple(KeyPart(_checked(name, str)) for name in second)
    keys = (Key(PRIMARY, parts, unique=True),) if parts else ()
    table = TableDefinition(*key, tuple(map(_restored_column, first)), keys, collation=_checked(collation, int))
    return Known(table, _checked(versioned, bool), None if engine is None else _checked(engine, str))


def _saved_column(column: Column) -> dict[str, Any]:
    found = {}
    for field in fields(Column):
        value = getattr(column, field.name)
        if field.name not in _UNNEEDED and value != getattr(_PLAIN, field.name):
            found[field.name] = value
    found["type"] = int(column.type)
    if column.generated is not None:
        found["generated"] = [column.generated.text, column.generated.stored]
    return found


def _restored_column(found: dict[str, Any]) -> Column:
    values = dict(found)
    generated = values.pop("generated", None)
    made: dict[str, Any] = {
        "name": _checked(values.pop("name", ""), str),
        "type": ColumnType(values.pop("type")),
        "members": tuple(_checked(member, str) for member in values.pop("members", ())),
        "collation": None if values.get("collation") is None else _checked(values["collation"], int),
    }
    values.pop("collation", None)
    if generated is not None:
        made["generated"] = Generated(Null(), _checked(generated[0], str), _checked(generated[1], bool))
    for name, value in values.items():
        made[name] = _checked(value, type(getattr(_PLAIN, name)))
    return Column(**{"declared": "", **made})


def _checked(value: Any, kind: type) -> Any:
    """Return a value of this type. Raise TypeError if it is of another."""
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not of the type {kind.__name__}")
    return value
