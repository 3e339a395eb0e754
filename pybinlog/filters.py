"""Filters by names: databases, tables, event types and operations, as users write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial

from pybinlog.record import Record

META = "*?["
MOST_SEEN = 1000
"""Tables that are kept, to tell of names like those that match none."""


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

    def ask_for(self, database: bytes, table: bytes | None, *, any_case: bool = False) -> bool:
        """Return True if rows of a table match, or (None) a statement with that default database.

        `any_case`: names that differ from those to include in case alone match, too.
        """
        schema = database.decode("utf-8", "surrogateescape")
        name = None if table is None else table.decode("utf-8", "surrogateescape")
        if any_case and self.includes:
            included = NameRules(
                tuple(map(str.lower, self.databases)),
                tuple((schema and schema.lower(), table.lower()) for schema, table in self.tables),
            )
            ignored = NameRules((), (), self.ignored_databases, self.ignored_tables)
            return included.ask_for(database.lower(), table and table.lower()) and ignored.ask_for(database, table)
        if self.databases and not any(fnmatchcase(schema, pattern) for pattern in self.databases):
            return False
        if self.tables and not names_table(self.tables, schema, name):
            return False
        if any(fnmatchcase(schema, pattern) for pattern in self.ignored_databases):
            return False
        return name is None or not names_table(self.ignored_tables, schema, name)


class AskedNames(Record):
    """The names of filters that no table matched, each with its option, and the tables that were compared with them."""

    unmatched: frozenset[tuple[str, str]] = frozenset()
    tables: frozenset[tuple[str, str]] = frozenset()

    def plus(self, other: AskedNames | None) -> AskedNames:
        """Return both as one; the filters are the same."""
        if other is None:
            return self
        tables = sorted(self.tables | other.tables)[:MOST_SEEN]
        return AskedNames(self.unmatched & other.unmatched, frozenset(tables))


class NameAnswers:
    """Answers as `keeps` does, and notes which of the names that a filter includes match a table.

    `included` has a function for each, with its option, that compares it with a database and a table.
    """

    def __init__(
        self,
        keeps: Callable[[bytes, bytes | None], bool],
        included: Mapping[tuple[str, str], Callable[[str, str], bool]],
    ):
        self._keeps = keeps
        self._waiting = dict(included)
        self._tables: dict[tuple[str, str], None] = {}

    def __call__(self, database: bytes, table: bytes | None) -> bool:
        if self._waiting and table is not None:
            names = database.decode("utf-8", "surrogateescape"), table.decode("utf-8", "surrogateescape")
            for key in [key for key, matches in self._waiting.items() if matches(*names)]:
                del self._waiting[key]
            if len(self._tables) < MOST_SEEN:
                self._tables[names] = None
        return self._keeps(database, table)

    @property
    def asked(self) -> AskedNames:
        """Return what was asked so far."""
        return AskedNames(frozenset(self._waiting), frozenset(self._tables))


def included_names(rules: NameRules) -> dict[tuple[str, str], Callable[[str, str], bool]]:
    """Return the names that rules include, as NameAnswers has them."""
    found: dict[tuple[str, str], Callable[[str, str], bool]] = {}
    for pattern in rules.databases:
        found["database", plain(pattern)] = partial(is_in_database, pattern)
    for pair in rules.tables:
        found["table", plain(".".join(filter(None, pair)))] = partial(names_table, (pair,))
    return found


def is_in_database(pattern: str, schema: str, _: str) -> bool:
    return fnmatchcase(schema, pattern)


def plain(pattern: str) -> str:
    """Return the name that a pattern quotes, or the pattern."""
    return re.sub(rf"\[([{re.escape(META)}])\]", r"\1", pattern)


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
