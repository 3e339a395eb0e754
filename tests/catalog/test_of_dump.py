"""A dump's tables at each place of the logs: it leads on, and back, from the place that it describes."""

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.of_dump import AMBIGUOUS, CONTRADICTED, MOST_PLACES, of_dump
from pybinlog.catalog.tables import Known, Unknown
from pybinlog.catalog.timeline import Cursor, Place, Statement, of_log
from pybinlog.statement import LoggedStatement

SHORT = {Unknown(CONTRADICTED, "the dump"): "!", Unknown(AMBIGUOUS, "the dump"): "?"}


def told(dump: str, *statements: str, at: Place | None = None, at_end: bool = False, name: str = "t") -> list[str]:
    """The columns of the table d.t before, between and after the statements, by a dump; or why they are unknown.

    That is "!" if statements contradict the dump, and "?" if its place is not certain. The statements are at the
    positions 100, 200 ... of the first log.
    """
    known = Catalog()
    known.read("dump.sql", f"USE d;\n{dump}")
    logged = [
        Statement((0, 100 * number), LoggedStatement(text.encode(), b"d", file=b"log", position=100 * number))
        for number, text in enumerate(statements, 1)
    ]
    definitions = known.definitions
    timeline = of_dump(definitions.tables.items(), definitions.sources, of_log(logged)[1], at, at_end=at_end)
    cursor = Cursor(timeline)
    found = []
    for number in range(len(statements) + 1):
        cursor.move_to((0, 100 * number + 1))
        state = cursor.get(("d", name))
        if isinstance(state, Known):
            found.append(" ".join(column.name for column in state.columns))
        else:
            found.append("" if state is None else SHORT.get(state) or f"{state.reason}, {state.where}")
    return found


HERE = "log, position 100"


