"""`pybinlog serve`, run as a program, and what it has said."""

import os
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pybinlog.replication.login import Account
from pybinlog.serve.archive import Archive
from pybinlog.serve.options import ServeOptions
from pybinlog.serve.server import Server
from tests.corpus import PROJECT

SECONDS = 60


class Served:
    """A running `pybinlog serve`; `statement` is what it printed, `said` the lines on its standard error."""

    def __init__(self, *arguments: str | Path, port: int = 0, errors: Path | None = None, **environment: str):
        self._errors = errors
        output: Any = subprocess.DEVNULL if errors is None else errors.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pybinlog", "serve", f"--listen=127.0.0.1:{port}", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=output,
            cwd=PROJECT,
            env={**os.environ, **environment},
        )
        assert self.process.stdout is not None
        self.statement = self.process.stdout.readline().decode()
        found = re.search(r"_PORT=(\d+)", self.statement)
        assert found is not None, self.said
        self.port = int(found[1])

    @property
    def said(self) -> str:
        return "" if self._errors is None else self._errors.read_text()

    def wait_for(self, words: str, count: int = 1) -> None:
        """Wait until it has said these words so many times."""
        deadline = time.monotonic() + SECONDS
        while self.said.count(words) < count:
            assert time.monotonic() < deadline, self.said
            time.sleep(0.02)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; return the status."""
        self.process.send_signal(number)
        status = self.process.wait(SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@contextmanager
def served(*arguments: str | Path, **named: Any) -> Iterator[Served]:
    """A running server, which ends with status 0 and without a traceback."""
    server = Served(*arguments, **named)
    try:
        yield server
        assert server.end() == 0
        assert "Traceback" not in server.said
    finally:
        server.process.kill()
        server.process.wait()


def port_of(
    names: Sequence[str | Path],
    options: ServeOptions | None = None,
    account: Account | None = None,
    tls: ssl.SSLContext | None = None,
) -> int:
    """Return the port of a server in a thread of this process, which ends with it: it starts in no time."""
    archive = Archive([str(name) for name in names], lambda _: None)
    server = Server(
        "127.0.0.1",
        0,
        archive,
        options or ServeOptions(),
        account or Account(),
        tls,
        most_clients=8,
        tell=lambda _: None,
    )
    threading.Thread(target=server.serve, daemon=True).start()
    return server.port
