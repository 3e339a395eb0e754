"""Definitions after statements of several sessions, and those that statements take away."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from pybinlog.catalog import definitions, tables
from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.column_types import ColumnType
from pybinlog.errors import BinlogError
from pybinlog.layout import Format
from pybinlog.schema import Settings
from pybinlog.schema.column import Column, Generated, Key, KeyPart
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.expression import Null
from pybinlog.schema.statement import AddColumn, AlterTable
from pybinlog.schema.table import TableDefinition
from pybinlog.statement import LoggedStatement, Session
from pybinlog.statement.effect import Altered, Renamed


def after(*statements: str | tuple[int, str], database: str = "d") -> Definitions:
    """Definitions after statements; those of another thread than 0 come with its number."""
    found = Definitions()
    for number, one in enumerate(statements, 1):
        thread, text = (0, one) if isinstance(one, str) else one
        found.run_logged(LoggedStatement(text.encode(), database.encode(), thread=thread, file=b"log", position=number))
    return found


def shown(found: Definitions) -> dict[str, str]:
    """Each table -> its columns, or the reason why they are unknown."""
    return {
        ".".join(key): " ".join(column.name for column in one.columns)
        if isinstance(one, Known)
        else f"{one.reason}, {one.where}"
        for key, one in found.tables.items()
    }


CREATE = "CREATE TABLE t (a INT)"
OWN_KEY = "CREATE TABLE t (my_row_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT INVISIBLE, a INT, PRIMARY KEY (my_row_id))"
INVISIBLE = "CREATE TABLE t (my_row_id INT INVISIBLE, a INT)"
SHOW_KEY = "ALTER TABLE t ALTER COLUMN my_row_id SET VISIBLE"
SEQUENCE = "next_not_cached_value minimum_value maximum_value start_value increment cache_size cycle_option cycle_count"
QUERY = "it was made of a query, whose columns are not known"
UNKNOWN_STATEMENT = "a statement was not understood (the model does not know this statement from"
RENAMED = "a statement gave its name to d.x, which is not known and may be a temporary table"
OTHER_DATABASE = "a statement dropped the database D, which may be the one of this table"
MAYBE = "CREATE ... IF NOT EXISTS does not say whether there was another of that name"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([CREATE, "CREATE TABLE e.t (b INT)"], {"d.t": "a", "e.t": "b"}),
        ([CREATE, "RENAME TABLE t TO e.u"], {"e.u": "a"}),
        ([CREATE, "CREATE TABLE u (b INT)", "ALTER TABLE u ADD c INT, RENAME t"], {"d.t": "b c"}),
        ([CREATE, "RENAME TABLE x TO t"], {"d.t": f"{RENAMED}, log, position 2"}),
        ([CREATE, "DROP TABLE t", "RENAME TABLE x TO t"], {"d.t": f"{RENAMED}, log, position 3"}),
        ([CREATE, "RENAME TABLE x TO u"], {"d.t": "a"}),
        (
            [CREATE, "CREATE TEMPORARY TABLE t (b INT)", "CREATE TABLE u LIKE t"],
            {"d.t": "a", "d.u": "it was made like a table that is not known, log, position 3"},
        ),
        ([CREATE, (7, "CREATE TEMPORARY TABLE t (b INT)"), "CREATE TABLE u LIKE t"], {"d.t": "a", "d.u": "a"}),
        (["CREATE TABLE u SELECT 1", "RENAME TABLE u TO t"], {"d.t": f"{QUERY}, log, position 1"}),
        ([CREATE, "CREATE TEMPORARY TABLE t (b INT)", "DROP TABLE t"], {"d.t": "a"}),
        ([CREATE, "CREATE TEMPORARY TABLE t (b INT)", (7, "DROP TABLE t")], {}),
        ([CREATE, "CREATE TEMPORARY TABLE t (b INT)", "DROP TABLE t", "DROP TABLE t"], {}),
        ([CREATE, "CREATE TEMPORARY TABLE t (b INT)", (7, "ALTER TABLE t ADD c INT")], {"d.t": "a c"}),
        (
            [CREATE, "CREATE TEMPORARY TABLE x (b INT)", "ALTER TABLE x RENAME t, ADD c INT", "DROP TABLE t"],
            {"d.t": "a"},
        ),
        (
            [CREATE, "CREATE TEMPORARY TABLE t (b INT)", "ALTER TABLE t RENAME x", "ALTER TABLE t ADD c INT"],
            {"d.t": "a c"},
        ),
        ([CREATE, "DROP TEMPORARY TABLE t"], {"d.t": "a"}),
        ([OWN_KEY, "ALTER TABLE t ADD c INT FIRST, ADD d INT AFTER my_row_id"], {"d.t": "my_row_id c d a"}),
        ([OWN_KEY, f"{SHOW_KEY}, ADD c INT FIRST"], {"d.t": "my_row_id c a"}),
        ([OWN_KEY, SHOW_KEY, "ALTER TABLE t ADD c INT FIRST"], {"d.t": "c my_row_id a"}),
        (
            [OWN_KEY, SHOW_KEY, SHOW_KEY.replace("VIS", "INVIS"), "ALTER TABLE t ADD c INT FIRST"],
            {"d.t": "my_row_id c a"},
        ),
        ([INVISIBLE, "ALTER TABLE t ADD c INT FIRST"], {"d.t": "c my_row_id a"}),
        ([CREATE, "DROP DATABASE d"], {}),
        ([CREATE, "DROP DATABASE e"], {"d.t": "a"}),
        ([CREATE, "CREATE DATABASE d"], {}),
        ([CREATE, "CREATE DATABASE IF NOT EXISTS d"], {"d.t": "a"}),
        (["CREATE TABLE IF NOT EXISTS t (a INT)"], {"d.t": f"{MAYBE}, log, position 1"}),
        (["CREATE SEQUENCE IF NOT EXISTS t"], {"d.t": f"{MAYBE}, log, position 1"}),
        (["CREATE SEQUENCE t"], {"d.t": SEQUENCE}),
        ([CREATE, "CREATE SEQUENCE IF NOT EXISTS t"], {"d.t": "a"}),
        ([CREATE, "CREATE OR REPLACE SEQUENCE t"], {"d.t": SEQUENCE}),
        (["CREATE SEQUENCE t", "DROP SEQUENCE t"], {}),
        (["DROP DATABASE d", "CREATE DATABASE IF NOT EXISTS d", "CREATE TABLE IF NOT EXISTS t (a INT)"], {"d.t": "a"}),
        (["CREATE DATABASE d", "CREATE TABLE IF NOT EXISTS t (a INT)"], {"d.t": "a"}),
        (
            ["CREATE DATABASE d", "DROP DATABASE d", "CREATE TABLE IF NOT EXISTS t (a INT)"],
            {"d.t": f"{MAYBE}, log, position 3"},
        ),
        (["CREATE DATABASE d", "DROP `", "CREATE TABLE IF NOT EXISTS t (a INT)"], {"d.t": f"{MAYBE}, log, position 3"}),
        (["DROP TABLE t", "DROP `", "CREATE TABLE IF NOT EXISTS t (a INT)"], {"d.t": f"{MAYBE}, log, position 3"}),
        (
            [CREATE, "CREATE TABLE u (a INT)", "CREATE TABLE v (a INT)", "DROP TABLE IF EXISTS t, e.w FANCY, u"],
            {
                "d.t": f"{UNKNOWN_STATEMENT} 'FANCY, u' on), log, position 4",
                "d.u": f"{UNKNOWN_STATEMENT} 'FANCY, u' on), log, position 4",
                "d.v": "a",
                "e.w": f"{UNKNOWN_STATEMENT} 'FANCY, u' on), log, position 4",
            },
        ),
        (
            [CREATE, "CREATE TABLE u (a INT)", "ALTER ONLINE TABLE t ADD (b INT, c INT) FANCY(u, v), ADD 'u'"],
            {"d.t": f"{UNKNOWN_STATEMENT} \"FANCY(u, v), ADD 'u'\" on), log, position 3", "d.u": "a"},
        ),
        (
            [CREATE, "ALTER TABLE T ADD b INT"],
            {"d.t": "a statement changed the table T, which may be this one, log, position 2"},
        ),
        ([CREATE, "DROP TABLE T"], {"d.t": "a statement changed the table T, which may be this one, log, position 2"}),
        (
            [CREATE, "RENAME TABLE T TO u"],
            {"d.t": "a statement changed the table T, which may be this one, log, position 2"},
        ),
        ([CREATE, "CREATE TABLE T (b INT)", "DROP TABLE T"], {"d.t": "a"}),
        (
            [CREATE, "CREATE OR REPLACE TABLE T (b INT)"],
            {"d.t": "a statement changed the table T, which may be this one, log, position 2", "d.T": "b"},
        ),
        ([CREATE, "CREATE TABLE T (b INT)", "CREATE OR REPLACE TABLE T (c INT)"], {"d.t": "a", "d.T": "c"}),
        ([CREATE, "DROP DATABASE D"], {"d.t": f"{OTHER_DATABASE}, log, position 2"}),
        ([CREATE, "CREATE OR REPLACE DATABASE D"], {"d.t": f"{OTHER_DATABASE}, log, position 2"}),
        ([CREATE, "CREATE DATABASE D"], {"d.t": "a"}),
        ([CREATE, "CREATE TABLE D.t (b INT)", "DROP DATABASE D"], {"d.t": "a"}),
        ([CREATE, "CREATE OR REPLACE DATABASE d"], {}),
        (["CREATE TABLE t (`\ud800` INT)".encode("utf-8", "surrogatepass").decode("latin-1")], {"d.t": "í\xa0\x80"}),
        (["CREATE TABLE t (a INT) WITH SYSTEM VERSIONING"], {"d.t": "a row_start row_end"}),
        ([f"{CREATE} WITH SYSTEM VERSIONING", "ALTER TABLE t ADD b INT"], {"d.t": "a b row_start row_end"}),
        ([f"{CREATE} WITH SYSTEM VERSIONING", "ALTER TABLE t DROP SYSTEM VERSIONING"], {"d.t": "a"}),
        (["CREATE VIEW t AS SELECT 1", "INSERT INTO t VALUES (1)", "-- CREATE TABLE t (a INT)"], {}),
    ],
)
def test_tables_after_statements(statements: list[str | tuple[int, str]], expected: dict[str, str]) -> None:
    found = after(*statements)
    assert shown(found) == expected
    assert len(found) == len(expected)
    assert shown(found.copy()) == expected


def test_a_statement_without_a_database_changes_nothing() -> None:
    assert shown(after(CREATE, "DROP TABLE t", "ALTER TABLE t ADD b INT", database="")) == {}
    assert shown(after("CREATE TABLE e.t (a INT)", "ALTER TABLE e.t ADD b INT", database="")) == {"e.t": "a b"}


def test_names_that_are_no_text_are_unknown() -> None:
    found = Definitions()
    for text in (CREATE.encode(), b"CREATE TABLE x (`\xff` INT)", b"CREATE TABLE u (a ENUM('\xff'))"):
        found.run_logged(LoggedStatement(text, b"d", bytes((45, 0) * 3), file=b"log", position=4))
    assert shown(found) == {
        "d.t": "a statement was not understood (a name that is not valid in character_set_client is not in the model),"
        " log, position 4",
        "d.u": "a statement was not understood (names that are not valid in their character set), log, position 4",
    }


def test_engines_and_collations_follow_statements() -> None:
    found = after(
        "CREATE DATABASE d CHARSET latin1",
        "CREATE TABLE t (a TEXT) ENGINE=Spider",
        "ALTER DATABASE COLLATE latin1_bin",
        "CREATE TABLE u (a TEXT) ENGINE=InnoDB",
        "ALTER TABLE u ENGINE=Aria",
        "ALTER TABLE t ADD b TEXT",
        "ALTER DATABASE e CHARSET gbk",
        "CREATE TABLE e.t (a TEXT)",
        "DROP DATABASE d",
        "CREATE TABLE v (a TEXT)",
    )
    first = after(
        "CREATE DATABASE d CHARSET latin1", "CREATE TABLE t (a TEXT) ENGINE=Spider", "ALTER TABLE t ADD b TEXT"
    )
    known = first.tables.get(("d", "t"))
    assert isinstance(known, Known)
    assert (known.engine, known.table.engine, [column.collation for column in known.columns]) == (
        "Spider",
        "InnoDB",
        [8, 8],
    )
    collations = {key: one.columns[0].collation for key, one in found.tables.items() if isinstance(one, Known)}
    assert collations == {("e", "t"): 28, ("d", "v"): 0}
    second = after(
        "ALTER DATABASE d CHARSET latin1 COLLATE latin1_bin", "CREATE TABLE u (a TEXT)", "ALTER TABLE u ENGINE=Aria"
    )
    known = second.tables.get(("d", "u"))
    assert isinstance(known, Known)
    assert (known.engine, known.table.collation) == ("Aria", 47)


@pytest.mark.parametrize(
    ("statement", "entries"),
    [
        (CREATE, ["Made"]),
        ("CREATE TABLE IF NOT EXISTS t (a INT)", ["Made"]),
        ("DROP TABLE t, e.u", ["Dropped", "Dropped"]),
        ("DROP TEMPORARY TABLE t", []),
        ("CREATE TEMPORARY TABLE t (a INT)", []),
        ("RENAME TABLE t TO u, v TO e.w", ["Renamed", "Renamed"]),
        ("CREATE DATABASE e", ["DatabaseMade"]),
        ("CREATE DATABASE IF NOT EXISTS e", []),
        ("DROP DATABASE e", ["DatabaseDropped"]),
        ("ALTER DATABASE e CHARSET latin1", []),
        ("DROP `", ["Lost"]),
        ("ALTER TABLE t FANCY", ["Lost"]),
        ("CREATE INDEX i ON t (a)", []),
        ("TRUNCATE t", []),
        ("CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @a = 1", []),
    ],
)
def test_the_journal_has_the_steps_that_change_names(statement: str, entries: list[str]) -> None:
    found = Definitions()
    found.journal = []
    found.run(statement, Session("d", "log"))
    assert [type(one).__name__ for one in found.journal] == entries


def test_the_journal_of_an_alter_table_has_its_new_name_apart() -> None:
    found = Definitions()
    found.journal = []
    session = Session("d", "log", Settings(lenient=True))
    found.run("ALTER TABLE t ADD b INT, RENAME u", session)
    altered, renamed = found.journal
    assert isinstance(altered, Altered)
    assert (altered.key, renamed) == (("d", "t"), Renamed(("d", "t"), ("d", "u")))
    assert isinstance(altered.statement, AlterTable)
    (action,) = altered.statement.actions
    assert isinstance(action, AddColumn)
    assert action.declaration.name == "b"


def test_a_dump_defines_what_it_says() -> None:
    found = Definitions()
    text = (
        "CREATE DATABASE IF NOT EXISTS d CHARSET latin1;\nUSE d;\nCREATE TABLE IF NOT EXISTS t (a TEXT);\n"
        "CREATE TABLE e.u (a FANCY);\nCREATE SEQUENCE s;\nCREATE VIEW v AS SELECT 1;\nALTER TABLE t ADD b INT;\n"
    )
    assert found.read("one.sql", text) == 3
    assert found.read("more/d.w-schema.sql", "USE d; CREATE TABLE w (c INT);", "more") == 1
    assert shown(found) == {
        "d.t": "a b",
        "e.u": "a statement was not understood (the column type FANCY is not in the model), one.sql, line 4",
        "d.s": SEQUENCE,
        "d.w": "c",
    }
    assert found.sources == {("d", "t"): "one.sql", ("e", "u"): "one.sql", ("d", "s"): "one.sql", ("d", "w"): "more"}
    known = found.tables.get(("d", "t"))
    assert isinstance(known, Known)
    assert known.columns[0].collation == 8
    with pytest.raises(BinlogError) as caught:
        found.read("x.sql", "\nALTER TABLE x ADD a INT;")
    assert str(caught.value) == (
        "x.sql: line 2: the table x has no database. "
        "Write USE and the name of its database before it, as mysqldump --databases does"
    )
    found.read("x.sql", "ALTER TABLE x FROBNICATE; ALTER TABLE e.u FROBNICATE;")
    assert "ALTER TABLE ... FROBNICATE" in shown(found)["e.u"]


def test_the_oldest_of_many_names_that_are_gone_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((definitions, "_MOST_DROPPED"), (definitions, "_MOST_TEMPORARY"), (tables, "_MOST_ABSENT")):
        monkeypatch.setattr(module, name, 2)
    databases = [f"DROP DATABASE {name}" for name in "de"]
    again = ["CREATE DATABASE IF NOT EXISTS d", "CREATE TABLE IF NOT EXISTS t (a INT)"]
    assert shown(after(*databases, *again)) == {"d.t": "a"}
    assert shown(after(*databases, "DROP DATABASE f", *again)) == {"d.t": f"{MAYBE}, log, position 5"}
    dropped = [f"DROP TABLE {name}" for name in "tu"]
    assert shown(after(*dropped, again[1])) == {"d.t": "a"}
    assert shown(after(*dropped, "DROP TABLE v", again[1])) == {"d.t": f"{MAYBE}, log, position 4"}
    temporary = [CREATE, *(f"CREATE TEMPORARY TABLE {name} (b INT)" for name in "tu")]
    assert shown(after(*temporary, "DROP TABLE t")) == {"d.t": "a"}
    assert shown(after(*temporary, "CREATE TEMPORARY TABLE v (b INT)", "DROP TABLE t")) == {}


@pytest.mark.parametrize(("mariadb", "tables"), [(False, {"d.u": "a"}), (True, {"d.t": "a"})])
def test_rename_table_of_mysql_is_not_about_a_temporary_table(mariadb: bool, tables: dict[str, str]) -> None:
    found = Definitions()
    for text in (CREATE, "CREATE TEMPORARY TABLE t (b INT)", "RENAME TABLE t TO u"):
        found.run_logged(LoggedStatement(text.encode(), b"d", mariadb=mariadb, server_version=110_000))
    assert shown(found) == tables


@pytest.mark.parametrize(
    "text",
    ["ALTER TABLE t ADD c INT", "TRUNCATE t", "DROP TABLE t", "CREATE INDEX i ON t (b)", "INSERT INTO t VALUES (1)"],
)
def test_a_statement_about_a_temporary_table_does_nothing_to_another(text: str) -> None:
    found = after(CREATE, "CREATE TEMPORARY TABLE t (b INT)")
    for thread, is_about_it in ((0, False), (7, True)):
        values = text.encode(), b"d", None, 0, 0, -1, -1, thread, b"log", 9 + thread
        found.run_logged(LoggedStatement(*values))
        effect = found.statement(values).effect
        assert bool(effect.steps or effect.changed) is is_about_it


TABLE = TableDefinition("d", "t", ())


@pytest.mark.parametrize(
    "value",
    [
        TABLE,
        Known(TABLE),
        Unknown("", ""),
        Session("d", ""),
        Settings(),
        Column("a", ColumnType.LONG, "int"),
        Key("k", ()),
        KeyPart("a"),
        Generated(Null(), ""),
        Declaration("a", "INT"),
        Format.default(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_defined_does_not_change(value: Any) -> None:
    """Definitions are shared between copies of a catalog."""
    name = next(iter(vars(value)))
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, None)
    assert hash(value) == hash(replace(value))


def test_a_known_table_has_these_defaults() -> None:
    assert (Known(TABLE).versioned, Known(TABLE).engine, Known(TABLE).columns) == (False, None, ())
    start, end = Known(TABLE, versioned=True).columns
    assert (start.name, end.name) == ("row_start", "row_end")
    assert replace(start, name="row_end") == end
    assert end == Column("row_end", ColumnType.TIMESTAMP2, "timestamp(6)", nullable=False, decimals=6, visible=False)
