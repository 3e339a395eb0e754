"""Columns and keys from the parsed definitions of CREATE TABLE and ALTER TABLE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import ColumnType

from .charset import BINARY, bytes_per_character, named_character_set, named_collation
from .column import BLOB_SIZES, Column
from .error import SqlError
from .session import Session
from .statement import Statement
from .table import Key, KeyPart

__all__ = ["Definer", "key_name", "key_of"]

_INTEGERS = {
    "TINYINT": (ColumnType.TINY, "tinyint"),
    "SMALLINT": (ColumnType.SHORT, "smallint"),
    "MEDIUMINT": (ColumnType.INT24, "mediumint"),
    "INT": (ColumnType.LONG, "int"),
    "BIGINT": (ColumnType.LONGLONG, "bigint"),
    "BOOLEAN": (ColumnType.TINY, "tinyint(1)"),
    "SERIAL": (ColumnType.LONGLONG, "bigint"),
}
_BLOBS = {"TINYBLOB": "TINY", "BLOB": "", "MEDIUMBLOB": "MEDIUM", "LONGBLOB": "LONG"}
_TEXTS = {"TINYTEXT": "TINY", "TEXT": "", "MEDIUMTEXT": "MEDIUM", "LONGTEXT": "LONG"}
_TEMPORALS = {
    "TIME": (ColumnType.TIME2, "time"),
    "DATETIME": (ColumnType.DATETIME2, "datetime"),
    "TIMESTAMP": (ColumnType.TIMESTAMP2, "timestamp"),
    "TIMESTAMPTZ": (ColumnType.TIMESTAMP2, "timestamp"),
}
_MAX_VARCHAR_BYTES = 65535
_FLOAT_DIGITS = 24


@dataclass
class Definer:
    """Makes columns in the context of a statement: its literals, the session, the table's default collation."""

    session: Session
    statement: Statement
    collation: int

    def literal(self, node: Any) -> str:
        """The string of a literal."""
        return self.statement.scanned.literal(node.this)

    def resolved(self, node: Any) -> Any:
        """An expression that outlives the statement: its string literals stand in it."""

        def literal(part: Any) -> Any:
            is_string = isinstance(part, exp.Literal) and part.is_string
            return exp.Literal.string(self.literal(part)) if is_string else part

        return node.transform(literal)

    def column(self, node: Any) -> Column:
        """A column from its definition. Raises SqlError and UnsupportedStatement."""
        constraints = [constraint.kind for constraint in node.args.get("constraints") or []]
        column = self._typed(node, self._collation(constraints))
        for constraint in constraints:
            column = self._constrained(column, constraint)
        if column.type == ColumnType.TIMESTAMP2 and not self.session.explicit_defaults_for_timestamp:
            explicit_null = any(
                isinstance(c, exp.NotNullColumnConstraint) and c.args.get("allow_null") for c in constraints
            )
            if not explicit_null:
                column = replace(column, nullable=False)
        return column

    def _collation(self, constraints: list[Any]) -> int | None:
        """The collation that CHARACTER SET and COLLATE name."""
        collation = None
        for constraint in constraints:
            if isinstance(constraint, exp.CharacterSetColumnConstraint):
                collation = self.charset(_name_of(constraint.this))
        for constraint in constraints:
            if isinstance(constraint, exp.CollateColumnConstraint):
                collation = named_collation(_name_of(constraint.this))
        return collation

    def charset(self, name: str) -> int:
        """The default collation of a character set. Raises error 1115."""
        if name.lower() == "utf8mb4" and self.session.storage.version >= (8,):
            return self.session.default_collation_for_utf8mb4
        return named_character_set(name, self.session.storage.version)

    def _typed(self, node: Any, collation: int | None) -> Column:
        name, data_type = node.name, node.args.get("kind")
        if data_type is None:
            raise UnsupportedStatement(f"the column {name} has no type that the model knows", missing="column type")
        kind = data_type.this.name if hasattr(data_type.this, "name") else str(data_type.this)
        special = self.statement.names.get(name.lower())
        if special is not None and special[0] == "geometry":
            return Column(name, ColumnType.GEOMETRY, "geometry", length_bytes=4, geometry_type=special[1])
        if special is not None and special[0] == "vector":
            declared = f"vector({special[1]})"
            return Column(name, ColumnType.VECTOR, declared, length_bytes=4, length=special[1])
        inner = data_type.find(exp.CharacterSet) or data_type.args.get("kind")
        if inner is not None and collation is None and not isinstance(inner, str):
            collation = self.charset(_name_of(inner))
        numbers = [int(part.this.this) for part in data_type.expressions if isinstance(part, exp.DataTypeParam)]
        text_collation = collation if collation is not None else self.collation
        if special is not None:
            kind = f"U{kind}"
        return self._of_kind(name, kind, data_type, numbers, text_collation)

    def _of_kind(self, name: str, kind: str, data_type: Any, numbers: list[int], collation: int) -> Column:
        unsigned = kind.startswith("U") and kind[1:] in (*_INTEGERS, "DECIMAL", "DOUBLE", "FLOAT", "REAL")
        plain = kind[1:] if unsigned else kind
        sign = " unsigned" if unsigned else ""
        if plain in _INTEGERS:
            column_type, declared = _INTEGERS[plain]
            column = Column(name, column_type, declared + sign, unsigned=unsigned)
            if plain == "SERIAL":
                return replace(column, declared="bigint unsigned", unsigned=True, nullable=False, auto_increment=True)
            return column
        if plain in ("DECIMAL", "NUMERIC"):
            precision, decimals = [*numbers, *(10, 0)[len(numbers) :]]
            declared = f"decimal({precision},{decimals}){sign}"
            return Column(
                name, ColumnType.NEWDECIMAL, declared, unsigned=unsigned, precision=precision, decimals=decimals
            )
        if plain in ("FLOAT", "DOUBLE", "REAL"):
            return self._float(name, plain, numbers, unsigned)
        if plain in _TEMPORALS:
            column_type, declared = _TEMPORALS[plain]
            decimals = numbers[0] if numbers else 0
            return Column(name, column_type, f"{declared}({decimals})" if decimals else declared, decimals=decimals)
        if plain == "DATE":
            return Column(name, ColumnType.DATE, "date")
        if plain == "YEAR":
            return Column(name, ColumnType.YEAR, "year", unsigned=True)
        if plain == "BIT":
            length = numbers[0] if numbers else 1
            return Column(name, ColumnType.BIT, f"bit({length})", length=length)
        if plain == "JSON":
            return Column(name, ColumnType.JSON, "json", length_bytes=4)
        if plain == "GEOMETRY":
            return Column(name, ColumnType.GEOMETRY, "geometry", length_bytes=4)
        if plain in ("ENUM", "SET"):
            members = tuple(self.literal(part) for part in data_type.expressions if isinstance(part, exp.Literal))
            words = ",".join("'" + member.replace("'", "''") + "'" for member in members)
            column_type = ColumnType.ENUM if plain == "ENUM" else ColumnType.SET
            return Column(name, column_type, f"{plain.lower()}({words})", members=members, collation=collation)
        if plain in _BLOBS or plain in _TEXTS:
            size = _BLOBS.get(plain, _TEXTS.get(plain, ""))
            if numbers:
                longest = numbers[0] * (1 if plain in _BLOBS else bytes_per_character(collation))
                size = next(word for word, width in BLOB_SIZES.items() if longest < 1 << 8 * width)
            word = "blob" if plain in _BLOBS else "text"
            own = BINARY if plain in _BLOBS else collation
            declared = f"{size.lower()}{word}"
            return Column(name, ColumnType.BLOB, declared, length_bytes=BLOB_SIZES[size], collation=own)
        return self._string(name, plain, numbers, collation)

    def _float(self, name: str, kind: str, numbers: list[int], unsigned: bool) -> Column:
        double = kind != "FLOAT" or (len(numbers) == 1 and numbers[0] > _FLOAT_DIGITS)
        precision, decimals = (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)
        if kind == "REAL" and "REAL_AS_FLOAT" in self.session.sql_mode:
            double = False
        declared = "double" if double else "float"
        declared += f"({precision},{decimals})" if precision else ""
        column_type = ColumnType.DOUBLE if double else ColumnType.FLOAT
        sign = " unsigned" if unsigned else ""
        return Column(name, column_type, declared + sign, unsigned=unsigned, precision=precision, decimals=decimals)

    def _string(self, name: str, kind: str, numbers: list[int], collation: int) -> Column:
        length = numbers[0] if numbers else 1
        if kind in ("BINARY", "VARBINARY"):
            column_type = ColumnType.STRING if kind == "BINARY" else ColumnType.VARCHAR
            return Column(name, column_type, f"{kind.lower()}({length})", length=length, collation=BINARY)
        if kind in ("NCHAR", "NVARCHAR"):
            kind, collation = kind[1:], self.charset("utf8mb3")
        if kind == "CHAR":
            return Column(name, ColumnType.STRING, f"char({length})", length=length, collation=collation)
        if kind == "VARCHAR":
            if length * bytes_per_character(collation) > _MAX_VARCHAR_BYTES:
                most = _MAX_VARCHAR_BYTES // bytes_per_character(collation)
                raise SqlError(
                    1074,
                    "ER_TOO_BIG_FIELDLENGTH",
                    f"Column length too big for column '{name}' (max = {most}); use BLOB or TEXT instead",
                )
            return Column(name, ColumnType.VARCHAR, f"varchar({length})", length=length, collation=collation)
        raise UnsupportedStatement(f"the column type {kind} is not in the model", missing=kind)

    def _constrained(self, column: Column, constraint: Any) -> Column:
        if isinstance(constraint, exp.NotNullColumnConstraint):
            return replace(column, nullable=bool(constraint.args.get("allow_null")))
        if isinstance(constraint, exp.PrimaryKeyColumnConstraint):
            return replace(column, nullable=False)
        if isinstance(constraint, exp.AutoIncrementColumnConstraint):
            return replace(column, auto_increment=True, nullable=False)
        if isinstance(constraint, exp.DefaultColumnConstraint):
            node = constraint.this
            default = None if isinstance(node, exp.Null) else node
            return replace(column, default=None if default is None else self.resolved(default), has_default=True)
        if isinstance(constraint, exp.OnUpdateColumnConstraint):
            return replace(column, on_update_now=True)
        if isinstance(constraint, (exp.GeneratedAsIdentityColumnConstraint, exp.ComputedColumnConstraint)):
            node = constraint.args.get("expression") or constraint.this
            stored = bool(constraint.args.get("persisted"))
            return replace(column, generated=self.resolved(node), stored=stored)
        if isinstance(constraint, exp.InvisibleColumnConstraint):
            return replace(column, visible=False)
        if isinstance(constraint, exp.CommentColumnConstraint):
            return replace(column, comment=self.literal(constraint.this))
        if isinstance(constraint, exp.ZeroFillColumnConstraint):
            return replace(column, unsigned=True, zerofill=True, declared=f"{column.declared} unsigned zerofill")
        known = (exp.CharacterSetColumnConstraint, exp.CollateColumnConstraint, exp.UniqueColumnConstraint)
        if isinstance(constraint, (*known, exp.CheckColumnConstraint, exp.Reference)):
            return column
        word = type(constraint).__name__.removesuffix("ColumnConstraint")
        raise UnsupportedStatement(f"{word} of the column {column.name} is not in the model", missing=word)


