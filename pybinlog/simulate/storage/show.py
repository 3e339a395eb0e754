"""Tables as the server words them in CREATE TABLE statements of its own."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from pybinlog.layout import ColumnType

from .charset import character_set, collation_name, default_collation
from .column import Column
from .session import Session
from .table import Key, Table
from .value import to_text

__all__ = ["create_text", "declared", "quoted"]


_WIDTHS = {
    ColumnType.TINY: (4, 3),
    ColumnType.SHORT: (6, 5),
    ColumnType.INT24: (9, 8),
    ColumnType.LONG: (11, 10),
    ColumnType.LONGLONG: (20, 20),
    ColumnType.YEAR: (4, 4),
}
"""The display widths of integers, signed and unsigned."""


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
    # Up to 5.7 the default collation of a character set goes without saying.
    short = table.version < (8,) and column.collation == default_collation(charset, table.version)
    return words if short else f"{words} COLLATE {collation_name(column.collation)}"


def _default(column: Column) -> str:
    node = column.default
    if node is None:
        return " DEFAULT NULL" if column.nullable else ""
    if isinstance(node, exp.Literal):
        text = str(node.this)
        if column.decimals and column.type == ColumnType.NEWDECIMAL:
            text = f"{Decimal(text):.{column.decimals}f}"
        return f" DEFAULT {_text(text)}"
    if isinstance(node, exp.Expression):
        digits = f"({column.decimals})" if column.decimals else ""
        if isinstance(node, exp.CurrentTimestamp) or str(node.this).upper() in ("NOW", "CURRENT_TIMESTAMP"):
            update = f" ON UPDATE CURRENT_TIMESTAMP{digits}" if column.on_update_now else ""
            return f" DEFAULT CURRENT_TIMESTAMP{digits}{update}"
        return f" DEFAULT ({node.sql(dialect='mysql').lower()})"
    return f" DEFAULT {_text(to_text(node))}"


def declared(column: Column, version: tuple[int, ...]) -> str:
    """A column's type; up to 8.0.18 an integer has its display width."""
    if version >= (8, 0, 19) or column.type not in _WIDTHS or "(" in column.declared:
        return column.declared
    word, _, sign = column.declared.partition(" ")
    signed, unsigned = _WIDTHS[column.type]
    return f"{word}({unsigned if column.unsigned else signed})" + (f" {sign}" if sign else "")


def _column(column: Column, table: Table) -> str:
    words = f"  {quoted(column.name)} {declared(column, table.version)}{_collated(column, table)}"
    if not column.nullable:
        words += " NOT NULL"
    elif column.type.name == "TIMESTAMP2":
        words += " NULL"
    if column.auto_increment:
        return f"{words} AUTO_INCREMENT"
    return words + ("" if column.type.name in ("BLOB", "GEOMETRY") else _default(column))


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
    return text + (" START TRANSACTION" if modern and table.transactional else "") + table.options
