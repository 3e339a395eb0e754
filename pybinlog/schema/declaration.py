"""Declaration: a column as a statement declares it, before table and server say what its defaults are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.schema.column import BLOB_SIZES, Column, Generated, Settings
from pybinlog.schema.error import error
from pybinlog.schema.expression import Expression
from pybinlog.schema.text import bytes_per_character

_INTEGERS = {
    "TINYINT": ColumnType.TINY,
    "SMALLINT": ColumnType.SHORT,
    "MEDIUMINT": ColumnType.INT24,
    "INT": ColumnType.LONG,
    "BIGINT": ColumnType.LONGLONG,
}
_TEMPORALS = {"TIME": ColumnType.TIME2, "DATETIME": ColumnType.DATETIME2, "TIMESTAMP": ColumnType.TIMESTAMP2}
GEOMETRY_TYPES = {
    "GEOMETRY": 0,
    "POINT": 1,
    "LINESTRING": 2,
    "POLYGON": 3,
    "MULTIPOINT": 4,
    "MULTILINESTRING": 5,
    "MULTIPOLYGON": 6,
    "GEOMETRYCOLLECTION": 7,
}
"""Spatial types and their numbers in a Table_map's metadata."""
ADDRESS_TYPES = ("UUID", "INET4", "INET6")
"""MariaDB's, which a Table_map has as BINARY."""
_MAX_VARCHAR_BYTES = 65535
_FLOAT_DIGITS = 24
_DEFAULT_DIMENSIONS = 2048
_Make = Callable[..., Column]
"""Makes the column of a type, which is worded as given; whatever does not depend on the type is in it already."""


