"""The foreign keys of statements: as a part of a table's definition, or of a column's."""

from __future__ import annotations

import pytest

from pybinlog.catalog.relations import Reference, Relations, name_of
from pybinlog.catalog.tables import Session
from pybinlog.schema import parse

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


@pytest.mark.parametrize("text", CASES)
def test_the_columns_that_refer(text: str) -> None:
    relations = Relations()
    relations.read(text, Session(database="d", where=""))
    found = relations.references_to(("d", "p"))
    assert sorted(one.child_columns for one in found) == sorted(CASES[text])
    assert {one.child for one in found} == {("d", "c")}


def relations_of(*statements: str) -> Relations:
    relations = Relations()
    for text in statements:
        session = Session(database="d", where="")
        relations.read(text, session)
        relations.unique_keys.follow(parse(text), text, session)
    return relations


@pytest.mark.parametrize(
    ("statement", "references"),
    [
        (
            "CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES e.p (X) ON DELETE SET NULL ON UPDATE NO ACTION)",
            {("e", "p"): Reference(("d", "c"), ("a",), ("x",), "SET NULL", "NO ACTION")},
        ),
        (
            "CREATE TABLE IF NOT EXISTS e.c (a INT REFERENCES p MATCH FULL ON UPDATE CASCADE, b INT)",
            {("e", "p"): Reference(("e", "c"), ("a",), (), "", "CASCADE")},
        ),
        (
            "CREATE TEMPORARY TABLE c (`a,(` INT DEFAULT (ROUND(1, 2)), FOREIGN KEY f (b, a) REFERENCES p (y, x))",
            {("d", "p"): Reference(("d", "c"), ("b", "a"), ("y", "x"), "", "")},
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
    relations = Relations()
    relations.read(statement, Session(database="d", where=""))
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
    relations = Relations()
    for text in (statement, statement, statement.replace("insert", "DELETE").replace("INSERT", "DELETE")):
        relations.read(text, Session(database="d", where=""))
    assert relations.triggers_of(table) == ["DELETE", "INSERT"]
    assert relations.triggers_of(("d", "other")) == []


def test_a_table_without_a_database_has_no_relations() -> None:
    relations = Relations()
    relations.read("CREATE TABLE c (a INT REFERENCES p (x))", Session(database="", where=""))
    relations.read("CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW", Session(database="", where=""))
    assert (relations.references_to(("", "p")), relations.triggers_of(("", "t"))) == ([], [])


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
    copies = relations.copy(), Relations()
    copies[1].update(relations)
    for one in (relations, *copies):
        found = {name_of(key): [part.column for part in key.parts] for key in one.unique_keys.of(("d", "t"))}
        assert found == keys


def test_relations_of_two_sources_are_added_up() -> None:
    one = relations_of("CREATE TABLE c (a INT UNIQUE REFERENCES p (x), b INT UNIQUE)")
    one.read("CREATE TRIGGER x AFTER INSERT ON p FOR EACH ROW", Session(database="d", where=""))
    other = relations_of("CREATE TABLE c (a INT UNIQUE, z INT UNIQUE REFERENCES p (y))")
    other.read("CREATE TRIGGER x AFTER DELETE ON p FOR EACH ROW", Session(database="d", where=""))
    made = one.copy()
    made.update(other)
    assert [found.columns for found in made.references_to(("d", "p"))] == [("x",), ("y",)]
    assert made.triggers_of(("d", "p")) == ["DELETE", "INSERT"]
    assert [name_of(key) for key in made.unique_keys.of(("d", "c"))] == ["a", "b", "z"]
    assert [found.columns for found in one.references_to(("d", "p"))] == [("x",)]
    assert one.triggers_of(("d", "p")) == ["INSERT"]
    assert [name_of(key) for key in one.unique_keys.of(("d", "c"))] == ["a", "b"]
