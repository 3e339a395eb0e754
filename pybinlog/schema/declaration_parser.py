"""Reads columns and keys as CREATE TABLE and ALTER TABLE declare them.

Source: the manual, "CREATE TABLE Statement" and "Data Types".
"""

from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.schema import passed_over
from pybinlog.schema.column import PRIMARY, Generated, Key, KeyPart
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.declaration import ADDRESS_TYPES, GEOMETRY_TYPES, Declaration
from pybinlog.schema.expression import Expression, Null, Unary
from pybinlog.schema.expression_parser import ExpressionParser
from pybinlog.schema.lexer import TokenKind

_SAME_TYPES = {
    "INTEGER": "INT",
    "INT1": "TINYINT",
    "INT2": "SMALLINT",
    "INT3": "MEDIUMINT",
    "INT4": "INT",
    "INT8": "BIGINT",
    "MIDDLEINT": "MEDIUMINT",
    "BOOL": "TINYINT",
    "BOOLEAN": "TINYINT",
    "DEC": "DECIMAL",
    "FIXED": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "FLOAT4": "FLOAT",
    "FLOAT8": "DOUBLE",
    "CHARACTER": "CHAR",
    "GEOMCOLLECTION": "GEOMETRYCOLLECTION",
    "LONG": "MEDIUMTEXT",
    "XMLTYPE": "LONGTEXT",
    "CLOB": "LONGTEXT",
    "NUMBER": "DECIMAL",
    "VARCHAR2": "VARCHAR",
    "RAW": "VARBINARY",
}
_FIXED: dict[str, tuple[int, ...]] = {"INET4": (4,), "INET6": (16,), "UUID": (16,), "XMLTYPE": (), "CLOB": ()}
"""MariaDB's types of a fixed form: those of addresses with their bytes, others as what a Table_map has for them."""
_OF_MARIADB = frozenset({*_FIXED, "NUMBER", "VARCHAR2", "RAW"})
"""The types that only MariaDB has, the last three in its sql_mode ORACLE."""
_TYPES = frozenset(
    "DECIMAL REAL BIT TIME DATETIME TIMESTAMP CHAR VARCHAR NCHAR NVARCHAR BINARY VARBINARY TINYBLOB BLOB MEDIUMBLOB "
    "LONGBLOB TINYTEXT TEXT MEDIUMTEXT LONGTEXT ENUM SET SERIAL".split()
).union((kind.sql for kind in ColumnType if kind.sql), GEOMETRY_TYPES, ADDRESS_TYPES)


def declaration(cursor: Cursor) -> tuple[Declaration, tuple[Key, ...]]:
    """Return a column, and the keys that its declaration makes. Raise UnsupportedStatement for what is not known."""
    name = cursor.name()
    made = _type(cursor)
    keys = [Key("", (KeyPart(name),), True)] if made.pop("serial", False) else []
    while _attribute(cursor, name, made, keys):
        pass
    return Declaration(name, **made), tuple(keys)


_OF_TYPE = frozenset({"UNSIGNED", "SIGNED", "ZEROFILL", "CHARACTER", "CHARSET", "CHAR", "ASCII", "COLLATE"})
"""Words that begin an attribute of a type without a column."""


def name_and_type(cursor: Cursor) -> Declaration:
    """Return a parameter of a stored routine."""
    return type_alone(cursor, cursor.name())


def type_alone(cursor: Cursor, name: str = "") -> Declaration:
    """Return what has a type and no other attribute, such as the value of a stored function."""
    made = _type(cursor)
    while cursor.peek().word in _OF_TYPE and _attribute(cursor, name, made, []):
        pass
    made.pop("serial", None)
    return Declaration(name, **made)


