"""Tables as CREATE TABLE and ALTER TABLE make them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog import schema
from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.expression import Number, Unary
from pybinlog.schema.parser import read_definition
from pybinlog.schema.statement import AddColumn, AlterTable, CreateTable, DropTable, RenameTable, TableOptions

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


NO_AUTO_KEY = "1075: Incorrect table definition; there can be only one auto column and it must be defined as a key"
WRONG = "1064: You have an error in your SQL syntax; check the manual for the right syntax to use near"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("(a INT, A INT)", "1060: Duplicate column name 'A'"),
        ("(a INT, KEY k (a), KEY K (a))", "1061: Duplicate key name 'K'"),
        ("(a INT PRIMARY KEY, b INT PRIMARY KEY)", "1068: Multiple primary key defined"),
        ("(a INT, KEY (b))", "1072: Key column 'b' doesn't exist in table"),
        ("(a INT AUTO_INCREMENT)", NO_AUTO_KEY),
        ("(a INT AUTO_INCREMENT, b INT KEY)", NO_AUTO_KEY),
        ("(a INT AUTO_INCREMENT KEY, b INT AUTO_INCREMENT UNIQUE)", NO_AUTO_KEY),
        ("(a TEXT CHARACTER SET klingon)", "1115: Unknown character set: 'klingon'"),
        ("(a TEXT COLLATE klingon_ci)", "1273: Unknown collation: 'klingon_ci'"),
        ("(a INT) CHARSET klingon", "1115: Unknown character set: 'klingon'"),
        ("(a INT) CHARSET klingon COLLATE latin1_bin", "1115: Unknown character set: 'klingon'"),
        ("(a INT) COLLATE klingon_ci", "1273: Unknown collation: 'klingon_ci'"),
        ("(a INT) ENGINE=Nope", "1286: Unknown storage engine 'Nope'"),
        ("(a INT DEFAULT 'x)", f"{WRONG} ''x)' at line 1"),
        ("(a INT DEFAULT '" + "x" * 80 + ")", f"{WRONG} ''{'x' * 79}' at line 1"),
        ("(\\)", f"{WRONG} '\\)' at line 1"),
    ],
)
def test_what_is_wrong_in_itself_is_the_server_s_error(columns: str, message: str) -> None:
    with pytest.raises(schema.SqlError) as failed:
        defined(f"CREATE TABLE t {columns}")
    assert str(failed.value) == f"ERROR {message}"
    assert f"{failed.value.number}: {failed.value.message}" == message


def test_an_engine_that_the_model_does_not_have_is_named() -> None:
    with pytest.raises(UnsupportedStatement) as failed:
        defined("CREATE TABLE t (a INT) ENGINE=NDB")
    assert (failed.value.message, failed.value.missing) == ("the engine NDB is not in the model", "NDB")


def test_a_table_has_its_options_or_the_defaults_of_its_session() -> None:
    table = defined("CREATE TABLE t (a INT) ENGINE=heap AUTO_INCREMENT=7 COMMENT='x' CHARSET latin1")
    assert (table.engine, table.auto_increment, table.comment, table.collation) == ("MEMORY", 7, "x", 8)
    table = defined("CREATE TABLE t (a INT)", schema.Settings(default_storage_engine="myisam"), 33)
    assert (table.engine, table.auto_increment, table.comment, table.collation) == ("MyISAM", 1, "", 33)
    assert table.named_options == TableOptions()
    engines = ("innodb", "MYISAM", "memory", "Csv", "archive")
    found = [defined(f"CREATE TABLE t (a INT) ENGINE={name}") for name in engines]
    assert [one.engine for one in found] == ["InnoDB", "MyISAM", "MEMORY", "CSV", "ARCHIVE"]
    assert [one.transactional for one in found] == [True, False, False, False, False]
    assert (table.position("A"), table.position("b")) == (0, None)
    assert repr(schema.TableDefinition("d", "t", ())) == (
        "TableDefinition(database='d', name='t', columns=(), keys=(), engine='InnoDB', collation=255, comment='', "
        "auto_increment=1, named_options=TableOptions(engine=None, charset=None, collate=None, auto_increment=None, "
        "comment=None))"
    )


def test_a_session_s_collation_stands_for_utf8mb4() -> None:
    settings = schema.Settings(default_collation_for_utf8mb4=45)
    assert defined("CREATE TABLE t (a TEXT) CHARSET utf8mb4", settings).columns[0].collation == 45
    old = schema.Settings(version=(7, 9), default_collation_for_utf8mb4=255)
    assert defined("CREATE TABLE t (a TEXT) CHARSET utf8mb4", old).columns[0].collation == 45
    assert defined("CREATE TABLE t (a TEXT) CHARSET utf8mb4", schema.Settings(version=(8,))).columns[0].collation == 255


def test_a_lenient_reader_takes_collations_of_mariadb_and_for_an_unknown_one_one_of_its_character_set() -> None:
    text = "CREATE TABLE t (a TEXT COLLATE latin1_swedish_nopad_ci, b TEXT CHARSET gbk COLLATE uca1400_ai_ci)"
    columns = defined(text, schema.Settings(lenient=True)).columns
    assert [column.collation for column in columns] == [1032, 28]
    with pytest.raises(schema.SqlError, match=r"^ERROR 1273: Unknown collation: 'latin1_swedish_nopad_ci'$"):
        defined(text)


def test_a_query_s_columns_come_behind_those_that_it_does_not_name() -> None:
    statement = schema.parse("CREATE TABLE t (b BIGINT, a INT) SELECT 1 AS c, 2 AS B")
    assert isinstance(statement, CreateTable)
    selected = defined("CREATE TABLE u (c DATE, B DATE)").columns
    table = schema.define(statement, "d", 255, schema.Settings(), selected)
    assert [(column.name, column.declared) for column in table.columns] == [
        ("a", "int"),
        ("c", "date"),
        ("b", "bigint"),
    ]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ("a INT, UNIQUE (a), KEY (a), KEY (a)", ["a", "a_2", "a_3"]),
        ("A INT, KEY (A), KEY a_2 (A), KEY (A)", ["A", "a_2", "A_3"]),
        ("`PRIMARY` INT, KEY (`PRIMARY`)", ["PRIMARY_2"]),
        ("a INT NOT NULL, b INT, KEY k (a), UNIQUE n (b), UNIQUE u (a), UNIQUE v (a, b), UNIQUE w (a)", [*"uwnvk"]),
    ],
)
def test_the_names_and_the_order_of_keys(columns: str, names: list[str]) -> None:
    assert [key.name for key in defined(f"CREATE TABLE t ({columns})").keys] == names


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("a TIMESTAMP, b TIMESTAMP", ["NOW now", "0000-00-00 00:00:00"]),
        ("a TIMESTAMP ON UPDATE NOW(), b TIMESTAMP", ["None now", "0000-00-00 00:00:00"]),
        ("a TIMESTAMP DEFAULT 0, b TIMESTAMP", ["0", "0000-00-00 00:00:00"]),
        ("a TIMESTAMP NULL, b TIMESTAMP", ["None", "0000-00-00 00:00:00"]),
        ("a DATETIME, b TIMESTAMP NOT NULL", ["None", "NOW now"]),
        ("a INT NOT NULL, b TIMESTAMP", ["None", "NOW now"]),
        ("a TIMESTAMP, b TIMESTAMP ON UPDATE NOW()", ["NOW now", "0000-00-00 00:00:00 now"]),
    ],
)
def test_timestamps_without_explicit_defaults(columns: str, expected: list[str]) -> None:
    settings = schema.Settings(explicit_defaults_for_timestamp=False)
    found = defined(f"CREATE TABLE t ({columns})", settings).columns
    shown = [
        f"{getattr(column.default, 'name', getattr(column.default, 'text', None))}{' now' * column.on_update_now}"
        for column in found
    ]
    assert shown == expected
    assert [column.has_default for column in found] == [column.default is not None for column in found]


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
        ("MODIFY a INT AFTER c, MODIFY c CHAR(4) FIRST", ["c 2", "b 1", "a 0"]),
        ("ADD d INT AFTER x, CHANGE a x INT AFTER c", ["d None", "b 1", "c 2", "x 0"]),
        ("CHANGE a b INT AFTER a, CHANGE b a INT", ["a 1", "b 0", "c 2"]),
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
    ("changes", "message"),
    [
        ("ADD a INT", "1060: Duplicate column name 'a'"),
        ("ADD c INT, ALTER COLUMN c SET DEFAULT 5", "1054: Unknown column 'c' in 't'"),
        ("DROP b, ADD c INT AFTER b", "1054: Unknown column 'b' in 't'"),
        ("DROP x", "1091: Can't DROP 'x'; check that column/key exists"),
        ("DROP KEY x", "1091: Can't DROP 'x'; check that column/key exists"),
        ("MODIFY x INT", "1054: Unknown column 'x' in 't'"),
        ("MODIFY x INT FIRST", "1054: Unknown column 'x' in 't'"),
        ("RENAME COLUMN x TO y", "1054: Unknown column 'x' in 't'"),
        ("RENAME COLUMN IF EXISTS x TO y, DROP x", "1091: Can't DROP 'x'; check that column/key exists"),
        ("ADD PRIMARY KEY (b)", "1068: Multiple primary key defined"),
        ("CHARSET klingon", "1115: Unknown character set: 'klingon'"),
        ("CONVERT TO CHARACTER SET klingon", "1115: Unknown character set: 'klingon'"),
        ("CONVERT TO CHARACTER SET latin1 COLLATE nope", "1273: Unknown collation: 'nope'"),
        ("ENGINE=Nope", "1286: Unknown storage engine 'Nope'"),
    ],
)
def test_alter_table_fails_as_on_a_server(changes: str, message: str) -> None:
    with pytest.raises(schema.SqlError) as failed:
        altered(defined("CREATE TABLE t (a INT PRIMARY KEY, b INT)"), changes)
    assert str(failed.value) == f"ERROR {message}"


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        (
            "ADD COLUMN IF NOT EXISTS A BIGINT, ADD COLUMN IF NOT EXISTS c INT",
            ["a int 0", "b varchar(9) 1", "c int None"],
        ),
        ("DROP COLUMN IF EXISTS B, DROP COLUMN IF EXISTS c", ["a int 0"]),
        ("MODIFY IF EXISTS b INT, MODIFY IF EXISTS c INT", ["a int 0", "b int 1"]),
        ("CHANGE IF EXISTS B c INT FIRST, CHANGE IF EXISTS x y INT", ["c int 1", "a int 0"]),
        ("RENAME COLUMN IF EXISTS B TO c, RENAME COLUMN IF EXISTS x TO y", ["a int 0", "c varchar(9) 1"]),
        ("MODIFY A BIGINT AFTER B", ["b varchar(9) 1", "A bigint 0"]),
        ("ADD c INT AFTER B, ADD d INT AFTER a", ["a int 0", "d int None", "b varchar(9) 1", "c int None"]),
        ("ADD (c INT, d INT)", ["a int 0", "b varchar(9) 1", "c int None", "d int None"]),
    ],
)
def test_columns_that_may_be_there_or_not(changes: str, columns: list[str]) -> None:
    new, origins = altered(defined("CREATE TABLE t (a INT, b VARCHAR(9))"), changes)
    found = [f"{c.name} {c.declared} {origin}" for c, origin in zip(new.columns, origins, strict=True)]
    assert found == columns


def test_a_table_changes_by_what_the_statement_names() -> None:
    table = defined(
        "CREATE TABLE t (a INT, b TEXT, c VARCHAR(9), d BLOB, e ENUM('x')) ENGINE=MyISAM COMMENT='x' CHARSET gbk"
    )
    same, _ = altered(table, "ADD f TEXT")
    assert (same.engine, same.comment, same.auto_increment, same.collation) == ("MyISAM", "x", 1, 28)
    assert [column.collation for column in same.columns] == [None, 28, 28, 63, 28, 28]
    new, _ = altered(table, "ENGINE=heap, COMMENT='', AUTO_INCREMENT=9, CHARSET latin1, ADD f TEXT")
    assert (new.engine, new.comment, new.auto_increment, new.collation) == ("MEMORY", "", 9, 8)
    assert [column.collation for column in new.columns] == [None, 28, 28, 63, 28, 8]
    converted, _ = altered(table, "CONVERT TO CHARACTER SET latin1, ADD f TEXT CHARSET gbk")
    assert converted.collation == 8
    assert [(column.collation, column.length_bytes) for column in converted.columns] == [
        (None, 0),
        (8, 0),
        (8, 0),
        (63, 2),
        (8, 0),
        (8, 0),
    ]


@pytest.mark.parametrize(
    ("changes", "keys"),
    [
        ("DROP a", {"k": ["b"], "l": ["b"]}),
        ("DROP b", {"k": ["a"]}),
        ("DROP a, DROP b, ADD c INT UNIQUE", {"c": ["c"]}),
        ("CHANGE B x INT", {"k": ["a", "x"], "l": ["x"]}),
        ("DROP KEY K, ADD KEY k (b)", {"l": ["b"], "k": ["b"]}),
        ("MODIFY a INT KEY, ADD KEY (a)", {"PRIMARY": ["a"], "k": ["a", "b"], "l": ["b"], "a": ["a"]}),
    ],
)
def test_keys_follow_their_columns(changes: str, keys: dict[str, list[str]]) -> None:
    new, _ = altered(defined("CREATE TABLE t (a INT, b INT, z INT, KEY k (A, b), KEY l (b))"), changes)
    assert {key.name: [part.column.lower() for part in key.parts] for key in new.keys} == keys


def test_defaults_are_set_and_dropped() -> None:
    table = defined("CREATE TABLE t (a INT DEFAULT 1, b INT)")
    new, _ = altered(table, "ALTER a DROP DEFAULT, ALTER B SET DEFAULT -2")
    assert [(column.default, column.has_default) for column in new.columns] == [
        (None, False),
        (Unary("-", Number("2")), True),
    ]


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
