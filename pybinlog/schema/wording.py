"""Definitions in the server's words: the CREATE TABLE that it logs for CREATE TABLE ... SELECT."""

from decimal import Decimal

from pybinlog.column_types import ColumnType
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.column import Column, Key, Settings
from pybinlog.schema.expression import Expression, Hex, Number, String, Truth, Unary
from pybinlog.schema.expression_parser import is_now
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.text import character_set, collation_name, default_collation

_WIDTHS = {
    ColumnType.TINY: (4, 3),
    ColumnType.SHORT: (6, 5),
    ColumnType.INT24: (9, 8),
    ColumnType.LONG: (11, 10),
    ColumnType.LONGLONG: (20, 20),
    ColumnType.YEAR: (4, 4),
}
"""The display widths of integers, signed and unsigned, that servers choose."""
_NO_DEFAULT = (ColumnType.BLOB, ColumnType.GEOMETRY, ColumnType.JSON)


def quoted(name: str) -> str:
    """Return a name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def create_text(table: TableDefinition, settings: Settings, database: str | None) -> str:
    """Return the CREATE TABLE statement of a table, for a session in `database`."""
    lines = [_column(column, table, settings) for column in table.columns] + [_key(key) for key in table.keys]
    name = quoted(table.name) if table.database == database else f"{quoted(table.database)}.{quoted(table.name)}"
    atomic = " START TRANSACTION" if settings.modern and table.transactional else ""
    return f"CREATE TABLE {name} (\n" + ",\n".join(lines) + "\n)" + atomic + _options(table, settings)


def _options(table: TableDefinition, settings: Settings) -> str:
    named = table.named_options
    words = f" ENGINE={table.engine}" if named.engine else ""
    if named.charset or named.collate:
        charset = character_set(table.collation)
        words += f" DEFAULT CHARSET={charset}"
        if table.collation != default_collation(charset, settings.version):
            words += f" COLLATE={collation_name(table.collation)}"
    return words


def _column(column: Column, table: TableDefinition, settings: Settings) -> str:
    words = f"  {quoted(column.name)} {_declared(column, settings)}{_collated(column, table, settings)}"
    if not column.nullable:
        words += " NOT NULL"
    elif column.type == ColumnType.TIMESTAMP2:
        words += " NULL"
    if column.auto_increment:
        return f"{words} AUTO_INCREMENT"
    return words if column.type in _NO_DEFAULT else words + _default(column)


def _declared(column: Column, settings: Settings) -> str:
    if not settings.shows_width(column.zerofill) or column.type not in _WIDTHS or "(" in column.declared:
        return column.declared
    word, _, sign = column.declared.partition(" ")
    signed, unsigned = _WIDTHS[column.type]
    return f"{word}({unsigned if column.unsigned else signed})" + (f" {sign}" if sign else "")


def _collated(column: Column, table: TableDefinition, settings: Settings) -> str:
    if column.collation in (None, COLLATION_BINARY, table.collation) or not (column.is_text or column.members):
        return ""
    charset = character_set(column.charset)
    words = f" CHARACTER SET {charset}"
    # Up to 5.7 the default collation of a character set goes without saying.
    short = not settings.modern and column.charset == default_collation(charset, settings.version)
    return words if short else f"{words} COLLATE {collation_name(column.charset)}"


def _default(column: Column) -> str:
    if column.default is None:
        return " DEFAULT NULL" if column.nullable else ""
    if is_now(column.default):
        digits = f"({column.decimals})" if column.decimals else ""
        update = f" ON UPDATE CURRENT_TIMESTAMP{digits}" if column.on_update_now else ""
        return f" DEFAULT CURRENT_TIMESTAMP{digits}{update}"
    if column.type == ColumnType.BIT and isinstance(column.default, (Hex, Number)):
        node = column.default
        return f" DEFAULT b'{int.from_bytes(node.data, 'big') if isinstance(node, Hex) else int(node.text):b}'"
    text = _literal(column.default)
    if column.type == ColumnType.NEWDECIMAL:
        text = f"{Decimal(text):.{column.decimals}f}"
    return " DEFAULT '" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _literal(node: Expression) -> str:
    """Return the words of a literal; nothing for an expression, which has no such words."""
    if isinstance(node, (Number, String)):
        return node.text
    if isinstance(node, Truth):
        return str(int(node.value))
    if isinstance(node, Unary) and isinstance(node.operand, Number):
        return f"-{node.operand.text}"
    return ""


def _key(key: Key) -> str:
    parts = ",".join(quoted(part.column) + (f"({part.prefix})" if part.prefix else "") for part in key.parts)
    if key.primary:
        return f"  PRIMARY KEY ({parts})"
    return f"  {'UNIQUE KEY' if key.unique else 'KEY'} {quoted(key.name)} ({parts})"
