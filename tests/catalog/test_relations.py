"""The foreign keys of statements: as a part of a table's definition, or of a column's."""

import pytest

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.relations import Relations, name_of
from pybinlog.schema.dialect import Dialect
from pybinlog.statement import Session
from pybinlog.statement.effect import Reference

CASES: dict[str, list[tuple[str, ...]]] = {
    "CREATE TABLE c (id INT, p INT, FOREIGN KEY f (id, p) REFERENCES p (x, y) ON DELETE CASCADE)": [("id", "p")],
    "CREATE TABLE c (id INT DEFAULT (ROUND(1, 2)), `f p` INT REFERENCES p ON DELETE CASCADE)": [("f p",)],
    "CREATE TABLE c (e ENUM('a', 'b') DEFAULT 'b' REFERENCES p (e), KEY (e, f), g INT REFERENCES p (id))": [
        ("e",),
        ("g",),
    ],
    "CREATE TABLE c (KEY (a, b), CONSTRAINT f FOREIGN KEY (a) REFERENCES p (a), b INT REFERENCES p (b))": [
        ("a",),
        ("b",),
    ],
    "ALTER TABLE c ADD COLUMN IF NOT EXISTS p INT REFERENCES p (id), ADD q INT REFERENCES p (id)": [("p",), ("q",)],
    "ALTER TABLE c ADD (a INT, p INT REFERENCES p (id)), CHANGE COLUMN x y INT REFERENCES p (id)": [("p",), ("y",)],
    "ALTER TABLE c MODIFY p INT REFERENCES p (id), ADD FOREIGN KEY (q) REFERENCES p (id)": [("p",), ("q",)],
}


FUNCTION = "CREATE FUNCTION f() RETURNS INT RETURN 1"
MARIADB = Dialect(True, 110_800)
MYSQL = Dialect(False, 90_700)


@pytest.mark.parametrize("text", CASES)
def test_the_columns_that_refer(text: str) -> None:
    found = relations_of(text).references_to(("d", "p"))
    assert sorted(one.child_columns for one in found) == sorted(CASES[text])
    assert {one.child for one in found} == {("d", "c")}


def relations_of(*statements: str, database: str = "d") -> Relations:
    definitions = Definitions()
    for text in statements:
        definitions.run(text, Session(database))
    return definitions.relations


@pytest.mark.parametrize(
    ("statement", "references"),
    [
        (
            "CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES e.p (X) ON DELETE SET NULL ON UPDATE NO ACTION)",
            {("e", "p"): Reference(("d", "c"), ("a",), ("x",), "SET NULL", "NO ACTION", "c_ibfk_1")},
        ),
        (
            "CREATE TABLE IF NOT EXISTS e.c (a INT REFERENCES p MATCH FULL ON UPDATE CASCADE, b INT)",
            {("e", "p"): Reference(("e", "c"), ("a",), (), "", "CASCADE")},
        ),
        (
            "CREATE TABLE c (`a,(` INT DEFAULT (ROUND(1, 2)), CONSTRAINT g FOREIGN KEY f (b, a) REFERENCES p (y, x))",
            {("d", "p"): Reference(("d", "c"), ("b", "a"), ("y", "x"), "", "", "g")},
        ),
        ("CREATE TEMPORARY TABLE c (a INT REFERENCES p (x))", {}),
        (
            "CREATE TABLE c (a FANCY, FOREIGN KEY (a) REFERENCES p (x))",
            {("d", "p"): Reference(("d", "c"), ("a",), ("x",), "", "", "c_ibfk_1")},
        ),
        (
            "ALTER TABLE IF EXISTS c ADD COLUMN IF NOT EXISTS (a INT, b INT REFERENCES p (x) ON DELETE RESTRICT)",
            {("d", "p"): Reference(("d", "c"), ("b",), ("x",), "RESTRICT", "")},
        ),
        (
            "CREATE TABLE c (a INT /*M!100100 REFERENCES p (x) */)",
            {("d", "p"): Reference(("d", "c"), ("a",), ("x",), "", "")},
        ),
        ("CREATE TABLE c (a INT COMMENT 'REFERENCES p (x)')", {}),
        ("INSERT INTO c VALUES ('CREATE TABLE c (a INT REFERENCES p (x))')", {}),
        ("ALTER USER c REFERENCES", {}),
        ("CREATE TABLE c (a INT REFERENCES", {}),
        ("CREATE TABLE c (a INT 'REFERENCES", {}),
    ],
)
def test_the_references_of_a_statement(statement: str, references: dict[tuple[str, str], Reference]) -> None:
    relations = relations_of(statement)
    for key in (("d", "p"), ("e", "p"), ("d", "c")):
        assert relations.references_to(key) == ([references[key]] if key in references else [])


