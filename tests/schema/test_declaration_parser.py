"""Columns as the parser reads them, and what it notes as skipped."""

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.column import Generated, Key
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.expression import Binary, Call, Hex, Introduced, Name, Null, Number, String, Unary
from pybinlog.schema.parser import read_definition
from pybinlog.schema.statement import CreateTable

from .test_parser import an_int, parts


def read(declared: str) -> tuple[CreateTable, list[str]]:
    """The table with a column `a` of that declaration and an INT `b`, and what was skipped."""
    cursor = Cursor(f"CREATE TABLE t (a {declared}, b INT)")
    found = read_definition(cursor)
    assert isinstance(found, CreateTable)
    assert cursor.at_end
    assert found.columns[1:] == (an_int("b"),)
    return found, [problem.missing for problem in cursor.passed if isinstance(problem, UnsupportedStatement)]


@pytest.mark.parametrize(
    ("declared", "column", "keys", "passed"),
    [
        (
            "SERIAL",
            Declaration("a", "BIGINT", unsigned=True, nullable=False, auto_increment=True),
            (Key("", parts("a"), True),),
            [],
        ),
        ("CHAR(3) ASCII", Declaration("a", "CHAR", (3,), charset="latin1"), (), []),
        ("CHAR(3) UNICODE", Declaration("a", "CHAR", (3,), charset="ucs2"), (), ["UNICODE"]),
        ("CHAR(3) BYTE", Declaration("a", "CHAR", (3,), charset="binary"), (), ["BYTE"]),
        ("CHAR(3) CHARSET latin1 BINARY", Declaration("a", "CHAR", (3,), charset="latin1"), (), ["BINARY"]),
        (
            "CHAR(3) CHAR SET 'latin1' COLLATE latin1_bin",
            Declaration("a", "CHAR", (3,), charset="latin1", collate="latin1_bin"),
            (),
            [],
        ),
        ("CHAR(3) CHARACTER SET binary", Declaration("a", "CHAR", (3,), charset="binary"), (), []),
        ("INT NOT NULL NULL", Declaration("a", "INT", nullable=True), (), []),
        ("INT NULL NOT NULL", Declaration("a", "INT", nullable=False), (), []),
        ("INT UNIQUE KEY", an_int("a"), (Key("", parts("a"), True),), []),
        ("INT UNIQUE INDEX", an_int("a"), (Key("", parts("a"), True),), []),
        ("INT PRIMARY KEY", Declaration("a", "INT", nullable=False), (Key("PRIMARY", parts("a"), True),), []),
        (
            "INT KEY COMMENT 'x'",
            Declaration("a", "INT", nullable=False, comment="x"),
            (Key("PRIMARY", parts("a"), True),),
            [],
        ),
        ("INT AUTO_INCREMENT NULL", Declaration("a", "INT", nullable=True, auto_increment=True), (), []),
        (
            "DATE GENERATED ALWAYS AS ROW START",
            Declaration("a", "DATE", nullable=False, generated=Generated(Null(), "ROW START", True)),
            (),
            ["GENERATED"],
        ),
        (
            "DATE AS ROW END",
            Declaration("a", "DATE", nullable=False, generated=Generated(Null(), "ROW END", True)),
            (),
            ["AS"],
        ),
        ("INT DEFAULT +1 NOT NULL", Declaration("a", "INT", nullable=False, has_default=True), (), ["grammar"]),
        ("INT DEFAULT - + - 1 NOT NULL", Declaration("a", "INT", nullable=False, has_default=True), (), ["grammar"]),
        (
            "INT DEFAULT 1 * -(2) || f(3) NOT NULL",
            Declaration("a", "INT", nullable=False, default=Number("1"), has_default=True),
            (),
            ["grammar"],
        ),
        ("INT AUTO_INCREMENT", Declaration("a", "INT", nullable=False, auto_increment=True), (), []),
        (
            "INT AUTO_INCREMENT KEY",
            Declaration("a", "INT", nullable=False, auto_increment=True),
            (Key("PRIMARY", parts("a"), True),),
            [],
        ),
        ("INT SERIAL DEFAULT VALUE", Declaration("a", "INT", nullable=False), (), ["SERIAL"]),
        ("INT INVISIBLE", Declaration("a", "INT", visible=False), (), []),
        ("INT VISIBLE", an_int("a"), (), []),
        ("INT DEFAULT -1", Declaration("a", "INT", default=Unary("-", Number("1")), has_default=True), (), []),
        (
            "INT DEFAULT - 1 + 2 NOT NULL",
            Declaration("a", "INT", nullable=False, default=Unary("-", Number("1")), has_default=True),
            (),
            ["grammar"],
        ),
        ("INT DEFAULT NULL", Declaration("a", "INT", has_default=True), (), []),
        (
            "INT DEFAULT (1 + 2) COMMENT 'x'",
            Declaration("a", "INT", default=Binary("+", Number("1"), Number("2")), has_default=True, comment="x"),
            (),
            [],
        ),
        (
            "INT DEFAULT (CASE WHEN 1 THEN 2 END) NOT NULL",
            Declaration("a", "INT", nullable=False, has_default=True),
            (),
            ["CASE"],
        ),
        (
            "CHAR(3) DEFAULT _latin1'x' NOT NULL",
            Declaration("a", "CHAR", (3,), nullable=False, default=Introduced("latin1", String("x")), has_default=True),
            (),
            [],
        ),
        (
            "CHAR(3) DEFAULT _latin1 x'41' NOT NULL",
            Declaration("a", "CHAR", (3,), nullable=False, default=Introduced("latin1", Hex(b"A")), has_default=True),
            (),
            [],
        ),
        (
            "CHAR(3) DEFAULT CONCAT('a', 'b') NOT NULL",
            Declaration(
                "a", "CHAR", (3,), nullable=False, default=Call("CONCAT", (String("a"), String("b"))), has_default=True
            ),
            (),
            [],
        ),
        (
            "CHAR(3) DEFAULT f.g(1)(2) NOT NULL",
            Declaration("a", "CHAR", (3,), nullable=False, has_default=True),
            (),
            ["the function f.g()"],
        ),
        (
            "TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP NOT NULL",
            Declaration(
                "a",
                "TIMESTAMP",
                nullable=False,
                default=Call("CURRENT_TIMESTAMP"),
                has_default=True,
                on_update_now=True,
            ),
            (),
            [],
        ),
        (
            "TIMESTAMP(3) DEFAULT NOW(3) ON UPDATE NOW(3)",
            Declaration(
                "a", "TIMESTAMP", (3,), default=Call("NOW", (Number("3"),)), has_default=True, on_update_now=True
            ),
            (),
            [],
        ),
        (
            "INT GENERATED ALWAYS AS (b + 1) STORED",
            Declaration("a", "INT", generated=Generated(Binary("+", Name("b"), Number("1")), "b + 1", True)),
            (),
            [],
        ),
        (
            "INT AS (b + 1) VIRTUAL NOT NULL",
            Declaration("a", "INT", nullable=False, generated=Generated(Binary("+", Name("b"), Number("1")), "b + 1")),
            (),
            [],
        ),
        (
            "INT AS (b + 1)",
            Declaration("a", "INT", generated=Generated(Binary("+", Name("b"), Number("1")), "b + 1")),
            (),
            [],
        ),
        (
            "INT AS (b + 1) PERSISTENT",
            Declaration("a", "INT", generated=Generated(Binary("+", Name("b"), Number("1")), "b + 1", True)),
            (),
            [],
        ),
        (
            "INT AS (CASE WHEN 1 THEN 2 END) STORED",
            Declaration("a", "INT", generated=Generated(Null(), "", True)),
            (),
            ["CASE"],
        ),
        (
            "INT REFERENCES u (a, b) MATCH FULL ON DELETE SET NULL ON UPDATE NO ACTION NOT NULL",
            Declaration("a", "INT", nullable=False),
            (),
            ["a foreign key"],
        ),
        ("INT REFERENCES u ON DELETE CASCADE NOT NULL", Declaration("a", "INT", nullable=False), (), ["a foreign key"]),
        (
            "INT COLUMN_FORMAT DYNAMIC STORAGE = DISK NOT NULL",
            Declaration("a", "INT", nullable=False),
            (),
            ["COLUMN_FORMAT of a column", "STORAGE of a column"],
        ),
        ("INT NOT SECONDARY NOT NULL", Declaration("a", "INT", nullable=False), (), ["NOT"]),
        ("VARCHAR(3) COMPRESSED=zlib NOT NULL", Declaration("a", "VARCHAR", (3,), nullable=False), (), ["COMPRESSED"]),
        ("VARCHAR(3) COMPRESSED NOT NULL", Declaration("a", "VARCHAR", (3,), nullable=False), (), ["COMPRESSED"]),
        ("INT WITHOUT SYSTEM VERSIONING NOT NULL", Declaration("a", "INT", nullable=False), (), ["WITHOUT"]),
        ("INT WITH SYSTEM VERSIONING NOT NULL", Declaration("a", "INT", nullable=False), (), ["WITH"]),
        (
            "POINT REF_SYSTEM_ID=4326 NOT NULL",
            Declaration("a", "POINT", nullable=False),
            (),
            ["REF_SYSTEM_ID of a column"],
        ),
        ("POINT SRID 4326 NOT NULL", Declaration("a", "POINT", nullable=False), (), []),
        ("INT CHECK (a > 1) NOT NULL", Declaration("a", "INT", nullable=False), (), []),
        ("INT CONSTRAINT c CHECK (a > 1) NOT ENFORCED NOT NULL", Declaration("a", "INT", nullable=False), (), []),
        ("INT CONSTRAINT CHECK (a > 1) ENFORCED NOT NULL", Declaration("a", "INT", nullable=False), (), []),
    ],
)
def test_the_attributes_of_a_column(
    declared: str, column: Declaration, keys: tuple[Key, ...], passed: list[str]
) -> None:
    table, noted = read(declared)
    assert (table.columns[0], table.keys, noted) == (column, keys, passed)


