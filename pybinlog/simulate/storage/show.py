"""Tables as the server words them in CREATE TABLE statements of its own."""

from __future__ import annotations

from sqlglot import exp

from .charset import character_set, collation_name, default_collation
from .column import Column
from .session import Session
from .table import Key, Table
from .value import to_text

__all__ = ["create_text", "quoted"]


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _collated(column: Column, table: Table) -> str:
    if column.collation is None or column.collation == 63 or not (column.is_text or column.members):
        return ""
    if column.collation == table.collation:
        return ""
    charset = character_set(column.collation)
    words = f" CHARACTER SET {charset}"
    is_default = column.collation == default_collation(charset, table.version)
    return words if is_default and charset != "utf8mb4" else f"{words} COLLATE {collation_name(column.collation)}"


def _default(column: Column) -> str:
    node = column.default
    if node is None:
        return " DEFAULT NULL" if column.nullable else ""
    if isinstance(node, exp.Literal):
        return f" DEFAULT {_text(str(node.this))}"
    if isinstance(node, exp.Expression):
        digits = f"({column.decimals})" if column.decimals else ""
        if isinstance(node, exp.CurrentTimestamp) or str(node.this).upper() in ("NOW", "CURRENT_TIMESTAMP"):
            update = f" ON UPDATE CURRENT_TIMESTAMP{digits}" if column.on_update_now else ""
            return f" DEFAULT CURRENT_TIMESTAMP{digits}{update}"
        return f" DEFAULT ({node.sql(dialect='mysql').lower()})"
    return f" DEFAULT {_text(to_text(node))}"


def _column(column: Column, table: Table) -> str:
    words = f"  {quoted(column.name)} {column.declared}{_collated(column, table)}"
    if not column.nullable:
        words += " NOT NULL"
    elif column.type.name == "TIMESTAMP2":
        words += " NULL"
    if column.auto_increment:
        return f"{words} AUTO_INCREMENT"
    return words + ("" if column.type.name in ("BLOB", "GEOMETRY", "JSON") else _default(column))


def _key(key: Key) -> str:
    parts = ",".join(quoted(part.column) + (f"({part.prefix})" if part.prefix else "") for part in key.parts)
    if key.primary:
        return f"  PRIMARY KEY ({parts})"
    return f"  {'UNIQUE KEY' if key.unique else 'KEY'} {quoted(key.name)} ({parts})"


def create_text(session: Session, table: Table) -> str:
    """The statement that CREATE TABLE ... SELECT is logged as before its rows."""
    modern = table.version >= (8,)
    lines = [_column(column, table) for column in table.columns] + [_key(key) for key in table.keys]
    name = (
        quoted(table.name) if table.database == session.database else f"{quoted(table.database)}.{quoted(table.name)}"
    )
    temporary = "TEMPORARY " if table.temporary else ""
    text = f"CREATE {temporary}TABLE {name} (\n" + ",\n".join(lines) + "\n)"
    return text + (" START TRANSACTION" if modern and table.transactional else "")
