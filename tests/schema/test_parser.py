"""Statements as the parser reads them, and what it notes as skipped."""

import pytest

from pybinlog import schema
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.column import Generated, Key, KeyPart
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.dialect import Dialect
from pybinlog.schema.expression import Null, Number
from pybinlog.schema.parser import read_definition
from pybinlog.schema.statement import (
    AddColumn,
    AddKey,
    AlterDatabase,
    AlterTable,
    CreateDatabase,
    CreateSequence,
    CreateTable,
    Definition,
    DropColumn,
    DropDatabase,
    DropKey,
    DropTable,
    ModifyColumn,
    RenameColumn,
    RenameTable,
    SetDefault,
    SetVisibility,
    TableOptions,
    TruncateTable,
)

T = (None, "t")


def an_int(name: str) -> Declaration:
    return Declaration(name, "INT")


def parts(*names: str) -> tuple[KeyPart, ...]:
    return tuple(KeyPart(name) for name in names)


@pytest.mark.parametrize(
    ("text", "expected", "passed"),
    [
        ("TRUNCATE t", TruncateTable(T), []),
        ("TRUNCATE TABLE d.t", TruncateTable(("d", "t")), []),
        ("TRUNCATE TABLE d.t REUSE STORAGE", TruncateTable(("d", "t")), []),
        (
            "RENAME TABLE IF EXISTS a WAIT 5 TO b, c NOWAIT TO d",
            RenameTable((((None, "a"), (None, "b")), ((None, "c"), (None, "d")))),
            ["IF", "WAIT", "NOWAIT"],
        ),
        ("RENAME TABLES a TO b", RenameTable((((None, "a"), (None, "b")),)), []),
        ("DROP TEMPORARY TABLE IF EXISTS a, d.b CASCADE", DropTable(((None, "a"), ("d", "b")), True, True), []),
        ("DROP TABLES a RESTRICT WAIT 3", DropTable(((None, "a"),)), ["WAIT"]),
        ("DROP SEQUENCE s", DropTable(((None, "s"),)), ["SEQUENCE"]),
        ("DROP SEQUENCE IF EXISTS s, d.t", DropTable(((None, "s"), ("d", "t")), True), ["SEQUENCE"]),
        ("DROP TABLE a NOWAIT", DropTable(((None, "a"),)), ["NOWAIT"]),
        ("CREATE DATABASE d", CreateDatabase("d"), []),
        (
            "CREATE SCHEMA IF NOT EXISTS d CHARACTER SET latin1 COLLATE latin1_bin",
            CreateDatabase("d", "latin1", "latin1_bin", True),
            [],
        ),
        ("CREATE DATABASE d DEFAULT CHARSET = latin1", CreateDatabase("d", "latin1"), []),
        ("ALTER DATABASE CHARACTER SET latin1", AlterDatabase(None, "latin1"), []),
        ("ALTER SCHEMA d DEFAULT COLLATE = utf8mb4_bin", AlterDatabase("d", collate="utf8mb4_bin"), []),
        ("DROP DATABASE IF EXISTS d", DropDatabase("d", True), []),
        ("DROP SCHEMA d", DropDatabase("d"), []),
        (
            "CREATE TEMPORARY TABLE IF NOT EXISTS d.t (a INT)",
            CreateTable(("d", "t"), (an_int("a"),), if_not_exists=True, temporary=True),
            [],
        ),
        ("CREATE TABLE t (a INT) WITH SYSTEM VERSIONING", CreateTable(T, (an_int("a"),), versioned=True), ["WITH"]),
        (
            "CREATE TABLE t (a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) AS ROW END, PERIOD "
            "FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING",
            CreateTable(
                T,
                (
                    an_int("a"),
                    Declaration("s", "TIMESTAMP", (6,), nullable=False, generated=Generated(Null(), "ROW START", True)),
                    Declaration("e", "TIMESTAMP", (6,), nullable=False, generated=Generated(Null(), "ROW END", True)),
                ),
            ),
            ["GENERATED", "AS", "PERIOD", "WITH"],
        ),
        (
            "CREATE TABLE t (a INT, s DATE, e DATE, PERIOD FOR p (S, e))",
            CreateTable(
                T, (an_int("a"), Declaration("s", "DATE", nullable=False), Declaration("e", "DATE", nullable=False))
            ),
            ["PERIOD"],
        ),
        ("CREATE TABLE t LIKE d.u", CreateTable(T, like=("d", "u")), []),
        ("CREATE TABLE t (LIKE d.u)", CreateTable(T, like=("d", "u")), []),
        ("CREATE TABLE t SELECT 1", CreateTable(T, selects=True), []),
        ("CREATE TABLE t (SELECT 1)", CreateTable(T, selects=True), []),
        ("CREATE TABLE t IGNORE AS SELECT 1", CreateTable(T, selects=True), []),
        (
            "CREATE TABLE t (a INT) ENGINE=InnoDB, COMMENT 'x' AUTO_INCREMENT=7 CHARSET latin1 COLLATE='latin1_bin' "
            "ROW_FORMAT=DYNAMIC KEY_BLOCK_SIZE 8",
            CreateTable(T, (an_int("a"),), options=TableOptions("InnoDB", "latin1", "latin1_bin", 7, "x")),
            [],
        ),
        ("CREATE TABLE t (a INT) SELECT 1 AS a", CreateTable(T, (an_int("a"),), selects=True), []),
        (
            "CREATE TABLE t (a INT) PARTITION BY HASH (a) AS SELECT 1",
            CreateTable(T, (an_int("a"),), selects=True),
            ["a table with partitions"],
        ),
        (
            "CREATE TABLE t (a INT) PARTITION BY HASH (a) (SELECT 1)",
            CreateTable(T, (an_int("a"),), selects=True),
            ["a table with partitions"],
        ),
        (
            "CREATE TABLE t (a INT) PARTITION BY HASH (a) PARTITIONS 4",
            CreateTable(T, (an_int("a"),)),
            ["a table with partitions"],
        ),
        ("CREATE TABLE t ENGINE=InnoDB", CreateTable(T, options=TableOptions("InnoDB")), ["grammar"]),
        (
            "CREATE UNIQUE INDEX i USING BTREE ON d.t (a(5), b DESC) KEY_BLOCK_SIZE=4 COMMENT 'x' ALGORITHM=INPLACE "
            "LOCK NONE",
            AlterTable(
                ("d", "t"), (AddKey(Key("i", (KeyPart("a", 5), KeyPart("b", descending=True)), True)),), index=True
            ),
            [],
        ),
        (
            "CREATE FULLTEXT INDEX i ON t (a)",
            AlterTable(T, (AddKey(Key("i", parts("a"), kind="FULLTEXT")),), index=True),
            [],
        ),
        ("CREATE INDEX i ON t ((a+1))", None, ["a key on an expression"]),
        ("CREATE INDEX i ON t (a) rubbish", AlterTable(T, (AddKey(Key("i", parts("a"))),), index=True), ["RUBBISH"]),
        (
            "DROP INDEX i ON d.t ALGORITHM=COPY, LOCK=NONE",
            AlterTable(("d", "t"), (DropKey("i"),), index=True),
            ["grammar"],
        ),
        ("DROP INDEX `PRIMARY` ON t LOCK=NONE", AlterTable(T, (DropKey("PRIMARY"),), index=True), []),
        ("DROP INDEX i ON t rubbish", AlterTable(T, (DropKey("i"),), index=True), ["RUBBISH"]),
        ("ALTER TABLE IF EXISTS t WAIT 3 ADD a INT", AlterTable(T, (AddColumn(an_int("a")),)), ["IF", "WAIT"]),
        (
            "ALTER TABLE t ADD COLUMN (a INT, b INT UNIQUE), ADD c INT FIRST, ADD COLUMN IF NOT EXISTS d INT AFTER c",
            AlterTable(
                T,
                (
                    AddColumn(an_int("a")),
                    AddColumn(an_int("b"), (Key("", parts("b"), True),)),
                    AddColumn(an_int("c"), after=""),
                    AddColumn(an_int("d"), after="c", if_not_exists=True),
                ),
            ),
            ["IF"],
        ),
        (
            "ALTER TABLE t ADD UNIQUE u (a), ADD PRIMARY KEY (b), ADD FOREIGN KEY (a) REFERENCES u (b), ADD CHECK "
            "(a > 1)",
            AlterTable(T, (AddKey(Key("u", parts("a"), True)), AddKey(Key("PRIMARY", parts("b"), True)))),
            ["a foreign key"],
        ),
        (
            "ALTER TABLE t DROP a, DROP COLUMN IF EXISTS b RESTRICT, DROP PRIMARY KEY, DROP KEY IF EXISTS k, DROP "
            "INDEX i, DROP CONSTRAINT c",
            AlterTable(
                T,
                (DropColumn("a"), DropColumn("b", True), DropKey("PRIMARY"), DropKey("k"), DropKey("i"), DropKey("c")),
            ),
            ["IF", "RESTRICT", "IF", "ALTER TABLE ... DROP CONSTRAINT"],
        ),
        (
            "ALTER TABLE t ALTER a SET DEFAULT 5, ALTER COLUMN b DROP DEFAULT, ALTER c SET DEFAULT NULL, ALTER d "
            "SET INVISIBLE",
            AlterTable(
                T,
                (
                    SetDefault("a", Number("5")),
                    SetDefault("b", None),
                    SetDefault("c", None),
                    SetVisibility("d", False),
                ),
            ),
            ["SET"],
        ),
        (
            "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN IF EXISTS c TO d, RENAME TO d.u",
            AlterTable(T, (RenameColumn("a", "b"), RenameColumn("c", "d", True)), rename=("d", "u")),
            ["IF"],
        ),
        ("ALTER TABLE t RENAME AS u", AlterTable(T, rename=(None, "u")), []),
        ("ALTER TABLE t RENAME u", AlterTable(T, rename=(None, "u")), []),
        (
            "ALTER TABLE t RENAME INDEX a TO b, RENAME KEY c TO d, ADD e INT",
            AlterTable(T, (AddColumn(an_int("e")),)),
            ["ALTER TABLE ... RENAME", "ALTER TABLE ... RENAME"],
        ),
        (
            "ALTER TABLE t MODIFY a INT FIRST, MODIFY COLUMN IF EXISTS b INT AFTER a, CHANGE c d INT, CHANGE COLUMN "
            "IF EXISTS e f INT KEY",
            AlterTable(
                T,
                (
                    ModifyColumn("a", an_int("a"), after=""),
                    ModifyColumn("b", an_int("b"), after="a", if_exists=True),
                    ModifyColumn("c", an_int("d")),
                    ModifyColumn(
                        "e",
                        Declaration("f", "INT", nullable=False),
                        (Key("PRIMARY", parts("f"), True),),
                        if_exists=True,
                    ),
                ),
            ),
            ["IF", "IF"],
        ),
        (
            "ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE latin1_bin, ADD a INT",
            AlterTable(T, (AddColumn(an_int("a")),), convert=TableOptions(charset="latin1", collate="latin1_bin")),
            ["ALTER TABLE ... CONVERT"],
        ),
        ("ALTER TABLE t ADD SYSTEM VERSIONING", AlterTable(T, versioned=True), ["ADD"]),
        ("ALTER TABLE t DROP SYSTEM VERSIONING", AlterTable(T, versioned=False), ["DROP"]),
        (
            "ALTER TABLE t ENGINE=MyISAM COMMENT='x', AUTO_INCREMENT 5, ALGORITHM=INPLACE, LOCK=NONE",
            AlterTable(T, options=TableOptions("MyISAM", auto_increment=5, comment="x")),
            [],
        ),
        ("ALTER TABLE t ALGORITHM INPLACE LOCK NONE", AlterTable(T), []),
        ("ALTER TABLE t", AlterTable(T), []),
        (
            "ALTER TABLE t DISABLE KEYS, ADD a INT",
            AlterTable(T, (AddColumn(an_int("a")),)),
            ["ALTER TABLE ... DISABLE"],
        ),
        ("ALTER TABLE t REMOVE PARTITIONING", AlterTable(T), ["ALTER TABLE ... REMOVE"]),
        ("ALTER TABLE t DROP PARTITION p, q", AlterTable(T), ["ALTER TABLE ... DROP PARTITION"]),
        (
            "ALTER TABLE t ADD PERIOD FOR p (a, b), ADD c INT",
            AlterTable(T, (AddColumn(an_int("c")),)),
            ["ALTER TABLE ... ADD"],
        ),
        ("ALTER TABLE t DROP PERIOD FOR p", AlterTable(T), ["ALTER TABLE ... DROP PERIOD"]),
        ("ALTER TABLE t FORCE", AlterTable(T), ["ALTER TABLE ... FORCE"]),
        ("ALTER TABLE t ORDER BY a, b", AlterTable(T), ["ALTER TABLE ... ORDER"]),
        ("ALTER ONLINE IGNORE TABLE t ADD a INT", AlterTable(T, (AddColumn(an_int("a")),)), ["ONLINE"]),
        ("CREATE OR REPLACE TEMPORARY TABLE t (a INT)", CreateTable(T, (an_int("a"),), temporary=True), ["OR"]),
        ("CREATE SEQUENCE IF NOT EXISTS d.s START 5", CreateSequence(("d", "s"), True), ["CREATE", "IF"]),
        ("CREATE OR REPLACE SEQUENCE s", CreateSequence((None, "s")), ["OR", "CREATE"]),
        ("CREATE VIEW v AS SELECT 1", None, []),
        ("DROP INDEX", None, ["grammar"]),
        ("RENAME USER a TO b", None, []),
        ("ALTER USER a", None, []),
        ("CREATE TABLE t", CreateTable(T), ["grammar"]),
        (
            "CREATE TABLE t (a INT) DATA DIRECTORY='/x' INDEX DIRECTORY '/y' UNION=(a,b) FANCY=1 START TRANSACTION",
            CreateTable(T, (an_int("a"),)),
            ["DATA", "INDEX", "UNION", "FANCY", "START"],
        ),
        (
            "CREATE TABLE t (a INT) FANCY 5 SHINY='x' ENGINE=MyISAM",
            CreateTable(T, (an_int("a"),), options=TableOptions("MyISAM")),
            ["FANCY", "SHINY"],
        ),
        (
            "CREATE TABLE t (a INT) FANCY 5, ENGINE=MyISAM",
            CreateTable(T, (an_int("a"),), options=TableOptions("MyISAM")),
            ["FANCY"],
        ),
        ("TRUNCATE t; ", TruncateTable(T), []),
        ("ALTER TABLE t RENAME INDEX", AlterTable(T), ["ALTER TABLE ... RENAME"]),
        (
            "CREATE TABLE t (a INT) WITH x AS (SELECT 1) SELECT a FROM x",
            CreateTable(T, (an_int("a"),), selects=True),
            [],
        ),
        ("CREATE TABLE t (a INT) ((SELECT 1) UNION (SELECT 2))", CreateTable(T, (an_int("a"),), selects=True), []),
        ("CREATE TABLE t (a INT) (TABLE u)", CreateTable(T, (an_int("a"),), selects=True), []),
        ("CREATE TABLE t (a INT) REPLACE SELECT 1 AS a", CreateTable(T, (an_int("a"),), selects=True), []),
        ("CREATE TABLE t (a INT) FANCY (1) SELECT 1", CreateTable(T, (an_int("a"),), selects=True), ["FANCY"]),
        (
            "CREATE TABLE t (a INT) COMMENT='x', ENGINE_ATTRIBUTE='y', COMMENT='z'",
            CreateTable(T, (an_int("a"),), options=TableOptions(comment="z")),
            ["ENGINE_ATTRIBUTE"],
        ),
        (
            "CREATE TABLE t (period INT, `period` INT, b INT, CONSTRAINT c PRIMARY KEY n USING BTREE (b) COMMENT "
            "'x' INVISIBLE)",
            CreateTable(T, (an_int("period"), an_int("period"), an_int("b")), (Key("PRIMARY", parts("b"), True),)),
            ["N"],
        ),
        (
            "CREATE TABLE t (a INT, UNIQUE KEY u USING HASH (a ASC, b (3) DESC) KEY_BLOCK_SIZE 8 VISIBLE USING "
            "BTREE, SPATIAL INDEX (b), FULLTEXT f (c), UNIQUE (d), CONSTRAINT e UNIQUE (e), CONSTRAINT UNIQUE (f), "
            "KEY g (g) SHINY)",
            CreateTable(
                T,
                (an_int("a"),),
                (
                    Key("u", (KeyPart("a"), KeyPart("b", 3, True)), True),
                    Key("", parts("b"), kind="SPATIAL"),
                    Key("f", parts("c"), kind="FULLTEXT"),
                    Key("", parts("d"), True),
                    Key("e", parts("e"), True),
                    Key("", parts("f"), True),
                    Key("g", parts("g")),
                ),
            ),
            ["SHINY"],
        ),
        (
            "CREATE TABLE t (a INT, PRIMARY KEY IF NOT EXISTS (a, b WITHOUT OVERLAPS), CONSTRAINT c CHECK (a > 1) "
            "ENFORCED, CHECK (b) NOT ENFORCED, CONSTRAINT CHECK (c))",
            CreateTable(T, (an_int("a"),), (Key("PRIMARY", parts("a", "b"), True),)),
            ["IF", "WITHOUT"],
        ),
        (
            "CREATE TABLE t (a INT, PRIMARY KEY (a) WITH PARSER x)",
            CreateTable(T, (an_int("a"),), (Key("PRIMARY", parts("a"), True),)),
            ["WITH"],
        ),
        (
            "ALTER TABLE t ADD CONSTRAINT c UNIQUE KEY d (a), ADD CONSTRAINT CHECK (b)",
            AlterTable(T, (AddKey(Key("d", parts("a"), True)),)),
            [],
        ),
        ("ALTER TABLE t CHECK PARTITION ALL", AlterTable(T), ["ALTER TABLE ... CHECK"]),
        (
            "ALTER TABLE t WITHOUT VALIDATION, IMPORT TABLESPACE, ADD a INT",
            AlterTable(T, (AddColumn(an_int("a")),)),
            ["ALTER TABLE ... WITHOUT", "ALTER TABLE ... IMPORT"],
        ),
    ],
)
def test_a_statement_is_read_and_what_was_skipped_is_noted(
    text: str, expected: Definition | None, passed: list[str]
) -> None:
    found = schema.parse(text)
    assert (found.replace(does_more=False) if isinstance(found, AlterTable) else found) == expected
    cursor = Cursor(text)
    read_definition(cursor)
    assert [problem.missing for problem in cursor.passed if isinstance(problem, UnsupportedStatement)] == passed


