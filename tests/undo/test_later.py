"""Later changes of the same rows: they are found in the logs after the range, and refused, skipped or overwritten."""

import shutil
from pathlib import Path

import pytest

from pybinlog.simulate import simulate
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA

LOGS = TESTDATA / "undo" / "mysql-later"
FIRST = LOGS / "binlog.000001"
"""Rows of t and k; binlog.000002 and binlog.000003 change some of them again."""
UNIQUE = TESTDATA / "undo" / "mysql-unique" / "binlog.000001"


def undo(*arguments: str | Path) -> Result:
    return real("undo", *map(str, arguments))


TABLE = """-- server: version=9.7 format=ROW row_metadata=FULL
CREATE DATABASE d;
CREATE TABLE d.t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9));
INSERT INTO d.t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c');
"""


def written(folder: Path, text: str) -> Path:
    """A log of some statements after those of the table."""
    ((name, data),) = simulate(TABLE + text).files.items()
    (folder / name).write_bytes(data)
    return folder / name


def boundaries(log: Path) -> list[str]:
    """The places where transactions begin, and the end of the last one."""
    text = real("transactions", "--format=tsv", "--columns=start_position,end_position", str(log)).out.decode()
    places = [line.split("\t") for line in text.splitlines()[1:]]
    return [*(start for start, _ in places), places[-1][1]]


def statements(result: Result) -> list[str]:
    assert (result.status, result.err) == (0, "")
    lines = result.out.decode().splitlines()
    return [line for line in lines if line.startswith(("INSERT", "UPDATE", "DELETE"))]


@pytest.mark.parametrize("options", [[], ["--format=binlog"]], ids=["sql", "binlog"])
def test_rows_that_were_changed_again_are_refused_with_the_first_place(options: list[str]) -> None:
    result = undo(*options, FIRST)
    assert (result.status, result.out) == (1, b"")
    later, of_k = result.err.splitlines()
    assert f"{LOGS / 'binlog.000002'}, at 423: 2 of 7 rows of u.t were changed again, here first by " in later
    assert f"{LOGS / 'binlog.000002'}, at 1304: 1 of 3 rows of u.k was changed again" in of_k


def test_skipped_rows_are_left_out_with_all_their_changes() -> None:
    result = undo("--skip-changed", FIRST)
    assert statements(result) == [
        "UPDATE `u`.`t` SET `v` = 'b' WHERE `id` = 2 AND CAST(`v` AS BINARY) = 'x';",
        "DELETE FROM `u`.`k` WHERE `a` = 1 AND `b` = 1 LIMIT 1;",
        "DELETE FROM `u`.`k` WHERE `a` = 1 AND `b` = 1 LIMIT 1;",
        "DELETE FROM `u`.`t` WHERE `id` = 4 AND CAST(`v` AS BINARY) = 'd';",
        "DELETE FROM `u`.`t` WHERE `id` = 2 AND CAST(`v` AS BINARY) = 'b';",
    ]
    assert b"-- left out because they were changed again: 5 changes of rows" in result.out


def test_a_change_in_the_range_that_is_not_taken_back_counts(tmp_path: Path) -> None:
    shutil.copy(FIRST, tmp_path)
    result = undo("--operation=insert", tmp_path / FIRST.name)
    assert "3 of 4 rows of u.t were changed again" in result.err
    assert "u.k" not in result.err
    row = undo("--where=id = 4", tmp_path / FIRST.name)
    assert statements(row) == ["DELETE FROM `u`.`t` WHERE `id` = 4 AND CAST(`v` AS BINARY) = 'd';"]


def test_a_later_change_is_not_looked_for_beyond_the_limit() -> None:
    text = undo("--look-to=none", FIRST).out.decode()
    assert "-- later changes of the same rows were not looked for (--look-to=none)" in text
    assert text.count("UPDATE `u`") == 3
    near = undo("--look-to=binlog.000002:400", FIRST)
    assert near.status == 0
    assert "looked for up to binlog.000002, at 400" in near.out.decode()
    far = undo("--look-to=binlog.000002:600", FIRST)
    assert "1 of 7 rows of u.t was changed again" in far.err


def test_a_table_without_a_definition_has_unique_keys_that_are_not_looked_for() -> None:
    sentence = b"-- u.t has no definition here: whether a later row took a value of a unique key was not looked for\n"
    last = LOGS / "binlog.000003"
    assert sentence in undo("--format=binlog", last).out
    assert sentence not in undo("--format=binlog", "--look-to=none", last).out
    assert sentence not in undo("--format=binlog", "--overwrite-later-changes", FIRST).out


def test_a_redo_says_which_logs_it_does_not_read() -> None:
    what = "are not read: triggers that they create run with these statements"
    for last, unread in (FIRST, True), (LOGS / "binlog.000003", False):
        text = real("redo", str(last)).out.decode()
        assert (f"-- the logs after {last} {what}\n" in text) is unread
        assert (what in text) is unread
    assert what.encode() not in undo("--look-to=none", FIRST).out


def test_events_overwrite_later_changes_only_if_told_so() -> None:
    result = undo("--format=binlog", "--overwrite-later-changes", FIRST)
    assert result.status == 0
    assert result.out.count(b"BINLOG '\n") == 4


def test_a_statement_of_ddl_in_a_later_log_is_refused(tmp_path: Path) -> None:
    shutil.copy(TESTDATA / "undo" / "mysql-truncate" / "binlog.000001", tmp_path / "binlog.000001")
    whole = undo("--stop-position=945", tmp_path / "binlog.000001")
    assert "TRUNCATE t" in whole.err
    assert whole.status == 1


def test_a_row_without_a_key_is_the_same_without_its_generated_columns() -> None:
    log = TESTDATA / "undo" / "mariadb-generated" / "binlog.000001"  # the image of the DELETE lacks the column g
    assert "1 of 1 rows of u.t was changed again" in undo("--operation=insert", log).err


def test_a_later_change_that_was_rolled_back_does_not_count(tmp_path: Path) -> None:
    log = written(
        tmp_path,
        "UPDATE d.t SET u = 11 WHERE id = 1;\nXA START 'x';\nUPDATE d.t SET u = 12 WHERE id = 1;\nXA END 'x';\n"
        "XA PREPARE 'x';\nXA ROLLBACK 'x';\n",
    )
    first, xa, decision, _ = boundaries(log)[-4:]
    asked: list[str | Path] = [f"--start-position={first}", f"--stop-position={xa}", log]
    assert statements(undo(*asked)) == ["UPDATE `d`.`t` SET `u` = 10 WHERE `id` = 1 AND `u` = 11;"]
    undecided = undo(f"--look-to={log.name}:{decision}", *asked)  # its decision is not looked at
    assert "1 of 1 rows of d.t was changed again" in undecided.err


def test_rows_of_an_xa_transaction_are_looked_for_from_its_commit_on() -> None:
    log = TESTDATA / "undo" / "mysql-xa" / "binlog.000001"
    changed = undo("--operation=insert", "--where=id = 1", log)
    assert (changed.status, changed.out) == (1, b"")
    assert "at 1890: 1 of 1 rows of u.t was changed again" in changed.err
    rolled_back = undo("--stop-position=1665", log)
    assert "at 1890: 1 of 1 rows of u.t was changed again" in rolled_back.err
    assert statements(undo("--operation=insert", "--where=v = 'b'", log)) == [
        "DELETE FROM `u`.`t` WHERE `id` = 2 AND CAST(`v` AS BINARY) = 'b';"
    ]
