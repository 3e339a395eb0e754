"""A signal while Spark starts ends all of it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pybinlog.output.replacement import UNNAMED
from tests.corpus import PROJECT
from tests.faults.long_log import LOG, long_log

pytest.importorskip("pyspark")

COMMAND = [sys.executable, "-m", "pybinlog", "dump", "--spark=local[1]"]
COPIES = 20_000
"""Copies of a log's transactions: it takes a while to write their text."""
PATIENCE = 60


def processes_of(session: int) -> dict[int, str]:
    """The processes of a session that run, and their programs. Those of Spark's Python are in a group of their own."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found[int(path.name)] = os.path.basename(os.readlink(path / "exe"))
        except (OSError, ProcessLookupError):
            continue
    return found


@contextmanager
def ended(arguments: list[str], ready: Callable[[int], bool]) -> Iterator[None]:
    """A run that SIGTERM ends as soon as it is `ready`; its processes are gone, or will be killed."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        deadline = time.monotonic() + PATIENCE
        while not ready(process.pid):
            assert time.monotonic() < deadline, "the run is not as far as it should be"
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (143, b"")
        deadline = time.monotonic() + PATIENCE / 2
        while left := processes_of(process.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
        yield
    finally:
        for pid in processes_of(process.pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_java_does_not_outlive_a_run_that_ends_while_it_starts(tmp_path: Path) -> None:
    """As soon as there is a process of Java, which then does not listen yet."""
    with ended([f"--output-dir={tmp_path / 'out'}", str(LOG)], lambda pid: "java" in processes_of(pid).values()):
        pass


@pytest.mark.skipif(not UNNAMED, reason="this system has no files without a name")
def test_an_executor_that_ends_while_it_writes_leaves_no_file(tmp_path: Path) -> None:
    """Spark ends its Python processes without a word to them."""
    log, out = long_log(tmp_path, COPIES), tmp_path / "out"
    with ended(["-vv", f"--output-dir={out}", str(log)], lambda pid: has_open(pid, out)):
        assert os.listdir(out) == []


def has_open(session: int, folder: Path) -> bool:
    """True if a process of the session has a file of the folder open."""
    for pid in processes_of(session):
        with suppress(OSError):
            for link in Path(f"/proc/{pid}/fd").iterdir():
                if os.readlink(link).startswith(f"{folder}/"):
                    return True
    return False


def test_that_java_is_gone_already_is_no_news(tmp_path: Path) -> None:
    """A signal to a whole process group ends Java while pybinlog still starts its session."""
    code = (
        "import os, signal, sys\n"
        "from pyspark.sql import SparkSession\n"
        "from pybinlog.cli.main import main\n"
        "def without_java(self, context):\n"
        "    context._gateway.proc.kill()\n"
        "    context._gateway.proc.wait()\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    signal.pause()\n"
        "SparkSession.__init__ = without_java\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--spark=local[1]", str(LOG)],
        cwd=PROJECT,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (143, b"")
