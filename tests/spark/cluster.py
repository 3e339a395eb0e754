"""A standalone Spark cluster on the loopback interface, made of PySpark's own jars: a master and two workers."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

WORKERS = 2
CORES = 1
"""Of each worker: for one executor. If a worker is killed, the other has no room for a second executor."""
START = 90.0
"""Seconds that a master or a worker may take to be there."""
LONGEST = 900.0
"""Seconds that a command may take."""


class Cluster:
    """Processes, each in a group of its own with what it starts; `url` is the master's."""

    def __init__(self, folder: Path):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self._started = 0
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master = self._start("master", "org.apache.spark.deploy.master.Master", "--port", str(port))
        self._await(master, "master", "I have been elected leader")
        self.complete()

    def complete(self) -> None:
        """Start the workers that are missing."""
        while len(self.workers) < WORKERS:
            self._add_worker()

    def _add_worker(self) -> None:
        name = f"worker-{self._started}"
        self._started += 1
        worker = self._start(
            name,
            "org.apache.spark.deploy.worker.Worker",
            *("--cores", str(CORES), "--memory", "2g", "--work-dir", str(self._folder / name), self.url),
        )
        self._await(worker, name, "Successfully registered with master")
        self.workers.append(worker)

    def kill_worker(self) -> None:
        """A worker, its executor and the executor's Python processes are gone at once, as if the machine was."""
        worker = self.workers.pop()
        children = descendants(worker.pid)
        for pid in [worker.pid, *children]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait()

    def executors(self) -> list[int]:
        """Processes that the workers have started."""
        return [pid for worker in self.workers for pid in descendants(worker.pid)]

    def stop(self) -> None:
        children = [pid for process in self._processes for pid in descendants(process.pid)]
        for process in self._processes:
            process.kill()
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            process.wait()

    def _start(self, name: str, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_CONF_DIR": str(self._folder),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [self.home / "bin" / "spark-class", role, "--host", "127.0.0.1", "--webui-port", "0", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self._folder,
            )
        self._processes.append(process)
        return process

    def _await(self, process: subprocess.Popen[bytes], name: str, words: str) -> None:
        """Wait until the process has logged this."""
        log = self._folder / f"{name}.log"
        deadline = time.monotonic() + START
        while words not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the {name} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)


DRIVER = """
import json, os, sys
from pyspark.sql import SparkSession
from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever Java and Spark print
session = SparkSession.builder.master(sys.argv[1]).config("spark.ui.enabled", "false").getOrCreate()
for line in sys.stdin:
    arguments, out, err = json.loads(line)
    with open(out, "wb") as stdout, open(err, "w") as stderr:
        status = run(arguments, Environment(stdin=None, stdout=stdout, stderr=stderr))
    print(int(status), file=answers, flush=True)
session.stop()
"""


class Driver:
    """A process with a session on the cluster, in which commands of the program run, one after the other.

    So Spark's driver and its executors start once for all of them.
    """

    def __init__(self, cluster: Cluster, folder: Path, environment: dict[str, str]):
        self._log = folder / "driver.log"
        self._out, self._err = folder / "out", folder / "err"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", DRIVER, cluster.url],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
            )

    def begin(self, *arguments: object) -> None:
        """Run a command; the text that it has written so far is `text()`."""
        for file in (self._out, self._err):
            file.write_bytes(b"")
        assert self._process.stdin is not None
        line = json.dumps([[str(argument) for argument in arguments], str(self._out), str(self._err)])
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def text(self) -> bytes:
        return self._out.read_bytes()

    def running(self) -> bool:
        """Return True if the command has not ended yet."""
        assert self._process.stdout is not None
        return not select.select([self._process.stdout], [], [], 0)[0]

    def end(self) -> tuple[int, bytes, str]:
        """Wait for the command: its status and what it has written."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], LONGEST)[0]:
            raise RuntimeError(f"the command does not end:\n{self._log.read_text(errors='replace')[-2000:]}")
        status = self._process.stdout.readline()
        if not status:
            raise RuntimeError(f"the driver has ended:\n{self._log.read_text(errors='replace')[-2000:]}")
        return int(status), self.text(), self._err.read_text()

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(START)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parent = int(stat.rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry.name))
    found = list(parents.get(pid, []))
    for child in found:
        found += parents.get(child, [])
    return found


def can_run() -> bool:
    """Return True if there is a Java for it."""
    return (shutil.which("java") is not None or "JAVA_HOME" in os.environ) and Path("/proc/self/stat").exists()
