"""Rows that share statements, on real servers: every type, as if each had its own; and what a failed group prints."""

import re
from pathlib import Path
from random import Random
from zlib import crc32

import pytest

from tests.layout.log_builder import MAGIC
from tests.undo.columns import every_column
from tests.undo.trial import Step, Trial

pytest.importorskip("pymysql", reason="needs PyMySQL")

ROWS = 40
CHECKSUM = 4


def pretend_to_be(version: bytes, logs: Path) -> None:
    """Let the logs of a folder say that another version wrote them."""
    for log in logs.iterdir():
        data = bytearray(log.read_bytes())
        end = len(MAGIC) + int.from_bytes(data[13:17], "little") - CHECKSUM
        data[25:75] = version.ljust(50, b"\0")
        data[end : end + CHECKSUM] = crc32(data[len(MAGIC) : end]).to_bytes(CHECKSUM, "little")
        log.write_bytes(data)


def undo_and_redo(trial: Trial, step: Step, name: str, version: bytes = b"") -> list[str]:
    """Take a step back and make it again; return the statements of both that are for many rows."""
    folder = trial.logs(name=name)
    if version:
        pretend_to_be(version, folder)
    logs = str(folder)
    found = []
    for command, expected in (("undo", step.before), ("redo", step.after)):
        done = trial.pybinlog(command, trial.gtids([step]), logs, keep=command)
        assert done.status == 0, done.err
        if version:
            assert b"UNION ALL SELECT" in done.out
            assert not re.search(rb"VALUES ROW|UNION ALL VALUES", done.out)
        trial.must_apply(done, expected, f"{command} of {name}")
        lines = done.out.splitlines()
        found += [line[:6] for line in lines if line.startswith((b"INSERT", b"UPDATE", b"DELETE"))]
    return [line.decode() for line in found]


@pytest.mark.parametrize("seed", range(3))
def test_values_of_every_type_come_back_in_groups(trial: Trial, seed: int) -> None:
    random = Random(f"{trial.kind} {seed}")
    columns = [column for column in every_column(trial.kind, random) if "(9,3)" not in column.type]
    listed = ", ".join(f"{column.name} {column.type}" for column in columns)
    trial.define("DROP TABLE IF EXISTS every", f"CREATE TABLE every (id INT PRIMARY KEY, {listed})")
    rows = [f"({number}, {', '.join(column.value(random) for column in columns)})" for number in range(ROWS)]
    names = ", ".join(column.name for column in columns)
    inserted = trial.change(f"INSERT INTO every (id, {names}) VALUES {', '.join(rows)}")
    trial.rows_per_statement = 2  # some rows stay single, such as those with an ENUM that is none of its members
    for_inserts = undo_and_redo(trial, inserted, "inserts")
    numbers = range(ROWS, 2 * ROWS)
    trial.change(f"INSERT INTO every (id) VALUES {', '.join(f'({number})' for number in numbers)}")
    updates = []
    for number in numbers:  # all columns change, so that rows share statements
        sets = ", ".join(f"{column.name} = {column.literal(random)}" for column in columns)
        updates.append(f"UPDATE every SET {sets} WHERE id = {number}")
    for_updates = undo_and_redo(trial, trial.change(*updates), "updates")
    for_deletes = undo_and_redo(trial, trial.change("DELETE FROM every"), "deletes")
    assert max(map(len, (for_inserts, for_updates))) < 2 * ROWS
    assert len(for_deletes) < 4 * ROWS