def _name_of(node: Any) -> str:
    return node if isinstance(node, str) else node.name


def key_part(node: Any) -> KeyPart:
    """A part of a key: a column, with a prefix, in descending order."""
    descending = False
    if isinstance(node, exp.Ordered):
        descending = bool(node.args.get("desc"))
        node = node.this
    if isinstance(node, exp.ColumnPrefix):
        return KeyPart(node.this.name, int(node.expression.this), descending)
    if isinstance(node, exp.Anonymous):
        return KeyPart(str(node.this), int(node.expressions[0].this), descending)
    if isinstance(node, (exp.Column, exp.Identifier)):
        return KeyPart(node.name, None, descending)
    raise UnsupportedStatement("keys on expressions are not in the model", missing="functional key")


def key_of(node: Any) -> Key | None:
    """A key from its definition in CREATE or ALTER TABLE; None for what is no key. Its name may be empty."""
    if isinstance(node, exp.Constraint):
        inner = node.expressions[0]
        key = key_of(inner)
        return replace(key, name=node.name) if key is not None and not key.primary else key
    if isinstance(node, exp.PrimaryKey):
        return Key("PRIMARY", tuple(map(key_part, node.expressions)), True)
    if isinstance(node, exp.UniqueColumnConstraint):
        schema = node.this
        if isinstance(schema, exp.Schema):
            name = schema.this.name if schema.this is not None else ""
            return Key(name, tuple(map(key_part, schema.expressions)), True)
        return None
    if isinstance(node, exp.IndexColumnConstraint):
        name = node.this.name if node.this is not None else ""
        kind = node.args.get("kind") or ""
        return Key(name, tuple(map(key_part, node.expressions)), False, str(kind))
    return None


def key_name(key: Key, taken: set[str]) -> str:
    """The name that the server gives to a key without one: its first column's, with a number where that is taken."""
    base = key.parts[0].column
    name, number = base, 2
    while name.lower() in taken or name == "PRIMARY":
        name, number = f"{base}_{number}", number + 1
    return name