@pytest.mark.parametrize(
    ("action", "cascades"),
    [("CASCADE", True), ("SET NULL", True), ("SET DEFAULT", True), ("RESTRICT", False), ("NO ACTION", False)],
)
def test_the_actions_that_change_the_rows_that_refer(action: str, cascades: bool) -> None:
    (deletes,) = relations_of(f"CREATE TABLE c (a INT REFERENCES p (x) ON DELETE {action})").references_to(("d", "p"))
    assert (deletes.cascades_deletes, deletes.cascades_updates) == (cascades, False)
    (updates,) = relations_of(f"CREATE TABLE c (a INT REFERENCES p (x) ON UPDATE {action})").references_to(("d", "p"))
    assert (updates.cascades_deletes, updates.cascades_updates) == (False, cascades)


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("CREATE TRIGGER x BEFORE insert ON t FOR EACH ROW SET @a = 1", ("d", "t")),
        ("CREATE DEFINER=`a`@`b` TRIGGER IF NOT EXISTS e.x AFTER INSERT ON `e` . `t``u` FOR EACH ROW", ("e", "t`u")),
        ("/*!50003 CREATE*/ /*!50017 DEFINER=`a`*/ /*!50003 TRIGGER `x` AFTER INSERT ON t FOR EACH ROW */", ("d", "t")),
    ],
)
def test_the_triggers_of_a_table(statement: str, table: tuple[str, str]) -> None:
    other = statement.replace("x", "y").replace("insert", "DELETE").replace("INSERT", "DELETE")
    relations = relations_of(statement, statement, other)
    assert relations.triggers_of(table) == {"x": ("INSERT",), "y": ("DELETE",)}
    assert relations.triggers_of(("d", "other")) == {}


TRIGGER = "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1"


@pytest.mark.parametrize(
    ("statements", "tables"),
    [
        (["DROP TRIGGER x"], []),
        (["DROP TRIGGER IF EXISTS d.x"], []),
        (["DROP TRIGGER e.x", "DROP TRIGGER y"], ["t"]),
        (["DROP TABLE u"], ["t"]),
        (["DROP TABLE t"], []),
        (["DROP DATABASE d"], []),
        (["CREATE OR REPLACE TABLE t (a INT)"], []),
        (["RENAME TABLE t TO u"], ["u"]),
        (["ALTER TABLE t RENAME u"], ["u"]),
        (["RENAME TABLE t TO v, w TO t, v TO w"], ["w"]),
        (["RENAME TABLE t TO u", "CREATE OR REPLACE TRIGGER x AFTER DELETE ON v FOR EACH ROW SET @a = 1"], ["v"]),
        (["RENAME TABLE t TO e.t", "DROP TRIGGER x"], ["e.t"]),
        (["RENAME TABLE t TO e.t", "DROP TRIGGER e.x"], []),
    ],
)
def test_a_trigger_follows_its_table(statements: list[str], tables: list[str]) -> None:
    relations = relations_of(TRIGGER, *statements)
    keys = [(database, name) for database in "de" for name in "tuvw"]
    found = [key for key in keys if relations.triggers_of(key)]
    assert [name if database == "d" else f"e.{name}" for database, name in found] == tables


