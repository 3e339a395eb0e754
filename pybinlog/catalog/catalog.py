"""Catalog: the tables that dumps and statements define, for logs that do not name the columns.

    catalog = Catalog(warn=print)
    catalog.read("shop.sql", dump)                       # what mysqldump --no-data prints
    catalog.run(b"ALTER TABLE t ADD c INT", b"shop")     # what the log has
    catalog.metadata(table_map)                          # what its Table_map leaves out

Names are never guessed: what is not understood, and what the log contradicts, is not known from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pybinlog.catalog.contradiction import contradiction
from pybinlog.catalog.script import statements_of
from pybinlog.errors import BinlogError, UnsupportedStatement
from pybinlog.event_types import EventType
from pybinlog.layout import ColumnType, Format, MetadataType, columns_of, parse_body
from pybinlog.layout.rows.table_metadata import OPTIONAL_METADATA
from pybinlog.schema.alteration import alter
from pybinlog.schema.charset import UNKNOWN, collation_of_number
from pybinlog.schema.column import Column
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.error import SURROGATE, SqlError
from pybinlog.schema.parser import parse
from pybinlog.schema.settings import Settings
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
from pybinlog.schema.table_map import optional_metadata
from pybinlog.schema.text import decode_text

__all__ = ["Catalog"]

Key = tuple[str, str]
"""A database and a table in it."""

_DEFINES = re.compile(r"\s*(?:/\*M?!\d*\s*)?(?:CREATE|ALTER|DROP|RENAME)\b", re.IGNORECASE)
_MODES = {1: "REAL_AS_FLOAT", 4: "ANSI_QUOTES", 1 << 20: "NO_BACKSLASH_ESCAPES"}
"""The bits of sql_mode by which statements read otherwise. Source: the server's sql/query_options.h."""
_UTF8MB4 = 45
_UTF8MB4_BIN = 46
_NAMES_LENGTH = 8
"""The bytes of a Table_map's table id and flags."""
_FORMAT = Format.default()
_MOST_ANSWERS = 4096
_MOST_ABSENT = 4096
_LONGEST_KEPT = 1 << 14
"""Characters of a statement that is kept as it was read."""
_MOST_TEMPORARY = 4096
_PAIRS = (
    {MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET},
    {MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET},
)
"""Fields that say the same in two ways."""
_VERSIONS = tuple(
    Column(name, ColumnType.TIMESTAMP2, "timestamp(6)", nullable=False, decimals=6, visible=False)
    for name in ("row_start", "row_end")
)
"""What MariaDB adds to a table with system versioning."""
_SEQUENCE = (
    "CREATE TABLE s (next_not_cached_value BIGINT NOT NULL, minimum_value BIGINT NOT NULL,"
    " maximum_value BIGINT NOT NULL, start_value BIGINT NOT NULL, increment BIGINT NOT NULL,"
    " cache_size BIGINT UNSIGNED NOT NULL, cycle_option TINYINT UNSIGNED NOT NULL, cycle_count BIGINT NOT NULL)"
)
"""The columns of MariaDB's sequences."""


@dataclass(frozen=True)
class _Known:
    table: TableDefinition
    versioned: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns + (_VERSIONS if self.versioned else ())


@dataclass(frozen=True)
class _Unknown:
    """`reason` and `where` are parts of a sentence."""

    reason: str
    where: str


@dataclass(frozen=True)
class _Session:
    """What a statement depends on beside its text. A dump's IF NOT EXISTS means what it says (`of_dump`)."""

    database: str
    where: str
    settings: Settings = field(default_factory=lambda: Settings(lenient=True))
    server_collation: int = UNKNOWN
    database_collation: int = UNKNOWN
    thread: int = 0
    of_dump: bool = False


