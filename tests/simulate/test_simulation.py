"""simulate(): what a caller gets."""

import subprocess
import sys
from pathlib import Path

import pytest
from construct import Container

import pybinlog
from pybinlog.errors import BinlogError
from pybinlog.simulate import ScenarioError, simulate

MIXING = "gtid=off enforce_gtid_consistency=off"
TWO_TABLES = """
con1: CREATE TABLE innodb_t (a INT PRIMARY KEY) ENGINE=InnoDB;
con1: CREATE TABLE myisam_t (a INT) ENGINE=MyISAM;
con1: INSERT INTO myisam_t VALUES (1);
"""
EXAMPLE = """
-- server: version=9.7 format=MIXED gtid=off enforce_gtid_consistency=off checksum=crc32
con1: CREATE TABLE innodb_t (a INT PRIMARY KEY) ENGINE=InnoDB;
con1: CREATE TABLE myisam_t (a INT) ENGINE=MyISAM;
con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (1);
con2: DELETE FROM myisam_t;
con1: UPDATE myisam_t SET a = 10;
con1: COMMIT;
"""


def outline(text: str) -> list[str]:
    """Return the outline of the logs after the CREATE TABLE statements."""
    lines = list(simulate(text).outline())
    last = max(at for at, line in enumerate(lines) if "CREATE" in line)
    return [" ".join(line.split()) for line in lines[last + 1 :]]


def test_the_same_scenario_gives_the_same_bytes() -> None:
    assert simulate(EXAMPLE).files == simulate(EXAMPLE.encode()).files


def test_time_server_and_names_come_from_the_scenario(tmp_path: Path) -> None:
    result = simulate("-- server: time=2001-02-03T04:05:06 step=10 server_id=7 log_bin=x\n" + EXAMPLE)
    paths = result.write(tmp_path)
    assert [path.name for path in paths] == ["x.000001", "x.index"]
    assert paths[-1].read_text() == "./x.000001\n"
    events = list(pybinlog.open(paths[0]))
    assert {event.server_id for event in events} == {7}
    assert {event.timestamp for event in events} == {981173106 + 10 * step for step in (0, 1, 2, 4, 5, 7)}


