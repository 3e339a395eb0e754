"""Foreign keys, triggers, views and functions carry changes of rows on, by the definitions so far."""

import pytest

from pybinlog.catalog import Catalog
from pybinlog.feed.cascades import WATCHED, Cascades, Plan, bits_of
from pybinlog.statement.effect import Reference
from pybinlog.verbs import Operation
from pybinlog.views.options import ViewOptions, tables

P, C, G, N, S = ("d", "p"), ("d", "c"), ("d", "g"), ("d", "n"), ("d", "s")
STATEMENTS = (
    "CREATE TABLE p (id INT PRIMARY KEY, code INT UNIQUE)",
    "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE g (c INT, FOREIGN KEY (c) REFERENCES c (id) ON DELETE SET NULL)",
    "CREATE TABLE n (code INT, FOREIGN KEY (code) REFERENCES p (code) ON UPDATE SET NULL)",
    "CREATE TABLE s (id INT PRIMARY KEY, s INT, FOREIGN KEY (s) REFERENCES s (id) ON DELETE CASCADE)",
    "CREATE TABLE r (p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE RESTRICT)",
)
VIEW = "CREATE VIEW v AS SELECT * FROM p"
TRIGGER = "CREATE TRIGGER x AFTER DELETE ON r FOR EACH ROW DELETE FROM s"
FUNCTION = "CREATE FUNCTION f() RETURNS INT BEGIN DELETE FROM s; RETURN 1; END"


def known(*more: str) -> Catalog:
    catalog = Catalog()
    for text in (*STATEMENTS, *more):
        catalog.run(text.encode(), b"d")
    return catalog


@pytest.mark.parametrize(
    ("table", "operation", "columns", "expected"),
    [
        (P, "DELETE", None, {(C, "DELETE"), (G, "UPDATE")}),
        (P, "UPDATE", ["id"], {(C, "UPDATE")}),
        (P, "UPDATE", ["code"], {(N, "UPDATE")}),
        (P, "UPDATE", ["name"], set()),
        (P, "UPDATE", None, {(C, "UPDATE"), (N, "UPDATE")}),
        (C, "DELETE", None, {(G, "UPDATE")}),
        (S, "DELETE", None, {(S, "DELETE")}),
        (G, "DELETE", None, set()),
    ],
)
def test_foreign_keys_carry_changes_on(table: object, operation: str, columns: object, expected: object) -> None:
    assert set(known().relations.carried_on(table, operation, columns)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "operation", "text", "checks", "expected"),
    [
        ("p", Operation.DELETES, "DELETE FROM p", True, ["d.c", "d.g"]),
        ("p", Operation.DELETES, "DELETE FROM p", False, []),
        ("p", Operation.INSERTS, " replace p VALUES (1, 2)", True, ["d.c", "d.g"]),
        ("p", Operation.INSERTS, "INSERT INTO p VALUES (1, 2)", True, []),
        ("p", Operation.UPDATES, "UPDATE p SET ID = 4 WHERE code = 2", True, ["d.c"]),
        ("p", Operation.UPDATES, "UPDATE p SET name = 4 WHERE id = 2", True, []),
        ("v", Operation.UPDATES, "UPDATE v SET name = 4", True, None),
        ("r", Operation.DELETES, "DELETE FROM r", False, None),
        ("g", Operation.UPDATES, "UPDATE g SET c = f()", True, None),
        ("g", Operation.UPDATES, "UPDATE g SET c = g()", True, []),
    ],
)
def test_a_statement_changes_tables_that_it_does_not_name(
    table: str, operation: Operation, text: str, checks: bool, expected: list[str] | None
) -> None:
    cascades, catalog = Cascades(ViewOptions()), known(VIEW, TRIGGER, FUNCTION)
    for _ in range(2):
        found = cascades.of_statement(catalog, b"d", table.encode(), operation, text.encode(), checks)
        assert found == (None if expected is None else [(f"d.{table}", child) for child in expected])


def test_definitions_change_what_a_statement_does() -> None:
    cascades, catalog = Cascades(ViewOptions(tables=tables("d.c"))), known()
    asked = b"d", b"p", Operation.DELETES, b"DELETE FROM p", True
    assert cascades.of_statement(catalog, *asked) == [("d.p", "d.c")]
    catalog.run(b"DROP TABLE c", b"d")
    assert cascades.of_statement(catalog, *asked) == []
    catalog.run(TRIGGER.replace("ON r", "ON p").encode(), b"d")
    assert cascades.of_statement(catalog, *asked) is None


def test_only_columns_that_a_key_refers_to_matter() -> None:
    plan = Plan([("p", "c")], [(1, [("p", "c")]), (6, [("p", "n"), ("p", "c")])])
    assert plan.columns == 7
    assert [plan.of_columns(bits) for bits in (1, 2, 3, 8)] == [
        [("p", "c")],
        [("p", "n"), ("p", "c")],
        [("p", "c"), ("p", "n")],
        [],
    ]
    key = Reference(C, ("p",), ("id", "code"), "CASCADE", "CASCADE")
    assert bits_of(key, ["code", "x", "id"]) == 5
    far = [f"c{number}" for number in range(64)] + ["id"]
    assert [bits_of(key, names) for names in ([], ["id"], far)] == [WATCHED] * 3
    assert bits_of(key._replace(columns=()), ["id"]) == WATCHED


def test_a_catalog_for_keys_takes_statements_before_the_first_key_only_up_to_some_size() -> None:
    small, large = Catalog(keys_only=True), Catalog(keys_only=True)
    for catalog, comment in ((small, "x"), (large, "x" * (1 << 20))):
        catalog.run(STATEMENTS[0].encode(), b"d")
        catalog.run(f"ALTER TABLE y COMMENT '{comment}'".encode(), b"d")
        assert not catalog.may_reach_others
        catalog.run(STATEMENTS[1].encode(), b"d")
        assert catalog.may_reach_others
        assert catalog.relations.children() == [C]
    assert [P in catalog.definitions.tables for catalog in (small, large)] == [True, False]
