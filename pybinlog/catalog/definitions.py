"""Definitions: what statements and dumps say of tables, taken in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from pybinlog.catalog.answers import LoggedTable, contradiction, logged_table, metadata_of
from pybinlog.catalog.for_table_maps import for_table_maps
from pybinlog.catalog.relations import Relations
from pybinlog.catalog.script import UnclosedQuote, statements_of
from pybinlog.catalog.tables import (
    Altered,
    DatabaseDropped,
    DatabaseMade,
    Dropped,
    Entry,
    Key,
    Known,
    LoggedStatement,
    Lost,
    Made,
    NoDatabase,
    Renamed,
    Session,
    Tables,
    Unknown,
)
from pybinlog.errors import BinlogError, UnsupportedStatement
from pybinlog.schema.alteration import alter
from pybinlog.schema.column import Settings
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.error import SURROGATE, SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.statement import (
    AlterDatabase,
    AlterTable,
    CreateDatabase,
    CreateSequence,
    CreateTable,
    Definition,
    DropDatabase,
    DropTable,
    RenameTable,
)
from pybinlog.schema.table import TableDefinition, collation_of, define
from pybinlog.schema.text import UNKNOWN

_DEFINES = re.compile(r"\s*(?:/\*M?!\d*\s*)?(?:CREATE|ALTER|DROP|RENAME)\b", re.IGNORECASE)
_REPLACES = re.compile(r"\s*(?:/\*M?!\d*\s*)?CREATE\s+OR\s+REPLACE\b", re.IGNORECASE)
_OfTable = TypeVar("_OfTable", CreateTable, AlterTable)
_MOST_ANSWERS = 4096
_LONGEST_KEPT = 1 << 14
"""Characters of a statement that is kept as it was read."""
_MOST_TEMPORARY = 4096
_MOST_DROPPED = 4096
_SEQUENCE = (
    "CREATE TABLE s (next_not_cached_value BIGINT NOT NULL, minimum_value BIGINT NOT NULL,"
    " maximum_value BIGINT NOT NULL, start_value BIGINT NOT NULL, increment BIGINT NOT NULL,"
    " cache_size BIGINT UNSIGNED NOT NULL, cycle_option TINYINT UNSIGNED NOT NULL, cycle_count BIGINT NOT NULL)"
)
"""The columns of MariaDB's sequences."""


