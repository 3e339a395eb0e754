"""Which later changes are of the rows that are taken back, by the keys of their tables."""

import re
from pathlib import Path

import pytest

import pybinlog
from tests.cli.conftest import real

NUMBER = "id INT PRIMARY KEY, v INT"
TEXT = "id VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_{} PRIMARY KEY, v INT"
BYTES = "id VARBINARY(9) PRIMARY KEY, v INT"
PAIR = "a INT, b INT, v INT, PRIMARY KEY (a, b)"
UNIQUE = "id INT PRIMARY KEY, u INT, w INT, UNIQUE (u), UNIQUE (w)"
OF_TWO = "id INT PRIMARY KEY, u INT, w INT, UNIQUE (u, w)"
PREFIX = "id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, UNIQUE (v(2))"
LATIN = "id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, UNIQUE (v(2))"
ONLY_UNIQUE = "u INT, w INT, v INT, UNIQUE (u), UNIQUE (w)"
KEYLESS = "a INT, b INT"

CASES = [
    (NUMBER, "", "INSERT (1,1), (2,2)", "UPDATE v = 2 WHERE id = 1", "1 of 2"),
    (NUMBER, "", "INSERT (1,1), (2,2)", "UPDATE id = 3 WHERE id = 2", "1 of 2"),
    (NUMBER, "", "INSERT (1,1), (2,2)", "UPDATE id = id + 10", "2 of 2"),
    (NUMBER, "", "INSERT (1,1), (2,2)", "INSERT (3,1)", ""),
    (NUMBER, "(1,1)", "DELETE id = 1", "INSERT (1,5)", "1 of 1"),
    (NUMBER, "(1,1), (2,2)", "DELETE id = 1", "UPDATE id = 1 WHERE id = 2", "1 of 1"),
    (NUMBER, "(1,1)", "UPDATE id = 2", "INSERT (1,5)", "1 of 1"),
    (NUMBER, "(1,1)", "UPDATE id = 2", "DELETE id = 2", "1 of 1"),
    (NUMBER, "(1,1)", "UPDATE id = 2", "INSERT (3,5)", ""),
    (TEXT.format("bin"), "('a',1)", "DELETE v = 1", "INSERT ('a ',1)", "1 of 1"),
    (TEXT.format("bin"), "('a',1)", "DELETE v = 1", "INSERT ('A',1)", ""),
    (TEXT.format("0900_bin"), "('a',1)", "DELETE v = 1", "INSERT ('a ',1)", ""),
    (TEXT.format("general_ci"), "('a',1)", "DELETE v = 1", "INSERT ('A ',1)", "1 of 1"),
    (TEXT.format("general_ci"), "('a',1)", "DELETE v = 1", "INSERT ('b',1)", ""),
    (TEXT.format("0900_ai_ci"), "('a',1)", "DELETE v = 1", "INSERT ('Á',1)", "1 of 1"),
    (TEXT.format("0900_ai_ci"), "('a',1)", "DELETE v = 1", "INSERT ('a ',1)", ""),
    (TEXT.format("unicode_ci"), "('ss',1)", "DELETE v = 1", "INSERT ('ß ',1)", "1 of 1"),
    (BYTES, "('a',1)", "DELETE v = 1", "INSERT ('a',1)", "1 of 1"),
    (BYTES, "('a',1)", "DELETE v = 1", "INSERT ('a ',1)", ""),
    (PAIR, "(1,2,0)", "DELETE a = 1", "INSERT (1,2,5)", "1 of 1"),
    (PAIR, "(1,2,0)", "DELETE a = 1", "INSERT (2,1,0)", ""),
    (PAIR, "(1,2,0)", "DELETE a = 1", "INSERT (1,3,0)", ""),
    (UNIQUE, "(1,5,6)", "DELETE id = 1", "INSERT (2,5,7)", "1 of 1"),
    (UNIQUE, "(1,5,6)", "DELETE id = 1", "INSERT (2,7,6)", "1 of 1"),
    (UNIQUE, "(1,5,6)", "DELETE id = 1", "INSERT (2,6,5)", ""),
    (UNIQUE, "(1,5,6)", "DELETE id = 1", "INSERT (5,6,1)", ""),
    (UNIQUE, "(1,NULL,6)", "DELETE id = 1", "INSERT (2,NULL,7)", ""),
    (UNIQUE, "(1,NULL,6)", "DELETE id = 1", "INSERT (2,NULL,6)", "1 of 1"),
    (UNIQUE, "(1,5,6)", "UPDATE u = 9", "INSERT (2,5,7)", "1 of 1"),
    (UNIQUE, "(1,5,6)", "UPDATE u = 9", "INSERT (2,8,7)", ""),
    (OF_TWO, "(1,5,6)", "DELETE id = 1", "INSERT (2,5,6)", "1 of 1"),
    (OF_TWO, "(1,5,6)", "DELETE id = 1", "INSERT (2,5,7)", ""),
    (OF_TWO, "(1,5,6)", "DELETE id = 1", "INSERT (2,7,6)", ""),
    (OF_TWO, "(1,5,NULL)", "DELETE id = 1", "INSERT (2,5,NULL)", ""),
    (PREFIX, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'äbd')", "1 of 1"),
    (PREFIX, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'äb')", "1 of 1"),
    (PREFIX, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'äcc')", ""),
    (PREFIX, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'ä')", ""),
    (LATIN, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'äbd')", "1 of 1"),
    (LATIN, "(1,'äbc')", "DELETE id = 1", "INSERT (2,'äcc')", ""),
    (ONLY_UNIQUE, "(1,5,0)", "DELETE u = 1", "INSERT (1,6,0)", "1 of 1"),
    (ONLY_UNIQUE, "(1,5,0)", "DELETE u = 1", "INSERT (2,5,0)", "1 of 1"),
    (ONLY_UNIQUE, "(NULL,5,0)", "DELETE w = 5", "INSERT (NULL,5,1)", "1 of 1"),
    (ONLY_UNIQUE, "(NULL,5,0)", "DELETE w = 5", "INSERT (NULL,6,0)", ""),
    (ONLY_UNIQUE, "(NULL,NULL,0)", "DELETE v = 0", "INSERT (NULL,NULL,0)", ""),
    (ONLY_UNIQUE, "", "INSERT (NULL,NULL,0)", "UPDATE v = 1 WHERE v = 0", "1 of 1"),
    (ONLY_UNIQUE, "", "INSERT (NULL,NULL,0)", "INSERT (NULL,NULL,0)", ""),
    (ONLY_UNIQUE, "(NULL,NULL,9)", "INSERT (NULL,NULL,0)", "DELETE v = 9", ""),
    (ONLY_UNIQUE, "(NULL,NULL,NULL)", "INSERT (NULL,NULL,0)", "DELETE v IS NULL", ""),
    (ONLY_UNIQUE, "(NULL,NULL,0)", "UPDATE v = 1", "DELETE v = 1", "1 of 1"),
    (KEYLESS, "(1,3)", "INSERT (1,2)", "DELETE b = 3", ""),
    (KEYLESS, "(1,NULL)", "INSERT (1,0)", "DELETE b IS NULL", ""),
    (KEYLESS, "", "INSERT (1,1), (1,2)", "DELETE b = 2", "1 of 2"),
    (KEYLESS, "", "INSERT (1,NULL)", "DELETE a = 1", "1 of 1"),
    (KEYLESS, "", "INSERT (1,1)", "UPDATE b = 3", "1 of 1"),
    (KEYLESS, "", "INSERT (1,1)", "INSERT (1,1)", ""),
    (KEYLESS, "(2,2)", "INSERT (1,1)", "UPDATE a = 1, b = 1 WHERE a = 2", ""),
    (KEYLESS, "(1,1)", "DELETE a = 1", "INSERT (1,1)", ""),
    (KEYLESS, "(1,1)", "UPDATE b = 2", "DELETE b = 2", "1 of 1"),
    (KEYLESS, "(1,1)", "UPDATE b = 2", "INSERT (1,1)", ""),
]
"""Columns, rows that are there, a statement that is taken back, a later one, and how many rows that changed again."""


