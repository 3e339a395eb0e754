"""Real replicas of MariaDB 11.8, which get what a server of the same version has logged, in two domains."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.replicas import SCHEMA, Replica, copy_of_logs, replica, sums, workload
from tests.serve.served import served
from tests.server import Server, running

END = "SELECT @@gtid_slave_pos"


@pytest.fixture(scope="module")
def source() -> Iterator[Server]:
    with running("mariadb", "source", "--server-id=7", "--binlog-annotate-row-events=ON") as server:
        yield server


@pytest.fixture(scope="module")
def logs(source: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    source.sql(SCHEMA + workload(20))
    source.sql(
        "SET gtid_domain_id=3; CREATE DATABASE other; CREATE TABLE other.t (a INT); INSERT INTO other.t VALUES (1)"
    )
    source.sql("FLUSH BINARY LOGS;" + workload(20, 20))
    for number in range(10):
        source.sql(f"SET gtid_domain_id=3; INSERT INTO other.t VALUES ({number}); SET gtid_domain_id=0;" + workload(2))
    source.sql(
        "XA START 'a'; INSERT INTO shop.item (name) VALUES ('xa'); XA END 'a'; XA PREPARE 'a'; XA COMMIT 'a';"
        "FLUSH BINARY LOGS; ALTER TABLE shop.item ADD c INT;" + workload(10)
    )
    copy_of_logs(source, folder)
    return folder


@pytest.fixture(scope="module")
def the_replica() -> Iterator[Replica]:
    with replica("mariadb", "--log-slave-updates=1") as found:
        yield found


@pytest.fixture(autouse=True)
def clean(the_replica: Replica) -> None:
    the_replica.clean()
    the_replica.server.sql("SET GLOBAL slave_parallel_threads=0")


def position(source: Server) -> str:
    """Return the last GTID of each domain."""
    return ",".join(sorted(source.sql("SELECT @@gtid_binlog_pos").strip().split(",")))


def reached(the_replica: Replica) -> str:
    return ",".join(sorted(the_replica.server.sql(END).strip().split(",")))


@pytest.mark.parametrize("threads", [0, 8])
def test_a_replica_by_gtid_gets_both_domains(threads: int, the_replica: Replica, source: Server, logs: Path) -> None:
    the_replica.server.sql(f"SET GLOBAL slave_parallel_threads={threads}; SET GLOBAL slave_parallel_mode='optimistic'")
    with served(logs) as server:
        the_replica.connect(server)
        the_replica.wait_until(END, position(source))
        assert sums(the_replica.server) == sums(source)


def test_a_replica_gets_everything_in_compressed_packets(the_replica: Replica, source: Server, logs: Path) -> None:
    the_replica.server.sql("SET GLOBAL slave_compressed_protocol=ON")
    try:
        with served(logs) as server:
            the_replica.connect(server)
            the_replica.wait_until(END, position(source))
            assert sums(the_replica.server) == sums(source)
            the_replica.server.sql("STOP SLAVE")
    finally:
        the_replica.server.sql("SET GLOBAL slave_compressed_protocol=OFF")


def test_a_replica_by_file_and_position_gets_everything(the_replica: Replica, source: Server, logs: Path) -> None:
    with served(logs) as server:
        place = "MASTER_USE_GTID=no, MASTER_LOG_FILE='binlog.000001', MASTER_LOG_POS=4"
        server.statement = server.statement.replace("MASTER_USE_GTID=slave_pos", place)
        the_replica.connect(server)
        the_replica.wait_for_sums(sums(source))


def test_a_replica_goes_on_where_it_stopped(the_replica: Replica, source: Server, logs: Path) -> None:
    with served(logs) as server:
        the_replica.connect(server, start="UNTIL master_gtid_pos='0-7-15,3-7-2'")
        the_replica.wait_until(END, "0-7-15,3-7-2")
        the_replica.server.sql("STOP SLAVE; START SLAVE")
        the_replica.wait_until(END, position(source))
        assert sums(the_replica.server) == sums(source)


@pytest.mark.parametrize(
    ("until", "end"),
    [
        ("master_gtid_pos='0-7-15'", "0-7-15"),
        ("master_gtid_pos='0-7-30,3-7-5'", "0-7-30,3-7-5"),
        ("master_gtid_pos='3-7-6,0-7-44'", "0-7-44,3-7-6"),
        ("SQL_AFTER_GTIDS='0-7-30,3-7-5'", "0-7-30,3-7-5"),
        ("SQL_BEFORE_GTIDS='0-7-30,3-7-5'", "0-7-29,3-7-4"),
    ],
)
@pytest.mark.parametrize("threads", [0, 8])
def test_until_is_exact(until: str, end: str, threads: int, the_replica: Replica, logs: Path) -> None:
    the_replica.server.sql(f"SET GLOBAL slave_parallel_threads={threads}; SET GLOBAL slave_parallel_mode='optimistic'")
    with served(logs) as server:
        the_replica.connect(server, start=f"UNTIL {until}")
        the_replica.wait_until(END, end)
        the_replica.wait_until(
            "SELECT COUNT(*) FROM information_schema.processlist WHERE command LIKE 'Slave_%' AND command <> "
            "'Slave_worker'",
            "0",
        )
        assert reached(the_replica) == end
        assert the_replica.value("Last_IO_Error", "Last_SQL_Error") == ""


def test_until_a_position_of_a_file_is_the_replicas_own(the_replica: Replica, logs: Path) -> None:
    with served(logs) as server:
        the_replica.connect(server, start="UNTIL MASTER_LOG_FILE='binlog.000002', MASTER_LOG_POS=4")
        the_replica.wait_until(END, "0-7-23,3-7-3")


def test_a_state_that_is_too_old_is_said(the_replica: Replica, logs: Path) -> None:
    with served(*sorted(logs.iterdir())[1:]) as server:
        the_replica.connect(server)
        assert "Probably the slave state is too old" in the_replica.wait_for_error()


def test_a_gtid_that_the_logs_lack_is_said(the_replica: Replica, logs: Path) -> None:
    the_replica.server.sql("SET GLOBAL gtid_slave_pos='0-7-9999,3-7-1'")
    with served(logs) as server:
        the_replica.connect(server)
        error = the_replica.wait_for_error()
    assert "requested to start from GTID 0-7-9999, which is not in the master's binlog" in error


def test_a_replica_with_the_logs_own_server_id_is_stopped(the_replica: Replica, logs: Path) -> None:
    the_replica.server.sql("SET GLOBAL server_id=7")
    try:
        with served(logs) as server:
            the_replica.connect(server)
            assert "this transaction carries server id 7, the replica's own" in the_replica.wait_for_error()
            assert reached(the_replica) == ""
    finally:
        the_replica.server.sql("SET GLOBAL server_id=99")


def test_a_replica_of_mysql_is_refused(the_replica: Replica) -> None:
    from tests.corpus import TESTDATA

    with served(TESTDATA / "corpus/mysql-9.7/row-basic") as server:
        statement = f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={server.port}, MASTER_USER='repl'"
        the_replica.server.sql(f"{statement}, MASTER_USE_GTID=no; START SLAVE")
        assert "these are logs of MySQL, and this is a replica of MariaDB" in the_replica.wait_for_error()
