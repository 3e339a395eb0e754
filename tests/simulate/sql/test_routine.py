"""Stored procedures and functions. Their events are those of a real server (routine_scenarios, stored_events)."""

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError
from pybinlog.simulate import ScenarioError, simulate
from tests.simulate.sql.world import World

MIXING = "-- server: gtid=off enforce_gtid_consistency=off\n"
TABLES = """
con1: CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20)) ENGINE=InnoDB;
con1: CREATE TABLE n (a INT) ENGINE=MyISAM;
"""
BOTH = """
DELIMITER //
con1: CREATE PROCEDURE p (x INT, y VARCHAR(9)) BEGIN INSERT INTO t VALUES (x, y); INSERT INTO n VALUES (x + 1); END//
con1: CREATE FUNCTION f (x INT) RETURNS INT DETERMINISTIC BEGIN INSERT INTO n VALUES (x); RETURN x * 2; END//
DELIMITER ;
"""
FUNCTION = "CREATE FUNCTION f () RETURNS {} DETERMINISTIC {}"


def test_each_statement_of_a_procedure_is_explained() -> None:
    call = "con1: BEGIN;\ncon1: CALL p(1, 'it''s');\ncon1: COMMIT;\n"
    lines = list(simulate(f"-- server: format=STATEMENT\n{MIXING}{TABLES}{BOTH}{call}").explain())
    at = lines.index("con1: CALL p(1, 'it''s')")
    assert lines[at + 1].startswith("con1: INSERT INTO t VALUES ( NAME_CONST('x',1), NAME_CONST('y',_utf8mb4'it\\'s'")
    assert lines[at + 2] == "    T   F - S   E - I   C - T   F - C"
    assert lines[at + 5 : at + 7] == [
        "con1: INSERT INTO n VALUES ( NAME_CONST('x',1) + 1)",
        "    N   F - S   E - W   C - T   F - C",
    ]


def test_a_statement_that_calls_a_function_is_one_on_its_tables() -> None:
    lines = list(
        simulate(f"{MIXING}{TABLES}{BOTH}con1: INSERT INTO t VALUES (f(3), '');\ncon1: SELECT f(4);\n").explain()
    )
    assert lines[lines.index("con1: INSERT INTO t VALUES (f(3), '')") + 1].split() == (
        "M F - R E - I C - ST F - DC".split()
    )
    assert lines[lines.index("con1: SELECT f(4)") + 1].split() == "N F - R E - I C - S F - D".split()


@pytest.mark.parametrize("form", ["STATEMENT", "ROW", "MIXED"])
def test_what_routines_change(form: str) -> None:
    calls = "con1: CALL p(1, 'a');\ncon1: SELECT f(5);\ncon1: INSERT INTO t SELECT f(a), 'f' FROM t;\n"
    result = simulate(f"-- server: format={form}\n{MIXING}{TABLES}{BOTH}{calls}")
    assert result.tables() == {"test.n": [(2,), (5,), (1,)], "test.t": [(1, "a"), (2, "f")]}


def test_a_replica_runs_procedures_as_their_statements_and_calls_functions() -> None:
    from pybinlog.simulate import Scenario
    from pybinlog.simulate.replica import compare_formats

    calls = "con1: CALL p(1, 'a\\'\n');\ncon1: SELECT f(5), f(6);\ncon1: INSERT INTO t VALUES (f(7), 'f');\n"
    assert list(compare_formats(Scenario.parse(f"{MIXING}{TABLES}{BOTH}{calls}"))) == [
        f"format={form}: the replica has the same rows" for form in ("STATEMENT", "ROW", "MIXED")
    ]


