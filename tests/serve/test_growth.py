"""Logs that grow while they are served, are compressed, and go."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from pybinlog.errors import DataLossError
from pybinlog.serve.archive import Archive
from tests.corpus import PROJECT, TESTDATA
from tests.serve.replicas import GTIDS, SCHEMA, replica, sums, workload
from tests.serve.served import served
from tests.serve.test_copies import CLIENT
from tests.server import listening, running

pytest.importorskip("pymysql", reason="needs PyMySQL")

MULTI = TESTDATA / "corpus/mysql-9.7/multi-file"
LOGS = [path.read_bytes() for path in sorted(MULTI.glob("binlog.[0-9]*"))]
SECONDS = 30


def wait_until(holds: Callable[[], bool], what: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


def test_a_client_gets_whole_transactions_as_they_come(tmp_path: Path) -> None:
    folder, copies = tmp_path / "logs", tmp_path / "copies"
    folder.mkdir()
    copies.mkdir()
    first = folder / "binlog.000001"
    half = len(LOGS[0]) - 60
    first.write_bytes(LOGS[0][:half])
    with served("--follow", folder, errors=tmp_path / "said") as server:
        command = ["--raw", "--stop-never", f"--result-file={copies}/", *CLIENT, f"-P{server.port}", first.name]
        client = subprocess.Popen([sys.executable, "-m", "pybinlog", *command], cwd=PROJECT)
        try:

            def copy(number: int) -> bytes:
                path = copies / f"binlog.{number:06d}"
                return path.read_bytes() if path.exists() else b""

            wait_until(lambda: LOGS[0].startswith(copy(1)) and len(copy(1)) > 700, lambda: len(copy(1)))
            time.sleep(0.3)
            assert len(copy(1)) < half - 100  # the last transaction is not whole
            first.write_bytes(LOGS[0])
            wait_until(lambda: copy(1) == LOGS[0], lambda: len(copy(1)))
            (folder / "binlog.000002").write_bytes(b"")
            (folder / "binlog.000001.zst").write_bytes(zstandard.compress(LOGS[0]))
            first.unlink()
            (folder / "binlog.000002").write_bytes(LOGS[1])
            wait_until(lambda: copy(2) == LOGS[1], lambda: len(copy(2)))
            (folder / "binlog.000003").write_bytes(LOGS[2])
            (folder / "binlog.000001.zst").unlink()
            wait_until(lambda: copy(3) == LOGS[2], lambda: len(copy(3)))
            listed = subprocess.run(
                [sys.executable, "-m", "pybinlog", *CLIENT, f"-P{server.port}"],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                check=True,
            )
            assert [line.split("\t")[0] for line in listed.stdout.splitlines()] == ["binlog.000002", "binlog.000003"]
        finally:
            client.kill()
            client.wait()


def test_a_log_that_is_missing_ends_the_stream(tmp_path: Path) -> None:
    for number in 1, 2:
        (tmp_path / f"binlog.{number:06d}").write_bytes(LOGS[number - 1])
    with served("--follow", tmp_path, errors=tmp_path.parent / "said") as server:
        (tmp_path / "binlog.000004").write_bytes(LOGS[3])
        server.wait_for("binlog.000003 is missing between binlog.000002 and this log")
        command = [sys.executable, "-m", "pybinlog", *CLIENT, f"-P{server.port}", "--stop-never", "binlog.000002"]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 1
        assert "binlog.000003 is missing between binlog.000002 and this log" in done.stderr


def test_a_replica_of_a_mirror_has_what_the_server_has(tmp_path: Path) -> None:
    port, listens = listening()
    folder = tmp_path / "mirror"
    with (
        running("mysql", "source", "--server-id=7", *GTIDS, *listens) as source,
        replica("mysql", *GTIDS) as the_replica,
    ):
        source.sql(SCHEMA)
        command = ["mirror", "-h127.0.0.1", f"-P{port}", "-uroot", "--no-defaults", f"--to={folder}", "--compress=zstd"]
        mirror = subprocess.Popen([sys.executable, "-m", "pybinlog", *command], cwd=PROJECT)
        try:
            wait_until(lambda: (folder / "binlog.index").exists(), lambda: "no mirror")
            time.sleep(1)
            with served("--follow", folder, errors=tmp_path / "said") as server:
                the_replica.connect(server)
                for number in range(8):
                    source.sql(workload(50, 50 * number))
                    if number % 3 == 2:
                        source.sql("FLUSH BINARY LOGS")
                the_replica.wait_until("SELECT @@gtid_executed", source.sql("SELECT @@gtid_executed").strip())
                assert sums(the_replica.server) == sums(source)
        finally:
            mirror.kill()
            mirror.wait()


def test_logs_that_are_removed_before_they_were_sent_are_an_error() -> None:
    archive = Archive([str(path) for path in sorted(MULTI.glob("binlog.[0-9]*"))], lambda _: None)
    first, second, third, fourth = archive.logs
    assert archive.after(first) is second
    archive.forget_missing({third.name: third.path, fourth.name: fourth.path})
    assert archive.after(second) is third
    assert archive.after(fourth) is None
    with pytest.raises(DataLossError, match=r"the first one is binlog\.000003"):
        archive.after(first)
