"""Reads what CREATE, ALTER, DROP, RENAME and TRUNCATE do, as steps."""

from collections.abc import Callable, Iterator

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import statement
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.error import SqlError
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.parser import read_definition
from pybinlog.statement import effect
from pybinlog.statement.clauses import clauses
from pybinlog.statement.session import Key
from pybinlog.verbs import Operation

KeyOf = Callable[[Path], Key]

_BEFORE_OBJECTS = tuple("OR REPLACE ONLINE OFFLINE IGNORE TEMPORARY AGGREGATE UNDO JSON RELATIONAL DUALITY".split())
_KINDS_OF_INDEX = ("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR")
_OF_TABLES = frozenset({"TABLE", "TABLES", "INDEX", "SEQUENCE"})
_OF_DATABASES = frozenset({"DATABASE", "SCHEMA"})
_WITHOUT_TABLES = frozenset(
    "EVENT INSTANCE LIBRARY LOGFILE PACKAGE PREPARE PROCEDURE RESOURCE ROLE SERVER TABLESPACE USER REFERENCE".split()
)
"""Objects that have no rows of their own."""


class Object:
    """The object that a statement defines: the word for it, and the words before that."""

    def __init__(self, cursor: Cursor):
        first = cursor.read()
        self.verb = first.word
        self.before: set[str] = set()
        while True:
            if word := cursor.accept_one(*_BEFORE_OBJECTS, *_KINDS_OF_INDEX):
                self.before.add(word)
            elif cursor.accept("DEFINER"):
                cursor.accept_sign("=")
                cursor.read()
                if cursor.peek().kind is TokenKind.VARIABLE:
                    cursor.read()
                elif cursor.at_sign("("):
                    cursor.pass_parentheses()
            elif cursor.accept("ALGORITHM"):
                cursor.accept_sign("=")
                cursor.read()
            elif cursor.accept("SQL", "SECURITY"):
                cursor.read()
            else:
                break
        self.word = "TABLE" if first.word == "TRUNCATE" else cursor.peek().word

    def __str__(self) -> str:
        temporary = "TEMPORARY" if "TEMPORARY" in self.before else ""
        return " ".join(filter(None, (self.verb, temporary, "TABLE" if self.word == "TABLES" else self.word)))


def defined(cursor: Cursor, key_of: KeyOf, database: str) -> effect.Effect:
    """Return what a statement does, from its verb on. Raise UnsupportedStatement if it names no table."""
    start = cursor.place
    target = Object(cursor)
    verb = str(target)
    if target.word == "TRIGGER":
        cursor.read()
        return effect.Effect(Operation.DEFINES, verb, (_trigger(cursor, target, key_of),))
    if target.word == "VIEW":
        cursor.read()
        return effect.Effect(Operation.DEFINES, verb, tuple(_views(cursor, target, key_of)))
    if target.word == "FUNCTION":
        cursor.read()
        return effect.Effect(Operation.DEFINES, verb, tuple(_functions(cursor, target, key_of)))
    if target.word in _WITHOUT_TABLES:
        return effect.Effect(Operation.DEFINES, verb)
    if target.word not in _OF_TABLES | _OF_DATABASES:
        return effect.Effect(Operation.DEFINES, verb, (), None)
    cursor.place = start
    try:
        found = read_definition(cursor)
        if found is not None and not cursor.at_end and not (isinstance(found, statement.CreateTable) and found.selects):
            raise cursor.unknown()
    except (UnsupportedStatement, SqlError, RecursionError) as problem:
        cursor.place = start
        steps = tuple(_lost(cursor, target, key_of, str(problem)))
        return effect.Effect(Operation.DEFINES, verb, steps)
    cursor.place = start
    steps = tuple(_steps(cursor, target, found, key_of, database))
    if isinstance(found, statement.CreateTable) and found.selects and not found.temporary:
        return effect.Effect(Operation.DEFINES, verb, steps, (key_of(found.path),))
    return effect.Effect(Operation.DEFINES, verb, steps)


def _trigger(cursor: Cursor, target: Object, key_of: KeyOf) -> effect.Step:
    _pass_if_exists(cursor)
    path = cursor.path()
    if target.verb == "DROP":
        return effect.TriggerDropped(key_of(path))
    operations = []
    while not cursor.accept("ON"):
        if cursor.at_end:
            raise cursor.unknown()
        word = cursor.read().word
        if word in ("INSERT", "UPDATE", "DELETE"):
            operations.append(word)
    table = key_of(cursor.path())
    return effect.TriggerMade((path[0] or table[0], path[1]), table, tuple(operations))


