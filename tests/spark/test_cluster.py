"""The program on a standalone cluster: a master and two workers, one of which is killed in the middle of a job."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.conftest import quick_java
from tests.corpus import scenarios
from tests.inflate import inflate
from tests.parity.standard_error import GAP
from tests.spark.cluster import Cluster, Driver, can_run

pytest.importorskip("pyspark", reason="PySpark is not installed")
if not can_run():
    pytest.skip("there is no Java", allow_module_level=True)

INTACT = [str(log) for s in scenarios() if s.intact and s.folder.name != "large" for log in s.logs]
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MIB = 1 << 20


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """With all its workers, whatever the test before did to them."""
    started.complete()
    return started


@pytest.fixture(scope="module")
def inflated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 12 MiB."""
    log = tmp_path_factory.mktemp("inflated") / "binlog.000001"
    with log.open("wb") as file:
        inflate(BASIC.read_bytes(), file, 12 * MIB)
    return log


@pytest.fixture(scope="module")
def driver(started: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    driver = Driver(started, tmp_path_factory.mktemp("driver"), environment())
    yield driver
    driver.stop()


def environment() -> dict[str, str]:
    """Return the environment of a driver that has an executor of one core on each worker."""
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--conf spark.executor.memory=512m --driver-memory 512m --conf spark.cores.max=2 "
        "--conf spark.executor.cores=1 "
        f"--conf 'spark.executor.extraJavaOptions={quick_java()}' pyspark-shell",
    }


def alone(*arguments: object) -> tuple[int, bytes, str]:
    """Return a command's output without Spark."""
    done = real(*map(str, arguments))
    return done.status, done.out, done.err


def test_python_processes_that_are_killed_change_nothing(cluster: Cluster, driver: Driver, inflated: Path) -> None:
    """The first that the driver does: Python processes that wait for work do not have any that could be lost."""
    driver.begin("check", "--format=json", f"--spark={cluster.url}", *[inflated] * 4)
    killed = 0
    deadline = time.monotonic() + 120
    while not killed and driver.running() and time.monotonic() < deadline:
        for pid in cluster.executors():
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                if b"pyspark.daemon" in command:
                    os.kill(pid, 9)
                    killed += 1
            except OSError:
                pass
        time.sleep(0.05)
    outcome = driver.end()
    assert killed, "no task was under way"
    assert outcome == alone("check", "--format=json", *[inflated] * 4)


def put_together(folder: Path) -> bytes:
    return b"".join((folder / name).read_bytes() for name in (folder / "MANIFEST").read_text().split())


def test_joined_files_and_check_are_those_of_one_machine(
    cluster: Cluster, driver: Driver, inflated: Path, tmp_path: Path
) -> None:
    names = [*INTACT, str(inflated)]
    load = tmp_path / "load"  # of LOAD DATA files, whose names stand in the text
    load.mkdir()
    options = ["-v", f"--local-load={load}"]
    status, text, warnings = alone("dump", *options, *names)
    shutil.rmtree(load)
    load.mkdir()
    driver.begin("dump", *options, "--spark", cluster.url, f"--output-dir={tmp_path / 'text'}", "--joined", *names)
    assert driver.end() == (status, b"", warnings)
    assert put_together(tmp_path / "text") == text
    driver.begin("check", "--format=json", "--spark", cluster.url, *names, "no.000001")
    on_cluster = driver.end()
    assert on_cluster == alone("check", "--format=json", *names, "no.000001")
    assert on_cluster[0] == 2


def test_one_output_is_refused_with_the_way_out(cluster: Cluster, driver: Driver) -> None:
    driver.begin("dump", f"--spark={cluster.url}", BASIC)
    status, text, error = driver.end()
    assert (status, text) == (1, b"")
    assert "write files with --output-dir=FOLDER --joined" in error


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    cluster: Cluster, driver: Driver, inflated: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "text"
    names = [inflated] * 6
    driver.begin("dump", f"--spark={cluster.url}", f"--output-dir={folder}", "--joined", "--allow-gaps", *names)
    while not list(folder.glob("00000[1-6]-*")):
        # a text is there: both executors are at work
        assert driver.running()
        time.sleep(0.05)
    cluster.kill_worker()
    assert driver.running()
    status, _, errors = driver.end()
    assert (status, [line for line in errors.splitlines() if not GAP.search(line)]) == (0, [])
    assert put_together(folder) == alone("dump", "--allow-gaps", *names)[1]