class Catalog:
    """Definitions by database and table.

    `warn` gets one sentence for a table whose rows come when its definition is lost.
    """

    def __init__(self, warn: Callable[[str], object] | None = None) -> None:
        self.warn = warn
        self._tables: dict[Key, _Known | _Unknown] = {}
        self._absent: dict[Key, None] = {}  # tables that were dropped, the last of them
        self._spelled: dict[Key, Key] = {}  # by names in lower case
        self._temporary: dict[tuple[int, Key], None] = {}
        self._collations: dict[str, int] = {}
        self._whole: set[str] = set()  # databases that were created here, so that all their tables are known of
        self._dropped: set[str] = set()  # databases
        self._answers: dict[tuple[bytes, bool], bytes] = {}
        self._told: set[Key] = set()

    def copy(self, warn: Callable[[str], object] | None = None) -> Catalog:
        """Another one that knows the same."""
        made = Catalog(warn)
        made._tables = dict(self._tables)
        made._absent = dict(self._absent)
        made._spelled = dict(self._spelled)
        made._collations = dict(self._collations)
        made._whole = set(self._whole)
        made._dropped = set(self._dropped)
        return made

    def __len__(self) -> int:
        """How many tables it has heard of."""
        return len(self._tables)

    # ---- what defines tables

    def read(self, name: str, text: str) -> int:
        """Take the statements of a dump; `name` is its file's. How many of them make tables.

        BinlogError where a table has no database.
        """
        database = ""
        found = 0
        for line, statement in statements_of(text):
            if statement.database is not None:
                database = statement.database
                continue
            if _DEFINES.match(statement.text) is None:
                continue
            session = _Session(database, f"{name}, line {line}", of_dump=True)
            try:
                found += self._run(statement.text, session)
            except _NoDatabase as problem:
                raise BinlogError(
                    f"line {line}: the table {problem} has no database",
                    file=name,
                    hint="Write USE and the name of its database before it, as mysqldump --databases does",
                ) from None
        return found

    def run(
        self,
        text: bytes,
        database: bytes,
        charset: bytes | None = None,
        database_collation: int = 0,
        sql_mode: int = 0,
        explicit_defaults_for_timestamp: int = -1,
        default_collation_for_utf8mb4: int = -1,
        thread: int = 0,
        file: bytes = b"",
        position: int = 0,
    ) -> None:
        """Take a statement of a log, with what its Query event says of the session.

        `charset` are the six bytes for client, connection and server.
        """
        numbers = [int.from_bytes((charset or bytes(6))[at : at + 2], "little") for at in (0, 2, 4)]
        session = _Session(
            database=_text(database),
            where=_place(file, position),
            settings=Settings(
                sql_mode=frozenset(name for bit, name in _MODES.items() if sql_mode & bit),
                explicit_defaults_for_timestamp=explicit_defaults_for_timestamp != 0,
                default_collation_for_utf8mb4=max(default_collation_for_utf8mb4, 0),
                lenient=True,
            ),
            server_collation=collation_of_number(numbers[2]),
            database_collation=collation_of_number(database_collation),
            thread=thread,
        )
        try:
            self._run(_decoded(text, numbers[0]), session)
        except _NoDatabase:
            return

    def _run(self, text: str, session: _Session) -> bool:
        """Run a statement; whether it is about tables."""
        try:
            read = _read_again if len(text) <= _LONGEST_KEPT else _read
            statement = read(text, session.settings.sql_mode)
            if statement is None:
                return False
            self._answers.clear()
            self._apply(statement, session)
        except (UnsupportedStatement, SqlError, RecursionError) as problem:
            self._answers.clear()
            self._lose(text, session, str(problem))
            return True
        return isinstance(statement, (CreateTable, CreateSequence))

    def _lose(self, text: str, session: _Session, reason: str) -> None:
        """Forget the tables that a statement is about; all where it does not say which."""
        unknown = _Unknown(f"a statement was not understood ({reason.rstrip('.')})", session.where)
        try:
            paths = list(_paths(Cursor(text, session.settings.sql_mode, lenient=True)))
        except (UnsupportedStatement, SqlError):
            for key in self._tables:
                self._tables[key] = unknown
            self._whole.clear()
            self._absent.clear()
            return
        for path in paths:
            if not session.of_dump or path[0] or session.database:
                self._put(self._key(path, session), unknown)

    # ---- statements

    def _apply(self, statement: Definition, session: _Session) -> None:
        if isinstance(statement, CreateTable):
            self._create(statement, session)
        elif isinstance(statement, CreateSequence):
            key = self._key(statement.path, session)
            if self._makes(key, statement.if_not_exists, session):
                made = parse(_SEQUENCE)
                assert isinstance(made, CreateTable)
                self._put(key, _Known(define(made, key[0], UNKNOWN, session.settings)))
        elif isinstance(statement, AlterTable):
            self._alter(statement, session)
        elif isinstance(statement, RenameTable):
            for old, new in statement.pairs:
                self._rename(self._key(old, session), self._key(new, session), session)
        elif isinstance(statement, DropTable):
            for path in statement.paths:
                key = self._key(path, session)
                if (session.thread, key) in self._temporary:
                    del self._temporary[session.thread, key]
                elif not statement.temporary:
                    self._other_spelling(key, session)
                    self._drop(key)
        elif isinstance(statement, CreateDatabase):
            self._create_database(statement, session)
        elif isinstance(statement, AlterDatabase):
            if statement.charset or statement.collate:
                name = statement.name or session.database
                self._collations[name] = self._collation(statement, self._collations.get(name, UNKNOWN), session)
        elif isinstance(statement, DropDatabase):
            self._drop_database(statement.name)
            self._dropped.add(statement.name)

    def _create_database(self, statement: CreateDatabase, session: _Session) -> None:
        name = statement.name
        if statement.if_not_exists and name not in self._dropped and not session.of_dump:
            return
        if not session.of_dump:
            self._drop_database(name)
            self._whole.add(name)
        self._dropped.discard(name)
        self._collations[name] = self._collation(statement, session.server_collation, session)

    def _collation(self, statement: CreateDatabase | AlterDatabase, default: int, session: _Session) -> int:
        return collation_of(statement.charset, statement.collate, default, session.settings)

    def _drop_database(self, name: str) -> None:
        for key in [key for key in self._tables if key[0] == name]:
            self._forget(key)
        self._collations.pop(name, None)
        self._whole.discard(name)

    def _create(self, statement: CreateTable, session: _Session) -> None:
        key = self._key(statement.path, session)
        if statement.temporary:
            self._temporary[session.thread, key] = None
            if len(self._temporary) > _MOST_TEMPORARY:
                del self._temporary[next(iter(self._temporary))]
            return
        if not self._makes(key, statement.if_not_exists, session):
            return
        if statement.like is not None:
            like = self._tables.get(self._key(statement.like, session))
            if isinstance(like, _Known):
                self._put(key, replace(like, table=replace(like.table, database=key[0], name=key[1])))
            else:
                self._put(key, _Unknown("it was made like a table that is not known", session.where))
        elif statement.selects:
            self._put(key, _Unknown("it was made of a query, whose columns are not known", session.where))
        else:
            default = self._collations.get(key[0], UNKNOWN)
            if session.database_collation != UNKNOWN and key[0] == session.database:
                default = session.database_collation
            made = define(statement, key[0], default, session.settings)
            self._put(key, _Known(_checked(made), statement.versioned))

    def _makes(self, key: Key, if_not_exists: bool, session: _Session) -> bool:
        """Whether a CREATE of that name made it. With IF NOT EXISTS it may have found another table there."""
        if not if_not_exists or session.of_dump:
            return True
        if key in self._tables:
            return False
        if key in self._absent or key[0] in self._whole:
            return True
        self._put(
            key, _Unknown("CREATE ... IF NOT EXISTS does not say whether there was another of that name", session.where)
        )
        return False

    def _alter(self, statement: AlterTable, session: _Session) -> None:
        key = self._key(statement.path, session)
        if (session.thread, key) in self._temporary:
            if statement.rename is not None:
                del self._temporary[session.thread, key]
                self._temporary[session.thread, self._key(statement.rename, session)] = None
            return
        self._other_spelling(key, session)
        known = self._tables.get(key)
        if isinstance(known, _Known):
            table, _ = alter(known.table, statement, session.settings)
            versioned = known.versioned if statement.versioned is None else statement.versioned
            self._put(key, _Known(_checked(table), versioned))
        if statement.rename is not None:
            self._rename(key, self._key(statement.rename, session), session)

    def _rename(self, old: Key, new: Key, session: _Session) -> None:
        self._other_spelling(old, session)
        found = self._tables.get(old)
        self._drop(old)
        self._forget(new)
        if isinstance(found, _Known):
            self._put(new, replace(found, table=replace(found.table, database=new[0], name=new[1])))
        elif found is not None:
            self._put(new, found)

    # ---- the tables

    def _key(self, path: Path, session: _Session) -> Key:
        database = path[0] or session.database
        if not database:
            raise _NoDatabase(path[1])
        return database, path[1]

    def _put(self, key: Key, what: _Known | _Unknown) -> None:
        self._tables[key] = what
        self._spelled[_lower(key)] = key
        self._absent.pop(key, None)

    def _forget(self, key: Key) -> None:
        self._tables.pop(key, None)
        self._absent.pop(key, None)
        if self._spelled.get(_lower(key)) == key:
            del self._spelled[_lower(key)]

    def _drop(self, key: Key) -> None:
        self._forget(key)
        self._absent[key] = None
        if len(self._absent) > _MOST_ABSENT:
            del self._absent[next(iter(self._absent))]

    def _other_spelling(self, key: Key, session: _Session) -> None:
        """A server may take names in any case: then a statement is about a table that is spelled otherwise here."""
        other = self._spelled.get(_lower(key))
        if other is not None and other != key and key not in self._tables:
            self._tables[other] = _Unknown(
                f"a statement changed the table {key[1]}, which may be this one", session.where
            )

    # ---- Table_maps

    def metadata(self, table_map: bytes, file: bytes = b"", position: int = 0, mariadb: bool = False) -> bytes:
        """The optional metadata of a Table_map with what it lacks added; nothing where the table is not known.

        `table_map` is its body from the database's name on, and lacks the names of columns; `mariadb` says whose log
        it is in.
        """
        answer = self._answers.get((table_map, mariadb))
        if answer is None:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            answer = self._answers[table_map, mariadb] = self._metadata(table_map, _place(file, position), mariadb)
        return answer

    def _metadata(self, body: bytes, where: str, mariadb: bool) -> bytes:
        try:
            table_map = parse_body(EventType.TABLE_MAP, bytes(_NAMES_LENGTH) + body, _FORMAT)
            logged = columns_of(table_map)
        except BinlogError:
            return b""  # its rows will say what is wrong
        key = (table_map.db, table_map.table)
        known = self._tables.get(key)
        if isinstance(known, _Known):
            problem = contradiction(known.columns, logged)
            if problem:
                known = self._tables[key] = _Unknown(f"its definition is another one: {problem}", where)
        if known is None:
            return b""
        if isinstance(known, _Unknown):
            if self.warn is not None and key not in self._told:
                self._told.add(key)
                self.warn(f"{known.where}: the columns of {key[0]}.{key[1]} have no names from here on: {known.reason}")
            return b""
        columns: tuple[Column, ...] = tuple(
            _as_logged(column, found.type) for column, found in zip(known.columns, logged, strict=True)
        )
        own = list(table_map.optional_metadata)
        said = {one.type for one in own} | {MetadataType.COLUMN_VISIBILITY}
        for pair in _PAIRS:
            said |= pair if said & pair else set()
        fields = optional_metadata(replace(known.table, columns=columns, keys=()), full=True, mariadb=mariadb)
        built: bytes = OPTIONAL_METADATA.build(own + [one for one in fields if one.type not in said])
        return built