CHILD = "CREATE TABLE c (a INT, b INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (x), FOREIGN KEY (b) REFERENCES p (y))"


@pytest.mark.parametrize(
    ("statements", "references"),
    [
        ([], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["RENAME TABLE p TO q"], {"q": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["ALTER TABLE p RENAME = e.q"], {"e.q": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["RENAME TABLE p TO q, o TO p, q TO o"], {"o": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["RENAME TABLE c TO k"], {"p": ["k.f(a→x)", "k.k_ibfk_1(b→y)"]}),
        (["RENAME TABLE c TO k", "ALTER TABLE k DROP FOREIGN KEY k_ibfk_1"], {"p": ["k.f(a→x)"]}),
        (["ALTER TABLE c DROP CONSTRAINT IF EXISTS F"], {"p": ["c.c_ibfk_1(b→y)"]}),
        (["ALTER TABLE c DROP FOREIGN KEY f, DROP FOREIGN KEY c_ibfk_1"], {}),
        (["ALTER TABLE k DROP FOREIGN KEY f"], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["DROP TABLE c"], {}),
        (["DROP TABLE p"], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["DROP TABLE p", "RENAME TABLE q TO p"], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["DROP DATABASE d"], {}),
        (["CREATE OR REPLACE TABLE c (a INT)"], {}),
        (["ALTER TABLE p RENAME COLUMN x TO y, CHANGE y x INT"], {"p": ["c.f(a→y)", "c.c_ibfk_1(b→x)"]}),
        (["ALTER TABLE c RENAME COLUMN a TO z"], {"p": ["c.c_ibfk_1(b→y)", "c.f(z→x)"]}),
        (
            ["ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p (z)", "ALTER TABLE c DROP FOREIGN KEY c_ibfk_2"],
            {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]},
        ),
        (["CREATE TEMPORARY TABLE c (a INT)", "DROP TABLE c"], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
        (["DROP TEMPORARY TABLE c"], {"p": ["c.f(a→x)", "c.c_ibfk_1(b→y)"]}),
    ],
)
def test_a_foreign_key_follows_its_tables(statements: list[str], references: dict[str, list[str]]) -> None:
    relations = relations_of(CHILD, *statements)
    found: dict[str, list[str]] = {}
    for key in [(database, name) for database in "de" for name in "ckopq"]:
        name = key[1] if key[0] == "d" else ".".join(key)
        for one in relations.references_to(key):
            found.setdefault(name, []).append(
                f"{one.child[1]}.{one.name}({','.join(one.child_columns)}→{','.join(one.columns)})"
            )
    assert found == references


def test_a_name_that_the_server_gave_is_uncertain_beside_references_of_columns() -> None:
    made = "CREATE TABLE c (a INT REFERENCES p (x), b INT, FOREIGN KEY (b) REFERENCES p (y))"
    relations = relations_of(made, "ALTER TABLE c DROP FOREIGN KEY c_ibfk_1")
    assert [one.name for one in relations.references_to(("d", "p"))] == ["", ""]


def test_a_table_without_a_database_has_no_relations() -> None:
    relations = relations_of(
        "CREATE TABLE c (a INT REFERENCES p (x))",
        "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @a = 1",
        database="",
    )
    assert (relations.references_to(("", "p")), relations.triggers_of(("", "t"))) == ([], {})


@pytest.mark.parametrize(
    ("statements", "keys"),
    [
        (["CREATE TABLE t (a INT KEY, b INT UNIQUE, c INT, KEY (c), UNIQUE K (c, b))"], {"k": ["c", "b"], "b": ["b"]}),
        (
            ["CREATE TABLE t (a INT UNIQUE)", "ALTER TABLE t ADD UNIQUE u (b), ADD c INT UNIQUE"],
            {"a": ["a"], "u": ["b"], "c": ["c"]},
        ),
        (["CREATE TABLE t (a INT UNIQUE, b INT UNIQUE)", "ALTER TABLE t DROP KEY A, DROP INDEX x"], {"b": ["b"]}),
        (["CREATE TABLE t (a INT UNIQUE)", "DROP INDEX a ON t"], {}),
        (["CREATE TABLE t (a INT, UNIQUE u (a, b))", "CREATE UNIQUE INDEX v ON t (c)"], {"u": ["a", "b"], "v": ["c"]}),
        (["CREATE TABLE t (a INT, UNIQUE u (b, A))", "ALTER TABLE t RENAME COLUMN a TO c"], {"u": ["b", "c"]}),
        (
            ["CREATE TABLE t (a INT, UNIQUE u (b, A))", "ALTER TABLE t CHANGE a c INT UNIQUE"],
            {"u": ["b", "c"], "c": ["c"]},
        ),
        (
            ["CREATE TABLE t (a INT UNIQUE)", "ALTER TABLE t MODIFY a INT KEY, ADD PRIMARY KEY (a), ADD KEY (b)"],
            {"a": ["a"]},
        ),
        (["CREATE TABLE u (a INT UNIQUE)", "CREATE TABLE t LIKE u"], {"a": ["a"]}),
        (["create table u (a int, unique (a, b))", "create table t\nlike u"], {"a": ["a", "b"]}),
        (["CREATE TABLE u (a INT UNIQUE)", "RENAME TABLE u TO t"], {"a": ["a"]}),
        (["CREATE TABLE u (a INT UNIQUE)", "ALTER TABLE u RENAME d.t"], {"a": ["a"]}),
        (["CREATE TABLE t (a INT UNIQUE)", "CREATE TABLE IF NOT EXISTS t (b INT UNIQUE)"], {"a": ["a"], "b": ["b"]}),
        (["CREATE TABLE t (a INT UNIQUE)", "CREATE TABLE t (b INT UNIQUE)"], {"b": ["b"]}),
        (["CREATE TABLE t (a INT UNIQUE)", "CREATE TEMPORARY TABLE t (b INT UNIQUE)", "DROP TABLE t"], {"a": ["a"]}),
        (["CREATE TABLE t (a INT UNIQUE)", "RENAME TABLE t TO u"], {}),
    ],
)
def test_the_unique_keys_of_a_table(statements: list[str], keys: dict[str, list[str]]) -> None:
    relations = relations_of(*statements)
    for one in (relations, relations.copy()):
        found = {name_of(key): [part.column for part in key.parts] for key in one.unique_keys.of(("d", "t"))}
        assert found == keys


C1 = "CREATE TABLE c1 (a INT, FOREIGN KEY (a) REFERENCES p (x) ON DELETE CASCADE)"
C2 = "CREATE TABLE c2 (a INT, FOREIGN KEY (a) REFERENCES c1 (a) ON UPDATE SET NULL)"
C3 = "CREATE TABLE c3 (a INT, FOREIGN KEY (a) REFERENCES c2 (a) ON DELETE RESTRICT)"


@pytest.mark.parametrize(
    ("statements", "tables"),
    [
        ([], ["p"]),
        ([C1, C2, C3], ["p", "c1", "c2"]),
        ([C1, "ALTER TABLE c1 DROP FOREIGN KEY c1_ibfk_1"], ["p"]),
        ([C1.replace("p (x)", "P (x)")], ["p", "c1"]),
        (["CREATE TABLE p (x INT)", "CREATE TABLE P (x INT)", C1.replace("p (x)", "P (x)")], ["p"]),
        (["CREATE TABLE p (x INT REFERENCES p (x) ON DELETE CASCADE)"], ["p"]),
        (["CREATE TRIGGER g AFTER DELETE ON p FOR EACH ROW DELETE FROM u"], None),
        ([C1, "CREATE TRIGGER g AFTER DELETE ON c1 FOR EACH ROW DELETE FROM u"], None),
        (["CREATE TRIGGER g AFTER DELETE ON p FOR EACH ROW DELETE FROM u", "DROP TRIGGER g"], ["p"]),
        (["CREATE VIEW p AS SELECT * FROM t"], None),
        (["CREATE VIEW v AS SELECT * FROM t", "RENAME TABLE v TO p"], None),
        (["CREATE VIEW p AS SELECT * FROM t", "RENAME TABLE p TO v"], ["p"]),
        (["CREATE VIEW p AS SELECT * FROM t", "DROP VIEW IF EXISTS q, p"], ["p"]),
        (["CREATE VIEW p AS SELECT * FROM t", "DROP DATABASE d", "CREATE TABLE p (x INT)"], ["p"]),
    ],
)
def test_the_tables_that_a_change_of_p_reaches(statements: list[str], tables: list[str] | None) -> None:
    relations = relations_of(*statements)
    for one in (relations, relations.copy()):
        assert one.reached([("d", "p")]) == (None if tables is None else {("d", name) for name in tables})


@pytest.mark.parametrize(
    ("statements", "text", "reaches_all"),
    [
        ([], "INSERT INTO p VALUES (f())", False),
        ([FUNCTION], "INSERT INTO p VALUES (f())", True),
        ([FUNCTION], "UPDATE p SET x = d.`F` (1)", True),
        ([FUNCTION], "INSERT INTO p VALUES (g(f))", False),
        ([FUNCTION, "DROP FUNCTION f"], "INSERT INTO p VALUES (f())", False),
        ([FUNCTION, "DROP DATABASE d"], "INSERT INTO p VALUES (f())", False),
        ([FUNCTION, "DROP TABLE f"], "INSERT INTO p VALUES (f())", True),
        (["CREATE FUNCTION f RETURNS STRING SONAME 'f.so'"], "INSERT INTO p VALUES (f())", False),
    ],
)
def test_a_statement_that_calls_a_function_reaches_all_tables(
    statements: list[str], text: str, reaches_all: bool
) -> None:
    relations = relations_of(*statements)
    for one in (relations, relations.copy()):
        assert one.reached([("d", "p")], text) == (None if reaches_all else {("d", "p")})
        assert one.reached([], text) == set()


@pytest.mark.parametrize(
    ("engine", "dialect", "reaches"),
    [
        ("", MARIADB, True),
        ("ENGINE=InnoDB", MARIADB, True),
        ("ENGINE=Aria", MARIADB, False),
        ("ENGINE=MyISAM", MARIADB, False),
        ("ENGINE=MyISAM", MYSQL, True),
    ],
)
def test_mariadbs_other_engines_ignore_foreign_keys(engine: str, dialect: Dialect, reaches: bool) -> None:
    for statements in (
        [f"CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (x)) {engine}"],
        [f"CREATE TABLE c (a INT) {engine}", "ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p (x)"],
        [
            f"CREATE TABLE b (a INT) {engine}",
            "CREATE TABLE c LIKE b",
            "ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p (x)",
        ],
    ):
        definitions = Definitions()
        for text in statements:
            definitions.run(text, Session("d", dialect=dialect))
        assert bool(definitions.relations.references_to(("d", "p"))) == reaches


def test_tables_whose_cascades_were_dropped_are_still_known() -> None:
    relations = relations_of(C1, "ALTER TABLE c1 DROP FOREIGN KEY c1_ibfk_1", "RENAME TABLE p TO q, c1 TO c")
    for one in (relations, relations.copy()):
        assert one.children() == [("d", "c")]
        assert [parent for parent, _ in one.references_of(("d", "c"))] == [("d", "q")]
        assert one.references_to(("d", "q")) == []


def test_only_the_last_keys_that_were_dropped_are_kept() -> None:
    relations = relations_of(*(text for n in range(1030) for text in (C1.replace("c1", f"c{n}"), f"DROP TABLE c{n}")))
    assert len(relations.children()) == 1024
    assert ("d", "c5") not in relations.children()


def test_names_that_differ_in_case_may_be_one_table() -> None:
    relations = relations_of("CREATE TABLE T (a INT)")
    assert relations.spellings(("d", "t")) == {("d", "t"), ("d", "T")}
    assert relations.spellings(("D", "X")) == {("D", "X"), ("d", "x")}
    both = relations_of("CREATE TABLE T (a INT)", "CREATE TABLE t (a INT)")
    assert both.spellings(("d", "t")) == {("d", "t")}


@pytest.mark.parametrize(
    ("statement", "uncertain"),
    [
        ("RENAME TABLE C1 TO k", True),
        ("ALTER TABLE D.c1 ADD b INT, RENAME k", True),
        ("DROP TABLE C1", True),
        ("DROP DATABASE D", True),
        ("ALTER TABLE C1 RENAME COLUMN a TO b", True),
        ("ALTER TABLE C1 CHANGE a b INT", True),
        ("ALTER TABLE c1 CHANGE a b INT", False),
        ("RENAME TABLE c1 TO k", False),
        ("ALTER TABLE C1 ADD b INT", False),
        ("CREATE TABLE C1 (a INT)", False),
    ],
)
def test_a_table_that_refers_may_be_gone_in_another_spelling(statement: str, uncertain: bool) -> None:
    relations = relations_of(C1, statement)
    for one in (relations, relations.copy()):
        assert one.is_respelled(("d", "c1")) is uncertain
    relations = relations_of(C1, "CREATE TABLE C1 (a INT)", statement)
    assert not relations.is_respelled(("d", "c1"))


FOREIGN_KEY = "CREATE TABLE c1 (a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (x) ON DELETE CASCADE)"


@pytest.mark.parametrize(
    ("statement", "dialect", "expected"),
    [
        ("ALTER TABLE c1 DROP FOREIGN KEY F", MYSQL, None),
        ("ALTER TABLE C1 DROP FOREIGN KEY f", MYSQL, None),
        ("ALTER TABLE C1 DROP FOREIGN KEY f", MARIADB, None),
        ("ALTER TABLE C1 DROP FOREIGN KEY f", Dialect(True, 120_100), "d.C1"),  # has one of a name in each table
        ("ALTER TABLE C1 DROP FOREIGN KEY f", Dialect(), "d.C1"),
        ("ALTER TABLE C1 DROP CONSTRAINT f", MYSQL, "d.C1"),  # perhaps a CHECK
        ("ALTER TABLE D.c1 DROP FOREIGN KEY f", MYSQL, "D.c1"),
        ("ALTER TABLE C1 DROP FOREIGN KEY g", MYSQL, ""),
        ("ALTER TABLE c2 DROP FOREIGN KEY f", MYSQL, ""),
    ],
)
def test_a_foreign_key_may_be_dropped_in_another_spelling(
    statement: str, dialect: Dialect, expected: str | None
) -> None:
    definitions = Definitions()
    for text in (FOREIGN_KEY, statement):
        definitions.run(text, Session("d", dialect=dialect))
    for relations in (definitions.relations, definitions.relations.copy()):
        assert [one.dropped_as for one in relations.references_to(("d", "p"))] == (
            [] if expected is None else [expected]
        )
    definitions = Definitions()
    for text in ("CREATE TABLE C1 (a INT)", FOREIGN_KEY, statement):
        definitions.run(text, Session("d", dialect=dialect))
    of_others = [one.dropped_as for one in definitions.relations.references_to(("d", "p"))]
    assert of_others == ([] if statement.startswith("ALTER TABLE c1") else [""]), "both names are known as two tables"


def test_a_key_that_is_made_again_after_it_may_have_been_dropped_counts_twice() -> None:
    definitions = Definitions()
    for text in (FOREIGN_KEY, "ALTER TABLE D.c1 DROP FOREIGN KEY f", FOREIGN_KEY):
        definitions.run(text, Session("d", dialect=MYSQL))
    assert [one.dropped_as for one in definitions.relations.references_to(("d", "p"))] == ["", "D.c1"]
