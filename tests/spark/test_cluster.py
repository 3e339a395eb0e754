"""The program on a standalone cluster: a master and two workers, one of which is killed in the middle of a job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks.inflate import inflate
from tests.conftest import QUICK_JAVA
from tests.corpus import PROJECT, scenarios
from tests.spark.cluster import Cluster, can_run, descendants

pytest.importorskip("pyspark", reason="PySpark is not installed")
if not can_run():
    pytest.skip("there is no Java", allow_module_level=True)

PROGRAM = [sys.executable, "-m", "pybinlog"]
INTACT = [str(log) for s in scenarios() if s.intact and s.folder.name != "large" for log in s.logs]
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MIB = 1 << 20


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def inflated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 12 MiB."""
    log = tmp_path_factory.mktemp("inflated") / "binlog.000001"
    with log.open("wb") as file:
        inflate(BASIC.read_bytes(), file, 12 * MIB)
    return log


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--conf spark.executor.memory=512m --driver-memory 512m "
        f"--conf 'spark.executor.extraJavaOptions={QUICK_JAVA}' pyspark-shell",
    }


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=PROJECT,
        capture_output=True,
        timeout=900,
        check=False,
        env=environment(),
    )


def outcome(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, done.stdout, done.stderr


def test_dump_and_check_are_those_of_one_machine(cluster: Cluster, inflated: Path, tmp_path: Path) -> None:
    names = [*INTACT, str(inflated)]
    outcomes = []
    for spark in ([], ["--spark", cluster.url, "--part-size", 2 * MIB]):
        folder = tmp_path / "load"  # of LOAD DATA files, whose names stand in the text
        folder.mkdir()
        outcomes.append((outcome(run("dump", "-v", f"--local-load={folder}", *spark, *names)), len(os.listdir(folder))))
        shutil.rmtree(folder)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0][0] == 0
    on_cluster = run("check", "--format=json", "--spark", cluster.url, f"--part-size={2 * MIB}", *names, "no.000001")
    assert outcome(on_cluster) == outcome(run("check", "--format=json", *names, "no.000001"))
    assert on_cluster.returncode == 2


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(cluster: Cluster, inflated: Path) -> None:
    wanted = run("dump", inflated, inflated)
    process = subprocess.Popen(
        [*PROGRAM, "dump", f"--spark={cluster.url}", f"--part-size={MIB}", str(inflated), str(inflated)],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    text = bytearray(os.read(process.stdout.fileno(), 1 << 16))
    while len(text) < MIB:
        # some parts have come: both executors are at work
        piece = os.read(process.stdout.fileno(), 1 << 16)
        assert piece, process.communicate()[1]
        text += piece
    cluster.kill_worker()
    rest, err = process.communicate(timeout=900)
    cluster.add_worker(len(cluster.workers) + 1)
    assert (process.returncode, err) == (0, b"")
    assert bytes(text + rest) == wanted.stdout


def test_python_processes_that_are_killed_change_nothing(cluster: Cluster, inflated: Path) -> None:
    wanted = run("check", "--format=json", inflated, inflated)
    process = subprocess.Popen(
        [*PROGRAM, "check", "--format=json", f"--spark={cluster.url}", f"--part-size={MIB}", inflated, inflated],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    killed = 0
    deadline = time.monotonic() + 120
    while not killed and process.poll() is None and time.monotonic() < deadline:
        for worker in cluster.workers:
            for pid in descendants(worker.pid):
                try:
                    command = Path(f"/proc/{pid}/cmdline").read_bytes()
                    if b"pyspark.daemon" in command:
                        os.kill(pid, 9)
                        killed += 1
                except OSError:
                    pass
        time.sleep(0.05)
    out, err = process.communicate(timeout=900)
    assert killed, "no task was under way"
    assert (process.returncode, out, err) == outcome(wanted)