@pytest.mark.parametrize(
    ("statement", "number", "message"),
    [
        ("DROP PROCEDURE q", 1305, "PROCEDURE d.q does not exist"),
        ("DROP FUNCTION q", 1305, "FUNCTION d.q does not exist"),
        ("CREATE PROCEDURE P () DELETE FROM t", 1304, "PROCEDURE P already exists"),
        ("SELECT g(1)", 1318, "Incorrect number of arguments for FUNCTION d.g; expected 0, got 1"),
        ("CREATE FUNCTION h () RETURNS INT DETERMINISTIC DELETE FROM t", 1320, "No RETURN found in FUNCTION d.h"),
    ],
)
def test_errors_of_a_server(statement: str, number: int, message: str) -> None:
    world = World()
    world.run("CREATE TABLE t (a INT)")
    world.run("CREATE PROCEDURE p () DELETE FROM t")
    world.run("CREATE FUNCTION g () RETURNS INT DETERMINISTIC RETURN 1")
    with pytest.raises(SqlError) as caught:
        world.run(statement)
    assert (caught.value.number, caught.value.message) == (number, message)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("q", (1305, "PROCEDURE test.q does not exist")),
        ("x.p()", (1305, "PROCEDURE x.p does not exist")),
        ("p(1)", (1318, "Incorrect number of arguments for PROCEDURE test.p; expected 2, got 1")),
        ("p(3000000000, '')", (1264, "Out of range value for column 'x' at row 1")),
        ("p(1, '0123456789')", (1406, "Data too long for column 'y' at row 1")),
    ],
)
def test_errors_of_calls(call: str, error: tuple[int, str]) -> None:
    result = simulate(f"{MIXING}{TABLES}{BOTH}-- !error\ncon1: CALL {call};\n")
    assert [found[1:] for found in result.errors] == [error]


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("CREATE PROCEDURE p (OUT x INT) DELETE FROM t", "an OUT parameter"),
        ("CREATE PROCEDURE p (x DATE) DELETE FROM t", "of the type date"),
        (
            "CREATE PROCEDURE p (x VARCHAR(5) CHARSET latin1) DELETE FROM t",
            "has those of integers and of text in utf8mb4",
        ),
        ("CREATE PROCEDURE p () SELECT 1", "a body with other statements than INSERT, REPLACE, UPDATE and DELETE"),
        ("CREATE PROCEDURE p () BEGIN DECLARE x INT; END", "a body with other statements"),
        (FUNCTION.format("INT", "BEGIN RETURN 1; DELETE FROM t; END"), "a statement after RETURN"),
        (FUNCTION.format("DATE", "RETURN NOW()"), "of the type date"),
        ("UPDATE t SET a = 1 WHERE a = g()", "the function G() in a condition"),
        ("SELECT a FROM t ORDER BY g()", "the function G() in a condition, or with an order"),
        ("CREATE TRIGGER z BEFORE INSERT ON t FOR EACH ROW UPDATE t SET a = g()", "the function G()"),
    ],
)
def test_what_the_model_lacks(statement: str, missing: str) -> None:
    world = World()
    world.run("CREATE TABLE t (a INT)")
    world.run("CREATE FUNCTION g () RETURNS INT DETERMINISTIC RETURN 1")
    with pytest.raises(UnsupportedStatement) as caught:
        world.run(statement)
    assert missing in str(caught.value)


def test_5_6_has_no_routines_in_the_model() -> None:
    with pytest.raises(ScenarioError, match=r"line 5: a PROCEDURE of 5\.6 is not in the model"):
        simulate(f"-- server: version=5.6\n{TABLES}con1: CREATE PROCEDURE p () DELETE FROM n;\n")


def test_a_failing_function_of_a_select() -> None:
    text = f"-- server: format=STATEMENT\n{MIXING}{TABLES}{BOTH}-- !error\ncon1: SELECT f(2147483647);\n"
    with pytest.raises(ScenarioError, match="fails in a SELECT is not in the model"):
        simulate(text)
    assert simulate(text.replace("STATEMENT", "ROW")).errors[0][1] == 1264


def test_a_result_keeps_the_collation_that_is_named() -> None:
    made = FUNCTION.format("VARCHAR(9) COLLATE utf8mb4_bin", "RETURN 'a'")
    result = simulate(f"con1: {made};\n")
    assert any(
        "RETURNS varchar(9) CHARSET utf8mb4 COLLATE utf8mb4_bin DETERMINISTIC" in line for line in result.outline()
    )
