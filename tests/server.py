"""A real server for tests, run by the scripts beside the project; without one such tests are skipped by name."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.corpus import PROJECT

REFERENCE = PROJECT.parent / "shared" / "reference"
SCRIPTS = {
    "mysql": ("mysql97", "MYSQL97_ROOT", "usr/sbin/mysqld"),
    "mariadb": ("mariadb118", "MARIADB118_ROOT", "usr/sbin/mariadbd"),
}
"""By server: its script, the variable that names the folder it is installed in, and its program there."""
ROOTS = {
    "mysql": Path(os.environ.get("MYSQL97_ROOT", "/srv/sid")),
    "mariadb": Path(os.environ.get("MARIADB118_ROOT", "/srv/sid-mariadb")),
}
"""The folders, or the scripts' own defaults."""


class Server:
    """A server of its own for one file of tests; `sql` runs statements as the command-line client does."""

    def __init__(self, script: Path, name: str, *arguments: str):
        self._script = script
        self._arguments = arguments
        self.name = name

    def start(self, *more: str) -> None:
        """Start it, with more arguments than its own.

        It gets a folder for temporary tables: a MariaDB that starts removes all that it finds, another's too.
        """
        folder = self._path("temporary")
        folder.mkdir(exist_ok=True)
        self._do("start", self.name, "--log-bin=binlog", *self._arguments, *more, TMPDIR=f"/tmp/{folder.name}")

    def stop(self, timeout: float = 300) -> None:
        self._do("stop", self.name, timeout=timeout)

    def restart(self) -> None:
        """A clean shutdown, and a start with the same arguments."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """End it at once (SIGKILL), and wait until it is gone."""
        pid = int(self._path("pid").read_text())
        if not is_running(pid) or f"/tmp/{self.name}.sock".encode() not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return  # another program may have the number of a killed server
        os.kill(pid, signal.SIGKILL)
        while is_running(pid):
            time.sleep(0.01)
        self._path("sock.lock").unlink(missing_ok=True)  # it names a number that any new process may get

    def remove(self) -> None:
        """Kill it if it runs, and remove its data directory: the next start makes a new one."""
        with suppress(FileNotFoundError, ProcessLookupError):
            self.kill()
        for folder in self.folder(), self._path("temporary"):
            shutil.rmtree(folder, ignore_errors=True)

    def _path(self, kind: str) -> Path:
        return self.folder().parents[2] / "tmp" / f"{self.name}.{kind}"

    def _do(self, *arguments: str, timeout: float = 300, **variables: str) -> None:
        environment = {**os.environ, **variables}
        subprocess.run([self._script, *arguments], check=True, capture_output=True, timeout=timeout, env=environment)

    def sql(self, text: str, *arguments: str, force: bool = False) -> str:
        """Return the output of the statements, a line for each row with tabs between.

        `force`: errors are skipped.
        """
        done = subprocess.run(
            self.client("-BN", *(["--force"] if force else []), *arguments),
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert force or done.returncode == 0, done.stderr
        return done.stdout

    def client(self, *arguments: str) -> list[str]:
        """The command of a client that reads statements from its standard input."""
        return [str(self._script), "sql", self.name, *arguments]

    def folder(self) -> Path:
        """The data directory, as this machine sees it."""
        done = subprocess.run([self._script, "datadir", self.name], check=True, capture_output=True, text=True)
        return Path(done.stdout.strip())

    def socket(self) -> str:
        """Its socket, for PyMySQL."""
        done = subprocess.run([self._script, "socket", self.name], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def next_log(self) -> str:
        """Begin another log; its name."""
        self.sql("FLUSH BINARY LOGS")
        return self.sql("SHOW BINARY LOGS").splitlines()[-1].split("\t")[0]


def listening() -> tuple[int, list[str]]:
    """A free port, and the arguments that let a server listen there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port, ["--skip-networking=0", f"--port={port}", "--bind-address=127.0.0.1"]


def is_running(pid: int) -> bool:
    """Return True if there is such a process that has not ended; one that waits for its parent has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def running(kind: str, name: str, *arguments: str) -> Iterator[Server]:
    """A new server, "mysql" (9.7) or "mariadb" (11.8), with a log "binlog". Skip the test if there is none.

    Processes that run parts of one file of tests have a server each.
    """
    script, variable, program = SCRIPTS[kind]
    root = os.environ.get(variable)
    if not (REFERENCE / script).exists() or root is None or not Path(root, program).exists():
        pytest.skip(f"needs a real server: {variable} and ../shared/reference/{script}")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    server = Server(REFERENCE / script, f"{PROJECT.name}-{worker}-{name}", *arguments)
    server.remove()  # a killed run leaves its server and data
    server.start()
    try:
        yield server
    finally:
        server.remove()
