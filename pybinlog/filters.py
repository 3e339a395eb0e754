"""Filters by names: databases, tables, event types and operations, as users write them."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from pybinlog.record import Record

META = "*?["


class NameRules(Record):
    """Databases and tables to include and to ignore; () for no condition.

    Each is a pattern of `fnmatch` (`*`, `?`, `[a-z]`); a table's is a pair with its database's, None for any. Names
    that are not UTF-8 have surrogate escapes.
    """

    databases: tuple[str, ...] = ()
    tables: tuple[tuple[str | None, str], ...] = ()
    ignored_databases: tuple[str, ...] = ()
    ignored_tables: tuple[tuple[str | None, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.databases or self.tables or self.ignored_databases or self.ignored_tables)

    @property
    def includes(self) -> bool:
        """True if the rules include names: then nothing without a name matches."""
        return bool(self.databases or self.tables)

    def ask_for(self, database: bytes, table: bytes | None) -> bool:
        """Return True if rows of a table match, or (None) a statement with that default database."""
        schema = database.decode("utf-8", "surrogateescape")
        name = None if table is None else table.decode("utf-8", "surrogateescape")
        if self.databases and not any(fnmatchcase(schema, pattern) for pattern in self.databases):
            return False
        if self.tables and not names_table(self.tables, schema, name):
            return False
        if any(fnmatchcase(schema, pattern) for pattern in self.ignored_databases):
            return False
        return name is None or not names_table(self.ignored_tables, schema, name)


def names_table(patterns: Iterable[tuple[str | None, str]], schema: str, name: str | None) -> bool:
    """Return True if a pattern matches the table; without a name, if one matches the database."""
    return any(
        (database is None or fnmatchcase(schema, database)) and (name is None or fnmatchcase(name, table))
        for database, table in patterns
    )


def type_names() -> list[str]:
    """Return the printed names of event types; parts are read as the row event that they are parts of."""
    from pybinlog.event_types import PRINTED_NAMES, EventType

    return sorted({*PRINTED_NAMES.values()} - {PRINTED_NAMES[EventType.MARIA_PARTIAL_ROWS]}, key=str.lower)


def event_types(text: str) -> frozenset[int]:
    """Return event types by printed names, in any case, with commas between. Raise ValueError for other names."""
    from pybinlog.event_types import PRINTED_NAMES, EventType

    found: set[int] = set()
    for part in text.split(","):
        name = part.strip().lower()
        if not name:
            continue
        matching = {kind for kind, printed in PRINTED_NAMES.items() if printed.lower() == name}
        if EventType.MARIA_PARTIAL_ROWS in matching:
            raise ValueError(f"{part.strip()!r} are parts, read as their row event: name that, such as Write_rows_v1")
        if not matching:
            from difflib import get_close_matches

            known = type_names()
            near = get_close_matches(part.strip().capitalize(), known)
            if near:
                raise ValueError(f"{part.strip()!r} is not an event type; did you mean {' or '.join(near)}?")
            raise ValueError(f"{part.strip()!r} is not an event type; valid types: {', '.join(known)}")
        found |= matching
    return frozenset(int(kind) for kind in found)


def table_patterns(text: str, *, escape: bool = True) -> tuple[tuple[str | None, str], ...]:
    """Return tables as `table` or `database.table`, with commas between. Inside backticks, only these are special."""
    found: list[tuple[str | None, str]] = []
    for names in name_lists(text, escape=escape):
        if len(names) > 2 or not all(names):
            raise ValueError(f"{'.'.join(names)!r} is not a table; write table or database.table")
        found.append((names[0], names[1]) if len(names) == 2 else (None, names[0]))
    return tuple(found)


def database_patterns(text: str, *, escape: bool = True) -> tuple[str, ...]:
    """Return databases with commas between. Inside backticks, only these are special. Raise ValueError for a dot."""
    found: list[str] = []
    for parts in name_lists(text, escape=escape):
        if len(parts) > 1:
            raise ValueError(f"{'.'.join(parts)!r} is not one name; put it in backticks if the dot belongs to it")
        found.append(parts[0])
    return tuple(found)


def name_lists(text: str, *, escape: bool) -> list[list[str]]:
    """Return the names between commas, each as the parts that dots divide it into; backticks quote, as in SQL.

    With `escape` the parts are patterns, in which what was quoted stands for itself.
    """
    lists: list[list[str]] = [[""]]
    quoted = False
    at = 0
    while at < len(text):
        character = text[at]
        if character == "`" and quoted and text[at + 1 : at + 2] == "`":
            lists[-1][-1] += "`"
            at += 1
        elif character == "`":
            quoted = not quoted
        elif quoted:
            lists[-1][-1] += f"[{character}]" if escape and character in META else character
        elif character == ",":
            lists.append([""])
        elif character == ".":
            lists[-1].append("")
        elif not character.isspace():
            lists[-1][-1] += character
        at += 1
    if quoted:
        raise ValueError(f"a backtick is missing in {text!r}")
    return [parts for parts in lists if parts != [""]]