def _type(cursor: Cursor) -> dict[str, Any]:
    """Return the type, as arguments of a Declaration."""
    word = cursor.peek().word
    if word in _OF_MARIADB:
        cursor.note(f"the column type {cursor.peek().text}")
    if cursor.accept("NATIONAL"):
        word = "N" + _SAME_TYPES.get(cursor.peek().word, cursor.peek().word)
    kind = _SAME_TYPES.get(word, word)
    if "ORACLE" in cursor.sql_mode:
        kind = {"BLOB": "LONGBLOB", "DATE": "DATETIME"}.get(kind, kind)
    if kind not in _TYPES:
        raise cursor.unknown(f"the column type {cursor.peek().text}")
    cursor.read()
    if kind == "DOUBLE":
        cursor.accept("PRECISION")
    if kind in ("CHAR", "NCHAR") and (cursor.accept("VARYING") or (kind == "NCHAR" and cursor.accept("VARCHAR"))):
        kind = kind.replace("CHAR", "VARCHAR")
    if word == "LONG" and cursor.accept("VARBINARY"):
        kind = "MEDIUMBLOB"
    elif word == "LONG" and not (cursor.accept("VARCHAR") or cursor.accept("CHAR", "VARYING")):
        cursor.accept("CHARACTER", "VARYING")
    made: dict[str, Any] = {"type": kind}
    if kind in ("ENUM", "SET"):
        made["members"] = _members(cursor)
    elif word in _FIXED:
        made["numbers"] = _FIXED[word]
    else:
        made["numbers"] = (1,) if word in ("BOOL", "BOOLEAN") else cursor.integers()
    if word == "NUMBER" and not made["numbers"]:
        made["type"] = "DOUBLE"
    if kind == "SERIAL":
        made.update(type="BIGINT", unsigned=True, nullable=False, auto_increment=True, serial=True)
    return made


def _members(cursor: Cursor) -> tuple[str, ...]:
    return tuple(member.rstrip(" ") for member in cursor.in_parentheses(cursor.string))


def _attribute(cursor: Cursor, name: str, made: dict[str, Any], keys: list[Key]) -> bool:
    """Read one attribute after a type; return False if none comes."""
    part = (KeyPart(name),)
    word = cursor.peek().word
    if word in ("UNSIGNED", "ZEROFILL"):
        made[cursor.read().word.lower()] = True
    elif cursor.accept("SIGNED"):
        pass
    elif cursor.accept("CHARACTER", "SET") or cursor.accept("CHARSET") or cursor.accept("CHAR", "SET"):
        made["charset"] = cursor.word_or_string()
    elif cursor.accept("ASCII"):
        made["charset"] = "latin1"
    elif cursor.accept("COLLATE"):
        made["collate"] = cursor.word_or_string()
    elif cursor.accept("NOT", "NULL"):
        made["nullable"] = False
    elif cursor.accept("NULL"):
        made["nullable"] = True
    elif cursor.accept("DEFAULT"):
        value = cursor.tolerate(lambda: default_value(cursor), lambda: passed_over.value(cursor))
        made.update(default=None if isinstance(value, Null) else value, has_default=True)
    elif cursor.accept("ON", "UPDATE"):
        cursor.tolerate(ExpressionParser(cursor).expression, lambda: passed_over.value(cursor))
        made["on_update_now"] = True
    elif cursor.accept("AUTO_INCREMENT"):
        made.update(auto_increment=True, nullable=False)  # a NULL after it takes that back
    elif cursor.accept("UNIQUE"):
        cursor.accept_one("KEY", "INDEX")
        keys.append(Key("", part, True))
    elif cursor.accept("PRIMARY", "KEY") or cursor.accept("KEY"):
        made["nullable"] = False
        keys.append(Key(PRIMARY, part, True))
    elif cursor.accept("COMMENT"):
        made["comment"] = cursor.string()
    elif word in ("VISIBLE", "INVISIBLE"):
        made["visible"] = cursor.read().word == "VISIBLE"
    elif passed_over.attribute(cursor, made):
        pass
    elif cursor.accept("GENERATED", "ALWAYS", "AS") or cursor.accept("AS"):
        made["generated"] = _generated(cursor)
    elif word == "SRID":
        cursor.read()
        cursor.integer()
    elif word in ("CHECK", "CONSTRAINT"):
        check(cursor)
    else:
        return False
    return True


def _generated(cursor: Cursor) -> Generated:
    def read() -> tuple[Expression, str]:
        cursor.expect_sign("(")
        start = cursor.peek().start
        expression = ExpressionParser(cursor).expression()
        text = cursor.text_since(start)
        cursor.expect_sign(")")
        return expression, text

    found = cursor.tolerate(read, cursor.pass_parentheses)
    stored = cursor.accept_one("VIRTUAL", "STORED", "PERSISTENT") not in ("", "VIRTUAL")
    return Generated(*(found or (Null(), "")), stored)


