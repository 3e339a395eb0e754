"""What a lenient cursor passes over: all of a statement that says nothing of a column's name and type.

Here are also MariaDB's forms of what is read. Sources: the manual's "Data Definition Statements", MariaDB's "CREATE
TABLE" and "ALTER TABLE".
"""

from __future__ import annotations

from typing import Any

from pybinlog.schema.cursor import Cursor
from pybinlog.schema.key import PRIMARY
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.statement import CreateSequence, Definition

_OTHER_TYPES: dict[str, tuple[str, tuple[int, ...]]] = {
    "INET4": ("INET4", (4,)),
    "INET6": ("INET6", (16,)),
    "UUID": ("UUID", (16,)),
    "XMLTYPE": ("LONGTEXT", ()),
    "CLOB": ("LONGTEXT", ()),
}
"""MariaDB's types of a fixed form: those of addresses with their bytes, others as what a Table_map has for them."""
_ORACLE_TYPES = {"NUMBER": "DECIMAL", "VARCHAR2": "VARCHAR", "RAW": "VARBINARY"}
"""Those of its sql_mode ORACLE."""
_OPERATORS = frozenset("+ - * / % || && | & ^ << >> = <=> < > <= >= <> != .".split())
_PASSED_CHANGES = (
    *(("DROP", word) for word in ("KEY", "INDEX", "FOREIGN", "CONSTRAINT", "CHECK", "PARTITION")),
    ("ADD", "PARTITION"),
    *(("ALTER", word) for word in ("INDEX", "KEY", "CHECK", "CONSTRAINT")),
    ("RENAME", "INDEX"),
    ("RENAME", "KEY"),
    *((word, "PARTITION") for word in ("ANALYZE CHECK COALESCE CONVERT OPTIMIZE REBUILD REORGANIZE REPAIR".split())),
    *((word, "PARTITION") for word in ("TRUNCATE", "EXCHANGE", "DISCARD", "IMPORT")),
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
    """A statement that only MariaDB has; what stands between CREATE or ALTER and TABLE is taken out."""
    if cursor.peek().word not in ("CREATE", "ALTER"):
        return None
    cursor.place += 1
    cursor.drop_words("OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE")
    cursor.place -= 1
    if not cursor.accept("CREATE", "SEQUENCE"):
        return None
    absent = if_exists(cursor)
    made = CreateSequence(cursor.path(), absent)
    cursor.place = len(cursor.tokens) - 1
    return made


def if_exists(cursor: Cursor) -> bool:
    """Pass IF EXISTS or IF NOT EXISTS."""
    return cursor.lenient and (cursor.accept("IF", "EXISTS") or cursor.accept("IF", "NOT", "EXISTS"))


def wait(cursor: Cursor) -> None:
    """Pass what says how long MariaDB waits for a lock."""
    if cursor.lenient and not cursor.accept("NOWAIT") and cursor.accept("WAIT"):
        cursor.take()


def other_type(cursor: Cursor) -> dict[str, Any] | None:
    """A type that only MariaDB has, or an old name of one, as arguments of a Declaration; None for any other."""
    word = cursor.peek().word
    if word in _OTHER_TYPES:
        cursor.take()
        kind, numbers = _OTHER_TYPES[word]
        return {"type": kind, "numbers": numbers}
    if word in _ORACLE_TYPES:
        cursor.take()
        numbers = cursor.integers()
        return {"type": "DOUBLE" if word == "NUMBER" and not numbers else _ORACLE_TYPES[word], "numbers": numbers}
    if cursor.accept("LONG", "VARBINARY"):
        return {"type": "MEDIUMBLOB", "numbers": ()}
    if cursor.accept("LONG", "VARCHAR") or cursor.accept("LONG", "CHAR", "VARYING"):
        return {"type": "MEDIUMTEXT", "numbers": ()}
    if cursor.accept("NCHAR", "VARCHAR"):
        return {"type": "NVARCHAR", "numbers": cursor.integers()}
    return None


def attribute(cursor: Cursor, made: dict[str, Any]) -> bool:
    """Pass an attribute of a column, or take from it what counts; False where it is one that every cursor reads."""
    word = cursor.peek().word
    if cursor.accept("DEFAULT") or cursor.accept("ON", "UPDATE"):
        _value(cursor)
    elif cursor.accept("AUTO_INCREMENT") or cursor.accept("SERIAL", "DEFAULT", "VALUE"):
        made["nullable"] = False
    elif cursor.accept("UNIQUE"):
        cursor.accept_one("KEY", "INDEX")
    elif cursor.accept("GENERATED", "ALWAYS", "AS", "ROW") or cursor.accept("AS", "ROW"):
        cursor.take()
        made["nullable"] = False
    elif cursor.accept("GENERATED", "ALWAYS", "AS") or cursor.accept("AS"):
        cursor.pass_parentheses()
        cursor.accept_one("VIRTUAL", "STORED", "PERSISTENT")
    elif word in ("CHECK", "CONSTRAINT"):
        _check(cursor)
    elif cursor.accept("REFERENCES"):
        _references(cursor)
    elif word in ("COLUMN_FORMAT", "STORAGE", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "REF_SYSTEM_ID"):
        cursor.take()
        cursor.accept_sign("=")
        cursor.take()
    elif cursor.accept("COMPRESSED"):
        if cursor.accept_sign("="):
            cursor.take()
    elif cursor.accept("BYTE"):
        made["charset"] = "binary"
    elif cursor.accept("UNICODE"):
        made["charset"] = "ucs2"
    elif not any(
        cursor.accept(*words)
        for words in (
            ("BINARY",),
            ("WITH", "SYSTEM", "VERSIONING"),
            ("WITHOUT", "SYSTEM", "VERSIONING"),
            ("NOT", "SECONDARY"),
        )
    ):
        return False
    return True


def _value(cursor: Cursor) -> None:
    """A default: an expression in parentheses, or literals, names and calls with operators between."""
    while True:
        while cursor.accept_sign("-") or cursor.accept_sign("+"):
            pass
        if not cursor.at_sign("("):
            token = cursor.take()
            if token.kind is TokenKind.WORD and token.text.startswith("_") and cursor.peek().kind in _LITERALS:
                cursor.take()
        while cursor.at_sign("("):
            cursor.pass_parentheses()
        if cursor.peek().kind is not TokenKind.SIGN or cursor.peek().text not in _OPERATORS:
            return
        cursor.take()


_LITERALS = (TokenKind.STRING, TokenKind.HEX, TokenKind.BITS)
"""What a character set may stand before."""


def _check(cursor: Cursor) -> None:
    if cursor.accept("CONSTRAINT") and not cursor.at_words("CHECK"):
        cursor.name()
    cursor.expect("CHECK")
    cursor.pass_parentheses()
    cursor.accept("NOT", "ENFORCED")
    cursor.accept("ENFORCED")


def _references(cursor: Cursor) -> None:
    cursor.path()
    if cursor.at_sign("("):
        cursor.pass_parentheses()
    while cursor.peek().word in ("MATCH", "ON"):
        if cursor.take().word == "MATCH":
            cursor.take()
            continue
        cursor.take()
        if (
            not cursor.accept("SET", "NULL")
            and not cursor.accept("SET", "DEFAULT")
            and not cursor.accept("NO", "ACTION")
        ):
            cursor.take()


def key(cursor: Cursor) -> tuple[str, ...]:
    """Pass a key or a constraint; the columns of a primary key, which are never NULL."""
    if cursor.at_words("CONSTRAINT") and cursor.peek(1).word == "PRIMARY":
        cursor.take()
    elif cursor.at_words("CONSTRAINT") and cursor.peek(2).word == "PRIMARY":
        cursor.place += 2
    columns: tuple[str, ...] = ()
    if cursor.accept("PRIMARY", "KEY"):
        if_exists(cursor)
        while not cursor.at_sign("(") and not cursor.at_end:
            cursor.take()
        columns = cursor.in_parentheses(lambda: _key_column(cursor))
    cursor.pass_over()
    return columns


def period(cursor: Cursor) -> set[str]:
    """The columns of MariaDB's PERIOD FOR name (start, end), in lower case; they are never NULL."""
    cursor.expect("PERIOD", "FOR")
    cursor.name()
    return {name.lower() for name in cursor.names()}


def _key_column(cursor: Cursor) -> str:
    name = cursor.name()
    cursor.integers()
    cursor.accept_one("ASC", "DESC")
    cursor.accept("WITHOUT", "OVERLAPS")
    return name


_READ_OPTIONS = frozenset({"CHARACTER", "CHARSET", "COLLATE", "COMMENT"})
_AFTER_OPTIONS = frozenset("PARTITION SELECT AS IGNORE REPLACE WITH VALUES TABLE".split())


def table_option(cursor: Cursor) -> bool:
    """Pass an option of a table; False for one that is read, and where none comes next."""
    if cursor.accept("WITH", "SYSTEM", "VERSIONING") or cursor.accept("START", "TRANSACTION"):
        return True
    if cursor.accept("DATA", "DIRECTORY") or cursor.accept("INDEX", "DIRECTORY"):
        pass
    elif (
        cursor.peek().word
        and cursor.peek().word not in _READ_OPTIONS | _AFTER_OPTIONS | _CHANGES
        and (cursor.at_sign("=", 1) or cursor.peek(1).kind in _VALUES)
    ):
        cursor.take()
    else:
        return False
    cursor.accept_sign("=")
    if cursor.at_sign("("):
        cursor.pass_parentheses()
    else:
        cursor.take()
    return True


_VALUES = (TokenKind.WORD, TokenKind.NUMBER, TokenKind.STRING, TokenKind.QUOTED_NAME, TokenKind.HEX)
_CHANGES = frozenset("ADD ALTER CHANGE DROP MODIFY RENAME CONVERT ALGORITHM LOCK".split())


def rest_selects(cursor: Cursor) -> bool:
    """Pass what comes after a table's options; whether a query is part of it."""
    selects = False
    while not cursor.at_end:
        if cursor.at_sign("("):
            selects = selects or cursor.peek(1).word in ("SELECT", "WITH", "VALUES", "TABLE") or cursor.at_sign("(", 1)
            cursor.pass_parentheses()
        else:
            selects = cursor.take().word in ("SELECT", "AS", "WITH") or selects
    return selects


def change(cursor: Cursor) -> bool:
    """Pass a change of a table that leaves its columns as they are; False for any other."""
    if cursor.accept("FORCE"):
        return True
    pair = cursor.peek().word, cursor.peek(1).word
    if cursor.at_words("ALTER") and pair not in _PASSED_CHANGES:
        _change_of_column(cursor)
        return True
    if pair[0] == "DROP" and drops_primary_key(cursor):
        return False
    if pair not in _PASSED_CHANGES and (pair[1] != "PERIOD" or cursor.peek(2).word != "FOR"):
        return False
    if pair[1] in _WITH_PARTITIONS or pair[0] == "ORDER":
        cursor.place = len(cursor.tokens) - 1  # a list of partitions has commas, and stands last
    else:
        cursor.pass_over()
    return True


def drops_primary_key(cursor: Cursor) -> bool:
    """Whether DROP PRIMARY KEY comes next, in any of its forms."""
    if cursor.at_words("DROP", "PRIMARY", "KEY"):
        return True
    return cursor.peek(1).word in ("KEY", "INDEX", "CONSTRAINT") and cursor.peek(2).text.upper() == PRIMARY


def _change_of_column(cursor: Cursor) -> None:
    """ALTER COLUMN name SET or DROP something: a default, or whether it is seen."""
    cursor.take()
    cursor.accept("COLUMN")
    if_exists(cursor)
    cursor.name()
    cursor.pass_over()