@pytest.mark.parametrize(
    ("declared", "column", "keys", "passed"),
    [
        ("XMLTYPE", Declaration("a", "LONGTEXT"), (), ["the column type XMLTYPE"]),
        ("CLOB", Declaration("a", "LONGTEXT"), (), ["the column type CLOB"]),
        ("NUMBER", Declaration("a", "DOUBLE"), (), ["the column type NUMBER"]),
        ("NUMBER(5)", Declaration("a", "DECIMAL", (5,)), (), ["the column type NUMBER"]),
        ("NUMBER(5,2)", Declaration("a", "DECIMAL", (5, 2)), (), ["the column type NUMBER"]),
        ("VARCHAR2(7)", Declaration("a", "VARCHAR", (7,)), (), ["the column type VARCHAR2"]),
        ("RAW(7)", Declaration("a", "VARBINARY", (7,)), (), ["the column type RAW"]),
        ("INET4", Declaration("a", "INET4", (4,)), (), ["the column type INET4"]),
        ("INET6", Declaration("a", "INET6", (16,)), (), ["the column type INET6"]),
        ("UUID", Declaration("a", "UUID", (16,)), (), ["the column type UUID"]),
    ],
)
def test_types_of_mariadb_alone_are_noted(
    declared: str, column: Declaration, keys: tuple[Key, ...], passed: list[str]
) -> None:
    table, noted = read(declared)
    assert (table.columns[0], table.keys, noted) == (column, keys, passed)