def test_logs_that_are_there_are_not_overwritten(tmp_path: Path) -> None:
    first = simulate(EXAMPLE + "con1: FLUSH BINARY LOGS;\n")
    assert len(first.write(tmp_path)) == 3
    with pytest.raises(ScenarioError, match="is there already"):
        simulate(EXAMPLE).write(tmp_path)
    assert (tmp_path / "binlog.000002").exists()
    simulate(EXAMPLE).write(tmp_path, replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binlog.000001", "binlog.index"]


def test_the_old_logs_stay_where_a_new_one_cannot_be_written(tmp_path: Path) -> None:
    """All new ones are whole before the first takes its name."""
    simulate(EXAMPLE).write(tmp_path)
    before = (tmp_path / "binlog.000001").read_bytes()
    (tmp_path / "binlog.000002").mkdir()
    with pytest.raises(BinlogError, match="only a regular file can be replaced"):
        simulate(TWO_TABLES + "con1: FLUSH BINARY LOGS;\n").write(tmp_path, replace=True)
    assert (tmp_path / "binlog.000001").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binlog.000001", "binlog.000002", "binlog.index"]


FEW_FILES = """
import os, resource, sys
from pybinlog.simulate import simulate, simulation

simulation.MOST_FILES = 8
result = simulate("FLUSH BINARY LOGS;\\n" * 60)
most = len(os.listdir("/dev/fd")) + 30
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
paths = result.write(sys.argv[1])
assert [path.name for path in paths] == [*result.files, "binlog.index"]
assert [path.read_bytes() for path in paths[:-1]] == list(result.files.values())
"""


def test_many_logs_are_not_all_open_at_once(tmp_path: Path) -> None:
    """A process may have some hundred files open; that many FLUSHes must not fail.

    In a process of its own: the limit counts what other threads open, too.
    """
    subprocess.run([sys.executable, "-c", FEW_FILES, tmp_path], check=True, timeout=60)
    assert len(list(tmp_path.iterdir())) == 62


def test_flush_begins_a_new_log_that_knows_the_gtids_of_the_old_one() -> None:
    result = simulate("-- server: gtid=on\n" + TWO_TABLES + "con2: FLUSH BINARY LOGS;\ncon1: DELETE FROM myisam_t;")
    assert list(result.files) == ["binlog.000001", "binlog.000002"]
    assert [line.split()[-1] for line in result.outline() if "Rotate" in line] == ["binlog.000002"]
    previous = list(pybinlog_events(result.files["binlog.000002"]))[1]
    assert [dict(interval, _io=None) for interval in previous.body.sources[0].intervals] == [
        {"start": 1, "end": 5, "_io": None}
    ]


def pybinlog_events(data: bytes) -> list[Container]:
    from tests.simulate.facts import events

    return list(events(data))


def test_tables_hold_what_was_committed() -> None:
    result = simulate(TWO_TABLES + "con1: BEGIN;\ncon1: INSERT INTO innodb_t VALUES (1);\ncon1: COMMIT;")
    assert result.tables() == {"test.innodb_t": [(1,)], "test.myisam_t": [(1,)]}
    assert result.table("test.innodb_t") == [(1,)]


def test_unsafe_statements_are_warned_of_with_their_line() -> None:
    text = (
        f"-- server: format=STATEMENT {MIXING}\n"
        + TWO_TABLES
        + (
            "con1: BEGIN;\ncon1: INSERT INTO innodb_t VALUES (1);\n"
            "con1: DELETE FROM myisam_t LIMIT 1;\ncon1: ROLLBACK;\n"
        )
    )
    result = simulate(text)
    assert [line for line, _ in result.warnings] == [8, 8, 9]
    assert ["LIMIT" in text for _, text in result.warnings] == [True, False, False]
    assert "non-transactional table changed after a transactional one" in result.warnings[1][1]
    assert "couldn't be rolled back" in result.warnings[2][1]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO innodb_t VALUES (1), (1);", "fails with error 1062"),
        ("-- !error 1062\nINSERT INTO innodb_t VALUES (1);", "is meant to fail, and succeeds"),
        ("-- !error 1064\nINSERT INTO innodb_t VALUES (1), (1);", "meant to fail with error 1064, and fails with 1062"),
        ("LOCK TABLES innodb_t WRITE;", "the model has no 'LOCK TABLES innodb_t WRITE'"),
        ("SET SESSION sql_log_bin = 0;", "the model has no variable sql_log_bin"),
        ("CREATE VIEW x AS SELECT 1;", "statements that begin with 'CREATE VIEW x' are not in the model"),
        ("LOAD DATA INFILE '/tmp/x' INTO TABLE innodb_t;", "LOAD DATA"),
        ("INSERT INTO innodb_t VALUES (NO_SUCH_FUNCTION(1));", "NO_SUCH_FUNCTION"),
    ],
)
def test_what_cannot_be_run_is_refused_with_file_and_line(statement: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        simulate(TWO_TABLES + "\n" + statement, name="x.sql")
    assert (caught.value.file, caught.value.line) == ("x.sql", 6 + statement.count("\n"))
    assert said in str(caught.value)


def test_a_statement_of_another_connection_does_not_wait_for_locks() -> None:
    result = simulate(
        TWO_TABLES
        + "con1: INSERT INTO innodb_t VALUES (1);\ncon1: BEGIN;\ncon1: DELETE FROM innodb_t WHERE a = 1;\n"
        + "-- !error 1205\ncon2: UPDATE innodb_t SET a = 2 WHERE a = 1;\ncon1: ROLLBACK;\n"
        + "con2: UPDATE innodb_t SET a = 2 WHERE a = 1;"
    )
    assert result.table("test.innodb_t") == [(2,)]
    assert [(line, number) for line, number, _ in result.errors] == [(9, 1205)]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("5.6", []),
        ("9.7 gtid=off", ["Anonymous_Gtid"]),
        ("8.4", ["Anonymous_Gtid"]),
        ("5.6 gtid=on", ["Gtid 8a94f357-aab4-11df-86ab-c80aa9429562:4"]),
        ("9.7", ["Gtid 8a94f357-aab4-11df-86ab-c80aa9429562:4"]),
    ],
)
def test_gtid_events_by_version(version: str, expected: list[str]) -> None:
    text = f"-- server: version={version} format=ROW\n" + TWO_TABLES
    group = [line.removeprefix("con1: ") for line in outline(text)[:-1]]
    assert group == [
        *expected,
        "Query BEGIN",
        "Table_map test.myisam_t",
        "Write_rows test.myisam_t +(1)",
        "Query COMMIT",
    ]


