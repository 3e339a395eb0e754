"""Statements, parsed: what kind they are of, and sqlglot's tree of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import SqlglotError

from pybinlog.errors import UnsupportedStatement

from .charset import decode_text
from .error import SURROGATE, SqlError, error
from .scanner import Scanned, scan
from .session import Session
from .type_words import prepared

__all__ = ["Kind", "Statement", "parse", "tree_of"]


class Kind(Enum):
    """The kinds of statements, by their first words."""

    INSERT = "INSERT"
    REPLACE = "REPLACE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    SELECT = "SELECT"
    DO = "DO"
    CREATE_DATABASE = "CREATE DATABASE"
    ALTER_DATABASE = "ALTER DATABASE"
    DROP_DATABASE = "DROP DATABASE"
    CREATE_TABLE = "CREATE TABLE"
    CREATE_TABLE_LIKE = "CREATE TABLE ... LIKE"
    CREATE_TABLE_SELECT = "CREATE TABLE ... SELECT"
    ALTER_TABLE = "ALTER TABLE"
    RENAME_TABLE = "RENAME TABLE"
    DROP_TABLE = "DROP TABLE"
    TRUNCATE = "TRUNCATE TABLE"
    CREATE_INDEX = "CREATE INDEX"
    DROP_INDEX = "DROP INDEX"
    CREATE_FUNCTION = "CREATE FUNCTION"
    DROP_FUNCTION = "DROP FUNCTION"
    CREATE_TRIGGER = "CREATE TRIGGER"
    DROP_TRIGGER = "DROP TRIGGER"
    CREATE_EVENT = "CREATE EVENT"
    DROP_EVENT = "DROP EVENT"
    SET = "SET"


_DML = frozenset({Kind.INSERT, Kind.REPLACE, Kind.UPDATE, Kind.DELETE})
_QUERIES = frozenset({Kind.SELECT, Kind.DO, Kind.SET})
_UNPARSED = frozenset(
    {
        Kind.RENAME_TABLE,
        Kind.ALTER_DATABASE,
        Kind.CREATE_FUNCTION,
        Kind.DROP_FUNCTION,
        Kind.CREATE_TRIGGER,
        Kind.DROP_TRIGGER,
        Kind.CREATE_EVENT,
        Kind.DROP_EVENT,
    }
)
"""What this package takes apart by itself, sqlglot having no tree of it."""

_DEFINER = r"(?:DEFINER\s*=\s*\S+\s+)?"
_FIRST_WORDS: tuple[tuple[str, Kind], ...] = (
    (r"INSERT\b", Kind.INSERT),
    (r"REPLACE\b", Kind.REPLACE),
    (r"UPDATE\b", Kind.UPDATE),
    (r"DELETE\b", Kind.DELETE),
    (r"(SELECT|TABLE|VALUES|WITH|\()", Kind.SELECT),
    (r"DO\b", Kind.DO),
    (r"SET\b", Kind.SET),
    (r"CREATE\s+(DATABASE|SCHEMA)\b", Kind.CREATE_DATABASE),
    (r"ALTER\s+(DATABASE|SCHEMA)\b", Kind.ALTER_DATABASE),
    (r"DROP\s+(DATABASE|SCHEMA)\b", Kind.DROP_DATABASE),
    (r"CREATE\s+(TEMPORARY\s+)?TABLE\b", Kind.CREATE_TABLE),
    (r"ALTER\s+TABLE\b", Kind.ALTER_TABLE),
    (r"RENAME\s+TABLES?\b", Kind.RENAME_TABLE),
    (r"DROP\s+(TEMPORARY\s+)?TABLES?\b", Kind.DROP_TABLE),
    (r"TRUNCATE\b", Kind.TRUNCATE),
    (r"CREATE\s+(UNIQUE\s+|FULLTEXT\s+|SPATIAL\s+)?INDEX\b", Kind.CREATE_INDEX),
    (r"DROP\s+INDEX\b", Kind.DROP_INDEX),
    (rf"CREATE\s+{_DEFINER}FUNCTION\b", Kind.CREATE_FUNCTION),
    (r"DROP\s+FUNCTION\b", Kind.DROP_FUNCTION),
    (rf"CREATE\s+{_DEFINER}TRIGGER\b", Kind.CREATE_TRIGGER),
    (r"DROP\s+TRIGGER\b", Kind.DROP_TRIGGER),
    (rf"CREATE\s+{_DEFINER}EVENT\b", Kind.CREATE_EVENT),
    (r"DROP\s+EVENT\b", Kind.DROP_EVENT),
)
_MODIFIERS = re.compile(
    r"(INSERT|REPLACE|UPDATE|DELETE)((?:\s+(?:LOW_PRIORITY|HIGH_PRIORITY|DELAYED|QUICK|IGNORE)\b)+)(?=[\s(`])", re.I
)


class _Model(MySQL):
    """MySQL's grammar, with every function under the name that the statement gives it."""

    class Parser(MySQL.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar[dict[str, Any]] = {}


class _PipesModel(_Model):
    """The same with sql_mode PIPES_AS_CONCAT."""

    class Parser(_Model.Parser):
        DISJUNCTION: ClassVar[dict[Any, Any]] = {
            token: kind for token, kind in _Model.Parser.DISJUNCTION.items() if token.name != "DPIPE"
        }
        # It binds tighter than multiplication, where other databases raise to a power.
        EXPONENT: ClassVar[dict[Any, Any]] = {
            token: exp.DPipe for token in _Model.Parser.DISJUNCTION if token.name == "DPIPE"
        }


@dataclass
class Statement:
    """One statement. `text` is what was sent; `tree` is None where the statement is not one for sqlglot."""

    text: bytes
    kind: Kind
    scanned: Scanned
    tree: Any = None
    ignore: bool = False
    temporary: bool = False
    error: SqlError | None = None
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def is_dml(self) -> bool:
        """Whether it changes rows."""
        return self.kind in _DML

    @property
    def is_ddl(self) -> bool:
        """Whether it defines something."""
        return self.kind not in _DML and self.kind not in _QUERIES

    @property
    def commits_implicitly(self) -> bool:
        """Whether the open transaction is committed before it."""
        return self.is_ddl and not self.temporary


def _kind(sql: str) -> Kind:
    for pattern, kind in _FIRST_WORDS:
        if re.match(pattern, sql, re.I):
            return kind
    words = " ".join(sql.split()[:3])
    raise UnsupportedStatement(f"statements that begin with {words!r} are not in the model", missing=words)


@cache
def _dialect(pipes: bool) -> Any:
    return _PipesModel() if pipes else _Model()


def _tree(sql: str, sql_mode: frozenset[str]) -> Any:
    """sqlglot's tree. Raises UnsupportedStatement where it has none."""
    try:
        trees = _dialect("PIPES_AS_CONCAT" in sql_mode).parse(sql)
    except SqlglotError as problem:
        place = getattr(problem, "errors", None)
        near = place[0].get("highlight") or "" if place else ""
        said = str(problem).splitlines()[0].split(". Line")[0]
        raise UnsupportedStatement(
            f"the SQL parser does not know this statement: {said} (near {near!r})", missing="grammar"
        ) from problem
    tree = trees[0] if len(trees) == 1 else None
    if tree is None or isinstance(tree, exp.Command):
        words = " ".join(sql.split()[:3])
        raise UnsupportedStatement(f"the SQL parser does not know {words!r}", missing=words)
    return tree


def parse(text: str | bytes, session: Session) -> Statement:
    """One statement, without its delimiter. Bytes are in the session's character_set_client.

    A statement that the server would not understand has an `error`. Raises UnsupportedStatement for what is not in the
    model.
    """
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    decoded = text if isinstance(text, str) else decode_text(raw, session.character_set_client)
    try:
        scanned = scan(decoded, session.sql_mode)
    except ValueError as problem:
        near = error("PARSE", f"check the manual for the right syntax to use near '{problem}' at line 1")
        return Statement(raw, Kind.SELECT, Scanned(), error=near)
    if SURROGATE.search(scanned.sql) or any(map(SURROGATE.search, scanned.variables)):
        raise UnsupportedStatement(
            "a name that is not valid in character_set_client is not in the model", missing="name"
        )
    if not scanned.sql:
        return Statement(raw, Kind.SELECT, scanned, error=error("EMPTY_QUERY"))
    return _statement(raw, scanned, session.sql_mode)


def tree_of(sql: str, scanned: Scanned, sql_mode: frozenset[str]) -> Statement:
    """A statement from text that was scanned before, such as one of a stored routine. Raises UnsupportedStatement."""
    own = Scanned(sql, scanned.literals, scanned.variables, scanned.temporal)
    return _statement(sql.encode("utf-8", "surrogateescape"), own, sql_mode)


def _statement(raw: bytes, scanned: Scanned, sql_mode: frozenset[str]) -> Statement:
    kind = _kind(scanned.sql)
    statement = Statement(raw, kind, scanned)
    sql = scanned.sql
    modifiers = _MODIFIERS.match(sql)
    if modifiers:
        words = modifiers[2].upper().split()
        if "DELAYED" in words:
            raise UnsupportedStatement("INSERT DELAYED is not in the model", missing="DELAYED")
        statement.ignore = "IGNORE" in words
        sql = modifiers[1] + sql[modifiers.end() :]
    if kind is Kind.REPLACE:
        sql = "INSERT" + sql[len("REPLACE") :]
    if kind in _UNPARSED:
        return statement
    if kind is Kind.DO:
        sql = "SELECT" + sql[len("DO") :]
    if kind in (Kind.CREATE_TABLE, Kind.ALTER_TABLE):
        sql = prepared(sql, statement.names)
    statement.tree = _tree(sql, sql_mode)
    statement.temporary = bool(re.match(r"(CREATE|DROP)\s+TEMPORARY\b", sql, re.I))
    if kind is Kind.CREATE_TABLE:
        if statement.tree.find(exp.LikeProperty):
            statement.kind = Kind.CREATE_TABLE_LIKE
        elif statement.tree.expression is not None:
            statement.kind = Kind.CREATE_TABLE_SELECT
    return statement
