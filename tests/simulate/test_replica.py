"""--diff: replicas of logs of each format, and --explain: the letters of WL#2687's tables."""

import pytest

from pybinlog.simulate import Scenario, simulate
from pybinlog.simulate.replica import compare_formats
from tests.simulate.interleavings import interleaving

OPENING = """
-- server: version=5.6
con1: CREATE TABLE innodb_t (a INT PRIMARY KEY) ENGINE=InnoDB;
con1: CREATE TABLE myisam_t (a INT) ENGINE=MyISAM;
con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (1);
con2: INSERT INTO myisam_t VALUES (1);
con1: UPDATE myisam_t SET a = a + 10;
con2: UPDATE myisam_t SET a = a * 10;
con1: COMMIT;
"""
"""The second example of WL#2687."""
SAME = ["format=ROW: the replica has the same rows", "format=MIXED: the replica has the same rows"]


def test_the_opening_question_of_the_worklog() -> None:
    assert list(compare_formats(Scenario.parse(OPENING))) == [
        "format=STATEMENT: the replica differs",
        "    test.myisam_t: source (110), replica (20)",
        *SAME,
    ]


def test_a_replica_that_cannot_apply_a_log_says_why() -> None:
    """The delayed INSERT comes after the one that was possible because its row was deleted."""
    text = """
    -- server: version=5.6
    con1: CREATE TABLE innodb_t (a INT PRIMARY KEY) ENGINE=InnoDB;
    con1: CREATE TABLE myisam_t (a INT PRIMARY KEY) ENGINE=MyISAM;
    con1: BEGIN;
    con1: INSERT INTO innodb_t VALUES (1);
    con1: INSERT INTO myisam_t VALUES (5);
    con2: DELETE FROM myisam_t;
    con2: INSERT INTO myisam_t VALUES (5);
    con1: COMMIT;
    """
    assert list(compare_formats(Scenario.parse(text))) == [
        "format=STATEMENT: the replica differs",
        "    the replica stops with error 1062 (Duplicate entry '5' for key 'PRIMARY')",
        "    test.innodb_t: source (1), replica none of these",
        *SAME,
    ]


EQUAL = [f"format={form}: the replica has the same rows" for form in ("STATEMENT", "ROW", "MIXED")]
AUTO = "con1: CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b BLOB) ENGINE=InnoDB;\n"


@pytest.mark.parametrize(
    "text",
    [
        AUTO + "con1: INSERT INTO t (a) VALUES (1), (2);\ncon1: DELETE FROM t WHERE id = 2;\n"
        "con1: INSERT INTO t (a) VALUES (LAST_INSERT_ID() + 40);\ncon1: INSERT INTO t (a) VALUES (LAST_INSERT_ID());\n",
        AUTO + "con1: SET @i = 5, @S = X'ff', @n = NULL;\ncon1: INSERT INTO t (a, b) VALUES (@i, @s), (@n, @never);\n",
        AUTO + "con1: INSERT INTO t (a) VALUES (1);\ncon1: UPDATE t SET a = a + RAND() * 100000;\n",
        AUTO + "con1: XA START 'x';\ncon1: INSERT INTO t (a) VALUES (1);\ncon1: XA END 'x';\n"
        "con1: XA COMMIT 'x' ONE PHASE;\n",
        AUTO + "con1: XA START 'x', 'y', 7;\ncon1: INSERT INTO t (a) VALUES (1);\ncon1: XA END 'x', 'y', 7;\n"
        "con1: XA PREPARE 'x', 'y', 7;\n",
        AUTO + "con1: XA START 'x';\ncon1: INSERT INTO t (a) VALUES (1);\ncon1: XA END 'x';\ncon1: XA PREPARE 'x';\n"
        "con1: XA COMMIT 'x';\n",
        AUTO + "con1: SET auto_increment_increment = 10, auto_increment_offset = 5;\n"
        "con1: INSERT INTO t (a) VALUES (1), (2);\n",
        AUTO + "con1: CREATE TEMPORARY TABLE x (a INT);\ncon1: INSERT INTO x VALUES (5);\n"
        "con1: INSERT INTO t (a) SELECT a FROM x;\n",
    ],
)
def test_a_replica_is_told_what_a_statement_needs(text: str) -> None:
    assert list(compare_formats(Scenario.parse(text))) == EQUAL


def test_many_rows_are_not_all_shown() -> None:
    text = OPENING.replace(
        "INSERT INTO myisam_t VALUES (1)", "INSERT INTO myisam_t VALUES (1), (2), (3), (4), (5), (6), (7)"
    )
    assert list(compare_formats(Scenario.parse(text)))[:2] == [
        "format=STATEMENT: the replica differs",
        "    test.myisam_t: source (110), (120), (130), (140), (150) and 2 more, "
        "replica (20), (30), (40), (50), (60) and 2 more",
    ]


@pytest.mark.parametrize("seed", range(7))
def test_rows_give_the_same_tables_whatever_is_interleaved(seed: int) -> None:
    """The goal of WL#2687: it is safe to mix tables with ROW and with MIXED."""
    assert [line for line in compare_formats(interleaving(seed)) if "STATEMENT" not in line][-2:] == SAME


def letters(form: str) -> list[str]:
    """The letters of each statement that moves rows."""
    result = simulate(OPENING.replace("version=5.6", f"version=5.6 format={form}"))
    return [" ".join(line.split()) for line in result.explain() if " F - " in line]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            "STATEMENT",
            [
                "T F - S E - I C - T F - C",
                "N F - S E - I C - S F - D",
                "N F - S E - W C - T F - C",
                "N F - S E - I C - S F - D",
            ],
        ),
        (
            "ROW",
            [
                "T F - R E - I C - T F - C",
                "N F - R E - I C - S F - D",
                "N F - R E - I C - S F - D",
                "N F - R E - I C - S F - D",
            ],
        ),
        (
            "MIXED",
            [
                "T F - S E - I C - T F - C",
                "N F - S E - I C - S F - D",
                "N F - R E - I C - S F - D",
                "N F - S E - I C - S F - D",
            ],
        ),
    ],
)
def test_the_letters_are_those_of_the_table(form: str, expected: list[str]) -> None:
    assert letters(form) == expected


def test_what_is_rolled_back_is_ignored_and_every_event_is_shown_once() -> None:
    result = simulate(OPENING.replace("con1: COMMIT", "con1: ROLLBACK").replace("5.6", "5.6 format=ROW"))
    lines = list(result.explain())
    assert " ".join(lines[[line.startswith("con1: INSERT") for line in lines].index(True) + 1].split()) == (
        "T F - R E - I C - T F - I"
    )
    places = [line.split()[0] for line in lines if line.strip().startswith("binlog.")]
    assert len(places) == len(set(places)) == len(result.server.state.log.statements)
