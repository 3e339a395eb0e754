"""Tables as CREATE TABLE and ALTER TABLE make them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog import schema
from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.parser import read_definition
from pybinlog.schema.statement import AddColumn, AlterTable, CreateTable, DropTable, RenameTable

from .tables import altered, defined


@pytest.mark.parametrize(
    ("declared", "kind", "words"),
    [
        ("INTEGER UNSIGNED", ColumnType.LONG, "int unsigned"),
        ("INT(6) ZEROFILL", ColumnType.LONG, "int(6) unsigned zerofill"),
        ("BOOL", ColumnType.TINY, "tinyint(1)"),
        ("NUMERIC(5)", ColumnType.NEWDECIMAL, "decimal(5,0)"),
        ("DOUBLE PRECISION", ColumnType.DOUBLE, "double"),
        ("FLOAT(30)", ColumnType.DOUBLE, "double"),
        ("FLOAT(7,2)", ColumnType.FLOAT, "float(7,2)"),
        ("TIMESTAMP(3)", ColumnType.TIMESTAMP2, "timestamp(3)"),
        ("NATIONAL VARCHAR(9)", ColumnType.VARCHAR, "varchar(9)"),
        ("CHARACTER VARYING(9)", ColumnType.VARCHAR, "varchar(9)"),
        ("TEXT(70000)", ColumnType.BLOB, "mediumtext"),
        ("BLOB(200)", ColumnType.BLOB, "tinyblob"),
        ("ENUM('it''s', 'b ')", ColumnType.ENUM, "enum('it''s','b')"),
        ("VECTOR", ColumnType.VECTOR, "vector(2048)"),
        ("MULTIPOINT SRID 4326", ColumnType.GEOMETRY, "multipoint"),
    ],
)
def test_types_by_all_their_names(declared: str, kind: ColumnType, words: str) -> None:
    (column,) = defined(f"CREATE TABLE t (a {declared})").columns
    assert (column.type, column.declared) == (kind, words)


def test_a_column_s_attributes() -> None:
    table = defined(
        "CREATE TABLE t (id SERIAL PRIMARY KEY, `a b` INT NOT NULL DEFAULT -3 COMMENT 'it''s', "
        "c INT AS (`a b` * 2) STORED, "
        "d DATETIME DEFAULT NOW() ON UPDATE NOW(), e INT INVISIBLE CHECK (e > 0), CONSTRAINT k CHECK (d > 1))"
    )
    first, second, third, fourth, fifth = table.columns
    assert (first.unsigned, first.auto_increment, first.nullable) == (True, True, False)
    assert (second.name, second.nullable, second.comment, second.has_default) == ("a b", False, "it's", True)
    assert third.generated is not None
    assert (third.generated.text, third.generated.stored) == ("`a b` * 2", True)
    assert fourth.on_update_now
    assert not fifth.visible
    assert [(key.name, key.unique) for key in table.keys] == [("PRIMARY", True), ("id", True)]


def test_character_sets_come_from_the_column_the_table_and_the_database() -> None:
    table = defined(
        "CREATE TABLE t (a TEXT, b TEXT CHARACTER SET cp1251, c TEXT COLLATE utf8mb4_bin, d BLOB, e ENUM('x')) "
        "DEFAULT CHARSET=latin1"
    )
    assert [column.collation for column in table.columns] == [8, 51, 46, 63, 8]
    assert defined("CREATE TABLE t (a TEXT)", collation=33).columns[0].collation == 33
    old = schema.Settings(version=(5, 6))
    assert defined("CREATE TABLE t (a TEXT) CHARSET utf8mb4", old).columns[0].collation == 45


def test_keys_get_names_and_the_server_s_order() -> None:
    table = defined(
        "CREATE TABLE t (a INT, b INT NOT NULL, KEY (a), KEY (a, b), UNIQUE (a), UNIQUE u (b), PRIMARY KEY (b))"
    )
    assert [key.name for key in table.keys] == ["PRIMARY", "u", "a_3", "a", "a_2"]
    assert not table.columns[1].nullable


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("CREATE TABLE t (a INT, A INT)", 1060),
        ("CREATE TABLE t (a INT, KEY k (a), KEY K (a))", 1061),
        ("CREATE TABLE t (a INT PRIMARY KEY, b INT PRIMARY KEY)", 1068),
        ("CREATE TABLE t (a INT, KEY (b))", 1072),
        ("CREATE TABLE t (a VARCHAR(70000))", 1074),
        ("CREATE TABLE t (a INT AUTO_INCREMENT)", 1075),
        ("CREATE TABLE t (a TEXT CHARACTER SET klingon)", 1115),
        ("CREATE TABLE t (a TEXT COLLATE klingon_ci)", 1273),
        ("CREATE TABLE t (a INT) ENGINE=Nope", 1286),
        ("CREATE TABLE t (a INT DEFAULT 'x)", 1064),
    ],
)
def test_what_is_wrong_in_itself_is_the_server_s_error(text: str, number: int) -> None:
    with pytest.raises(schema.SqlError) as failed:
        defined(text)
    assert failed.value.number == number


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        ("CREATE INDEX i ON t (a)", True),
        ("CREATE UNIQUE INDEX i ON t (a) ALGORITHM=INPLACE", True),
        ("DROP INDEX i ON t", True),
        ("DROP INDEX `PRIMARY` ON t LOCK=NONE", True),
        ("ALTER TABLE t ADD INDEX i (a)", False),
        ("ALTER TABLE t DROP INDEX i", False),
    ],
)
def test_a_statement_of_an_index_is_told_from_an_alter_table(statement: str, index: bool) -> None:
    found = schema.parse(statement)
    assert isinstance(found, AlterTable)
    assert (found.path, len(found.actions), found.index) == ((None, "t"), 1, index)


def passed_of(text: str) -> list[UnsupportedStatement | schema.SqlError]:
    """The errors for what the parser skips in a statement."""
    cursor = Cursor(text)
    read_definition(cursor)
    return cursor.passed


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t (a INT)",
        "CREATE TABLE t (a INT) ENGINE=InnoDB",
        "CREATE TABLE t LIKE u",
        "ALTER TABLE t ADD b INT",
        "DROP TABLE t",
        "RENAME TABLE a TO b",
        "TRUNCATE TABLE t",
        "CREATE DATABASE d",
        "DROP DATABASE d",
        "ALTER DATABASE d CHARACTER SET utf8mb4",
    ],
)
def test_what_stands_behind_a_statement_is_an_error_or_passed_over(statement: str) -> None:
    assert schema.parse(statement) is not None
    assert passed_of(statement) == []
    for rest in ("rubbish", ") rubbish", "; DROP TABLE u"):
        try:
            assert schema.parse(f"{statement} {rest}") is not None
        except (schema.SqlError, UnsupportedStatement):
            continue
        assert [str(error) for error in passed_of(f"{statement} {rest}")] == [
            f"the model does not know this statement from '{rest}' on"  # (a table may have any option)
        ]


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("CREATE TABLE t (a INT, b INT, FOREIGN KEY (a) REFERENCES u (c) ON DELETE CASCADE)", "a foreign key"),
        ("CREATE TABLE t (a INT REFERENCES u (c) ON UPDATE SET NULL, b INT)", "a foreign key"),
        ("CREATE TABLE t (a INT, b INT, KEY ((a + b)))", "a key on an expression"),
        ("CREATE TABLE t (a INT DEFAULT (CASE WHEN 1 THEN 2 END), b INT)", "CASE"),
        ("CREATE TABLE t (a INT AS (b MEMBER OF ('[1]')) STORED, b INT)", "MEMBER"),
        ("CREATE TABLE t (a INT, b INT CHECK (a REGEXP 'x') NOT ENFORCED)", "REGEXP"),
        ("CREATE TABLE t (a INT COLUMN_FORMAT FIXED, b INT)", "COLUMN_FORMAT of a column"),
        ("CREATE TABLE t (a INT, b INT) PARTITION BY HASH (a) PARTITIONS 4", "a table with partitions"),
        ("CREATE TABLE t (a INT, b INET6)", "the column type INET6"),
        ("CREATE TABLE t (a INT, b INT) PAGE_CHECKSUM=1 ENGINE=InnoDB", "PAGE_CHECKSUM"),
        ("CREATE OR REPLACE TABLE t (a INT, b INT)", "OR"),
        ("CREATE TABLE t (a INT, b INT WITHOUT SYSTEM VERSIONING)", "WITHOUT"),
    ],
)
def test_what_says_nothing_of_names_and_types_is_passed_over_and_noted(text: str, passed: str) -> None:
    found = schema.parse(text)
    assert isinstance(found, CreateTable)
    assert [column.name for column in found.columns] == ["a", "b"]
    (problem,) = passed_of(text)
    assert isinstance(problem, UnsupportedStatement)
    assert problem.missing == passed


@pytest.mark.parametrize(
    ("changes", "passed"),
    [
        ("DROP FOREIGN KEY f, ADD c INT", "ALTER TABLE ... DROP FOREIGN"),
        ("ADD COLUMN IF NOT EXISTS c INT", "IF"),
        ("ALTER COLUMN a SET INVISIBLE, ADD c INT", "SET"),
        ("ADD c INT, PARTITION BY HASH (a), ALGORITHM=INPLACE", "ALTER TABLE ... PARTITION"),
        ("ADD c INT, ORDER BY a, b", "ALTER TABLE ... ORDER"),
        ("FORCE, ADD c INT", "ALTER TABLE ... FORCE"),
    ],
)
def test_changes_that_leave_the_columns_as_they_are_are_passed_over(changes: str, passed: str) -> None:
    text = f"ALTER TABLE t {changes}"
    found = schema.parse(text)
    assert isinstance(found, AlterTable)
    (added,) = found.actions
    assert isinstance(added, AddColumn)
    assert added.declaration.name == "c"
    assert [problem.missing for problem in passed_of(text) if isinstance(problem, UnsupportedStatement)] == [passed]


@pytest.mark.parametrize("part", ["b FANCY", "b INT SHINY", "PRIMARY KEY", "PRIMARY KEY ((b))", "b ENUM"])
def test_columns_and_primary_keys_are_never_passed_over(part: str) -> None:
    for text in (f"CREATE TABLE t (a INT, {part})", f"ALTER TABLE t ADD {part}"):
        with pytest.raises(UnsupportedStatement):
            schema.parse(text)


def test_without_explicit_defaults_the_first_timestamp_keeps_the_time_of_the_last_change() -> None:
    settings = schema.Settings(explicit_defaults_for_timestamp=False)
    first, second, third = defined("CREATE TABLE t (a TIMESTAMP, b TIMESTAMP, c TIMESTAMP NULL)", settings).columns
    assert (first.on_update_now, first.nullable, second.on_update_now, second.has_default) == (True, False, False, True)
    assert third.nullable


def test_alter_table_knows_where_columns_come_from() -> None:
    table = defined("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), c INT, KEY (c))")
    new, origins = altered(
        table,
        "ADD d INT FIRST, ADD COLUMN (e INT, f TEXT), CHANGE b bb TEXT AFTER aa, DROP COLUMN c, RENAME COLUMN a TO aa, "
        "ALTER COLUMN a SET DEFAULT 5, ADD UNIQUE u (e), COMMENT='x', ALGORITHM=INPLACE",
    )
    assert [column.name for column in new.columns] == ["d", "aa", "bb", "e", "f"]
    assert origins == [None, 0, 1, None, None]
    assert [(key.name, [part.column for part in key.parts]) for key in new.keys] == [("PRIMARY", ["aa"]), ("u", ["e"])]
    assert new.comment == "x"


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a", ["b 0", "a 1", "c 2"]),
        ("CHANGE a b BIGINT, CHANGE b a BIGINT", ["b 0", "a 1", "c 2"]),
        ("ADD d INT, DROP c, ADD c INT", ["a 0", "b 1", "d None", "c None"]),
        ("ADD c INT FIRST, DROP c", ["c None", "a 0", "b 1"]),
        ("RENAME COLUMN a TO x, ADD a INT AFTER x", ["x 0", "a None", "b 1", "c 2"]),
        ("MODIFY c INT FIRST, ADD d INT AFTER c", ["c 2", "d None", "a 0", "b 1"]),
        ("ADD d INT AFTER c, MODIFY c BIGINT", ["a 0", "b 1", "c 2", "d None"]),
    ],
)
def test_all_changes_of_a_statement_are_made_at_once(changes: str, columns: list[str]) -> None:
    """As a real server has them."""
    new, origins = altered(defined("CREATE TABLE t (a INT, b INT, c INT)"), changes)
    assert [f"{column.name} {origin}" for column, origin in zip(new.columns, origins, strict=True)] == columns


@pytest.mark.parametrize("changes", ["MODIFY a BIGINT, DROP PRIMARY KEY", "DROP PRIMARY KEY, MODIFY a BIGINT"])
def test_a_column_may_be_null_again_when_the_statement_drops_its_primary_key(changes: str) -> None:
    new, _ = altered(defined("CREATE TABLE t (a INT PRIMARY KEY)"), changes)
    assert new.columns[0].nullable


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ("ADD a INT", 1060),
        ("ADD c INT, ALTER COLUMN c SET DEFAULT 5", 1054),
        ("DROP b, ADD c INT AFTER b", 1054),
        ("DROP x", 1091),
        ("DROP KEY x", 1091),
        ("MODIFY x INT", 1054),
        ("ADD PRIMARY KEY (b)", 1068),
    ],
)
def test_alter_table_fails_as_on_a_server(changes: str, number: int) -> None:
    with pytest.raises(schema.SqlError) as failed:
        altered(defined("CREATE TABLE t (a INT PRIMARY KEY, b INT)"), changes)
    assert failed.value.number == number


def test_the_statement_in_the_server_s_words_defines_the_same_table() -> None:
    table = defined(
        "CREATE TABLE t (a INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, b DECIMAL(5,2) DEFAULT 1, c TIMESTAMP(3) NULL, "
        "d VARCHAR(9) CHARACTER SET latin1 NOT NULL DEFAULT 'it''s', e SET('x','y'), KEY k (d(3))) ENGINE=InnoDB"
    )
    text = schema.create_text(table, schema.Settings(), "d")
    assert text.splitlines()[2] == "  `b` decimal(5,2) DEFAULT '1.00',"
    again = defined(text.replace(" START TRANSACTION", ""))
    assert again.keys == table.keys
    assert [(c.name, c.type, c.nullable, c.collation) for c in again.columns] == [
        (c.name, c.type, c.nullable, c.collation) for c in table.columns
    ]


@pytest.mark.parametrize(
    ("declared", "signed", "unsigned"),
    [
        ("TINYINT", "tinyint(4)", "tinyint(3) unsigned"),
        ("SMALLINT", "smallint(6)", "smallint(5) unsigned"),
        ("MEDIUMINT", "mediumint(9)", "mediumint(8) unsigned"),
        ("INT", "int(11)", "int(10) unsigned"),
        ("BIGINT", "bigint(20)", "bigint(20) unsigned"),
        ("INT(5)", "int(5)", "int(5) unsigned"),
    ],
)
def test_old_servers_word_the_width_of_an_integer(declared: str, signed: str, unsigned: str) -> None:
    words = f"CREATE TABLE t (a {declared}, b {declared} UNSIGNED, c {declared} ZEROFILL)"
    for version, shown in (((8, 0, 18), (signed, unsigned)), ((8, 0, 19), (signed[: signed.index("(")], None))):
        settings = schema.Settings(version=version)
        lines = schema.create_text(defined(words, settings), settings, "d").splitlines()
        assert lines[1] == f"  `a` {shown[0]} DEFAULT NULL,"
        assert lines[2] == f"  `b` {shown[1] or f'{shown[0]} unsigned'} DEFAULT NULL,"
        assert lines[3] == f"  `c` {unsigned} zerofill DEFAULT NULL"


def test_other_statements_that_name_tables() -> None:
    dropped = schema.parse("DROP TABLE IF EXISTS `a``b`, x.y")
    assert dropped == DropTable(((None, "a`b"), ("x", "y")), True)
    assert schema.parse("RENAME TABLE a TO b, c.d TO e;") == RenameTable(
        (((None, "a"), (None, "b")), (("c", "d"), (None, "e")))
    )
    liked = schema.parse("CREATE TABLE a (LIKE b)")
    assert isinstance(liked, CreateTable)
    assert liked.like == (None, "b")
    selected = schema.parse("CREATE TABLE a (x INT) SELECT 1 AS x")
    assert isinstance(selected, CreateTable)
    assert selected.selects
    for text in ("SELECT 1", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT 1", ""):
        assert schema.parse(text) is None


def test_sql_mode_says_what_double_quotes_are() -> None:
    ansi = schema.Settings(sql_mode=frozenset({"ANSI_QUOTES"}))
    assert defined("CREATE TABLE t (\"a\" ENUM('x'))", ansi).columns[0].name == "a"
    assert defined('CREATE TABLE t (a ENUM("x"))').columns[0].members == ("x",)


WORDS = st.sampled_from(
    "CREATE ALTER DROP RENAME TABLE DATABASE INDEX ON t a b INT TEXT ENUM SET ( ) , . ; = 1 1.5 'x' `q` "
    "NOT NULL DEFAULT PRIMARY UNIQUE KEY ADD COLUMN MODIFY CHANGE TO LIKE SELECT AS GENERATED ALWAYS STORED CHECK + - "
    "* AND CHARACTER COLLATE latin1 utf8mb4 ENGINE InnoDB AUTO_INCREMENT COMMENT FIRST AFTER REFERENCES /* */ -- @x "
    "X'0' b'1' TEMPORARY".split()
)


@given(st.lists(WORDS, max_size=20).map(" ".join) | st.text(max_size=40))
def test_any_text_is_a_definition_or_none_or_an_error_with_a_sentence(text: str) -> None:
    said = "nothing"
    try:
        found = schema.parse(text)
        if isinstance(found, CreateTable) and found.like is None:
            schema.define(found, "d", 255, schema.Settings())
    except (UnsupportedStatement, schema.SqlError) as error:
        said = str(error)
    assert said
