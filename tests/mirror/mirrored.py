"""A real server that listens, and the program `pybinlog mirror` beside it, for tests."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pybinlog.mirror.folder import LOCK
from tests.corpus import PROJECT
from tests.server import Server, listening, running


class Mirrored:
    """A server, its port, and mirrors of it."""

    def __init__(self, server: Server, port: int):
        self.server, self.port = server, port

    def command(self, folder: Path, *options: str) -> list[str]:
        where = ["--no-defaults", "-h", "127.0.0.1", f"-P{self.port}", "-uroot", f"--to={folder}"]
        return [sys.executable, "-m", "pybinlog", "mirror", *where, *options]

    def once(self, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """A mirror that ends at the server's end, or with an error."""
        command = self.command(folder, "--once", *options)
        return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)

    def start(self, folder: Path, *options: str) -> subprocess.Popen[str]:
        """A mirror that waits for more."""
        return subprocess.Popen(self.command(folder, *options), cwd=PROJECT, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def until(condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for what another process does."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def logs(self) -> list[str]:
        return [line.split("\t")[0] for line in self.server.sql("SHOW BINARY LOGS").splitlines()]


@contextmanager
def mirrored(kind: str, *arguments: str) -> Iterator[Mirrored]:
    """A new server. Skip the test if there is none."""
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    port, listens = listening()
    with running(kind, f"mirrored-{port}", *listens, *arguments) as server:
        yield Mirrored(server, port)


def hashes(folder: Path) -> dict[str, str]:
    """All that is in a folder, but for the lock, which every start touches."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != LOCK
    }
