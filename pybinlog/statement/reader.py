"""Reads what a statement does, of MySQL and of MariaDB: its verb, and what becomes of which tables."""

from functools import lru_cache

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.dialect import Dialect
from pybinlog.schema.error import SqlError
from pybinlog.statement.changes import changed_tables
from pybinlog.statement.definition import Object, defined
from pybinlog.statement.effect import Effect, Lost
from pybinlog.statement.session import Key, LoggedStatement, Session
from pybinlog.verbs import CHANGES_ROWS, Operation, operation_of

_LONGEST_KEPT = 1 << 14
"""Characters of a statement that is kept as it was read."""
_LONG = 1 << 10
"""Characters of a statement of which the first tokens are tried before all."""
_HEAD = 64
"""Tokens in which an INSERT names its table, if no long list stands before it."""
_NOT_UNDERSTOOD = (UnsupportedStatement, SqlError, RecursionError)
_QUERY_ENDS = ("SELECT", "UPDATE", "DELETE")
_WITH_SECOND = ("XA", "ROLLBACK", "BEGIN")
"""Verbs whose second word matters."""


def read_logged(statement: LoggedStatement) -> Effect:
    """Return what a statement of a log does."""
    return read(statement.decoded, statement.session)


def read(text: str, session: Session) -> Effect:
    """Return what a statement does in its session. One that is not understood may do anything; it raises no error."""
    reader = _read_again if len(text) <= _LONGEST_KEPT else _read
    return reader(text, session.database, session.settings.sql_mode, session.dialect)


def _read(text: str, database: str, sql_mode: frozenset[str], dialect: Dialect) -> Effect:
    if len(text) > _LONG:
        effect = _effect(text, database, sql_mode, dialect, _HEAD)
        if effect.operation is Operation.INSERTS and effect.changed is not None:
            return effect
    return _effect(text, database, sql_mode, dialect, None)


_read_again = lru_cache(256)(_read)
"""Temporary tables and the like are made again and again by the same statement."""


def defines(text: str) -> bool:
    """Return True if a statement changes definitions, by its verb; the rest of it may be wrong."""
    return _head(text, frozenset(), Dialect())[0] is Operation.DEFINES


def verb_of(text: str) -> str:
    """Return the first words of a statement, such as "CREATE TABLE"; the rest of it may be wrong."""
    return _head(text, frozenset(), Dialect())[1]


def _head(text: str, sql_mode: frozenset[str], dialect: Dialect) -> tuple[Operation, str]:
    """Return the operation and the verb of a statement, whose end may be wrong."""
    try:
        cursor = Cursor(text, sql_mode, dialect=dialect, most=_HEAD)
        _pass_to_verb(cursor)
        operation = _operation(cursor)
        return operation, str(Object(cursor)) if operation is Operation.DEFINES else _verb(cursor)
    except _NOT_UNDERSTOOD:
        return Operation.OTHER_OPERATION, ""


def _effect(text: str, database: str, sql_mode: frozenset[str], dialect: Dialect, most: int | None) -> Effect:
    def key_of(path: Path) -> Key:
        return path[0] or database, path[1]

    operation, verb = Operation.OTHER_OPERATION, ""
    try:
        cursor = Cursor(text, sql_mode, dialect=dialect, most=most)
        hidden = _pass_to_verb(cursor)
        operation, verb = _operation(cursor), _verb(cursor)
        if operation in CHANGES_ROWS:
            return Effect(operation, verb, (), tuple(map(key_of, changed_tables(cursor, operation, hidden))))
        if operation is Operation.DEFINES:
            return defined(cursor, key_of, database)
    except _NOT_UNDERSTOOD as problem:
        if not verb:
            operation, verb = _head(text, sql_mode, dialect)
        if operation is Operation.DEFINES:
            return Effect(operation, verb, (Lost(None, str(problem)),))
    return Effect(operation, verb, (), () if operation is Operation.CHANGES_NOTHING else None)


def _operation(cursor: Cursor) -> Operation:
    return operation_of(cursor.peek().word, cursor.peek(1).word)


def _verb(cursor: Cursor) -> str:
    first, second = cursor.peek().word, cursor.peek(1).word
    return f"{first} {second}" if first in _WITH_SECOND and second else first


def _pass_to_verb(cursor: Cursor) -> frozenset[str]:
    """Pass brackets, the settings of SET STATEMENT ... FOR, and the queries of WITH. Return the names of these."""
    while True:
        while cursor.accept_sign("("):
            pass
        if cursor.at_words("SET", "STATEMENT"):
            _pass_to(cursor, "FOR")
            cursor.read()
        elif cursor.accept("WITH"):
            cursor.accept("RECURSIVE")
            return frozenset(name.lower() for name in cursor.listed(lambda: _query_name(cursor)))
        else:
            return frozenset()


def _query_name(cursor: Cursor) -> str:
    """Return the name of a query of WITH, which is passed."""
    name = cursor.name()
    while not cursor.at_sign(",") and cursor.peek().word not in _QUERY_ENDS:
        _pass_one(cursor)
    return name


def _pass_to(cursor: Cursor, word: str) -> None:
    """Pass all up to a word that is not in brackets. Raise UnsupportedStatement if there is none."""
    while cursor.peek().word != word:
        _pass_one(cursor)


def _pass_one(cursor: Cursor) -> None:
    if cursor.at_end:
        raise cursor.unknown()
    if cursor.at_sign("("):
        cursor.pass_parentheses()
    else:
        cursor.read()