@pytest.mark.parametrize(
    "text",
    [
        "DROP VIEW v",
        "SHOW INDEX FROM t",
        "CREATE TABLES t",
        "ALTER SEQUENCE s",
        "CREATE TEMPORARY x TABLE",
        "TRUNCATED t",
        "USE TABLE",
    ],
)
def test_another_statement_is_no_definition_and_nothing_of_it_is_skipped(text: str) -> None:
    cursor = Cursor(text)
    assert read_definition(cursor) is None
    assert (cursor.place, cursor.passed) == (0, [])


def test_comments_for_mariadb_are_read_if_it_wrote_them() -> None:
    text = "CREATE TABLE t (a INT /*M! UNSIGNED */)"
    assert schema.parse(text) == CreateTable(T, (an_int("a"),))
    assert schema.parse(text, dialect=Dialect(True)) == CreateTable(T, (Declaration("a", "INT", unsigned=True),))


NO_OPTIONS = "TableOptions(engine=None, charset=None, collate=None, auto_increment=None, comment=None)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CREATE TABLE t LIKE u",
            f"CreateTable(path=(None, 't'), columns=(), keys=(), options={NO_OPTIONS}, like=(None, 'u'), "
            "selects=False, if_not_exists=False, temporary=False, versioned=False)",
        ),
        (
            "ALTER TABLE t",
            f"AlterTable(path=(None, 't'), actions=(), options={NO_OPTIONS}, rename=None, index=False, convert=None, "
            "versioned=None, does_more=False)",
        ),
    ],
)
def test_a_record_of_a_statement_has_these_defaults(text: str, expected: str) -> None:
    assert repr(schema.parse(text)) == expected


