"""Columns of all types, as tables have them by their declarations."""

import pytest

from pybinlog.column_types import ColumnType
from pybinlog.schema import Settings, SqlError
from pybinlog.schema.column import Column

from .tables import defined


def column_of(declared: str, settings: Settings | None = None) -> Column:
    """The column `a` of that declaration; the table's collation is 255."""
    return defined(f"CREATE TABLE t (a {declared}, UNIQUE (a))", settings).columns[0]


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        ("INT1", Column("a", ColumnType.TINY, "tinyint")),
        ("INT2 UNSIGNED", Column("a", ColumnType.SHORT, "smallint unsigned", unsigned=True)),
        ("INT3", Column("a", ColumnType.INT24, "mediumint")),
        ("INT4 ZEROFILL", Column("a", ColumnType.LONG, "int unsigned zerofill", unsigned=True, zerofill=True)),
        ("INT8 SIGNED", Column("a", ColumnType.LONGLONG, "bigint")),
        ("MIDDLEINT", Column("a", ColumnType.INT24, "mediumint")),
        ("BOOLEAN", Column("a", ColumnType.TINY, "tinyint(1)")),
        ("DEC(5,2)", Column("a", ColumnType.NEWDECIMAL, "decimal(5,2)", precision=5, decimals=2)),
        ("FIXED", Column("a", ColumnType.NEWDECIMAL, "decimal(10,0)", precision=10)),
        ("NUMERIC(5)", Column("a", ColumnType.NEWDECIMAL, "decimal(5,0)", precision=5)),
        ("DECIMAL", Column("a", ColumnType.NEWDECIMAL, "decimal(10,0)", precision=10)),
        ("FLOAT4", Column("a", ColumnType.FLOAT, "float")),
        ("FLOAT8 UNSIGNED", Column("a", ColumnType.DOUBLE, "double unsigned", unsigned=True)),
        ("FLOAT(24)", Column("a", ColumnType.FLOAT, "float")),
        ("FLOAT(25)", Column("a", ColumnType.DOUBLE, "double")),
        (
            "FLOAT(5,2) ZEROFILL",
            Column(
                "a",
                ColumnType.FLOAT,
                "float(5,2) unsigned zerofill",
                unsigned=True,
                precision=5,
                decimals=2,
                zerofill=True,
            ),
        ),
        ("REAL", Column("a", ColumnType.DOUBLE, "double")),
        ("REAL(5,2)", Column("a", ColumnType.DOUBLE, "double(5,2)", precision=5, decimals=2)),
        ("DOUBLE PRECISION (7,3)", Column("a", ColumnType.DOUBLE, "double(7,3)", precision=7, decimals=3)),
        ("CHARACTER(5)", Column("a", ColumnType.STRING, "char(5)", length=5, collation=255)),
        ("CHAR", Column("a", ColumnType.STRING, "char(1)", length=1, collation=255)),
        ("CHAR VARYING (5)", Column("a", ColumnType.VARCHAR, "varchar(5)", length=5, collation=255)),
        ("NCHAR(5)", Column("a", ColumnType.STRING, "char(5)", length=5, collation=33)),
        ("NCHAR VARYING (5)", Column("a", ColumnType.VARCHAR, "varchar(5)", length=5, collation=33)),
        ("NCHAR VARCHAR (5)", Column("a", ColumnType.VARCHAR, "varchar(5)", length=5, collation=33)),
        ("NATIONAL CHAR(3)", Column("a", ColumnType.STRING, "char(3)", length=3, collation=33)),
        ("NATIONAL VARCHAR(3)", Column("a", ColumnType.VARCHAR, "varchar(3)", length=3, collation=33)),
        ("NATIONAL CHARACTER(3)", Column("a", ColumnType.STRING, "char(3)", length=3, collation=33)),
        ("NVARCHAR(3)", Column("a", ColumnType.VARCHAR, "varchar(3)", length=3, collation=33)),
        ("NATIONAL CHAR VARYING(3)", Column("a", ColumnType.VARCHAR, "varchar(3)", length=3, collation=33)),
        ("NATIONAL CHARACTER VARYING(3)", Column("a", ColumnType.VARCHAR, "varchar(3)", length=3, collation=33)),
        ("LONG", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("LONG VARBINARY", Column("a", ColumnType.BLOB, "mediumblob", length_bytes=3, collation=63)),
        ("LONG VARCHAR", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("LONG CHAR VARYING", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("GEOMCOLLECTION", Column("a", ColumnType.GEOMETRY, "geometrycollection", length_bytes=4, geometry_type=7)),
        ("XMLTYPE", Column("a", ColumnType.BLOB, "longtext", length_bytes=4, collation=255)),
        ("CLOB", Column("a", ColumnType.BLOB, "longtext", length_bytes=4, collation=255)),
        ("NUMBER", Column("a", ColumnType.DOUBLE, "double")),
        ("NUMBER(5)", Column("a", ColumnType.NEWDECIMAL, "decimal(5,0)", precision=5)),
        ("NUMBER(5,2)", Column("a", ColumnType.NEWDECIMAL, "decimal(5,2)", precision=5, decimals=2)),
        ("VARCHAR2(7)", Column("a", ColumnType.VARCHAR, "varchar(7)", length=7, collation=255)),
        ("RAW(7)", Column("a", ColumnType.VARCHAR, "varbinary(7)", length=7, collation=63)),
        ("INET4", Column("a", ColumnType.STRING, "inet4", length=4, collation=63)),
        ("INET6", Column("a", ColumnType.STRING, "inet6", length=16, collation=63)),
        ("UUID", Column("a", ColumnType.STRING, "uuid", length=16, collation=63)),
        ("BINARY", Column("a", ColumnType.STRING, "binary(1)", length=1, collation=63)),
        ("BINARY(3)", Column("a", ColumnType.STRING, "binary(3)", length=3, collation=63)),
        ("VARBINARY(3)", Column("a", ColumnType.VARCHAR, "varbinary(3)", length=3, collation=63)),
        ("VARCHAR(16383)", Column("a", ColumnType.VARCHAR, "varchar(16383)", length=16383, collation=255)),
        ("TEXT(63)", Column("a", ColumnType.BLOB, "tinytext", length_bytes=1, collation=255)),
        ("TEXT(64)", Column("a", ColumnType.BLOB, "text", length_bytes=2, collation=255)),
        ("TEXT(16383)", Column("a", ColumnType.BLOB, "text", length_bytes=2, collation=255)),
        ("TEXT(16384)", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("TEXT(4194303)", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("TEXT(4194304)", Column("a", ColumnType.BLOB, "longtext", length_bytes=4, collation=255)),
        ("BLOB(255)", Column("a", ColumnType.BLOB, "tinyblob", length_bytes=1, collation=63)),
        ("BLOB(256)", Column("a", ColumnType.BLOB, "blob", length_bytes=2, collation=63)),
        ("BLOB(65535)", Column("a", ColumnType.BLOB, "blob", length_bytes=2, collation=63)),
        ("BLOB(65536)", Column("a", ColumnType.BLOB, "mediumblob", length_bytes=3, collation=63)),
        ("BLOB(16777215)", Column("a", ColumnType.BLOB, "mediumblob", length_bytes=3, collation=63)),
        ("BLOB(16777216)", Column("a", ColumnType.BLOB, "longblob", length_bytes=4, collation=63)),
        ("TINYTEXT", Column("a", ColumnType.BLOB, "tinytext", length_bytes=1, collation=255)),
        ("MEDIUMBLOB", Column("a", ColumnType.BLOB, "mediumblob", length_bytes=3, collation=63)),
        ("LONGTEXT", Column("a", ColumnType.BLOB, "longtext", length_bytes=4, collation=255)),
        ("TIME", Column("a", ColumnType.TIME2, "time")),
        ("TIME(0)", Column("a", ColumnType.TIME2, "time")),
        ("TIME(6)", Column("a", ColumnType.TIME2, "time(6)", decimals=6)),
        ("DATETIME(3)", Column("a", ColumnType.DATETIME2, "datetime(3)", decimals=3)),
        ("DATE", Column("a", ColumnType.DATE, "date")),
        ("YEAR", Column("a", ColumnType.YEAR, "year", unsigned=True)),
        ("YEAR(4)", Column("a", ColumnType.YEAR, "year", unsigned=True)),
        ("BIT", Column("a", ColumnType.BIT, "bit(1)", length=1)),
        ("BIT(64)", Column("a", ColumnType.BIT, "bit(64)", length=64)),
        ("JSON", Column("a", ColumnType.JSON, "json", length_bytes=4)),
        ("POINT", Column("a", ColumnType.GEOMETRY, "point", length_bytes=4, geometry_type=1)),
        ("GEOMETRY SRID 0", Column("a", ColumnType.GEOMETRY, "geometry", length_bytes=4)),
        ("VECTOR(3)", Column("a", ColumnType.VECTOR, "vector(3)", length=3, length_bytes=4)),
        ("ENUM('a','b ')", Column("a", ColumnType.ENUM, "enum('a','b')", collation=255, members=("a", "b"))),
        ("SET('x','it''s')", Column("a", ColumnType.SET, "set('x','it''s')", collation=255, members=("x", "it's"))),
        ("SERIAL", Column("a", ColumnType.LONGLONG, "bigint unsigned", False, True, auto_increment=True)),
        ("INT(1)", Column("a", ColumnType.LONG, "int")),
        ("TINYINT(1)", Column("a", ColumnType.TINY, "tinyint(1)")),
        ("TINYINT(1) UNSIGNED", Column("a", ColumnType.TINY, "tinyint unsigned", unsigned=True)),
        ("TINYINT(2)", Column("a", ColumnType.TINY, "tinyint")),
        ("INT(5)", Column("a", ColumnType.LONG, "int")),
        ("LONG CHARACTER VARYING", Column("a", ColumnType.BLOB, "mediumtext", length_bytes=3, collation=255)),
        ("CHAR(3) ASCII", Column("a", ColumnType.STRING, "char(3)", length=3, collation=8)),
        ("CHAR(3) UNICODE", Column("a", ColumnType.STRING, "char(3)", length=3, collation=35)),
        ("CHAR(3) BYTE", Column("a", ColumnType.STRING, "char(3)", length=3, collation=63)),
        ("CHAR(3) CHARSET latin1 BINARY", Column("a", ColumnType.STRING, "char(3)", length=3, collation=8)),
        (
            "CHAR(3) CHAR SET 'latin1' COLLATE latin1_bin",
            Column("a", ColumnType.STRING, "char(3)", length=3, collation=47),
        ),
        ("CHAR(3) CHARACTER SET binary", Column("a", ColumnType.STRING, "char(3)", length=3, collation=63)),
        ("INT NOT NULL NULL", Column("a", ColumnType.LONG, "int")),
        ("INT NULL NOT NULL", Column("a", ColumnType.LONG, "int", False)),
        ("INT UNIQUE KEY", Column("a", ColumnType.LONG, "int")),
        ("INT UNIQUE INDEX", Column("a", ColumnType.LONG, "int")),
        ("INT PRIMARY KEY", Column("a", ColumnType.LONG, "int", False)),
        ("INT KEY COMMENT 'x'", Column("a", ColumnType.LONG, "int", False, comment="x")),
        ("INT AUTO_INCREMENT NULL", Column("a", ColumnType.LONG, "int", auto_increment=True)),
        ("INT AUTO_INCREMENT KEY", Column("a", ColumnType.LONG, "int", False, auto_increment=True)),
        ("INT INVISIBLE", Column("a", ColumnType.LONG, "int", visible=False)),
        ("INT VISIBLE", Column("a", ColumnType.LONG, "int")),
        ("INT COLUMN_FORMAT DYNAMIC STORAGE = DISK NOT NULL", Column("a", ColumnType.LONG, "int", False)),
        ("INT NOT SECONDARY NOT NULL", Column("a", ColumnType.LONG, "int", False)),
        (
            "VARCHAR(3) COMPRESSED=zlib NOT NULL",
            Column("a", ColumnType.VARCHAR, "varchar(3)", False, length=3, collation=255),
        ),
        (
            "VARCHAR(3) COMPRESSED NOT NULL",
            Column("a", ColumnType.VARCHAR, "varchar(3)", False, length=3, collation=255),
        ),
        ("INT WITHOUT SYSTEM VERSIONING NOT NULL", Column("a", ColumnType.LONG, "int", False)),
        ("INT WITH SYSTEM VERSIONING NOT NULL", Column("a", ColumnType.LONG, "int", False)),
        (
            "POINT REF_SYSTEM_ID=4326 NOT NULL",
            Column("a", ColumnType.GEOMETRY, "point", False, length_bytes=4, geometry_type=1),
        ),
        ("POINT SRID 4326 NOT NULL", Column("a", ColumnType.GEOMETRY, "point", False, length_bytes=4, geometry_type=1)),
    ],
)
def test_the_column_of_a_declaration(declared: str, column: Column) -> None:
    assert column_of(declared) == column


def test_a_column_has_these_defaults() -> None:
    assert repr(Column("a", ColumnType.DATE, "date")) == (
        "Column(name='a', type=<ColumnType.DATE: 10>, declared='date', nullable=True, unsigned=False, length=0, "
        "precision=0, decimals=0, length_bytes=0, collation=None, members=(), default=None, has_default=False, "
        "on_update_now=False, auto_increment=False, generated=None, visible=True, geometry_type=0, zerofill=False, "
        "comment='')"
    )
    assert repr(Settings()) == (
        "Settings(version=(9, 7), sql_mode=frozenset(), default_collation_for_utf8mb4=0, "
        "explicit_defaults_for_timestamp=True, default_storage_engine='InnoDB', lenient=False)"
    )


def test_a_real_is_a_float_in_its_mode() -> None:
    mode = Settings(sql_mode=frozenset({"REAL_AS_FLOAT"}))
    assert column_of("REAL(5,2)", mode) == Column("a", ColumnType.FLOAT, "float(5,2)", precision=5, decimals=2)
    assert column_of("DOUBLE", mode) == Column("a", ColumnType.DOUBLE, "double")


@pytest.mark.parametrize(
    ("charset", "most"), [("latin1", 65535), ("ucs2", 32767), ("utf8mb3", 21845), ("utf8mb4", 16383), ("utf32", 16383)]
)
def test_a_varchar_has_at_most_65535_bytes(charset: str, most: int) -> None:
    assert column_of(f"VARCHAR({most}) CHARSET {charset}").length == most
    with pytest.raises(SqlError) as failed:
        column_of(f"VARCHAR({most + 1}) CHARSET {charset}")
    assert str(failed.value) == (
        f"ERROR 1074: Column length too big for column 'a' (max = {most}); use BLOB or TEXT instead"
    )
    logged = column_of(f"VARCHAR({most + 1}) CHARSET {charset}", Settings(lenient=True))
    assert (logged.declared, logged.length_bytes) == ("mediumtext", 3), "a sql_mode that is not strict made it that"


@pytest.mark.parametrize(
    ("declared", "range_of"),
    [
        ("TINYINT", (-128, 127)),
        ("SMALLINT UNSIGNED", (0, 65535)),
        ("MEDIUMINT", (-8388608, 8388607)),
        ("INT UNSIGNED", (0, 4294967295)),
        ("BIGINT", (-9223372036854775808, 9223372036854775807)),
        ("BIGINT UNSIGNED", (0, 18446744073709551615)),
    ],
)
def test_the_range_of_an_integer(declared: str, range_of: tuple[int, int]) -> None:
    assert column_of(declared).integer_range == range_of


@pytest.mark.parametrize(
    ("declared", "charset", "is_text", "byte_length"),
    [
        ("CHAR(3)", 255, True, 12),
        ("VARCHAR(3) CHARSET latin1", 8, True, 3),
        ("BINARY(3)", 63, False, 3),
        ("ENUM('a')", 255, False, 0),
        ("INT", 63, False, 0),
    ],
)
def test_the_bytes_of_a_string(declared: str, charset: int, is_text: bool, byte_length: int) -> None:
    column = column_of(declared)
    assert (column.charset, column.is_text, column.byte_length) == (charset, is_text, byte_length)
