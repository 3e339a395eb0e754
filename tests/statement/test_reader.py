"""The effects of statements of both servers' manuals; statements.txt has one a line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.scan.operation import operation_of
from pybinlog.schema.dialect import Dialect
from pybinlog.statement import LoggedStatement, Session, defines, read, read_logged, verb_of
from pybinlog.statement.effect import ForeignKeyMade
from pybinlog.verbs import VERBS, Operation
from tests.statement.table import shown

SERVERS = {
    "unknown": Dialect(),
    "mysql57": Dialect(False, 50_744),
    "mysql97": Dialect(False, 90_704),
    "mariadb104": Dialect(True, 100_400),
    "mariadb": Dialect(True, 110_809),
}
LINES = [line.split(" -> ") for line in Path(__file__).with_name("statements.txt").read_text().splitlines()]


@pytest.mark.parametrize(("statement", "effect"), LINES, ids=[statement for statement, _ in LINES])
def test_a_statement_does(statement: str, effect: str) -> None:
    assert shown(read(statement.replace("\\n", "\n"), Session("d"))) == effect


@pytest.mark.parametrize("statement", [statement for statement, _ in LINES])
def test_the_kernel_sees_the_same_verb(statement: str) -> None:
    text = statement.replace("\\n", "\n")
    assert operation_of(text.encode()) == read(text, Session("d")).operation
    assert defines(text) == (operation_of(text.encode()) == Operation.DEFINES)


@pytest.mark.parametrize(
    ("statement", "verb"),
    [
        ("CREATE TABLE`t`(a INT)", "CREATE TABLE"),
        ("create or replace temporary table event (a INT)", "CREATE TEMPORARY TABLE"),
        ("SET STATEMENT x=1 FOR DROP TABLES t", "DROP TABLE"),
        ("/* a VIEW */ CREATE DEFINER=`USER`@`localhost` PROCEDURE p() BEGIN END", "CREATE PROCEDURE"),
        ("/*!50000 CREATE /*!50017 DEFINER=root@localhost*/ TRIGGER x */", "CREATE TRIGGER"),
        ("/*M!100100 DROP */ SERVER s", "DROP SERVER"),
        ("TRUNCATE m", "TRUNCATE TABLE"),
        ("XA COMMIT 'x'", "XA COMMIT"),
        ("DROP EVENT `x", "DROP EVENT"),
        (" " * 300 + "DROP TABLE t", "DROP TABLE"),
        ("-- only a comment", ""),
    ],
)
def test_the_verb_of_a_statement(statement: str, verb: str) -> None:
    assert verb_of(statement) == verb


def test_the_table_has_every_verb() -> None:
    there = {" ".join(read(text, Session("d")).verb.split()[:1]) for text, _ in LINES}
    assert {verb.split()[0] for verb in VERBS} - there <= set(
        "BACKUP CHANGE DEALLOCATE DESC DESCRIBE EXPLAIN GET HANDLER HELP KILL PURGE RESET RESIGNAL RESTART SHOW "
        "SHUTDOWN SIGNAL STOP".split()
    ), "no server logs these"


def test_names_follow_the_session() -> None:
    assert read('DELETE FROM "a"', Session("d")).changed is None
    text = b'DELETE FROM "\xe9"'
    logged = LoggedStatement(text, b"d", charset=bytes((8, 0) * 3), sql_mode=4)
    assert read_logged(logged).changed == (("d", "é"),)
    assert read("DELETE FROM t", Session("")).changed == (("", "t"),)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("FOREIGN KEY (a) REFERENCES p (x)", {"unknown": "", "mysql57": "", "mysql97": "", "mariadb": ""}),
        ("FOREIGN KEY fx (a) REFERENCES p (x)", {"unknown": "?", "mysql57": "fx", "mysql97": "", "mariadb": "fx"}),
        ("CONSTRAINT FOREIGN KEY fx (a) REFERENCES p (x)", {"mysql57": "fx", "mysql97": "", "mariadb": "fx"}),
        ("CONSTRAINT fk FOREIGN KEY fx (a) REFERENCES p (x)", {"mysql57": "fk", "mysql97": "fk", "mariadb": "fk"}),
        ("FOREIGN KEY IF NOT EXISTS fx (a) REFERENCES p (x)", {"mariadb": "fx"}),
        ("a INT REFERENCES p (x)", {"unknown": "?", "mysql57": "-", "mysql97": "", "mariadb": "", "mariadb104": "-"}),
        ("a INT CONSTRAINT fk REFERENCES p (x)", {"mariadb": "fk"}),
        ("a INT CONSTRAINT c CHECK (a > 0) REFERENCES p (x)", {"mysql97": "", "mariadb": ""}),
    ],
)
def test_a_foreign_key_has_the_name_that_its_server_gives_it(text: str, names: dict[str, str]) -> None:
    """`-`: the server ignores it; `?`: the name is not certain."""
    for server, name in names.items():
        for statement in f"CREATE TABLE t ({text}, b INT)", f"ALTER TABLE t ADD {text}":
            steps = read(statement, Session("d", dialect=SERVERS[server])).steps
            keys = [step for step in steps if isinstance(step, ForeignKeyMade)]
            found = [one.reference.name if one.is_certain else "?" for one in keys] or ["-"]
            assert found == [name], (server, statement)


def test_a_long_insert_is_read_to_its_table() -> None:
    rows = ", ".join(f"({number}, 'x')" for number in range(2000))
    assert read(f"INSERT INTO t VALUES {rows}", Session("d")).changed == (("d", "t"),)
    assert read(f"INSERT INTO t VALUES {rows}, ('x", Session("d")).changed == (("d", "t"),)
    settings = ", ".join(f"a{number} = {number}" for number in range(200))
    assert read(f"SET STATEMENT {settings} FOR INSERT INTO t VALUES {rows}", Session("d")).changed == (("d", "t"),)
    assert read(f"LOAD DATA INFILE '{'x' * 2000}' INTO TABLE e.t", Session("d")).changed == (("e", "t"),)


@pytest.mark.parametrize(
    ("statement", "may", "tables"),
    [
        ("DELETE FROM t", True, (("d", "t"),)),
        ("TRUNCATE t", True, (("d", "t"),)),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u", True, (("d", "t"), ("d", "u"))),
        ("ALTER TABLE t FROBNICATE", True, (("d", "t"),)),
        ("CREATE TABLE t SELECT 1", True, (("d", "t"),)),
        ("CREATE TABLE t (a INT, b INT REFERENCES p (x))", False, (("d", "t"),)),
        ("RENAME TABLE t TO u", False, (("d", "t"), ("d", "u"))),
        ("DROP TABLE t, u", False, (("d", "t"), ("d", "u"))),
        ("CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1", False, (("d", "t"),)),
        ("CALL p()", True, None),
        ("DROP TABLE `t", True, None),
        ("DROP DATABASE d", False, ()),
        ("COMMIT", False, ()),
    ],
)
def test_what_an_effect_says_of_tables(statement: str, may: bool, tables: tuple[tuple[str, str], ...] | None) -> None:
    effect = read(statement, Session("d"))
    assert (effect.may_change_rows, effect.tables) == (may, tables)


WORDS = "DELETE UPDATE INSERT INTO FROM SET t . , ( ) = a AS JOIN WITH ALTER TABLE ADD DROP RENAME CREATE REFERENCES"


@given(st.lists(st.sampled_from([*WORDS.split(), "'", "`", "/*!", "*/", "FOREIGN KEY", "PARTITION"]), max_size=12))
def test_any_text_has_an_effect(words: list[str]) -> None:
    text = " ".join(words)
    effect = read(text, Session("d"))
    assert (
        effect.operation is Operation.DEFINES
        or effect.changed is None
        or effect.changed
        or effect.operation in (Operation.CHANGES_NOTHING)
    )
    may_differ = "'" in words or "`" in words or ("WITH" in words and effect.changed is None)
    assert effect.operation == operation_of(text.encode()) or may_differ