def in_full(words: str) -> str:
    """The statement of a case."""
    verb, _, rest = words.partition(" ")
    if verb == "XA":
        return f"{words};\n"
    forms = {"INSERT": "INSERT INTO u.t VALUES", "UPDATE": "UPDATE u.t SET", "DELETE": "DELETE FROM u.t WHERE"}
    return f"{forms[verb]} {rest};\n"


def places(columns: str, rows: str, taken: str, later: str, folder: Path) -> tuple[Path, int, int]:
    """A log of a case, and where the statements that are taken back begin and end."""
    scenario = folder / "keys.sql"
    head = f"CREATE DATABASE u;\nCREATE TABLE u.t ({columns});\n" + (in_full(f"INSERT {rows}") if rows else "")
    scenario.write_text(
        "-- server: version=9.7 format=ROW row_metadata=FULL\n"
        + head
        + "".join(in_full(words) for part in (taken, later) for words in part.split("; ")),
        encoding="utf-8",
    )
    assert real("simulate", "-o", str(folder), str(scenario)).status == 0
    log = folder / "keys.000001"
    found = list(pybinlog.open(str(log)).transactions())[head.count("\n") :]
    last = found[-1 - groups(later)]
    assert len(found) == groups(taken) + groups(later)
    return log, found[0]["start_position"], last["end_position"]


def groups(part: str) -> int:
    """How many event groups are logged of some statements: two of an XA transaction, with its outcome."""
    return sum(not words.startswith(("XA START", "XA END")) for words in part.split("; ")) - part.count("XA PREPARE")


def xa(words: str, *outcome: str) -> str:
    """The statements of an XA transaction."""
    return "; ".join(["XA START 'a'", words, "XA END 'a'", "XA PREPARE 'a'", *(f"{word} 'a'" for word in outcome)])


