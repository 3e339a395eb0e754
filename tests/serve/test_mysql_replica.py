"""Real replicas of MySQL 9.7, which get what a server of the same version has logged."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.replicas import GTIDS, SCHEMA, Replica, copy_of_logs, replica, sums, workload
from tests.serve.served import Served, served
from tests.server import Server, running


@pytest.fixture(scope="module")
def source() -> Iterator[Server]:
    with running("mysql", "source", "--server-id=7", *GTIDS) as server:
        yield server


@pytest.fixture(scope="module")
def logs(source: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs with all that transactions can be: tagged, compressed, XA, DDL; three of them."""
    folder = tmp_path_factory.mktemp("logs")
    source.sql(SCHEMA + workload(40))
    source.sql("FLUSH BINARY LOGS; SET gtid_next='AUTOMATIC:blue';" + workload(20, 40))
    source.sql("SET binlog_transaction_compression=ON;" + workload(20, 60))
    source.sql(
        "XA START 'a'; INSERT INTO shop.item (name) VALUES ('xa'); XA END 'a'; XA PREPARE 'a'; XA COMMIT 'a';"
        "FLUSH BINARY LOGS; INSERT INTO shop.blob_item VALUES (1, REPEAT('x', 17 << 20));"
        "ALTER TABLE shop.item ADD c INT;",
        "--max-allowed-packet=64M",
    )
    source.sql(workload(20, 80))
    copy_of_logs(source, folder)
    return folder


@pytest.fixture(scope="module")
def the_replica() -> Iterator[Replica]:
    with replica("mysql", *GTIDS, "--replica-max-allowed-packet=1G", "--max-allowed-packet=64M") as found:
        yield found


@pytest.fixture(autouse=True)
def clean(the_replica: Replica) -> None:
    the_replica.clean()


def executed(server: Server) -> str:
    return server.sql("SELECT @@gtid_executed").replace("\\n", "").strip()


@pytest.mark.parametrize("workers", [1, 16])
def test_a_replica_with_auto_position_gets_everything(
    workers: int, the_replica: Replica, source: Server, logs: Path
) -> None:
    the_replica.server.sql(f"SET GLOBAL replica_parallel_workers={workers}")
    said = len(the_replica.errors)
    with served(logs) as server:
        the_replica.connect(server)
        the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
        assert sums(the_replica.server) == sums(source)
        assert the_replica.value("Last_IO_Error") == ""
        lines = the_replica.errors[said:].splitlines()
    warnings = [line for line in lines if "[Warning]" in line or "[ERROR]" in line]
    assert [line for line in warnings if "MY-010897" not in line] == []  # of the password, as with every source


def test_a_replica_by_file_and_position_gets_everything(the_replica: Replica, source: Server, logs: Path) -> None:
    with served(logs) as server:
        place = "SOURCE_AUTO_POSITION=0, SOURCE_LOG_FILE='binlog.000001', SOURCE_LOG_POS=4"
        server.statement = server.statement.replace("SOURCE_AUTO_POSITION=1", place)
        the_replica.connect(server)
        the_replica.wait_for_sums(sums(source))


@pytest.mark.parametrize("algorithm", ["zlib", "zstd"])
def test_a_replica_gets_everything_in_compressed_packets(
    algorithm: str, the_replica: Replica, source: Server, logs: Path
) -> None:
    with served(logs) as server:
        the_replica.connect(server, more=f", SOURCE_COMPRESSION_ALGORITHMS='{algorithm}'")
        the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
        assert sums(the_replica.server) == sums(source)


def test_a_replica_goes_on_after_serve_was_killed(the_replica: Replica, source: Server, logs: Path) -> None:
    server = Served(logs)
    the_replica.connect(server, more=", SOURCE_CONNECT_RETRY=1")
    server.end(signal.SIGKILL)
    with served(logs, port=server.port):
        the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
        assert sums(the_replica.server) == sums(source)


def test_a_replica_that_lacks_purged_transactions_is_told_which(the_replica: Replica, logs: Path) -> None:
    with served(*sorted(logs.iterdir())[1:]) as server:
        the_replica.connect(server)
        error = the_replica.wait_for_error()
    assert "the source purged required binary logs: the missing transactions are '" in error
    assert ":1-4" in error


def test_a_replica_with_the_logs_own_server_id_is_stopped_before_the_first_transaction(
    the_replica: Replica, source: Server, logs: Path
) -> None:
    the_replica.server.sql("SET GLOBAL server_id=7")
    try:
        with served(logs) as server:
            the_replica.connect(server)
            error = the_replica.wait_for_error()
            assert "this transaction carries server id 7, the replica's own" in error
            assert executed(the_replica.server) == ""
            the_replica.server.sql("STOP REPLICA; SET GLOBAL server_id=99; START REPLICA")
            the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
    finally:
        the_replica.server.sql("SET GLOBAL server_id=99")


def test_a_rewritten_server_id_lets_the_server_that_wrote_the_logs_apply_them(
    the_replica: Replica, source: Server, logs: Path
) -> None:
    the_replica.server.sql("SET GLOBAL server_id=7")
    try:
        with served(logs, "--own-server-id=rewrite") as server:
            the_replica.connect(server)
            the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
            assert sums(the_replica.server) == sums(source)
            the_replica.server.sql("STOP REPLICA")
    finally:
        the_replica.server.sql("SET GLOBAL server_id=99")


def test_marked_events_are_applied(the_replica: Replica, source: Server, logs: Path) -> None:
    with served(logs, "--tbm") as server:
        the_replica.connect(server)
        the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
        assert sums(the_replica.server) == sums(source)


def test_a_replica_with_a_password_logs_in_over_tls(the_replica: Replica, source: Server, logs: Path) -> None:
    with served(logs, "--user=repl", MYSQL_PWD="sekret") as server:
        the_replica.connect(server, more=", SOURCE_PASSWORD='wrong'")
        assert "Access denied for user 'repl'" in the_replica.wait_for_error()
        the_replica.server.sql("STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD='sekret'; START REPLICA")
        the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