@pytest.mark.parametrize(
    ("statement", "of_start", "of_any_place", "of_end"),
    [
        ("ALTER TABLE t ADD c INT", "a b | a b c", "a b | a b c", "! | !"),
        ("ALTER TABLE t ADD b INT", "! | !", "a | a b", "a | a b"),
        ("ALTER TABLE t ADD b BIGINT", "! | !", "! | !", "! | !"),
        ("ALTER TABLE t ADD a INT", "! | !", "! | !", "! | !"),
        (
            "ALTER TABLE t ADD a INT FIRST",
            "! | !",
            "b | a b",
            "b | a b",
        ),
        (
            "ALTER TABLE t ADD b INT AFTER a",
            "! | !",
            "a | a b",
            "a | a b",
        ),
        ("ALTER TABLE t ADD a INT AFTER b", "! | !", "! | !", "! | !"),
        ("ALTER TABLE t ADD b INT FIRST", "! | !", "! | !", "! | !"),
        ("ALTER TABLE t ADD (a INT, b INT)", "! | !", " | a b", " | a b"),
        ("ALTER TABLE t ADD (b INT, a INT)", "! | !", "! | !", "! | !"),
        (
            "ALTER TABLE t ADD COLUMN IF NOT EXISTS b INT",
            "a b | a b",
            "? | a b",
            "a statement may have added the column b, HERE | a b",
        ),
        (
            "ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT",
            "a b | a b c",
            "? | ?",
            "a statement may have added the column c, HERE | a b",
        ),
        ("ALTER TABLE t DROP a", "a b | b", "a b | b", "! | !"),
        (
            "ALTER TABLE t DROP x",
            "! | !",
            "a statement dropped the column x, HERE | a b",
            "a statement dropped the column x, HERE | a b",
        ),
        (
            "ALTER TABLE t DROP COLUMN IF EXISTS x",
            "a b | a b",
            "? | a b",
            "a statement dropped the column x, HERE | a b",
        ),
        ("ALTER TABLE t MODIFY b INT", "a b | a b", "? | a b", "a statement changed the column b, HERE | a b"),
        ("ALTER TABLE t MODIFY b BIGINT", "a b | a b", "a b | a b", "! | !"),
        ("ALTER TABLE t MODIFY x INT", "! | !", "! | !", "! | !"),
        (
            "ALTER TABLE t CHANGE x b INT",
            "! | !",
            "a statement changed the column x, HERE | a b",
            "a statement changed the column x, HERE | a b",
        ),
        ("ALTER TABLE t CHANGE b c INT", "a b | a c", "a b | a c", "! | !"),
        ("ALTER TABLE t MODIFY b INT FIRST", "a b | b a", "a b | b a", "! | !"),
        ("ALTER TABLE t MODIFY b INT AFTER a", "a b | a b", "? | a b", "a statement changed the column b, HERE | a b"),
        (
            "ALTER TABLE t MODIFY COLUMN IF EXISTS x INT",
            "a b | a b",
            "? | a b",
            "a statement changed the column x, HERE | a b",
        ),
        ("ALTER TABLE t RENAME COLUMN x TO B", "! | !", "a x | a b", "a x | a b"),
        ("ALTER TABLE t RENAME COLUMN b TO c", "a b | a c", "a b | a c", "! | !"),
        ("ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a", "a b | b a", "? | ?", "b a | a b"),
        (
            "ALTER TABLE t RENAME COLUMN IF EXISTS x TO b",
            "a b | a b",
            "? | a b",
            "a statement may have renamed the column x, HERE | a b",
        ),
        ("ALTER TABLE t ADD PRIMARY KEY (b)", "a b | a b", "? | ?", "a statement changed its primary key, HERE | a b"),
        (
            "ALTER TABLE t DROP PRIMARY KEY",
            "! | !",
            "a statement changed its primary key, HERE | a b",
            "a statement changed its primary key, HERE | a b",
        ),
        (
            "ALTER TABLE t ADD b INT KEY",
            "! | !",
            "a statement changed its primary key, HERE | a b",
            "a statement changed its primary key, HERE | a b",
        ),
        (
            "ALTER TABLE t CONVERT TO CHARACTER SET latin1",
            "a b | a b",
            "? | a b",
            "a statement converted its character set, HERE | a b",
        ),
        (
            "ALTER TABLE t ADD SYSTEM VERSIONING",
            "a b | a b row_start row_end",
            "? | ?",
            "a statement added or dropped system versioning, HERE | a b",
        ),
        ("ALTER TABLE t ADD b INT, RENAME COLUMN x TO a", "! | !", "x | a b", "x | a b"),
        (
            "ALTER TABLE t FANCY",
            "a b | a statement was not understood (ALTER TABLE ... FANCY is not in the model), HERE",
            "? | ?",
            "a statement was not understood (ALTER TABLE ... FANCY is not in the model), HERE | a b",
        ),
        (
            "ALTER TABLE t ADD c FANCY",
            "a b | a statement was not understood (the column type FANCY is not in the model), HERE",
            "? | ?",
            "a statement was not understood (the column type FANCY is not in the model), HERE | a b",
        ),
        ("ALTER TABLE t ENGINE=InnoDB", "a b | a b", "a b | a b", "a b | a b"),
        ("CREATE INDEX i ON t (a)", "a b | a b", "a b | a b", "a b | a b"),
        ("RENAME TABLE t TO u", "a b | ", "a b | ", "! | !"),
        ("RENAME TABLE u TO t", "! | !", " | a b", " | a b"),
        ("ALTER TABLE u RENAME t", "! | !", " | a b", " | a b"),
        ("ALTER TABLE t RENAME u, ADD c INT", "a b | ", "a b | ", "! | !"),
        ("CREATE TABLE t (a INT, b INT)", "! | !", " | a b", " | a b"),
        ("CREATE TABLE t (x INT)", "! | !", "! | !", "! | !"),
        ("CREATE TABLE IF NOT EXISTS t (x INT)", "a b | a b", "a b | a b", "a b | a b"),
        ("CREATE OR REPLACE TABLE t (x INT)", "a b | ", "a b | ", "! | !"),
        ("CREATE OR REPLACE TABLE t (a INT, b INT)", "a b | ", "? | ?", " | a b"),
        ("CREATE TABLE t LIKE u", "! | !", " | a b", " | a b"),
        ("DROP TABLE t", "a b | ", "a b | ", "! | !"),
        ("DROP TABLE IF EXISTS t", "a b | ", "a b | ", "! | !"),
        ("DROP TEMPORARY TABLE t", "a b | a b", "a b | a b", "a b | a b"),
        ("CREATE DATABASE d", "! | !", " | a b", " | a b"),
        ("CREATE DATABASE IF NOT EXISTS d", "a b | a b", "a b | a b", "a b | a b"),
        ("DROP DATABASE d", "a b | ", "a b | ", "! | !"),
        ("DROP DATABASE e", "a b | a b", "a b | a b", "a b | a b"),
        ("CREATE DATABASE e", "a b | a b", "a b | a b", "a b | a b"),
        ("ALTER TABLE t ADD c INT, DROP c", "! | !", "! | !", "! | !"),
        ("ALTER TABLE t ADD c BIGINT, DROP COLUMN a, ADD a INT", "a b | b c a", "a b | b c a", "! | !"),
        ("DROP", "a b | a b", "a b | a b", "a b | a b"),
    ],
)
def test_what_a_dump_says_before_and_after_a_statement(
    statement: str, of_start: str, of_any_place: str, of_end: str
) -> None:
    """The table t (a INT, b INT), in a dump made before the statement, at any place, or after it."""
    dump = "CREATE TABLE t (a INT, b INT);"
    found = [told(dump, statement, at=(0, 100)), told(dump, statement), told(dump, statement, at_end=True)]
    assert [" | ".join(one).replace(HERE, "HERE") for one in found] == [of_start, of_any_place, of_end]
    assert told(dump, statement, at=(0, 101)) == told(dump, statement, at=(1, 4)) == found[2]