@pytest.mark.parametrize(
    ("declared", "sentence"),
    [
        ("FANCY", "the column type FANCY is not in the model"),
        ("NATIONAL INT", "the column type INT is not in the model"),
        ("LONG CHARACTER", "the model does not know this statement from 'CHARACTER, b INT)' on"),
        ("INT SHINY", "the model does not know this statement from 'SHINY, b INT)' on"),
        ("INT(1.5)", "the model does not know this statement from '1.5), b INT)' on"),
        ("INT COMMENT x", "the model does not know this statement from 'x, b INT)' on"),
        ("ENUM(1)", "the model does not know this statement from '1), b INT)' on"),
        ("INT DEFAULT 1 'x'", "the model does not know this statement from \"'x', b INT)\" on"),
        ("INT DEFAULT now 'x'", "the model does not know this statement from \"'x', b INT)\" on"),
        ("INT DEFAULT `_a` 'x'", "the model does not know this statement from \"'x', b INT)\" on"),
        ("INT DEFAULT (1", "the model does not know this statement which ends too early"),
    ],
)
def test_an_unknown_declaration_is_an_error_with_its_words(declared: str, sentence: str) -> None:
    with pytest.raises(UnsupportedStatement) as caught:
        read(declared)
    assert caught.value.message == sentence