class Definitions:
    """Definitions by database and table.

    `warn` gets one sentence for a table whose rows come when its definition is lost.
    """

    def __init__(self) -> None:
        self.warn: Callable[[str], object] | None = None
        self._tables = Tables()
        self._temporary: dict[tuple[int, Key], None] = {}
        self._collations: dict[str, int] = {}
        self._whole: set[str] = set()  # databases that were created here, so that all their tables are known of
        self._dropped: dict[str, None] = {}  # databases, the last of them
        self._answers: dict[tuple[bytes, bool], tuple[Key, Known | Unknown | None, bytes]] = {}
        """Each with the table it is about, as that was defined."""
        self._told: set[Key] = set()
        self.journal: list[Entry] | None = None
        """The effects of the log's statements, in order; None: not needed."""
        self._replaces = False
        self.sources: dict[Key, str] = {}
        """The dump that each table comes from."""
        self.relations = Relations()
        self._ran = 0

    def copy(self) -> Definitions:
        """Another one that knows the same."""
        made = Definitions()
        made._tables = self._tables.copy()
        made._collations = dict(self._collations)
        made._whole = set(self._whole)
        made._dropped = dict(self._dropped)
        made.sources = dict(self.sources)
        made.relations = self.relations.copy()
        return made

    @property
    def tables(self) -> Tables:
        return self._tables

    def __len__(self) -> int:
        """How many tables it has heard of."""
        return len(self._tables)

    # ---- for a later run

    @property
    def changes(self) -> int:
        """A number that grows with each change."""
        return self._ran + self._tables.changes

    def others(self) -> dict[str, Any]:
        """Return what statements rely on beside the tables, for JSON."""
        return {
            "absent": self._tables.absent,
            "temporary": [[thread, *key] for thread, key in self._temporary],
            "collations": self._collations,
            "whole": sorted(self._whole),
            "dropped": list(self._dropped),
        }

    def restore_others(self, content: dict[str, Any]) -> None:
        """Take what `others` gave."""
        for database, name in content["absent"]:
            self._tables.drop((database, name))
        self._temporary.update({(thread, (database, name)): None for thread, database, name in content["temporary"]})
        self._collations.update(content["collations"])
        self._whole.update(content["whole"])
        self._dropped.update(dict.fromkeys(content["dropped"]))

    # ---- what defines tables

    def read(self, name: str, text: str, dump: str | None = None) -> int:
        """Take the statements of a file of a dump, which has a name of its own if it is a folder. How many of them
        make tables.

        Raise BinlogError if a table has no database.
        """
        try:
            return self._read(name, text, dump)
        except UnclosedQuote as problem:
            raise problem.in_file(name) from None

    def _read(self, name: str, text: str, dump: str | None) -> int:
        database = ""
        found = 0
        for line, statement in statements_of(text):
            if statement.database is not None:
                database = statement.database
                continue
            if _DEFINES.match(statement.text) is None:
                continue
            session = Session(database, f"{name}, line {line}", of_dump=True)
            try:
                found += self._run(statement.text, session)
            except NoDatabase as problem:
                raise BinlogError(
                    f"line {line}: the table {problem} has no database",
                    file=name,
                    hint="Write USE and the name of its database before it, as mysqldump --databases does",
                ) from None
        for key in self._tables:
            self.sources.setdefault(key, dump or name)
        return found

    def run_logged(self, statement: LoggedStatement) -> None:
        """Run a statement of a log."""
        self.run(statement.decoded, statement.session)

    def run(self, text: str, session: Session) -> None:
        """Run a statement of a log in its session."""
        try:
            self._run(text, session)
        except NoDatabase:
            return

    def _run(self, text: str, session: Session) -> bool:
        """Run a statement; whether it is about tables."""
        self._ran += 1
        self.relations.read(text, session)
        try:
            read = _read_again if len(text) <= _LONGEST_KEPT else _read
            parsed, statement = read(text, session.settings.sql_mode)
            with suppress(NoDatabase):
                self.relations.unique_keys.follow(parsed, text, session)
            if statement is None:
                return False
            self._replaces = _REPLACES.match(text) is not None
            self._apply(statement, session)
        except (UnsupportedStatement, SqlError, RecursionError) as problem:
            self._lose(text, session, str(problem))
            return True
        return isinstance(statement, (CreateTable, CreateSequence))

    def _lose(self, text: str, session: Session, reason: str) -> None:
        """Forget the tables that a statement is about; all if it does not say which."""
        unknown = Unknown(f"a statement was not understood ({reason.rstrip('.')})", session.where)
        try:
            paths = list(_paths(Cursor(text, session.settings.sql_mode, mariadb=True)))
        except (UnsupportedStatement, SqlError):
            self._tables.lose_all(unknown)
            self._whole.clear()
            self._note(Lost(None, unknown))
            return
        for path in paths:
            if not session.of_dump or path[0] or session.database:
                self._tables.put(session.key(path), unknown)
                self._note(Lost(session.key(path), unknown))

    # ---- statements

    def _apply(self, statement: Definition, session: Session) -> None:
        if isinstance(statement, CreateTable):
            self._create(statement, session)
        elif isinstance(statement, CreateSequence):
            key = session.key(statement.path)
            if self._makes(key, statement.if_not_exists, session):
                made = parse(_SEQUENCE)
                assert isinstance(made, CreateTable)
                self._tables.put(key, Known(define(made, key[0], UNKNOWN, session.settings)))
        elif isinstance(statement, AlterTable):
            self._alter(statement, session)
        elif isinstance(statement, RenameTable):
            for old, new in statement.pairs:
                self._rename(session.key(old), session.key(new), session)
        elif isinstance(statement, DropTable):
            for path in statement.paths:
                key = session.key(path)
                if (session.thread, key) in self._temporary:
                    del self._temporary[session.thread, key]
                elif not statement.temporary:
                    self._tables.other_spelling(key, session.where)
                    self._tables.drop(key)
                    self._note(Dropped(key))
        elif isinstance(statement, CreateDatabase):
            self._create_database(statement, session)
        elif isinstance(statement, AlterDatabase):
            if statement.charset or statement.collate:
                name = statement.name or session.database
                self._collations[name] = self._collation(statement, self._collations.get(name, UNKNOWN), session)
        elif isinstance(statement, DropDatabase):
            self._drop_database(statement.name)
            self._dropped[statement.name] = None
            if len(self._dropped) > _MOST_DROPPED:
                del self._dropped[next(iter(self._dropped))]
            self._note(DatabaseDropped(statement.name))

    def _create_database(self, statement: CreateDatabase, session: Session) -> None:
        name = statement.name
        if statement.if_not_exists and name not in self._dropped and not session.of_dump:
            return
        if not session.of_dump:
            if not statement.if_not_exists:
                self._note(DatabaseMade(name))
            self._drop_database(name)
            self._whole.add(name)
        self._dropped.pop(name, None)
        self._collations[name] = self._collation(statement, session.server_collation, session)

    def _collation(self, statement: CreateDatabase | AlterDatabase, default: int, session: Session) -> int:
        return collation_of(statement.charset, statement.collate, default, session.settings)

    def _drop_database(self, name: str) -> None:
        for key in [key for key in self._tables if key[0] == name]:
            self._tables.forget(key)
        self._collations.pop(name, None)
        self._whole.discard(name)

    def _create(self, statement: CreateTable, session: Session) -> None:
        key = session.key(statement.path)
        if statement.temporary:
            self._temporary[session.thread, key] = None
            if len(self._temporary) > _MOST_TEMPORARY:
                del self._temporary[next(iter(self._temporary))]
            return
        if not self._makes(key, statement.if_not_exists, session):
            return
        if statement.like is not None:
            like = self._tables.get(session.key(statement.like))
            if isinstance(like, Known):
                self._tables.put(key, replace(like, table=replace(like.table, database=key[0], name=key[1])))
            else:
                self._tables.put(key, Unknown("it was made like a table that is not known", session.where))
        elif statement.selects:
            self._tables.put(key, Unknown("it was made of a query, whose columns are not known", session.where))
        else:
            default = self._collations.get(key[0], UNKNOWN)
            if session.database_collation != UNKNOWN and key[0] == session.database:
                default = session.database_collation
            engine = statement.options.engine
            made = define(_without_engine(statement), key[0], default, session.settings)
            self._tables.put(key, Known(_checked(made), statement.versioned, engine))

    def _note(self, entry: Entry) -> None:
        if self.journal is not None:
            self.journal.append(entry)

    def _makes(self, key: Key, if_not_exists: bool, session: Session) -> bool:
        """Return True if a CREATE of that name made it. With IF NOT EXISTS it may have found another table there."""
        if not session.of_dump:
            self._note(Made(key, if_not_exists, self._replaces))
        if not if_not_exists or session.of_dump:
            return True
        if key in self._tables:
            return False
        if self._tables.is_absent(key) or key[0] in self._whole:
            return True
        self._tables.put(
            key, Unknown("CREATE ... IF NOT EXISTS does not say whether there was another of that name", session.where)
        )
        return False

    def _alter(self, statement: AlterTable, session: Session) -> None:
        key = session.key(statement.path)
        if (session.thread, key) in self._temporary:
            if statement.rename is not None:
                del self._temporary[session.thread, key]
                self._temporary[session.thread, session.key(statement.rename)] = None
            return
        self._tables.other_spelling(key, session.where)
        if not session.of_dump:
            self._note(Altered(key, statement, session.settings))
        known = self._tables.get(key)
        if isinstance(known, Known):
            self._tables.put(key, altered(known, statement, session.settings))
        if statement.rename is not None:
            self._rename(key, session.key(statement.rename), session)

    def _rename(self, old: Key, new: Key, session: Session) -> None:
        self._tables.other_spelling(old, session.where)
        if not session.of_dump:
            self._note(Renamed(old, new))
        found = self._tables.get(old)
        self._tables.drop(old)
        self._tables.forget(new)
        if isinstance(found, Known):
            self._tables.put(new, replace(found, table=replace(found.table, database=new[0], name=new[1])))
        elif found is not None:
            self._tables.put(new, found)

    # ---- Table_maps

    def metadata(self, table_map: bytes, where: str, mariadb: bool) -> bytes:
        """As of Catalog; `where` is a part of a sentence."""
        kept = self._answers.get((table_map, mariadb))
        if kept is not None:
            key, known, answer = kept
            if self._tables.get(key) == known:
                return answer
        logged = logged_table(table_map)
        if logged is None:
            return b""
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers.clear()
        answer = self._metadata(logged, where, mariadb)
        self._answers[table_map, mariadb] = logged.key, self._tables.get(logged.key), answer
        return answer

    def definition(self, logged: LoggedTable, where: str) -> Known | Unknown | None:
        """Return the definition of a table in a log; one that contradicts the log is lost.

        `where` is a part of a sentence.
        """
        known = self._tables.get(logged.key)
        if isinstance(known, Known):
            problem = contradiction(known.columns, logged.columns)
            if problem:
                known = Unknown(f"its definition is another one: {problem}", where)
                self._tables.put(logged.key, known)
        return known

    def _metadata(self, logged: LoggedTable, where: str, mariadb: bool) -> bytes:
        key = logged.key
        known = self.definition(logged, where)
        if isinstance(known, Known):
            return metadata_of(known, logged, mariadb=mariadb)
        if isinstance(known, Unknown) and self.warn is not None and key not in self._told:
            self._told.add(key)
            self.warn(f"{known.where}: the columns of {key[0]}.{key[1]} have no names from here on: {known.reason}")
        return b""


