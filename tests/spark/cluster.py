"""A standalone Spark cluster on the loopback interface, made of PySpark's own jars: a master and two workers."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

START = 90.0
"""Seconds that a master or a worker may take to be there."""


class Cluster:
    """Processes, each in a group of its own with what it starts; `url` is the master's."""

    def __init__(self, folder: Path):
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master = self._start("master", "org.apache.spark.deploy.master.Master", "--port", str(port))
        self._await(master, "master", "I have been elected leader")
        for number in range(2):
            self.add_worker(number)

    def add_worker(self, number: int) -> None:
        name = f"worker-{number}"
        worker = self._start(
            name,
            "org.apache.spark.deploy.worker.Worker",
            *("--cores", "1", "--memory", "768m", "--work-dir", str(self._folder / name), self.url),
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
    """Whether there is a Java for it."""
    return (shutil.which("java") is not None or "JAVA_HOME" in os.environ) and Path("/proc/self/stat").exists()
