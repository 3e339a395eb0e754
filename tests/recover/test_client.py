"""Runs by a client on real servers: the text of the logs over one connection, interrupted, and under another name."""

import shutil
from pathlib import Path

import pytest

from tests.recover.logs import UUID
from tests.recover.targets import AT_DROP, BEFORE_DROP, EVENTS, FOLDERS, ROWS, recover
from tests.server import Server

CLIENT = ["--run", "--client"]


@pytest.mark.parametrize("origin", ["", "server"])
def test_a_client_brings_a_server_to_just_before_a_drop(
    target: tuple[str, Server], origin: str, tmp_path: Path
) -> None:
    kind, server = target
    status, report, errors = recover(target, tmp_path, *CLIENT, BEFORE_DROP, origin=origin)
    assert (status, report.get("faults"), report.get("problems")) == (0, [], []), errors
    assert server.sql(ROWS) == AT_DROP[kind]
    assert report["compared"] == ["shop.orders"]
    found = server.sql(EVENTS)
    assert found == "ev\tENABLED\troot@localhost\n" * (kind == "mysql") + "ev2\tDISABLED\troot@localhost\n", errors
    executed = server.sql("SELECT @@gtid_executed" if kind == "mysql" else "SELECT @@gtid_slave_pos, @@gtid_binlog_pos")
    assert executed.replace("\n", "") == (f"{UUID}:1-11" if kind == "mysql" else "0-7-9\t0-7-9")
    assert list(tmp_path.rglob("*.json")) == []


def test_a_client_leaves_a_transaction_out(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    gtid = f"{UUID}:7" if kind == "mysql" else "0-7-5"
    status, _, errors = recover(target, tmp_path, *CLIENT, BEFORE_DROP, f"--without-gtid={gtid}")
    assert status == 0, errors
    assert server.sql(ROWS) == AT_DROP[kind].replace("1\ta\t2", "1\ta\t1")


def test_a_client_goes_on_after_what_is_there(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    executed = "SELECT @@gtid_executed" if kind == "mysql" else "SELECT @@gtid_binlog_pos"
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE id = 1")
    before = server.sql(executed)
    status, _, errors = recover(target, tmp_path, *CLIENT, BEFORE_DROP)
    assert (status, "Can't find record" in errors, "the target stopped at binlog.00000" in errors) == (1, True, True)
    assert server.sql(executed) != before
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (1, 'a', 1)")
    status, report, errors = recover(target, tmp_path, *CLIENT, BEFORE_DROP)
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql(ROWS) == AT_DROP[kind]


def test_a_client_mends_xa_transactions_of_a_killed_mariadb(target: tuple[str, Server], tmp_path: Path) -> None:
    """A kill between its logs and its engine leaves others prepared than the logs say; here, statements do."""
    kind, server = target
    if kind == "mysql":
        pytest.skip("MySQL's XA transactions are those of its logs after a kill")
    server.sql("CREATE TABLE shop.x (id INT PRIMARY KEY)")
    server.sql("RESET MASTER; SET GLOBAL gtid_slave_pos = '0-7-3'")
    prepared = "XA START '{0}'; INSERT INTO shop.x VALUES ({0}); XA END '{0}'; XA PREPARE '{0}'"
    for statement in (prepared.format(1), "XA COMMIT '1'", prepared.format(2), prepared.format(3), prepared.format(4)):
        server.sql(statement)
    server.sql("INSERT INTO shop.orders VALUES (77, 'in the way', 0)")
    server.sql("XA ROLLBACK '2'; XA COMMIT '3'")
    log = server.folder() / "binlog.000001"
    server.next_log()
    (tmp_path / "logs").mkdir()
    shutil.copy(log, tmp_path / "logs")
    server.sql("XA ROLLBACK '4'")
    server.sql("DELETE FROM shop.x; DELETE FROM shop.orders WHERE id = 77")
    server.sql("RESET MASTER; SET GLOBAL gtid_slave_pos = '0-7-3'")
    server.sql("SET sql_log_bin = 0; INSERT INTO shop.orders VALUES (77, 'in the way', 0)")
    status, _, errors = recover(target, tmp_path, *CLIENT, origin="0-7-3", logs=tmp_path / "logs")
    assert (status, "Duplicate" in errors) == (1, True), errors
    # The commit of 1 is undone, and 2 is lost.
    server.sql(f"SET sql_log_bin = 0; DELETE FROM shop.x WHERE id = 1; {prepared.format(1)}")
    server.sql("SET sql_log_bin = 0; XA ROLLBACK '2'")
    server.sql("SET sql_log_bin = 0; DELETE FROM shop.orders WHERE id = 77")
    status, report, errors = recover(target, tmp_path, *CLIENT, origin="0-7-3", logs=tmp_path / "logs")
    assert (status, report.get("faults")) == (0, []), errors
    assert server.sql("SELECT * FROM shop.x") == "1\n3\n"
    assert [row.split("\t")[3] for row in server.sql("XA RECOVER").splitlines()] == ["4"]
    server.sql("XA ROLLBACK '4'")


def test_a_client_fills_a_database_under_another_name(target: tuple[str, Server], tmp_path: Path) -> None:
    kind, server = target
    backup = (FOLDERS[kind] / "backup.sql").read_text()
    lines = [line for line in backup.splitlines() if "GTID_PURGED" not in line and "gtid_slave_pos" not in line]
    server.sql("DROP DATABASE IF EXISTS look; CREATE DATABASE look")
    server.sql("\n".join(lines).replace("`shop`", "`look`"))
    before = server.sql("SELECT @@gtid_executed" if kind == "mysql" else "SELECT @@gtid_binlog_pos")
    rewrite = [*CLIENT, "--rewrite-db=shop->look", BEFORE_DROP]
    status, report, errors = recover(target, tmp_path, *rewrite)
    assert (status, report.get("faults"), report.get("problems")) == (0, [], []), errors
    assert server.sql(ROWS.replace("shop", "look")) == AT_DROP[kind]
    assert report["compared"] == ["shop.orders"]
    assert server.sql(ROWS).startswith("1\ta\t1\n")
    executed = server.sql("SELECT @@gtid_executed" if kind == "mysql" else "SELECT @@gtid_binlog_pos")
    assert executed == before
    status, _, errors = recover(target, tmp_path, *rewrite)
    assert (status, "would apply them again" in errors) == (1, True)
