"""A catalog whose statements were read before: its answers, and its warnings when they begin and end."""

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.certain import CertainCatalog, certain_catalog
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.catalog.timeline import Place, Statement
from pybinlog.column_types import ColumnType
from pybinlog.statement import LoggedStatement
from tests.catalog.test_catalog import NAMES, names, table_map

INTEGER = table_map([ColumnType.LONG])
TWO = table_map([ColumnType.LONG, ColumnType.LONG])
FILES = {b"log": 0, b"next": 1}


def certain(
    dump: str, *statements: str, at: Place | None = None, schema_of: str | None = None, told: list[str] | None = None
) -> CertainCatalog:
    """The catalog of a dump of the database d and statements at the positions 100, 200 ... of the first log."""
    known = Catalog()
    known.schema_of = schema_of
    known.read("dump.sql", f"USE d;\n{dump}")
    logged = [
        Statement((0, 100 * number), LoggedStatement(text.encode(), b"d", file=b"log", position=100 * number))
        for number, text in enumerate(statements, 1)
    ]
    made = certain_catalog(known, logged, FILES, at)
    made.warn = pytest.fail if told is None else told.append
    return made


def test_names_end_and_begin_with_a_warning_each() -> None:
    told: list[str] = []
    catalog = certain(
        "CREATE TABLE t (a INT);", "ALTER TABLE t FANCY", "CREATE OR REPLACE TABLE t (z INT)", at=(0, 4), told=told
    )
    found = [
        catalog.metadata(INTEGER[NAMES:], file, position)
        for file, position in ((b"log", 50), (b"log", 100), (b"log", 101), (b"log", 150), (b"log", 201), (b"next", 4))
    ]
    assert [b"\1a" in one or b"\1z" in one for one in found] == [True, True, False, False, True, True]
    assert (b"\1a" in found[0], b"\1z" in found[4], found[2]) == (True, True, b"")
    assert told == [
        "log, position 101: the columns of d.t have no names from here on: a statement was not understood "
        "(ALTER TABLE ... FANCY is not in the model) (log, position 100)",
        "log, position 201: the columns of d.t have names again from here on",
    ]


def test_a_definition_that_the_log_contradicts_is_unknown_there_alone() -> None:
    told: list[str] = []
    catalog = certain("CREATE TABLE t (a INT);", at=(0, 4), told=told)
    reason = "its definition is another one: the log has 2 columns, the definition 1"
    assert catalog.definition(TWO[NAMES:], b"log", 4) == Unknown(reason, "")
    assert names(catalog, TWO) == [None, None]
    assert told == [f"binlog.000001, position 700: the columns of d.t have no names from here on: {reason}"]
    assert names(catalog, INTEGER) == ["a"]
    known = catalog.definition(INTEGER[NAMES:], b"log", 4)
    assert isinstance(known, Known)
    assert (catalog.metadata(INTEGER[NAMES:-4]), catalog.definition(INTEGER[NAMES:-4])) == (b"", None)


def test_a_table_that_nothing_defines_has_no_names_and_no_warning() -> None:
    catalog = certain("CREATE TABLE t (a INT);", "CREATE TABLE u (b INT)")
    other = table_map([ColumnType.LONG], table="other")
    assert (catalog.metadata(other[NAMES:], b"log", 4), catalog.definition(other[NAMES:], b"log", 4)) == (b"", None)


@pytest.mark.parametrize(
    ("schema_of", "at", "expected"),
    [("end", None, "a b"), (None, (0, 101), "a b"), (None, (0, 100), "!"), (None, None, "a b"), ("start", None, "a b")],
)
def test_the_place_of_a_dump_is_what_the_user_or_the_dump_says(
    schema_of: str | None, at: Place | None, expected: str
) -> None:
    catalog = certain("CREATE TABLE t (a INT, b INT);", "ALTER TABLE t ADD b INT", at=at, schema_of=schema_of)
    found = catalog.definition(TWO[NAMES:], b"next", 4)
    if expected == "!":
        assert found == Unknown("statements in the logs contradict the dump", "the dump")
    else:
        assert isinstance(found, Known)
        assert " ".join(column.name for column in found.columns) == expected


def test_statements_of_the_log_come_before_the_dump() -> None:
    catalog = certain("CREATE TABLE t (a INT);", "DROP TABLE t", "CREATE TABLE t (z INT)")
    assert [
        b"\1a" in catalog.metadata(INTEGER[NAMES:], b"log", 100),
        b"\1z" in catalog.metadata(INTEGER[NAMES:], b"log", 201),
    ] == [True, True]
    again = catalog.copy(pytest.fail)
    assert b"\1a" in again.metadata(INTEGER[NAMES:], b"log", 4)
    catalog.run(b"DROP TABLE t", b"d")
    assert b"\1z" in catalog.metadata(INTEGER[NAMES:], b"log", 300)


