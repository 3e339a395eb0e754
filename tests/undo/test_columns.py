"""Undo by column: an UPDATE meets only what changed the same columns."""

from pathlib import Path

import pytest

from pybinlog.simulate import simulate
from tests.cli.conftest import Result, real

TABLE = """-- server: version=9.7 format=ROW row_metadata=FULL
CREATE DATABASE d;
CREATE TABLE d.users (id INT PRIMARY KEY, email VARCHAR(20), tier INT, code INT UNIQUE, seen TIMESTAMP DEFAULT NOW()
  ON UPDATE NOW(), by_whom VARCHAR(9));
INSERT INTO d.users (id, email, tier, code, by_whom)
  VALUES (1, 'a', 1, 10, 'x'), (2, 'b', 1, 20, 'x'), (3, 'c', 1, 30, 'x');
"""
BAD = "UPDATE d.users SET email = 'wrong', seen = '2026-01-02 03:04:05';\n"


def undo(folder: Path, first: str, later: str = "", *arguments: str, word: str = "undo") -> Result:
    """Undo the first of these statements."""
    ((name, data),) = simulate(TABLE + first + later).files.items()
    (folder / name).write_bytes(data)
    text = real("transactions", "--format=tsv", "--columns=start_position,end_position", str(folder / name)).out
    _, _, _, _, (start, stop), *_ = (line.split("\t") for line in text.decode().splitlines())
    return real(word, f"--start-position={start}", f"--stop-position={stop}", *arguments, str(folder / name))


def statements(result: Result) -> list[str]:
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    return [line for line in lines if line.startswith(("INSERT", "UPDATE", "DELETE"))]


@pytest.mark.parametrize(
    "later",
    [
        "",
        "UPDATE d.users SET tier = 5 WHERE id = 2;",
        "UPDATE d.users SET tier = 5, by_whom = 'y', code = 25 WHERE id = 2;",
        "UPDATE d.users SET seen = '2020-01-01' WHERE id = 2;",
        "INSERT INTO d.users (id, email) VALUES (9, 'wrong');",
    ],
    ids=["none", "another column", "other columns", "a column that is set along", "another row"],
)
def test_an_update_is_taken_back_if_other_columns_changed_since(tmp_path: Path, later: str) -> None:
    found = statements(undo(tmp_path, BAD, later))
    assert [line.partition(" WHERE ")[2] for line in found] == [
        f"`id` = {number} AND CAST(`email` AS BINARY) = 'wrong';" for number in (3, 2, 1)
    ]
    assert found[1].startswith("UPDATE `d`.`users` SET `email` = 'b', `seen` = IF(`seen` = '2026-01-02 03:04:05', '")


@pytest.mark.parametrize(
    "later",
    [
        "UPDATE d.users SET email = 'z' WHERE id = 2;",
        "UPDATE d.users SET email = 'z', tier = 7 WHERE id = 2;",
        "DELETE FROM d.users WHERE id = 2;",
        "UPDATE d.users SET id = 8 WHERE id = 2;",
        "XA START 'x'; UPDATE d.users SET email = 'z' WHERE id = 2; XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x';",
    ],
    ids=["the column", "the column and another", "deleted", "moved", "by XA"],
)
def test_an_update_is_refused_if_its_columns_or_the_row_changed_since(tmp_path: Path, later: str) -> None:
    result = undo(tmp_path, BAD, later)
    assert (result.status, result.out) == (1, b"")
    assert "1 of 3 rows of d.users was changed again, here first by " in result.err
    skipped = statements(undo(tmp_path, BAD, later, "--skip-changed"))
    assert [line.partition(" AND ")[0].rpartition(" ")[2] for line in skipped] == ["3", "1"]


def test_a_later_row_that_took_a_changed_unique_value_is_in_the_way(tmp_path: Path) -> None:
    moved = "UPDATE d.users SET code = 21 WHERE id = 2;\n"
    result = undo(tmp_path, moved, "UPDATE d.users SET code = 20 WHERE id = 3;")
    assert "1 of 1 rows of d.users was changed again" in result.err
    assert len(statements(undo(tmp_path, moved, "UPDATE d.users SET tier = 2;"))) == 1
    assert len(statements(undo(tmp_path, BAD, "UPDATE d.users SET code = 21 WHERE id = 2;"))) == 3


