"""Clauses that the parser skips and notes: most of those without effect on a column's name and type, and MariaDB's
forms.

Sources: the manual's "Data Definition Statements", MariaDB's "CREATE TABLE" and "ALTER TABLE".
"""

from typing import Any

from pybinlog.schema.column import Generated
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.expression import Null
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.statement import CreateSequence, Definition

_OPERATORS = frozenset("+ - * / % || && | & ^ << >> = <=> < > <= >= <> != .".split())
_PASSED_CHANGES = (
    *(("DROP", word) for word in ("FOREIGN", "CHECK", "PARTITION")),
    ("ADD", "PARTITION"),
    *(("ALTER", word) for word in ("INDEX", "KEY", "CHECK", "CONSTRAINT")),
    ("RENAME", "INDEX"),
    ("RENAME", "KEY"),
    *((word, "PARTITION") for word in ("ANALYZE CHECK COALESCE CONVERT OPTIMIZE REBUILD REORGANIZE REPAIR".split())),
    *((word, "PARTITION") for word in ("TRUNCATE", "EXCHANGE", "DISCARD", "IMPORT")),
    ("CONVERT", "TABLE"),
    *((word, "TABLESPACE") for word in ("DISCARD", "IMPORT")),
    *((word, "KEYS") for word in ("ENABLE", "DISABLE")),
    *((word, "PARTITIONING") for word in ("REMOVE", "UPGRADE")),
    *((word, "VALIDATION") for word in ("WITH", "WITHOUT")),
    ("PARTITION", "BY"),
    ("ORDER", "BY"),
)
"""Changes of a table that leave its columns as they are, by their first words."""
_WITH_PARTITIONS = frozenset({"PARTITION", "PARTITIONING", "BY"})


def other_statement(cursor: Cursor) -> Definition | None:
    """Return a statement that only MariaDB has; what stands between CREATE or ALTER and TABLE is taken out."""
    if cursor.peek().word not in ("CREATE", "ALTER"):
        return None
    cursor.place += 1
    cursor.drop_words("OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE")
    cursor.place -= 1
    if not cursor.noted("CREATE", "SEQUENCE"):
        return None
    absent = if_exists(cursor)
    made = CreateSequence(cursor.path(), absent)
    cursor.pass_rest()
    return made


def if_exists(cursor: Cursor) -> bool:
    """Pass IF EXISTS or IF NOT EXISTS."""
    return cursor.noted("IF", "EXISTS") or cursor.noted("IF", "NOT", "EXISTS")


def index_kind(cursor: Cursor) -> str:
    """Pass the kind of an index, and return it; only MariaDB has VECTOR."""
    return "VECTOR" if cursor.noted("VECTOR") else cursor.accept_one("FULLTEXT", "SPATIAL")


def wait(cursor: Cursor) -> None:
    """Pass what says how long MariaDB waits for a lock."""
    if not cursor.noted("NOWAIT") and cursor.noted("WAIT"):
        cursor.read()


def attribute(cursor: Cursor, made: dict[str, Any]) -> bool:
    """Pass an attribute of a column, or take from it what counts; False if none of these comes."""
    word = cursor.peek().word
    if cursor.noted("SERIAL", "DEFAULT", "VALUE"):
        made["nullable"] = False
    elif cursor.noted("GENERATED", "ALWAYS", "AS", "ROW") or cursor.noted("AS", "ROW"):
        made.update(nullable=False, generated=Generated(Null(), f"ROW {cursor.read().word}", stored=True))
    elif word == "REFERENCES" or (word == "CONSTRAINT" and cursor.peek(2).word == "REFERENCES"):
        cursor.note("a foreign key")
        while cursor.read().word != "REFERENCES":
            pass
        references(cursor)
    elif word in ("COLUMN_FORMAT", "STORAGE", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "REF_SYSTEM_ID"):
        cursor.note(f"{word} of a column")
        cursor.read()
        cursor.accept_sign("=")
        cursor.read()
    elif cursor.noted("COMPRESSED"):
        if cursor.accept_sign("="):
            cursor.read()
    elif cursor.noted("BYTE"):
        made["charset"] = "binary"
    elif cursor.noted("UNICODE"):
        made["charset"] = "ucs2"
    else:
        versioning = cursor.noted("WITH", "SYSTEM", "VERSIONING") or cursor.noted("WITHOUT", "SYSTEM", "VERSIONING")
        return versioning or cursor.noted("BINARY") or cursor.noted("NOT", "SECONDARY")
    return True