def default_value(cursor: Cursor) -> Expression:
    """Return the value after DEFAULT: a literal, CURRENT_TIMESTAMP, or an expression in parentheses."""
    parser = ExpressionParser(cursor)
    return Unary("-", parser.primary()) if cursor.accept_sign("-") else parser.primary()


def check(cursor: Cursor) -> None:
    """Skip a CHECK constraint, perhaps with a name; it does not change a table's contents."""
    if cursor.accept("CONSTRAINT") and not cursor.at_words("CHECK"):
        cursor.name()
    cursor.expect("CHECK")
    cursor.tolerate(ExpressionParser(cursor).primary, cursor.pass_parentheses)
    if not cursor.accept("NOT", "ENFORCED"):
        cursor.accept("ENFORCED")


def at_key(cursor: Cursor) -> bool:
    """Return True if the cursor is at a key or a constraint, not at a column."""
    words = ("PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK")
    return cursor.peek().word in words or cursor.at_words("VECTOR", "KEY") or cursor.at_words("VECTOR", "INDEX")


def key(cursor: Cursor) -> Key | None:
    """Return a key as a definition of its own; None for a constraint, and for what is skipped.

    Raise UnsupportedStatement for a primary key that is not understood: its columns are never NULL.
    """
    if "PRIMARY" not in [cursor.peek(ahead).word for ahead in range(3)]:
        return cursor.tolerate(lambda: _key(cursor), cursor.skip)
    found = _key(cursor)
    if not (cursor.at_end or cursor.at_sign(",") or cursor.at_sign(")")):
        cursor.note()
        cursor.skip()
    return found


def _key(cursor: Cursor) -> Key | None:
    name = ""
    if cursor.accept("CONSTRAINT") and cursor.at_name:
        name = cursor.name()
    if cursor.at_words("CHECK"):
        check(cursor)
        return None
    if cursor.at_words("FOREIGN"):
        raise cursor.unknown("a foreign key")
    if cursor.accept("PRIMARY", "KEY"):
        passed_over.if_exists(cursor)
        if cursor.at_name and not cursor.at_words("USING"):
            cursor.note()  # MariaDB lets it have a name, which it does not keep
            cursor.read()
        return Key(PRIMARY, _parts_and_options(cursor), True)
    unique = cursor.accept("UNIQUE")
    kind = passed_over.index_kind(cursor)
    word = cursor.accept_one("KEY", "INDEX")
    if not (unique or kind or word):
        raise cursor.unknown()
    if cursor.at_name and not cursor.at_words("USING"):
        name = cursor.name()
    return Key(name, _parts_and_options(cursor), unique, kind)


def _parts_and_options(cursor: Cursor) -> tuple[KeyPart, ...]:
    if cursor.accept("USING"):
        cursor.name()
    parts = key_parts(cursor)
    key_options(cursor)
    return parts


def key_options(cursor: Cursor) -> None:
    """Skip the options after a key's columns, which do not change a table's contents."""
    while cursor.peek().word in ("USING", "COMMENT", "KEY_BLOCK_SIZE", "VISIBLE", "INVISIBLE"):
        word = cursor.read().word
        if word == "USING":
            cursor.name()
        elif word == "COMMENT":
            cursor.string()
        elif word == "KEY_BLOCK_SIZE":
            cursor.accept_sign("=")
            cursor.integer()


def key_parts(cursor: Cursor) -> tuple[KeyPart, ...]:
    """Return the columns of a key in parentheses. Raise UnsupportedStatement for an expression among them."""
    return cursor.in_parentheses(lambda: _part(cursor))


def _part(cursor: Cursor) -> KeyPart:
    if cursor.peek().kind is TokenKind.SIGN:
        raise cursor.unknown("a key on an expression")
    name, numbers = cursor.name(), cursor.integers()
    part = KeyPart(name, numbers[0] if numbers else None, cursor.accept_one("ASC", "DESC") == "DESC")
    cursor.noted("WITHOUT", "OVERLAPS")
    return part