def _read(text: str, sql_mode: frozenset[str]) -> Definition | None:
    return parse(text, sql_mode, lenient=True)


_read_again = lru_cache(256)(_read)
"""Temporary tables and the like are made again and again by the same statement."""


class _NoDatabase(Exception):
    """A statement names a table without its database, and there is no default."""


def _as_logged(column: Column, kind: int) -> Column:
    """The column as its Table_map has it. Members are given in UTF-8, whatever character set the column has."""
    if column.members:
        return replace(column, collation=_UTF8MB4)
    if column.type == ColumnType.JSON and kind != ColumnType.JSON:
        return replace(column, type=ColumnType(kind), collation=_UTF8MB4_BIN)
    return replace(column, type=ColumnType(kind))


def _checked(table: TableDefinition) -> TableDefinition:
    """The table without what no Table_map needs: of its keys only the primary one counts, for it is never NULL.

    Raises UnsupportedStatement where a name or a member is no text.
    """
    for column in table.columns:
        if any(map(SURROGATE.search, (column.name, *column.members))):
            raise UnsupportedStatement("names that are no text of their character set", missing="name")
    columns = tuple(replace(column, auto_increment=False) for column in table.columns)
    return replace(table, columns=columns, keys=tuple(key for key in table.keys if key.primary))


def _paths(cursor: Cursor) -> Iterator[Path]:
    """The tables that a statement which is not understood is about."""
    words = ("CREATE", "ALTER", "DROP", "RENAME", "OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE", "SEQUENCE")
    while cursor.accept_one(*words, "TABLE", "TABLES", "IF", "NOT", "EXISTS", "DATABASE", "SCHEMA", "TEMPORARY"):
        pass
    yield cursor.path()
    while not cursor.at_end:
        cursor.pass_over()
        if not cursor.accept_sign(","):
            return
        if cursor.at_name:
            yield cursor.path()


def _decoded(text: bytes, collation: int) -> str:
    """A statement's text. Bytes that are none become surrogates, which no name may have."""
    if text.isascii():
        return text.decode("ascii")
    number = collation_of_number(collation)
    return text.decode("utf-8", "surrogateescape") if number == UNKNOWN else decode_text(text, number)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _lower(key: Key) -> Key:
    return key[0].lower(), key[1].lower()


def _place(file: bytes, position: int) -> str:
    return f"{file.decode('utf-8', 'replace')}, position {position}"