def test_gtid_consistency_can_be_enforced() -> None:
    text = "-- server: gtid=on enforce_gtid_consistency=on\n" + TWO_TABLES
    text += "con1: BEGIN;\ncon1: INSERT INTO innodb_t VALUES (1);\n"
    text += "-- !error 1785\ncon1: DELETE FROM myisam_t;\ncon1: COMMIT;\n"
    assert simulate(text).table("test.myisam_t") == [(1,)]
    with pytest.raises(ScenarioError, match=r"error 1785 .* set gtid=off enforce_gtid_consistency=off"):
        simulate(text.replace("-- !error 1785\n", ""))
    # The server's default is the same without GTIDs.
    assert simulate(text.replace("gtid=on enforce_gtid_consistency=on", "gtid=off")).errors[0][1] == 1785
    relaxed = text.replace("=on", "=off").replace("-- !error 1785\n", "")
    assert simulate(relaxed).table("test.myisam_t") == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("gtid=on enforce_gtid_consistency=off", "no server starts without it"),
        ("version=5.6 gtid=on enforce_gtid_consistency=off", "no server starts without it"),
        ("version=5.6 row_metadata=FULL", "no binlog_row_metadata"),
        ("time_zone=+14:30", "from -13:59 to .14:00"),
        ("version=5.6 time_zone=+13:30", "from -12:59 to .13:00"),
    ],
)
def test_settings_that_no_server_starts_with_are_refused(settings: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        simulate(f"-- server: {settings}\n{TWO_TABLES}")


@pytest.mark.parametrize(("version", "said"), [("5.7", "two groups"), ("8.0.20", "8.0.21"), ("8.4", "nothing")])
def test_other_versions_are_answered_with_the_nearest_model(version: str, said: str) -> None:
    result = simulate(f"-- server: version={version}\n{TWO_TABLES}")
    ((line, text),) = result.warnings
    assert line == 0
    assert "is simulated as 9.7.4" in text
    assert said in text
    newest = simulate(f"-- server: gtid=off enforce_gtid_consistency=off\n{TWO_TABLES}")
    assert result.files == newest.files


@pytest.mark.parametrize(
    ("end", "last", "flags"), [("stop", "Stop", 0), ("rotate", "Rotate binlog.000002", 0), ("open", "", 1)]
)
def test_how_the_last_log_ends(end: str, last: str, flags: int) -> None:
    result = simulate(f"-- server: end={end}\n" + TWO_TABLES)
    final = " ".join(list(result.outline())[-1].split())
    assert final == last if last else final.endswith("Query COMMIT")
    assert result.files["binlog.000001"][4 + 17] == flags


def test_connections_that_are_open_at_the_end_are_rolled_back() -> None:
    ending = "con1: BEGIN;\ncon1: INSERT INTO innodb_t VALUES (1);\ncon1: DELETE FROM myisam_t;"
    result = simulate(f"-- server: {MIXING}\n{TWO_TABLES}{ending}")
    assert result.tables() == {"test.innodb_t": [], "test.myisam_t": []}
    lines = [" ".join(line.split()) for line in result.outline()]
    assert not any("innodb_t +" in line for line in lines)
    assert "con1: Delete_rows test.myisam_t -(1)" in lines


def test_a_crash_leaves_the_log_in_use_and_perhaps_half_a_group() -> None:
    whole = simulate(TWO_TABLES + "-- !crash\n").files["binlog.000001"]
    assert whole[4 + 17] == 1
    cut = simulate(TWO_TABLES + "-- !crash lost=20\n").files["binlog.000001"]
    assert cut == whole[:-20]
    with pytest.raises(ScenarioError, match="lost=999999: the log has"):
        simulate(TWO_TABLES + "-- !crash lost=999999\n")


def test_recovery_trims_a_log_to_its_last_whole_group() -> None:
    """The engine's commits are still there, with their GTIDs; replicas never get it."""
    text = TWO_TABLES + "con1: INSERT INTO innodb_t VALUES (1);\n"
    whole = simulate(text + "-- !crash\n").files["binlog.000001"]
    group = len(whole) - len(simulate(TWO_TABLES + "-- !crash\n").files["binlog.000001"])
    for lost in (1, 31, group - 1, group):
        result = simulate(f"{text}-- !crash lost={lost}\ncon1: INSERT INTO innodb_t VALUES (2);\n")
        first, second = result.files.values()
        assert first == bytes((*whole[:21], 0, *whole[22 : len(whole) - group]))
        assert result.table("test.innodb_t") == [(1,), (2,)]
        assert [line.split()[2] for line in result.outline() if "con1: Gtid" in line][-1].endswith(":6")
        assert b"innodb_t" in second


ROWS = "".join(f"con1: INSERT INTO myisam_t VALUES ({number});\n" for number in range(2, 9))


@pytest.mark.parametrize(
    ("period", "kept"), [("1", [2, 3, 4, 5, 6, 7, 8]), ("3", [2, 3, 4, 5, 6]), ("100", []), ("0", [])]
)
def test_a_crash_loses_what_is_behind_the_last_synchronization(period: str, kept: list[int]) -> None:
    """Requirement 5 of WL#2687. Four groups come before the rows: with 3, nine of eleven are on disk."""
    text = f"-- server: sync_binlog={period} version=5.6\n{TWO_TABLES}{ROWS}-- !crash\ncon1: SELECT 1;\n"
    result = simulate(text)
    logged = [int(line.split("+(")[1].rstrip(")")) for line in result.outline() if "myisam_t +" in line]
    assert logged[1:] == kept
    assert result.table("test.myisam_t") == [(number,) for number in range(1, 9)]  # the engine's file has them


def test_a_rotation_and_set_global_change_what_a_crash_loses() -> None:
    """The log is on disk when it is full; the next one has a period of its own."""
    text = f"-- server: sync_binlog=0\n{TWO_TABLES}con1: FLUSH BINARY LOGS;\n{ROWS}"
    crash = "-- !crash\ncon1: SELECT 1;\n"
    assert [line for line in simulate(text + crash).outline() if "+(" in line] == [
        "  con1: Write_rows      test.myisam_t +(1)"
    ]
    once = simulate(text.replace(ROWS, f"con1: SET GLOBAL sync_binlog = 1;\n{ROWS}") + crash)
    assert len([line for line in once.outline() if "+(" in line]) == 8
    least = simulate(text + "-- !crash lost=1\ncon1: SELECT 1;\n")  # as much as is said
    assert len([line for line in least.outline() if "+(" in line]) == 7


def test_a_log_that_has_lost_its_format_description_stays_as_it_is() -> None:
    size = len(simulate("-- !crash\n").files["binlog.000001"])
    first = simulate(f"-- !crash lost={size - 60}\ncon1: SELECT 1;\n").files["binlog.000001"]
    assert (len(first), first[21]) == (60, 1)


def test_a_server_that_starts_again_finds_what_was_committed() -> None:
    text = TWO_TABLES + "con1: BEGIN;\ncon1: INSERT INTO innodb_t VALUES (1);\n-- !{}\ncon1: SELECT 1;\n"
    for how, last in (("restart", "Stop"), ("crash", "COMMIT")):
        result = simulate(text.format(how))
        assert list(result.files) == ["binlog.000001", "binlog.000002"]
        assert result.tables() == {"test.innodb_t": [], "test.myisam_t": [(1,)]}
        lines = [line.split() for line in result.outline()]
        assert lines[lines.index(["binlog.000002"]) - 1][-1] == last
        assert result.files["binlog.000001"][4 + 17] == 0


def test_insert_delayed_is_an_insert_with_a_warning() -> None:
    result = simulate(TWO_TABLES + "con1: INSERT DELAYED INTO myisam_t VALUES (2);\n")
    assert result.table("test.myisam_t") == [(1,), (2,)]
    assert result.warnings == [(5, "INSERT DELAYED is no longer supported. The statement was converted to INSERT")]
    with pytest.raises(ScenarioError, match=r"INSERT DELAYED of 5\.6"):
        simulate("-- server: version=5.6\n" + TWO_TABLES + "con1: INSERT DELAYED INTO myisam_t VALUES (2);\n")


IN_PROGRESS = "Transaction characteristics can't be changed while a transaction is in progress"
INVALID = "XAER_INVAL: Invalid arguments (or unsupported command)"
IDLE = "XAER_RMFAIL: The command cannot be executed when global transaction is in the  IDLE state"


@pytest.mark.parametrize(
    ("before", "statement", "number", "message"),
    [
        ("BEGIN; DELETE FROM innodb_t", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", 1568, IN_PROGRESS),
        ("XA START 'x'; INSERT INTO innodb_t VALUES (1); SAVEPOINT s; XA END 'x'", "ROLLBACK TO s", 1399, IDLE),
        ("BEGIN; SAVEPOINT s", "ROLLBACK TO t", 1305, "SAVEPOINT t does not exist"),
        ("BEGIN", f"XA START '{'x' * 65}'", 1398, INVALID),
        ("BEGIN", f"XA START 'x', '{'x' * 65}'", 1398, INVALID),
        ("BEGIN", "XA START X'abc'", 1064, "You have an error in your SQL syntax near \"X'abc'\""),
    ],
)
def test_errors_of_statements_that_steer(before: str, statement: str, number: int, message: str) -> None:
    lines = "".join(f"con1: {one};\n" for one in before.split("; "))
    result = simulate(f"{TWO_TABLES}{lines}-- !error\ncon1: {statement};\n")
    assert [error[1:] for error in result.errors] == [(number, message)]


def test_the_longest_names_of_an_xa_transaction() -> None:
    name = "x" * 64
    result = simulate(TWO_TABLES + f"con1: XA START '{name}', '{name}';\ncon1: XA END '{name}', '{name}';\n")
    assert result.errors == []


@pytest.mark.parametrize("name", [b"`caf\xe9`", b"`\xe9`"])
def test_a_name_that_is_not_valid_text(name: bytes) -> None:
    with pytest.raises(ScenarioError, match=r"line 5: a name that is not valid UTF-8 is not in the model"):
        simulate(TWO_TABLES.encode() + b"con1: SAVEPOINT " + name + b";\n")


def test_only_a_client_that_came_can_disconnect() -> None:
    with pytest.raises(ScenarioError, match=r", line 5: unknown connection con7$"):
        simulate(TWO_TABLES + "-- !disconnect con7\n")


@pytest.mark.parametrize(("begin", "earlier"), [("START TRANSACTION WITH CONSISTENT SNAPSHOT", 1), ("BEGIN", 0)])
def test_a_snapshot_begins_the_engines_transaction(begin: str, earlier: int) -> None:
    """Its number is that of the statement that begins it."""
    text = TWO_TABLES + f"con1: {begin};\ncon1: INSERT INTO innodb_t VALUES (1);\ncon1: COMMIT;\n"
    assert outline(text)[-2:] == [f"con1: Xid {6 - earlier}", "Stop"]


@pytest.mark.parametrize(("count", "shown"), [(16, 16), (17, 254)])
def test_the_databases_of_a_statement_are_named_up_to_sixteen(count: int, shown: int) -> None:
    databases = [f"d{number:02}" for number in range(count)]
    made = [f"con1: CREATE DATABASE {name};\ncon1: CREATE TABLE {name}.t (a INT);\n" for name in databases]
    result = simulate("".join(made) + f"con1: DROP TABLE {', '.join(f'{name}.t' for name in databases)};\n")
    last = [event for event in pybinlog_events(result.files["binlog.000001"]) if event.header.event_type == 2][-1]
    ((found),) = [one.value for one in last.body.status_vars if int(one.code) == 12]
    assert found.count == shown
    assert found.names is None if shown == 254 else sorted(found.names) == databases


def test_what_a_statement_takes_from_its_session_is_outlined() -> None:
    text = (
        "-- server: format=STATEMENT\n"
        "con1: CREATE TABLE auto (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b BLOB) ENGINE=InnoDB;\n"
        "con1: INSERT INTO auto (a) VALUES (1);\n"
        "con1: SET @i = -5, @u = 18446744073709551615, @f = 1.5e0, @s = 'it', @b = X'ff', @n = NULL;\n"
        "con1: INSERT INTO auto (a) VALUES (LAST_INSERT_ID());\n"
        "con1: INSERT INTO auto (a, b) VALUES (@i, @s), (@f, @u), (@n, @b);\n"
        "con1: UPDATE auto SET a = a + RAND() * 0;\n"
    )
    kinds = "Intvar", "RAND", "User var"
    (rand,) = [event.body for event in pybinlog_events(simulate(text).files["binlog.000001"]) if "seed1" in event.body]
    lines = [line.removeprefix("con1: ") for line in outline(text)]
    assert [line for line in lines if line.startswith(kinds)] == [
        "Intvar INSERT_ID=1",
        "Intvar LAST_INSERT_ID=1",
        "Intvar INSERT_ID=2",
        "Intvar INSERT_ID=3",
        "User var @i=-5",
        "User var @s='it'",
        "User var @f=1.5",
        "User var @u=18446744073709551615",
        "User var @n=NULL",
        "User var @b=b'\\xff'",
        f"RAND {rand.seed1}, {rand.seed2}",
    ]


def test_a_memory_table_is_empty_after_a_restart() -> None:
    text = TWO_TABLES + "con1: CREATE TABLE m (a INT) ENGINE=MEMORY;\ncon1: INSERT INTO m VALUES (1);\n-- !restart\n"
    assert simulate(text).table("test.m") == []
    result = simulate(text + "con2: INSERT INTO m VALUES (2);\ncon2: INSERT INTO m VALUES (3);\n")
    assert result.tables() == {"test.innodb_t": [], "test.m": [(2,), (3,)], "test.myisam_t": [(1,)]}
    emptied = [line for line in result.outline() if "TRUNCATE" in line]
    assert [line.split("Query")[1].strip() for line in emptied] == [
        "TRUNCATE TABLE `test`.`m` /* generated by server, implicitly emptying in-memory table */"
    ]


def test_a_prepared_transaction_that_changed_nothing_is_lost_in_a_restart() -> None:
    text = TWO_TABLES + "con1: XA START 'x';\n{}con1: XA END 'x';\ncon1: XA PREPARE 'x';\n-- !restart\n"
    end = "con2: XA COMMIT 'x';\n"
    assert [error[1] for error in simulate(text.format("") + "-- !error\n" + end).errors] == [1397]
    assert simulate(text.format("con1: INSERT INTO innodb_t VALUES (1);\n") + end).table("test.innodb_t") == [(1,)]


def test_temporary_tables_of_5_6_need_statements_in_the_log() -> None:
    text = TWO_TABLES + "con1: CREATE TEMPORARY TABLE x (a INT);\n"
    said = r"line 6: temporary tables of 5\.6 are in the model with format=STATEMENT only$"
    with pytest.raises(ScenarioError, match=said):
        simulate("-- server: version=5.6 format=MIXED\n" + text)
    assert simulate("-- server: version=5.6 format=STATEMENT\n" + text).errors == []