@dataclass(frozen=True)
class Declaration:
    """A column's declaration, its type's word in upper case and by the name that SHOW CREATE TABLE uses.

    `nullable` is None if nothing says whether it may be NULL; `charset` and `collate` are names as written.
    """

    name: str
    type: str
    numbers: tuple[int, ...] = ()
    members: tuple[str, ...] = ()
    unsigned: bool = False
    zerofill: bool = False
    charset: str = ""
    collate: str = ""
    nullable: bool | None = None
    default: Expression | None = None
    has_default: bool = False
    on_update_now: bool = False
    auto_increment: bool = False
    visible: bool = True
    generated: Generated | None = None
    comment: str = ""

    def column(self, settings: Settings, collation: int) -> Column:
        """Return the column; the table's default collation is `collation`.

        Raise SqlError (1074, 1115, 1273) and UnsupportedStatement for a type that is not known.
        """
        own = settings.charset(self.charset) if self.charset else collation
        if self.collate:
            own = settings.collation(self.collate, own)
        nullable = self.nullable is not False
        if self.type == "TIMESTAMP" and not settings.explicit_defaults_for_timestamp and self.nullable is None:
            nullable = False
        make = partial(
            Column,
            self.name,
            nullable=nullable,
            default=self.default,
            has_default=self.has_default,
            on_update_now=self.on_update_now,
            auto_increment=self.auto_increment,
            generated=self.generated,
            visible=self.visible,
            comment=self.comment,
        )
        return self._typed(make, settings, own)

    def _typed(self, make: _Make, settings: Settings, collation: int) -> Column:
        kind = self.type
        unsigned = self.unsigned or self.zerofill
        sign = (" unsigned" if unsigned else "") + (" zerofill" if self.zerofill else "")
        if kind in _INTEGERS:
            boolean = kind == "TINYINT" and self.numbers == (1,) and not unsigned
            shown = boolean or settings.shows_width(self.zerofill)
            width = f"({self.numbers[0]})" if self.numbers and shown else ""
            declared = kind.lower() + width + sign
            return make(_INTEGERS[kind], declared, unsigned=unsigned, zerofill=self.zerofill)
        if kind == "DECIMAL":
            precision, decimals = (*self.numbers, *(10, 0)[len(self.numbers) :])[:2]
            declared = f"decimal({precision},{decimals}){sign}"
            return make(
                ColumnType.NEWDECIMAL,
                declared,
                unsigned=unsigned,
                zerofill=self.zerofill,
                precision=precision,
                decimals=decimals,
            )
        if kind in ("FLOAT", "DOUBLE", "REAL"):
            return self._float(make, settings, sign)
        if kind in _TEMPORALS:
            decimals = self.numbers[0] if self.numbers else 0
            declared = kind.lower() + (f"({decimals})" if decimals else "")
            return make(_TEMPORALS[kind], declared, decimals=decimals)
        if kind == "DATE":
            return make(ColumnType.DATE, "date")
        if kind == "YEAR":
            return make(ColumnType.YEAR, "year", unsigned=True)
        if kind == "BIT":
            length = self.numbers[0] if self.numbers else 1
            return make(ColumnType.BIT, f"bit({length})", length=length)
        if kind == "JSON":
            return make(ColumnType.JSON, "json", length_bytes=4)
        if kind in GEOMETRY_TYPES:
            number = GEOMETRY_TYPES[kind]
            return make(ColumnType.GEOMETRY, kind.lower(), length_bytes=4, geometry_type=number)
        if kind == "VECTOR":
            length = self.numbers[0] if self.numbers else _DEFAULT_DIMENSIONS
            return make(ColumnType.VECTOR, f"vector({length})", length_bytes=4, length=length)
        return self._string(make, settings, collation)

    def _float(self, make: _Make, settings: Settings, sign: str) -> Column:
        double = self.type != "FLOAT" or (len(self.numbers) == 1 and self.numbers[0] > _FLOAT_DIGITS)
        if self.type == "REAL" and "REAL_AS_FLOAT" in settings.sql_mode:
            double = False
        precision, decimals = self.numbers if len(self.numbers) == 2 else (0, 0)
        declared = ("double" if double else "float") + (f"({precision},{decimals})" if precision else "")
        return make(
            ColumnType.DOUBLE if double else ColumnType.FLOAT,
            declared + sign,
            unsigned=self.unsigned or self.zerofill,
            zerofill=self.zerofill,
            precision=precision,
            decimals=decimals,
        )

    def _string(self, make: _Make, settings: Settings, collation: int) -> Column:
        kind = self.type
        length = self.numbers[0] if self.numbers else 1
        if kind in ("ENUM", "SET"):
            words = ",".join("'" + member.replace("'", "''") + "'" for member in self.members)
            declared = f"{kind.lower()}({words})"
            return make(ColumnType[kind], declared, members=self.members, collation=collation)
        if kind.endswith(("BLOB", "TEXT")):
            return self.blob_column(make, collation)
        if kind in ADDRESS_TYPES:
            return make(ColumnType.STRING, kind.lower(), length=length, collation=COLLATION_BINARY)
        if kind == "VARBINARY" and length > _MAX_VARCHAR_BYTES and settings.lenient:
            return replace(self, type="BLOB").blob_column(make, collation)
        if kind in ("BINARY", "VARBINARY"):
            column_type = ColumnType.STRING if kind == "BINARY" else ColumnType.VARCHAR
            return make(column_type, f"{kind.lower()}({length})", length=length, collation=COLLATION_BINARY)
        if kind in ("NCHAR", "NVARCHAR"):
            kind, collation = kind[1:], settings.charset("utf8mb3")
        if kind == "CHAR":
            return make(ColumnType.STRING, f"char({length})", length=length, collation=collation)
        if kind != "VARCHAR":
            raise UnsupportedStatement(f"the column type {kind} is not in the model", missing=kind)
        most = _MAX_VARCHAR_BYTES // bytes_per_character(collation)
        if length > most and settings.lenient:  # a logged statement: a sql_mode that is not strict converted it
            return replace(self, type="TEXT").blob_column(make, collation)
        if length > most:
            raise error("TOO_BIG_FIELDLENGTH", self.name, most)
        return make(ColumnType.VARCHAR, f"varchar({length})", length=length, collation=collation)

    def blob_column(self, make: _Make, collation: int) -> Column:
        """BLOB and TEXT; with a length, the smallest that has room for so many characters."""
        word = self.type[-4:].lower()
        own = COLLATION_BINARY if word == "blob" else collation
        size = self.type[:-4].lower()
        if self.numbers:
            longest = self.numbers[0] * bytes_per_character(own)
            size = next((name for name, width in BLOB_SIZES.items() if longest < 1 << 8 * width), "long")
        return make(ColumnType.BLOB, size + word, length_bytes=BLOB_SIZES[size], collation=own)
