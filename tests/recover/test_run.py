"""Runs on real servers: a target that loads the backup of testdata/recover, and comes to the moment that is planned."""

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from pybinlog.recover.ending import Ending
from pybinlog.recover.journal import Journal
from pybinlog.recover.proof import prove
from pybinlog.recover.target import Target
from pybinlog.replication.options import ServerOptions, SslMode
from tests.corpus import PROJECT
from tests.recover.logs import UUID, planned
from tests.recover.targets import AT_DROP, BEFORE_DROP, EVENTS, FOLDERS, NO_GTIDS, RECOVERY, ROWS, recover
from tests.server import Server, running
from tests.undo.session import Session


def settings(target: tuple[str, Server]) -> str:
    return target[1].sql(
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_id', 'sync_binlog') OR Variable_name "
        "LIKE '%parallel_workers' OR Variable_name LIKE '%parallel_threads'"
    )


@pytest.mark.parametrize("origin", ["", "server", "binlog.000001:{}"])
def test_a_server_comes_to_just_before_a_drop(target: tuple[str, Server], origin: str, tmp_path: Path) -> None:
    kind, server = target
    before = settings(target)
    place = origin.format(1478 if kind == "mysql" else 911)
    status, report, errors = recover(target, tmp_path, "--run", "--fast", BEFORE_DROP, origin=place)
    assert (status, report.get("faults"), report.get("problems")) == (0, [], []), errors
    assert server.sql(ROWS) == AT_DROP[kind]
    assert report["compared"] == ["shop.orders"]
    assert settings(target) == before
    assert server.sql("SHOW REPLICA STATUS" if kind == "mysql" else "SHOW ALL SLAVES STATUS") == ""
    assert list(tmp_path.rglob("*.json")) == []


