"""A real server that listens on a port, what the reference prints of it, and a proxy that does harm."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.parity.program import Output, dump, without_opening_comments
from tests.server import REFERENCE, SCRIPTS, Server, listening, running

USER = ["--user=root", "--no-defaults"]


class Live:
    """A server with a port of its own; `reference` and `ours` read its logs as root, without a password."""

    def __init__(self, kind: str, server: Server, port: int, folder: Path):
        self.kind, self.server, self.port, self._folder = kind, server, port, folder

    @property
    def socket(self) -> str:
        script = REFERENCE / SCRIPTS[self.kind][0]
        done = subprocess.run([script, "socket", self.server.name], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def reference(self, *arguments: str, status: int = 0) -> bytes:
        """Return the output of the server's own client."""
        command = [REFERENCE / SCRIPTS[self.kind][0], "binlog", *(() if gtids(arguments) else ("-R",))]
        done = subprocess.run(
            [*command, "-uroot", "-h127.0.0.1", f"--port={self.port}", *arguments],
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return without_opening_comments(done.stdout)

    def run(self, *arguments: str, port: int | None = None) -> Output:
        """pybinlog -R with these arguments."""
        where = ["-h", "127.0.0.1", f"-P{port or self.port}"]
        return dump(["-R", *USER, *where, *arguments], self._folder)

    def ours(self, *arguments: str) -> bytes:
        output = self.run("--no-tbm", *arguments)
        assert output.status == 0, output.errors
        return without_opening_comments(output.text)

    def replay(self, workload: Path) -> list[str]:
        """Run a workload of the corpus from scratch; the logs that it made."""
        done = subprocess.run(
            [sys.executable, str(REFERENCE / "replay.py"), self.socket, str(workload), "--reset"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return self.logs()[:-1]

    def stop(self) -> None:
        """A clean shutdown."""
        script = REFERENCE / SCRIPTS[self.kind][0]
        subprocess.run([script, "stop", self.server.name], check=True, capture_output=True, timeout=120)

    def logs(self) -> list[str]:
        return [line.split("\t")[0] for line in self.server.sql("SHOW BINARY LOGS").splitlines()]

    def file(self, log: str) -> bytes:
        return (self.server.folder() / log).read_bytes()


def gtids(arguments: tuple[str, ...]) -> bool:
    return any(argument.startswith("--read-from-remote") for argument in arguments)


@contextmanager
def live(kind: str, folder: Path, *arguments: str) -> Iterator[Live]:
    """A server that listens. Skip the test if there is none, or no PyMySQL."""
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    port, listens = listening()
    with running(kind, f"live-{port}", *listens, *arguments) as server:
        yield Live(kind, server, port, folder)


class Proxy:
    """Passes bytes between a client and a server; `harm` is given each packet of the dump and says what is passed on.

    `harm(number, packet)` counts packets from the command on; None cuts the connection. `compressed`: the two sides
    agree to compress packets.
    """

    def __init__(self, port: int, harm: Callable[[int, bytes], bytes | None], *, compressed: bool = False):
        self._harm = harm
        self._compressed = compressed
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets = [self._listener]
        self._dumping = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            client, _ = self._listener.accept()
            server = socket.create_connection(("127.0.0.1", self._to))
            self._sockets += [client, server]
            threading.Thread(target=self._up, args=(client, server), daemon=True).start()
            self._down(client, server)
        except OSError:
            pass  # a test that ends closes them

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        try:
            while data := client.recv(65536):
                if data[7 if self._compressed else 0 :][3:5] in (b"\0\x12", b"\0\x1e"):
                    self._dumping.set()
                server.sendall(data)
        except OSError:
            pass

    def _down(self, client: socket.socket, server: socket.socket) -> None:
        stream = server.makefile("rb")
        number = 0
        logged_in = False
        while header := stream.read(7 if self._compressed and logged_in else 4):
            content = stream.read(int.from_bytes(header[:3], "little"))
            packet: bytes | None = header + content
            # the first packet is the server's greeting; one that begins with 0 ends the authentication
            logged_in = logged_in or (header[3] > 0 and content[:1] == b"\0")
            if self._dumping.is_set():
                packet = self._harm(number, packet or b"")
                number += 1
            if packet is None:
                client.shutdown(socket.SHUT_RDWR)
                return
            client.sendall(packet)

    def close(self) -> None:
        for one in self._sockets:
            one.close()


@contextmanager
def proxy(port: int, harm: Callable[[int, bytes], bytes | None], *, compressed: bool = False) -> Iterator[int]:
    """The port of a proxy before a server's port."""
    made = Proxy(port, harm, compressed=compressed)
    try:
        yield made.port
    finally:
        made.close()


def workloads(kind: str) -> list[Path]:
    """Return the workloads of the whole corpus, if it exists."""
    return sorted((PROJECT.parent / "shared" / "corpus" / kind).glob("*/workload.sql"))