KEYS = [
    ("VARCHAR(20) CHARACTER SET latin1", "CONCAT('é', n)"),
    ("VARCHAR(20) CHARACTER SET utf8mb4", "CONCAT('é', n)"),
    ("VARCHAR(20) CHARACTER SET ucs2", "CONCAT('é', n)"),
    ("CHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "CONCAT('a b', n)"),
    ("BINARY(16)", "UNHEX(LPAD(HEX(n), 32, 'A0'))"),
    ("VARBINARY(16)", "UNHEX(LPAD(HEX(n), 32, 'A0'))"),
    ("BIGINT UNSIGNED", "18446744073709551615 - n * CAST(400000000000000000 AS UNSIGNED)"),
    ("DECIMAL(20,5)", "n * -1.5"),
    ("DATETIME(6)", "'2026-01-01' + INTERVAL n MICROSECOND"),
    ("TIMESTAMP(3)", "'2026-01-01' + INTERVAL n SECOND"),
    ("DATE", "'2026-01-01' + INTERVAL n DAY"),
    ("TIME", "SEC_TO_TIME(n - 20)"),
    ("DOUBLE", "n / 7"),
    ("BIT(64)", "18446744073709551615 - n"),
]


@pytest.mark.parametrize(("kind", "value"), KEYS)
def test_rows_are_found_by_keys_of_any_type(trial: Trial, kind: str, value: str) -> None:
    numbers = ", ".join(f"({number})" for number in range(ROWS))
    trial.define(
        "CREATE TABLE keyed (k " + kind + ", other INT, a INT, t VARCHAR(9), PRIMARY KEY (k, other))",
        "CREATE TEMPORARY TABLE numbers (n INT)",
        f"INSERT INTO numbers VALUES {numbers}",
    )
    inserted = trial.change(f"INSERT INTO keyed SELECT {value}, n % 3, n, 'x' FROM numbers")
    assert undo_and_redo(trial, inserted, "inserts") == ["DELETE", "INSERT"]
    assert undo_and_redo(trial, trial.change("UPDATE keyed SET a = a + 1, t = NULL"), "updates") == ["UPDATE"] * 2
    assert undo_and_redo(trial, trial.change("DELETE FROM keyed"), "deletes") == ["INSERT", "DELETE"]


OLDER = {"mysql": b"8.0.18", "mariadb": b"10.3.2-MariaDB"}


def test_a_server_without_tables_of_values_reads_selects(trial: Trial) -> None:
    columns = "k INT, t VARCHAR(20) CHARACTER SET latin1, d DATETIME(3), n DECIMAL(9,2), b BLOB, f DOUBLE"
    trial.define(f"CREATE TABLE older ({columns}, PRIMARY KEY (k, t))")
    trial.is_remote = False  # the server itself says its own version
    dates = "NULL", "'2026-01-02 03:04:05.678'"
    rows = [f"({number}, 'é{number}', {dates[number % 2]}, {number}.25, X'00FF', 1e-7)" for number in range(ROWS)]
    older = OLDER[trial.kind]
    inserted = trial.change(f"INSERT INTO older VALUES {', '.join(rows)}")
    assert undo_and_redo(trial, inserted, "inserts", older) == ["DELETE", "INSERT"]
    updated = trial.change("UPDATE older SET d = NOW(3), n = IF(k < 20, n, NULL), b = NULL")
    assert undo_and_redo(trial, updated, "updates", older) == ["UPDATE"] * 4
    assert undo_and_redo(trial, trial.change("DELETE FROM older"), "deletes", older) == ["INSERT", "DELETE"]


def test_a_group_that_fails_names_its_rows_and_changes_nothing(trial: Trial) -> None:
    trial.define("CREATE TABLE names (id INT PRIMARY KEY, a INT, t VARCHAR(9) CHARACTER SET latin1)")
    trial.change(f"INSERT INTO names VALUES {', '.join(f'({number}, 0, NULL)' for number in range(ROWS))}")
    step = trial.change("UPDATE names SET a = 1, t = 'é'")
    done = trial.pybinlog("undo", "--look-to=none", trial.gtids([step]), str(trial.logs()), keep="undo")
    trial.change("DELETE FROM names WHERE id = 7", "UPDATE names SET t = 'ü' WHERE id = 9")
    now = trial.state
    applied = trial.apply(done.out)
    assert "ERROR 1231" in applied.err
    printed = applied.out.decode()
    assert "2 of the rows of" in printed
    assert "id = 7 (at " in printed
    assert "): not there" in printed
    assert "id = 9 (at " in printed
    assert "): t is 'ü', not 'é'" in printed
    trial.must_be(now, "after a text that ended early")


def test_a_trigger_that_is_not_known_is_found_after_a_group(trial: Trial) -> None:
    trial.define("CREATE TABLE triggered (id INT PRIMARY KEY, a INT)")
    trial.change(f"INSERT INTO triggered VALUES {', '.join(f'({number}, 0)' for number in range(ROWS))}")
    step = trial.change("UPDATE triggered SET a = 1")
    done = trial.pybinlog("undo", trial.gtids([step]), str(trial.logs()), keep="undo")
    trial.session.run("CREATE TRIGGER g BEFORE UPDATE ON triggered FOR EACH ROW SET NEW.a = NEW.a + 100")
    now = trial.state
    applied = trial.apply(done.out)
    assert f"{ROWS} of the rows of" in applied.out.decode()
    assert "not as expected afterwards" in applied.out.decode()
    assert "ERROR 1231" in applied.err
    trial.must_be(now, "after a text that ended early")


def insert_again(trial: Trial, name: str, *statements: str) -> str:
    """Take a DELETE of all rows back after some statements that take their keys; return what the client printed."""
    listed = ", ".join(f"('k{number}', {number}, {number}, 'x')" for number in range(ROWS))
    key = "k VARCHAR(9) CHARACTER SET latin1, n INT"
    trial.define(f"CREATE TABLE {name} ({key}, u INT UNIQUE, t VARCHAR(9), PRIMARY KEY (k, n))")
    trial.change(f"INSERT INTO {name} VALUES {listed}")
    step = trial.change(f"DELETE FROM {name}")
    done = trial.pybinlog("undo", "--look-to=none", trial.gtids([step]), str(trial.logs()), keep="undo")
    trial.change(*statements)
    now = trial.state
    applied = trial.apply(done.out)
    assert "ERROR 1231" in applied.err
    trial.must_be(now, "after a text that ended early")
    return applied.out.decode()


def test_an_insert_whose_keys_are_taken_names_their_rows(trial: Trial) -> None:
    printed = insert_again(
        trial, "taken", "INSERT INTO taken VALUES ('k7', 7, 7, 'y'), ('k8', 8, 8, 'x'), ('other', 1, 9, 'x')"
    )
    assert "3 of the rows of" in printed
    assert "k = 'k7', n = 7 (at " in printed
    assert "): was there already, t is 'y', not 'x'" in printed
    assert re.search(r"k = 'k8', n = 8 \(at \d+\): was there already[;\n]", printed)
    assert re.search(r"k = 'k9', n = 9 \(at \d+\): not there", printed)
    assert "; in their way: " in printed
    assert "k = 'other', n = 1" in printed


def test_an_insert_that_ran_before_names_its_rows(trial: Trial) -> None:
    listed = ", ".join(f"('k{number}', {number}, {number}, 'x')" for number in range(ROWS))
    printed = insert_again(trial, "twice", f"INSERT INTO twice VALUES {listed}")
    assert f"{ROWS} of the rows of" in printed
    assert len(re.findall("was there already", printed)) > 10
    assert "not there" not in printed