def test_relations_are_those_of_the_dump_and_of_the_statements_that_have_run() -> None:
    statements = (
        "ALTER TABLE c ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES p (y), ADD UNIQUE e (b)",
        "CREATE TRIGGER x AFTER INSERT ON c FOR EACH ROW SET @a = 1",
        "ALTER TABLE c DROP FOREIGN KEY f",
    )
    catalog = certain("CREATE TABLE c (a INT REFERENCES p (x), b INT UNIQUE); CREATE TABLE u (a INT);", *statements)
    assert len(catalog) == 2
    found = []
    for statement in ("", *statements):
        catalog.run(statement.encode(), b"d")
        relations = catalog.relations
        found.append(
            (
                [one.columns for one in relations.references_to(("d", "p"))],
                list(relations.triggers_of(("d", "c"))),
                sorted(key.name for key in relations.unique_keys.of(("d", "c"))),
            )
        )
    assert found == [
        ([("x",)], [], [""]),
        ([("x",), ("y",)], [], ["", "e"]),
        ([("x",), ("y",)], ["x"], ["", "e"]),
        ([("x",)], ["x"], ["", "e"]),
    ]
    assert catalog.copy().relations.triggers_of(("d", "c")) == {}


def test_a_place_that_is_not_given_is_the_beginning_of_the_first_log() -> None:
    told: list[str] = []
    catalog = certain("CREATE TABLE t (a INT);", "ALTER TABLE t FANCY", at=(0, 4), told=told)
    assert catalog.metadata(TWO[NAMES:]) == b""
    assert told == [
        ", position 0: the columns of d.t have no names from here on: "
        "its definition is another one: the log has 2 columns, the definition 1"
    ]
    assert isinstance(catalog.definition(INTEGER[NAMES:]), Known)


def test_metadata_is_mysql_s_if_the_log_is_not_said_to_be_mariadb_s() -> None:
    text = "CREATE TABLE t (a POINT, b TEXT CHARSET latin1);"
    body = table_map([ColumnType.GEOMETRY, ColumnType.BLOB], [{"length_bytes": 4}, {"length_bytes": 2}])[NAMES:]
    plain = Catalog()
    plain.read("dump.sql", f"USE d; {text}")
    for catalog in (plain, certain(text)):
        assert catalog.metadata(body) == catalog.metadata(body, mariadb=False)
        assert catalog.metadata(body) != catalog.metadata(body, mariadb=True)
        assert b"\2\1\x08" in catalog.metadata(body)
        assert b"\3\2\x3f\x08" in catalog.metadata(body, mariadb=True)


KEY = "ADD FOREIGN KEY (a) REFERENCES p (x)"


@pytest.mark.parametrize(
    ("engine", "statements", "at", "is_ignored"),
    [
        ("MyISAM", (f"ALTER TABLE c {KEY}",), None, True),
        ("InnoDB", (f"ALTER TABLE c {KEY}",), None, False),
        ("MyISAM", ("ALTER TABLE c ENGINE=InnoDB", f"ALTER TABLE c {KEY}"), (0, 4), False),
        ("MyISAM", (f"ALTER TABLE c ENGINE=InnoDB, {KEY}",), (0, 4), False),
        ("InnoDB", (f"ALTER TABLE c {KEY}", "ALTER TABLE c ENGINE=InnoDB"), (0, 999), False),
        ("MyISAM", (f"ALTER TABLE c {KEY}", "ALTER TABLE c ENGINE=MyISAM"), (0, 999), False),
        ("InnoDB", ("ALTER TABLE c ENGINE=MyISAM", f"ALTER TABLE c {KEY}"), (0, 4), True),
        ("MyISAM", ("ALTER TABLE c ENGINE=MyISAM", f"ALTER TABLE c {KEY}"), None, True),
        ("MyISAM", ("RENAME TABLE c TO d", f"ALTER TABLE d {KEY}"), (0, 4), True),
    ],
)
def test_mariadb_ignores_a_foreign_key_of_a_dump_s_table_by_its_engine_then(
    engine: str, statements: tuple[str, ...], at: Place | None, is_ignored: bool
) -> None:
    """Its engine is that behind the statement that adds the key."""
    catalog = certain(f"CREATE TABLE c (a INT) ENGINE={engine};", *statements, at=at)
    for number, text in enumerate(statements, 1):
        catalog.run(text.encode(), b"d", file=b"log", position=100 * number, mariadb=True, server_version=110_800)
    assert bool(catalog.relations.references_to(("d", "p"))) is not is_ignored


def test_the_engine_before_an_alter_of_it_is_not_that_after_it() -> None:
    catalog = certain("CREATE TABLE t (a INT) ENGINE=MyISAM;", "ALTER TABLE t ENGINE=MyISAM")
    found = [catalog.definition(INTEGER[NAMES:], b"log", position) for position in (50, 150)]
    assert [one.engine for one in found if isinstance(one, Known)] == [None, "MyISAM"]


def test_relations_before_a_dump_have_the_names_of_that_place_and_keys_that_are_dropped_later() -> None:
    catalog = certain(
        "CREATE TABLE p2 (a INT PRIMARY KEY);"
        "CREATE TABLE c (b INT, FOREIGN KEY (b) REFERENCES p2 (a) ON DELETE CASCADE);"
        "CREATE TABLE new (b INT);",
        "RENAME TABLE p TO p2",
        "ALTER TABLE c DROP FOREIGN KEY other",
        "CREATE TABLE new (b INT, CONSTRAINT x FOREIGN KEY (b) REFERENCES p2 (a) ON DELETE CASCADE)",
        "ALTER TABLE new DROP FOREIGN KEY x",
        schema_of="end",
    )
    relations = catalog.relations
    assert [one.child for one in relations.references_to(("d", "p"))] == [("d", "c")]
    assert relations.references_to(("d", "p2")) == []
    assert [one.child for one in relations.lost()] == [("d", "c")]
    catalog.run(b"ALTER TABLE c DROP FOREIGN KEY other", b"d")
    assert catalog.relations.lost() == []