def test_a_statement_of_few_words_has_no_if_exists() -> None:
    column = an_int("a")
    assert not CreateTable(T).if_not_exists
    assert not CreateTable(T).temporary
    assert not CreateDatabase("d").if_not_exists
    assert not CreateSequence(T).if_not_exists
    assert not DropDatabase("d").if_exists
    assert (DropTable((T,)).if_exists, DropTable((T,)).temporary) == (False, False)
    assert (AddColumn(column).keys, AddColumn(column).after, AddColumn(column).if_not_exists) == ((), None, False)
    modified = ModifyColumn("a", column)
    assert (modified.keys, modified.after, modified.if_exists) == ((), None, False)
    assert not RenameColumn("a", "b").if_exists
    assert not DropColumn("a").if_exists


def test_a_key_and_a_generated_column_have_these_defaults() -> None:
    assert repr(Key("k", (KeyPart("a"),))) == (
        "Key(name='k', parts=(KeyPart(column='a', prefix=None, descending=False),), unique=False, kind='')"
    )
    assert not Generated(Null(), "").stored
    declared = (
        "Declaration(name='a', type='INT', numbers=(), members=(), unsigned=False, zerofill=False, charset='', "
        "collate='', nullable=None, default=None, has_default=False, on_update_now=False, auto_increment=False, "
        "visible=True, generated=None, comment='')"
    )
    assert repr(an_int("a")) == declared