def _read(text: str, sql_mode: frozenset[str]) -> tuple[Definition | None, Definition | None]:
    """Return the statement, and the part of it that rows need."""
    parsed = parse(text, sql_mode, mariadb=True)
    return parsed, for_table_maps(parsed)


_read_again = lru_cache(256)(_read)
"""Temporary tables and the like are made again and again by the same statement."""


def altered(known: Known, statement: AlterTable, settings: Settings) -> Known:
    """Return the table after ALTER TABLE, under its old name. Raise SqlError and UnsupportedStatement."""
    table, _ = alter(known.table, _without_engine(statement), settings)
    versioned = known.versioned if statement.versioned is None else statement.versioned
    return Known(_checked(table), versioned, statement.options.engine or known.engine)


def _without_engine(statement: _OfTable) -> _OfTable:
    """Return the statement without its engine, which the model may not know."""
    return statement.replace(options=statement.options.replace(engine=None))


def _checked(table: TableDefinition) -> TableDefinition:
    """Return the table. Raise UnsupportedStatement if a name or a member is not valid text."""
    for column in table.columns:
        if any(re.search(SURROGATE, name) for name in (column.name, *column.members)):
            raise UnsupportedStatement("names that are not valid in their character set", missing="name")
    return table


def _paths(cursor: Cursor) -> Iterator[Path]:
    """Yield the tables of a statement that the parser does not know."""
    words = ("CREATE", "ALTER", "DROP", "RENAME", "OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE", "SEQUENCE")
    while cursor.accept_one(*words, "TABLE", "TABLES", "IF", "NOT", "EXISTS", "DATABASE", "SCHEMA", "TEMPORARY"):
        pass
    yield cursor.path()
    while not cursor.at_end:
        cursor.skip()
        if not cursor.accept_sign(","):
            return
        if cursor.at_name:
            yield cursor.path()
