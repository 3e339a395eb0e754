"""Logs of a real MariaDB 11.8, read over its connection, against what its own client prints of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parity.reduced_text import reduce_mariadb_binlog, reduce_ours
from tests.replication.live import Live, live, workloads

SETTINGS = {
    "binlog-format": "ROW",
    "binlog-checksum": "CRC32",
    "binlog-row-metadata": "NO_LOG",
    "log-bin-trust-function-creators": "1",
    "log-bin-compress": "OFF",
    "log-bin-compress-min-len": "256",
    "binlog-annotate-row-events": "ON",
}
WORKLOADS = [workload for workload in workloads("mariadb-11.8") if workload.parent.name not in ("stopped", "encrypted")]


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live("mariadb", tmp_path_factory.mktemp("live")) as server:
        yield server


def same(server: Live, *arguments: str) -> None:
    """Both texts say the same."""
    ours, theirs = reduce_ours(server.ours(*arguments)), reduce_mariadb_binlog(server.reference(*arguments))
    assert ours.positions == theirs.positions
    assert ours.events == theirs.events


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.parent.name)
def test_the_text_of_a_workload_says_what_the_clients_says(workload: Path, mariadb: Live) -> None:
    text = (workload.parent / "server.txt").read_text(encoding="utf-8")
    arguments = dict(re.findall(r"--([\w-]+)=(\S+)", re.findall(r"^server arguments: (.*)", text, re.MULTILINE)[0]))
    chosen = SETTINGS | {name: value for name, value in arguments.items() if name in SETTINGS}
    mariadb.server.sql("".join(f"SET GLOBAL {name.replace('-', '_')} = {value};" for name, value in chosen.items()))
    for log in mariadb.replay(workload):
        same(mariadb, log)
        same(mariadb, "-v", log)
        output = mariadb.run(log)
        assert (output.status, output.errors) == (0, "")


def test_start_positions_sockets_tls_and_copies(mariadb: Live, tmp_path: Path) -> None:
    mariadb.server.sql(
        "CREATE DATABASE positions; CREATE TABLE positions.t (x INT); INSERT INTO positions.t VALUES (1)"
    )
    log = mariadb.logs()[-1]
    following = mariadb.server.next_log()
    text = mariadb.ours(log)
    positions = re.findall(rb"^# at (\d+)", text, re.MULTILINE)
    for position in positions:
        same(mariadb, f"--start-position={position.decode()}", log)
    assert mariadb.ours("-S", mariadb.socket, "-hlocalhost", log) == text
    assert mariadb.ours("--ssl-mode=DISABLED", log) == text
    assert mariadb.ours("--ssl-mode=REQUIRED", log) == text
    output = mariadb.run("--raw", f"--result-file={tmp_path}/", log)
    assert output.status == 0, output.errors
    assert (tmp_path / log).read_bytes() == mariadb.file(log)
    together = mariadb.ours("-t", log)
    assert b"Rotate to " + following.encode() + b"  pos: 4\n" in together
    assert set(positions) <= set(re.findall(rb"^# at (\d+)", together, re.MULTILINE))


@pytest.mark.parametrize("tls", ["DISABLED", "REQUIRED"])
def test_compressed_packets_give_the_same_text(tls: str, mariadb: Live, tmp_path: Path) -> None:
    mariadb.server.sql("CREATE DATABASE packed; CREATE TABLE packed.t (x LONGTEXT)")
    mariadb.server.sql("SET GLOBAL max_allowed_packet = 1 << 30")
    log = mariadb.server.next_log()
    mariadb.server.sql("INSERT INTO packed.t VALUES (REPEAT('x', 40 << 20))", "--max-allowed-packet=1G")
    mariadb.server.sql("".join(f"INSERT INTO packed.t VALUES ({number});" for number in range(500)))
    mariadb.server.sql("DROP DATABASE packed")
    mariadb.server.next_log()
    text = mariadb.ours(log)
    assert mariadb.ours("--compress", f"--ssl-mode={tls}", log) == text
    assert mariadb.ours("--compression-algorithms=zstd,zlib", f"--ssl-mode={tls}", log) == text
    output = mariadb.run("--compression-algorithms=zstd", log)
    assert (output.status, "the server does not compress by zstd" in output.errors) == (1, True)
    assert mariadb.run("--raw", "-C", f"--result-file={tmp_path}/", log).status == 0
    assert (tmp_path / log).read_bytes() == mariadb.file(log)


def test_gtids_of_mysql_are_refused(mariadb: Live) -> None:
    output = mariadb.run("--read-from-remote-source=BINLOG-DUMP-GTIDS", mariadb.logs()[0])
    assert output.status == 1
    assert "MariaDB has no BINLOG-DUMP-GTIDS" in output.errors