UNKNOWN = "the model does not know this statement"


@pytest.mark.parametrize(
    ("text", "sentence", "missing"),
    [
        ("CREATE TABLE t (LIKE d.u", f"{UNKNOWN} which ends too early", "grammar"),
        ("CREATE TABLE", f"{UNKNOWN} which ends too early", "grammar"),
        ("CREATE TABLE t ()", f"{UNKNOWN} from ')' on", "grammar"),
        ("CREATE TABLE t (a INT b INT)", f"{UNKNOWN} from 'b INT)' on", "B"),
        ("CREATE TABLE d.t LIKE u v", f"{UNKNOWN} from 'v' on", "V"),
        ("CREATE DATABASE d ENGINE=InnoDB", f"{UNKNOWN} which ends too early", "grammar"),
        ("CREATE DATABASE d CHARSET latin1 x", f"{UNKNOWN} from 'x' on", "X"),
        ("DROP DATABASE d, e", f"{UNKNOWN} from ', e' on", "grammar"),
        ("DROP TABLE t,", f"{UNKNOWN} which ends too early", "grammar"),
        ("DROP TABLE t CASCADE RESTRICT", f"{UNKNOWN} from 'RESTRICT' on", "RESTRICT"),
        ("DROP INDEX `PRIMARY` ON t LOCK=NONE x", f"{UNKNOWN} from 'x' on", "X"),
        ("RENAME TABLE a AS b", f"{UNKNOWN} from 'AS b' on", "AS"),
        ("TRUNCATE t u", f"{UNKNOWN} from 'u' on", "U"),
        ("ALTER TABLE t FANCY", "ALTER TABLE ... FANCY is not in the model", "ALTER TABLE ... FANCY"),
        ("ALTER TABLE t 5", "ALTER TABLE ... 5 is not in the model", "ALTER TABLE ... 5"),
        ("ALTER TABLE t ADD a INT ADD b INT", f"{UNKNOWN} from 'ADD b INT' on", "ADD"),
        ("ALTER TABLE t RENAME COLUMN a b", f"{UNKNOWN} from 'b' on", "B"),
        ("ALTER TABLE t ADD `select` FANCY(1)", "the column type FANCY is not in the model", "the column type FANCY"),
        ("ALTER TABLE t ADD select INT", f"{UNKNOWN} from 'select INT' on", "SELECT"),
        ("TRUNCATE t " + "x" * 41, f"{UNKNOWN} from '{'x' * 40}' on", "X" * 41),
    ],
)
def test_an_unknown_statement_is_an_error_with_its_words(text: str, sentence: str, missing: str) -> None:
    with pytest.raises(UnsupportedStatement) as caught:
        schema.parse(text)
    assert (caught.value.message, caught.value.missing) == (sentence, missing)