def value(cursor: Cursor) -> None:
    """Skip a default: an expression in parentheses, or literals, names and calls with operators between."""
    while True:
        while cursor.accept_sign("-") or cursor.accept_sign("+"):
            pass
        if not cursor.at_sign("("):
            token = cursor.read()
            if token.word in ("NEXT", "PREVIOUS") and cursor.accept("VALUE", "FOR"):
                token = cursor.read()
            if token.kind is TokenKind.WORD and token.text.startswith("_") and cursor.peek().kind in _LITERALS:
                cursor.read()
        while cursor.at_sign("("):
            cursor.pass_parentheses()
        if cursor.peek().kind is not TokenKind.SIGN or cursor.peek().text not in _OPERATORS:
            return
        cursor.read()


_LITERALS = (TokenKind.STRING, TokenKind.HEX, TokenKind.BITS)
"""Tokens that may follow a character set."""


def references(cursor: Cursor) -> tuple[Path, tuple[str, ...], dict[str, str]]:
    """Return the table after REFERENCES, its columns, and the actions of DELETE and UPDATE; "" for none."""
    path = cursor.path()
    columns = cursor.names() if cursor.at_sign("(") else ()
    actions = {"DELETE": "", "UPDATE": ""}
    while cursor.peek().word in ("MATCH", "ON"):
        if cursor.read().word == "MATCH":
            cursor.read()
            continue
        operation, action = cursor.read().word, cursor.read().word
        actions[operation] = f"{action} {cursor.read().word}" if action in ("SET", "NO") else action
    return path, columns, actions


def period(cursor: Cursor) -> set[str]:
    """Return the columns of MariaDB's PERIOD FOR name (start, end), in lower case; they are never NULL."""
    cursor.note()
    cursor.expect("PERIOD", "FOR")
    cursor.name()
    return {name.lower() for name in cursor.names()}


_AFTER_OPTIONS = frozenset("PARTITION SELECT AS IGNORE REPLACE WITH VALUES TABLE".split())


def table_option(cursor: Cursor) -> bool:
    """Pass an option of a table that has no place in its definition; False if none comes next."""
    if cursor.noted("WITH", "SYSTEM", "VERSIONING") or cursor.noted("START", "TRANSACTION"):
        return True
    if cursor.noted("DATA", "DIRECTORY") or cursor.noted("INDEX", "DIRECTORY"):
        pass
    elif (
        cursor.peek().word
        and cursor.peek().word not in _AFTER_OPTIONS | _CHANGES
        and (cursor.at_sign("=", 1) or cursor.peek(1).kind in _VALUES)
    ):
        cursor.note()
        cursor.read()
    else:
        return False
    cursor.accept_sign("=")
    if cursor.at_sign("("):
        cursor.pass_parentheses()
    else:
        cursor.read()
    return True


_VALUES = (TokenKind.WORD, TokenKind.NUMBER, TokenKind.STRING, TokenKind.QUOTED_NAME, TokenKind.HEX)
_CHANGES = frozenset("ADD ALTER CHANGE DROP MODIFY RENAME CONVERT ALGORITHM LOCK".split())


def at_query(cursor: Cursor) -> bool:
    """Return True if the query of CREATE TABLE ... SELECT comes next, or the words before it."""
    if cursor.at_sign("("):
        return cursor.peek(1).word in ("SELECT", "WITH", "VALUES", "TABLE") or cursor.at_sign("(", 1)
    return cursor.peek().word in ("SELECT", "AS", "IGNORE", "REPLACE", "WITH") and cursor.peek(1).word != "SYSTEM"


def rest_selects(cursor: Cursor) -> bool:
    """Pass what comes after a table's options; whether a query is part of it."""
    selects = False
    while not cursor.at_end:
        if cursor.at_sign("("):
            selects = selects or at_query(cursor)
            cursor.pass_parentheses()
        else:
            selects = cursor.read().word in ("SELECT", "AS", "WITH") or selects
    return selects


def at_partitions(cursor: Cursor) -> bool:
    """Return True if the partitions of a table come next, which need no comma before them."""
    return cursor.at_words("PARTITION", "BY") or cursor.at_words("REMOVE", "PARTITIONING")


def change(cursor: Cursor) -> bool:
    """Pass a change of a table that leaves its columns as they are; False for any other."""
    pair = cursor.peek().word, cursor.peek(1).word
    if pair[0] == "FORCE":
        cursor.note(f"ALTER TABLE ... {cursor.peek().text}")
        cursor.read()
        return True
    if pair not in _PASSED_CHANGES and (pair[1] != "PERIOD" or cursor.peek(2).word != "FOR"):
        return False
    words = cursor.peek().text if pair[0] != "DROP" else f"DROP {cursor.peek(1).text}"
    cursor.note(f"ALTER TABLE ... {words}")
    if pair[1] in _WITH_PARTITIONS or pair[0] == "ORDER" or pair == ("CONVERT", "TABLE"):
        cursor.pass_rest()  # a list of partitions has commas, and stands last
    else:
        cursor.skip()
    return True