def _views(cursor: Cursor, target: Object, key_of: KeyOf) -> Iterator[effect.Step]:
    _pass_if_exists(cursor)
    if target.verb == "DROP":
        yield from (effect.ViewDropped(key_of(path)) for path in cursor.listed(cursor.path))
    else:
        yield effect.ViewMade(key_of(cursor.path()))


def _functions(cursor: Cursor, target: Object, key_of: KeyOf) -> Iterator[effect.Step]:
    _pass_if_exists(cursor)
    key = key_of(cursor.path())
    if target.verb == "DROP":
        yield effect.FunctionDropped(key)
    elif target.verb == "CREATE" and cursor.at_sign("("):
        yield effect.FunctionMade(key)


def _pass_if_exists(cursor: Cursor) -> bool:
    return cursor.accept("IF", "NOT", "EXISTS") or cursor.accept("IF", "EXISTS")


def _steps(
    cursor: Cursor, target: Object, found: statement.Definition | None, key_of: KeyOf, database: str
) -> Iterator[effect.Step]:
    """Yield the steps of a statement that the parser has read."""
    if isinstance(found, statement.CreateTable):
        key = key_of(found.path)
        yield effect.Made(
            key,
            found,
            keeps=found.if_not_exists,
            replaces="REPLACE" in target.before,
            temporary=found.temporary,
            like=None if found.like is None else key_of(found.like),
        )
        if not found.temporary:
            yield from _clauses(cursor, key, key_of, alters=False)
    elif isinstance(found, statement.CreateSequence):
        yield effect.Made(key_of(found.path), keeps=found.if_not_exists, replaces="REPLACE" in target.before)
    elif isinstance(found, statement.AlterTable):
        key = key_of(found.path)
        yield effect.Altered(key, found)
        if not found.index:
            yield from _clauses(cursor, key, key_of, alters=True)
        if found.rename is not None:
            yield effect.Renamed(key, key_of(found.rename))
    elif isinstance(found, statement.RenameTable):
        for old, new in found.pairs:
            yield effect.Renamed(key_of(old), key_of(new))
    elif isinstance(found, statement.DropTable):
        for path in found.paths:
            yield effect.Dropped(key_of(path), found.temporary)
    elif isinstance(found, statement.TruncateTable):
        yield effect.Emptied(key_of(found.path))
    elif isinstance(found, statement.CreateDatabase):
        if "REPLACE" in target.before:
            yield effect.DatabaseDropped(found.name)
        yield effect.DatabaseMade(found.name, found)
    elif isinstance(found, statement.AlterDatabase):
        yield effect.DatabaseAltered(found.name or database, found)
    elif isinstance(found, statement.DropDatabase):
        yield effect.DatabaseDropped(found.name)


def _clauses(cursor: Cursor, key: Key, key_of: KeyOf, *, alters: bool) -> Iterator[effect.Step]:
    """Yield what the clauses after the table's name do; the cursor is before it."""
    while not cursor.at_end and cursor.read().word != "TABLE":
        pass
    _pass_if_exists(cursor)
    cursor.path()
    return clauses(cursor, key, key_of, alters=alters)


def _lost(cursor: Cursor, target: Object, key_of: KeyOf, reason: str) -> Iterator[effect.Step]:
    """Yield the steps of a statement that the parser does not know, by the tables that it names."""
    if target.word in _OF_DATABASES:
        if target.verb == "ALTER":
            return  # its character set is the only thing that counts
        raise cursor.unknown()
    while not cursor.at_end and cursor.read().word != target.word:
        pass
    if target.word == "INDEX":
        while not cursor.at_end and not cursor.accept("ON"):
            cursor.read()
    _pass_if_exists(cursor)
    path = cursor.path()
    if target.verb == "CREATE" and "TEMPORARY" in target.before:
        yield effect.Made(key_of(path), temporary=True)
        return
    yield effect.Lost(key_of(path), reason)
    if target.word == "TABLE" and target.verb in ("CREATE", "ALTER"):
        yield from clauses(cursor, key_of(path), key_of, alters=target.verb == "ALTER")
        return
    while not cursor.at_end:
        cursor.skip()
        if cursor.accept_sign(",") or cursor.accept("TO"):
            yield effect.Lost(key_of(cursor.path()), reason)
        else:
            cursor.read()