@pytest.mark.parametrize(("columns", "rows", "taken", "later", "again"), CASES)
def test_a_later_change_of_a_row_or_of_its_unique_values_is_found(
    columns: str, rows: str, taken: str, later: str, again: str, tmp_path: Path
) -> None:
    log, start, stop = places(columns, rows, taken, later, tmp_path)
    for form in "sql", "binlog":
        asked = ["undo", f"--format={form}", f"--start-position={start}", f"--stop-position={stop}", str(log)]
        result = real(*asked)
        found = re.search(r"(\d of \d) rows of u\.t w(as|ere) changed again", result.err)
        assert (found[1] if found else result.err) == again
        skipped = real(*asked, "--skip-changed")
        nothing = (
            "WARNING: nothing to undo: all rows that are chosen were changed again.\n"
            if again and again[0] == again[-1]
            else ""
        )
        assert (skipped.status, skipped.err) == (0, nothing)
        omitted = re.search(r"left out because they were changed again: (\d) changes? of rows", skipped.out.decode())
        assert (omitted[1] if omitted else "") == again[:1]


@pytest.mark.parametrize(
    ("columns", "taken", "later", "omitted"),
    [
        (NUMBER, "INSERT (1,1), (9,9); UPDATE id = 2 WHERE id = 1; UPDATE id = 3 WHERE id = 2", "DELETE id = 3", 3),
        (NUMBER, "INSERT (1,1), (9,9); UPDATE id = 2 WHERE id = 1; UPDATE v = 3 WHERE id = 2", "INSERT (1,1)", 3),
        (UNIQUE, "INSERT (1,1,1), (9,9,9); UPDATE id = 2 WHERE id = 1", "DELETE id = 2", 2),
        (UNIQUE, "INSERT (1,1,1), (9,9,9); UPDATE u = 2 WHERE id = 1; UPDATE w = 2 WHERE u = 2", "INSERT (3,1,3)", 3),
    ],
)
def test_all_changes_of_a_row_are_omitted_if_one_was_changed_again(
    columns: str, taken: str, later: str, omitted: int, tmp_path: Path
) -> None:
    log, start, stop = places(columns, "", taken, later, tmp_path)
    result = real("undo", f"--start-position={start}", f"--stop-position={stop}", "--skip-changed", str(log))
    text = result.out.decode()
    assert f"left out because they were changed again: {omitted} changes of rows" in text
    deleted = [line for line in text.splitlines() if line.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert [line.partition(" AND")[0] for line in deleted] == ["DELETE FROM `u`.`t` WHERE `id` = 9"]


COMMIT, ROLLBACK = "XA COMMIT", "XA ROLLBACK"


@pytest.mark.parametrize(
    ("columns", "rows", "taken", "later", "again"),
    [
        (NUMBER, "", xa("INSERT (1,1), (2,2)", COMMIT), "DELETE id = 1", "1 of 2"),
        (NUMBER, "(1,1)", "DELETE id = 1", xa("INSERT (1,2)", COMMIT), "1 of 1"),
        (NUMBER, "(1,1)", "DELETE id = 1", xa("INSERT (1,2)", ROLLBACK), ""),
        (NUMBER, "(1,1)", "DELETE id = 1", xa("INSERT (1,2)"), "1 of 1"),
        (NUMBER, "(1,1)", "DELETE id = 1", xa("INSERT (2,2)"), ""),
        (UNIQUE, "", xa("INSERT (1,5,6)", COMMIT), "DELETE id = 1", "1 of 1"),
        (UNIQUE, "(1,5,6)", xa("DELETE id = 1", COMMIT), "INSERT (2,5,7)", "1 of 1"),
        (UNIQUE, "(1,5,6)", xa("DELETE id = 1", COMMIT), "INSERT (2,6,5)", ""),
        (UNIQUE, "(1,5,6)", xa("UPDATE u = 9", COMMIT), "INSERT (2,5,7)", "1 of 1"),
        (UNIQUE, "(1,5,6)", "DELETE id = 1", xa("INSERT (2,5,7)", COMMIT), "1 of 1"),
        (UNIQUE, "(1,5,6)", "DELETE id = 1", xa("INSERT (2,6,5)", COMMIT), ""),
        (UNIQUE, "(1,5,6)", "DELETE id = 1", xa("INSERT (2,5,7)", ROLLBACK), ""),
        (UNIQUE, "(1,5,6)", "DELETE id = 1", xa("INSERT (2,5,7)"), "1 of 1"),
        (KEYLESS, "", xa("INSERT (1,1)", COMMIT), "DELETE a = 1", "1 of 1"),
        (KEYLESS, "(1,1)", "UPDATE b = 2", xa("DELETE b = 2", ROLLBACK), ""),
    ],
)
def test_the_keys_of_an_xa_transaction_wait_for_its_outcome(
    columns: str, rows: str, taken: str, later: str, again: str, tmp_path: Path
) -> None:
    log, start, stop = places(columns, rows, taken, later, tmp_path)
    for form in "sql", "binlog":
        result = real("undo", f"--format={form}", f"--start-position={start}", f"--stop-position={stop}", str(log))
        found = re.search(r"(\d of \d) rows of u\.t w(as|ere) changed again", result.err)
        assert (found[1] if found else result.err) == again