def test_rows_that_were_inserted_or_deleted_are_compared_as_a_whole(tmp_path: Path) -> None:
    insert = "INSERT INTO d.users (id, email) VALUES (7, 'q');\n"
    assert "1 of 1 rows" in undo(tmp_path, insert, "UPDATE d.users SET seen = '2020-01-01' WHERE id = 7;").err
    delete = "DELETE FROM d.users WHERE id = 2;\n"
    assert "1 of 1 rows" in undo(tmp_path, delete, "INSERT INTO d.users (id) VALUES (2);").err


def test_events_set_all_columns_and_meet_each_later_change(tmp_path: Path) -> None:
    later = "UPDATE d.users SET tier = 5 WHERE id = 2;"
    assert "1 of 3 rows of d.users was changed again" in undo(tmp_path, BAD, later, "--format=binlog").err


def test_an_update_of_a_column_that_is_set_along_alone_is_compared_by_it(tmp_path: Path) -> None:
    first = "UPDATE d.users SET seen = '2020-01-01' WHERE id = 2;\n"
    (found,) = statements(undo(tmp_path, first))
    assert found.endswith(" WHERE `id` = 2 AND `seen` = '2020-01-01 00:00:00';")
    assert "1 of 1 rows" in undo(tmp_path, first, "UPDATE d.users SET tier = 5 WHERE id = 2;").err


def test_ignored_columns_do_not_count(tmp_path: Path) -> None:
    first = "UPDATE d.users SET email = 'wrong', by_whom = 'me';\n"
    later = "UPDATE d.users SET tier = 5, by_whom = 'you' WHERE id = 2;"
    assert "1 of 3 rows" in undo(tmp_path, first, later).err
    found = statements(undo(tmp_path, first, later, "--ignore-columns=By_Whom, seen"))
    assert (
        "`by_whom` = IF(CAST(`by_whom` AS BINARY) = 'me', 'x', `by_whom`), `seen` = `seen` WHERE `id` = 2 AND CAST("
        in found[1]
    )


def test_an_ignored_column_that_no_table_has_is_named(tmp_path: Path) -> None:
    result = undo(tmp_path, BAD, "", "--ignore-columns=updated_at,tier")
    assert result.err == "WARNING: --ignore-columns=updated_at: no table of the chosen rows has this column.\n"
    assert result.status == 0


def test_a_group_compares_and_sets_the_changed_columns(tmp_path: Path) -> None:
    result = undo(tmp_path, BAD, "UPDATE d.users SET tier = 5 WHERE id = 2;", "--rows-per-statement=3")
    assert (result.status, result.err) == (0, "")
    look, update, again = (line for line in result.out.decode().splitlines() if line.startswith(("SELECT C", "UPDATE")))
    assert ") AS v (`id`, `at`) LEFT JOIN" in look
    assert " FOR UPDATE;" in look
    assert ") AS v (`id`, `email`, `seen`, `left4`) STRAIGHT_JOIN `d`.`users` AS t" in update
    assert update.endswith(" SET t.`email` = v.`email`, t.`seen` = IF(t.`seen` <=> v.`left4`, v.`seen`, t.`seen`);")
    assert ") AS v (`id`, `at`) LEFT JOIN" in again


def test_rows_of_a_group_change_the_same_columns(tmp_path: Path) -> None:
    first = "BEGIN;\n" + "".join(
        f"UPDATE d.users SET email = 'wrong'{', tier = 4' * (number != 2)} WHERE id = {number};\n"
        for number in (1, 2, 3)
    )
    found = statements(undo(tmp_path, first + "COMMIT;\n", "", "--rows-per-statement=2"))
    assert ["`tier`" in line for line in found] == [False, True]
    assert "VALUES ROW(3, " in found[1]
    assert ", ROW(1, " in found[1]


def test_a_redo_goes_by_column_too(tmp_path: Path) -> None:
    found = statements(undo(tmp_path, BAD, word="redo"))
    assert found[0].endswith(" WHERE `id` = 1 AND CAST(`email` AS BINARY) = 'a';")