@pytest.mark.parametrize(
    ("statements", "place", "expected"),
    [
        (["ALTER TABLE t ADD b INT", "ALTER TABLE t ADD c INT"], (0, 200), ["a", "a b", "a b c"]),
        (["ALTER TABLE t ADD b INT", "ALTER TABLE t ADD c INT"], None, ["a", "a b", "a b c"]),
        (["ALTER TABLE t ADD c INT", "ALTER TABLE t ADD d INT"], None, ["a b", "a b c", "a b c d"]),
        (["ALTER TABLE t ADD b INT", "DROP TABLE t", "CREATE TABLE t (x INT)"], None, ["a", "a b", "", ""]),
        (["CREATE TABLE t (a INT, b INT)", "ALTER TABLE t RENAME COLUMN b TO c"], None, ["", "a b", "a c"]),
        (["RENAME TABLE v TO u", "RENAME TABLE u TO t", "RENAME TABLE t TO w"], None, ["", "", "a b", ""]),
        (["ALTER TABLE t ADD c INT", "ALTER TABLE t DROP b", "ALTER TABLE t ADD b INT"], None, ["?", "?", "?", "?"]),
        (["ALTER TABLE t MODIFY b BIGINT", "ALTER TABLE t MODIFY a BIGINT"], None, ["a b", "a b", "a b"]),
        (["CREATE TABLE v (z INT)", "ALTER TABLE t ADD b INT"], (0, 100), ["!", "!", "!"]),
    ],
)
def test_a_dump_at_a_place_between_statements(statements: list[str], place: Place | None, expected: list[str]) -> None:
    assert told("CREATE TABLE t (a INT, b INT);", *statements, at=place) == expected


def test_a_table_has_its_names_at_each_place() -> None:
    statements = ["RENAME TABLE v TO u", "RENAME TABLE u TO t", "ALTER TABLE t RENAME TO w, ADD c INT"]
    names = ("v", "u", "t", "w")
    found = {name: told("CREATE TABLE t (a INT, b INT);", *statements, name=name) for name in names}
    assert found == {
        "v": ["a b", "", "", ""],
        "u": ["", "a b", "", ""],
        "t": ["", "", "a b", ""],
        "w": ["", "", "", "a b c"],
    }


def test_a_statement_that_contradicts_one_table_of_a_dump_says_the_place_of_the_others() -> None:
    """The dump has u, so it was made after CREATE; then b was there already, though t alone would leave it open."""
    statements = ["ALTER TABLE t MODIFY b INT", "CREATE TABLE u (x INT)"]
    assert told("CREATE TABLE t (a INT, b INT);", *statements) == ["?", "a b", "a b"]
    both = "CREATE TABLE t (a INT, b INT); CREATE TABLE u (x INT);"
    assert told(both, *statements) == [f"a statement changed the column b, {HERE}", "a b", "a b"]
    assert told(both, *statements, name="u") == ["", "", "x"]


def test_only_the_ends_of_the_logs_are_tried_for_a_table_that_many_statements_change() -> None:
    rest = ["CREATE TABLE IF NOT EXISTS t (x INT)"] * (MOST_PLACES - 2)
    statements = ["ALTER TABLE t ADD c INT", "ALTER TABLE t DROP COLUMN c"]
    dump = "CREATE TABLE t (a INT, b INT, c INT);"
    assert told(dump, *statements, *rest)[0] == "a b"
    assert told(dump, *statements, *rest, rest[0]) == ["!"] * (MOST_PLACES + 2)


@pytest.mark.parametrize("statement", ["ALTER TABLE T RENAME COLUMN a TO c", "DROP TABLE T", "RENAME TABLE D.t TO u"])
def test_a_statement_about_a_name_in_another_case_may_be_about_the_table(statement: str) -> None:
    dump = "CREATE TABLE t (a INT, b INT);"
    of_start = told(dump, statement, at=(0, 100))
    assert of_start[0] == "a b"
    assert "which may be this table" in of_start[1]
    assert told(dump, statement) == ["?", "?"]
    both = f"{dump} CREATE TABLE T (x INT); CREATE DATABASE D; USE D; CREATE TABLE t (x INT);"
    assert told(both, statement, at=(0, 100)) == ["a b", "a b"], "there are two tables"


def test_a_table_that_was_made_in_another_case_is_another_one() -> None:
    dump = "CREATE TABLE t (a INT, b INT);"
    assert told(dump, "CREATE TABLE T (x INT)", "ALTER TABLE T ADD y INT", at=(0, 100)) == ["a b"] * 3