def test_events_get_the_state_that_the_logs_say(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    _, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    found = server.sql(EVENTS)
    assert found == "ev\tENABLED\troot@localhost\n" * (kind == "mysql") + "ev2\tDISABLED\troot@localhost\n", errors
    expected = {"shop.ev": "ENABLED", "shop.ev2": "DISABLED"}
    assert report["events"] == (expected if kind == "mysql" else {"shop.ev2": "DISABLED"})


def test_a_transaction_is_left_out(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    gtid = f"{UUID}:7" if kind == "mysql" else "0-7-5"
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP, f"--without-gtid={gtid}")
    assert status == 0, errors
    assert server.sql(ROWS) == AT_DROP[kind].replace("1\ta\t2", "1\ta\t1")


REFUSED = {
    "mysql": [
        ("SET GLOBAL replica_exec_mode = IDEMPOTENT", "SET GLOBAL replica_exec_mode = STRICT", "replica_exec_mode"),
        (
            "CHANGE REPLICATION FILTER REPLICATE_IGNORE_DB = (shop)",
            "CHANGE REPLICATION FILTER REPLICATE_IGNORE_DB = ()",
            "replication filters",
        ),
        (
            "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'elsewhere' FOR CHANNEL 'x'",
            "RESET REPLICA ALL FOR CHANNEL 'x'",
            "the channel 'x' replicates from elsewhere",
        ),
        (f"SET gtid_next = '{UUID}:7'; BEGIN; COMMIT", "", "transactions after the backup"),
        (f"SET gtid_next = '{UUID}:12'; BEGIN; COMMIT", "", "transactions after the end"),
        (f"SET gtid_next = '{UUID}:99'; BEGIN; COMMIT", "", "of the logs' own servers"),
        ("RESET BINARY LOGS AND GTIDS", "", "lacks transactions of the backup"),
    ],
    "mariadb": [
        ("SET GLOBAL slave_exec_mode = IDEMPOTENT", "SET GLOBAL slave_exec_mode = STRICT", "slave_exec_mode"),
        ("SET GLOBAL replicate_ignore_db = 'shop'", "SET GLOBAL replicate_ignore_db = ''", "replication filters"),
        ("SET GLOBAL slave_run_triggers_for_rbr = YES", "SET GLOBAL slave_run_triggers_for_rbr = NO", "rbr=YES"),
        ("SET GLOBAL gtid_slave_pos = '0-7-2'", "", "the backup ends at 0-7-3"),
        ("SET GLOBAL gtid_slave_pos = '0-7-10'", "", "after the end"),
        (
            "CHANGE MASTER 'x' TO MASTER_HOST = 'elsewhere'",
            "RESET SLAVE 'x' ALL",
            "the channel 'x' replicates from elsewhere",
        ),
    ],
}


def test_a_target_that_would_not_come_to_the_plan_is_refused(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    for setting, back, problem in REFUSED[kind]:
        server.sql(setting)
        status, plan, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
        assert status == 1, (setting, errors)
        assert any(problem in one["problem"] for one in plan.get("problems", [])), (setting, plan, errors)
        if back:
            server.sql(back)
        elif kind == "mysql":
            server.sql(f"RESET BINARY LOGS AND GTIDS; SET GLOBAL gtid_purged = '{UUID}:1-5'")
        else:
            server.sql("SET GLOBAL gtid_slave_pos = '0-7-3'")
    assert server.sql(ROWS).splitlines()[0].startswith("1\ta\t1")


def test_a_target_of_the_other_kind_is_refused(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    other = "mariadb" if kind == "mysql" else "mysql"
    folder = FOLDERS[other]
    command = ["recover", f"--from={folder / 'backup.sql'}", "--into=mysql://root@localhost"]
    done = subprocess.run(
        [sys.executable, "-m", "pybinlog", *command, f"--socket={server.socket()}", str(folder)],
        cwd=PROJECT,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "PROBLEM:       the logs are of M" in done.stdout


def test_an_error_of_the_target_can_be_mended_or_given_up(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    before = settings(target)
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (4, 'x', 0), (5, 'x', 0), (6, 'x', 0)")
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, "the target stopped" in errors, "Duplicate" in errors) == (1, True, True), errors
    status, _, errors = recover(target, tmp_path, "--give-up")
    assert (status, settings(target)) == (0, before), errors
    assert server.sql("SHOW REPLICA STATUS" if kind == "mysql" else "SHOW ALL SLAVES STATUS") == ""
    status, _, errors = recover(target, tmp_path, "--give-up")
    assert "has notes on this machine" in errors


def test_a_run_that_stopped_goes_on(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    row = "(4, 'in the way', 0)" if kind == "mysql" else "(3, 'in the way', 0)"
    if kind == "mysql":
        server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE id = 4")
    server.sql(f"SET sql_log_bin = 0; INSERT INTO shop.orders VALUES {row}")
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, "Duplicate" in errors) == (1, True), errors
    status, _, errors = recover(target, tmp_path, "--run")
    assert "another recovery of this target is under way" in errors
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE note = 'in the way'")
    status, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]


def test_a_row_that_is_not_as_the_logs_left_it_is_a_fault(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    assert recover(target, tmp_path, "--run", BEFORE_DROP)[0] == 0
    plan = planned(FOLDERS[kind], Ending(before="DROP TABLE shop.orders"))
    found = Target(ServerOptions(user="root", socket=server.socket(), ssl_mode=SslMode.DISABLED))
    journal = Journal(
        "",
        [],
        f"{UUID}:1-5" if kind == "mysql" else "0-7-3",
        own=found.value("@@gtid_binlog_state") if kind == "mariadb" else "",
    )
    assert prove(plan, found, journal, lambda _: None).faults == []
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (2, 'b', 2); DELETE FROM shop.orders WHERE id = 4")
    (fault,) = prove(plan, found, journal, lambda _: None).faults
    found.close()
    assert fault.startswith("the last row of shop.orders is not as ")


def test_logs_without_gtids_are_applied_once(tmp_path: Path) -> None:
    backup = (
        "CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT); INSERT INTO shop.orders VALUES"
    )
    with running("mysql", "anonymous", "--server-id=7", "--relay-log=relay", *NO_GTIDS, *RECOVERY) as server:
        server.sql(f"{backup} (1, 1), (2, 2)")
        place = ":".join(server.sql("SHOW BINARY LOG STATUS").split()[:2])
        server.sql("UPDATE shop.orders SET n = 10 WHERE id = 1")
        log, position = server.sql("SHOW BINARY LOG STATUS").split()[:2]
        server.sql("DELETE FROM shop.orders WHERE id = 2")
        server.sql("INSERT INTO shop.orders VALUES (3, 3)")
        server.next_log()
        (tmp_path / "logs").mkdir()
        shutil.copy(server.folder() / log, tmp_path / "logs")
        server.sql(f"SET sql_log_bin = 0; DROP DATABASE shop; {backup} (1, 1), (2, 2)")
        arguments = [f"--from={place}", f"--without-position={log}:{position}", "--run", "--format=json"]
        command = [sys.executable, "-m", "pybinlog", "recover", *arguments, "--into=mysql://root@localhost"]
        command += [f"--socket={server.socket()}", str(tmp_path / "logs")]

        def run() -> subprocess.CompletedProcess[str]:
            environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
            return subprocess.run(
                command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=120, check=False
            )

        done = run()
        assert done.returncode == 0, done.stdout + done.stderr
        assert server.sql(ROWS) == "1\t10\n2\t2\n3\t3\n"
        done = run()
        assert (done.returncode, "would apply them again" in done.stderr) == (1, True)
        assert server.sql(ROWS) == "1\t10\n2\t2\n3\t3\n"


def test_a_target_that_lost_its_relay_logs_goes_on(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    if kind == "mariadb":
        pytest.skip("a MariaDB that has lost relay logs does not start")
    server.sql("SET sql_log_bin = 0; REPLACE INTO shop.orders VALUES (4, 'in the way', 0)")
    assert recover(target, tmp_path, "--run", BEFORE_DROP)[0] == 1
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE note = 'in the way'")
    server.stop()
    lost = list(server.folder().glob("relay*recover.0*"))
    for path in lost:
        path.unlink()
    server.start()
    assert lost
    status, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]


def test_a_target_that_lacks_its_replication_tables_for_a_moment_goes_on(
    target: tuple[str, Server], tmp_path: Path
) -> None:
    kind, server = target
    if kind == "mariadb":
        pytest.skip("a MariaDB that starts has its tables")
    server.sql("SET sql_log_bin = 0; REPLACE INTO shop.orders VALUES (4, 'in the way', 0)")
    assert recover(target, tmp_path, "--run", BEFORE_DROP)[0] == 1
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE note = 'in the way'")
    server.sql("SET sql_log_bin = 0; RENAME TABLE mysql.slave_relay_log_info TO mysql.away")
    back = threading.Timer(
        2, server.sql, ["SET sql_log_bin = 0; RENAME TABLE mysql.away TO mysql.slave_relay_log_info"]
    )
    back.start()
    status, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    back.join()
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]


def test_a_name_of_an_xa_transaction_that_a_session_has_is_found(target: tuple[str, Server]) -> None:
    kind, server = target
    if kind == "mysql":
        pytest.skip("MySQL lists it, or forgets it")
    with closing(Session(kind, server.socket())) as session:
        session.run("XA START 'x1'")
        found = Target(ServerOptions(user="root", socket=server.socket(), ssl_mode=SslMode.DISABLED))
        assert [found.has_xid(xid) for xid in ("X'7831',X'',1", "X'7832',X'',1")] == [True, False]
        assert found.value("@@sql_log_bin") == "0"
        found.close()


def test_tables_without_transactions_stop_a_run_after_a_restart(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    server.sql("SET sql_log_bin = 0; ALTER TABLE shop.orders ENGINE = MyISAM")
    status, plan, errors = recover(target, tmp_path, BEFORE_DROP)
    assert (status, "shop.orders (MyISAM)" in str(plan.get("remarks"))) == (0, True), errors
    row = "(4, 'in the way', 0)" if kind == "mysql" else "(3, 'in the way', 0)"
    server.sql(f"SET sql_log_bin = 0; REPLACE INTO shop.orders VALUES {row}")
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, "Duplicate" in errors) == (1, True), errors
    server.restart()
    time.sleep(2)
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, "It may have a half of a change" in errors) == (1, True), errors
    assert recover(target, tmp_path, "--give-up")[0] == 0


def test_a_restart_that_brings_the_id_of_the_logs_is_seen(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    if kind == "mysql":
        pytest.skip("pybinlog sends MySQL other ids")
    server.sql("SET GLOBAL server_id = 99")
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE id = 1")
    status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, "Can't find record" in errors) == (1, True), errors
    server.restart()
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (1, 'a', 1)")
    status, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]
    assert server.sql("SELECT @@server_id") == "7\n"


def test_a_statement_that_a_killed_mariadb_ran_is_stepped_over(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    if kind == "mysql":
        pytest.skip("MySQL notes a GTID together with what its transaction does")
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (3, 'c', 3)")
    way_over = "SET GLOBAL gtid_slave_pos = '0-7-4'"
    for expected in (False, True):  # only a run that was begun before may have met a kill
        status, _, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
        assert (status, "Duplicate" in errors, way_over in errors) == (1, True, expected), errors
    server.sql(way_over)
    status, report, errors = recover(target, tmp_path, "--run", BEFORE_DROP)
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]
