"""A client that does not keep to what clients do does no harm: no fault, and the next client is served."""

import os
import resource
import ssl
import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.replication import client_channel
from pybinlog.replication import login as login_of_server
from pybinlog.replication.login import Account
from pybinlog.replication.own_certificate import server_context
from tests.corpus import TESTDATA
from tests.serve.hostile import AFTER, BEFORE, NO_CHECKSUMS, QUERY, TLS, USUAL, Client, by_position, login
from tests.serve.served import port_of, served

pytest.importorskip("cryptography", reason="needs cryptography")

LOG = TESTDATA / "corpus/mysql-9.7/row-basic/binlog.000001"


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is raised in a thread, and no client waits for long."""
    found: list[object] = []
    monkeypatch.setattr(threading, "excepthook", found.append)
    monkeypatch.setattr(login_of_server, "LOGIN_SECONDS", 0.4)
    monkeypatch.setattr(client_channel, "WRITE_TIMEOUT", 0.5)
    yield
    assert found == []


def peak() -> int:
    """Return the highest resident memory of this process so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.fixture(scope="module", autouse=True)
def peak_before() -> int:
    """The same before the first client came."""
    return peak()


@pytest.fixture(scope="module")
def open_port() -> int:
    return port_of([LOG], tls=server_context(None, None))


@pytest.fixture(scope="module")
def guarded_port() -> int:
    return port_of([LOG], account=Account("repl", "sekret"), tls=server_context(None, None))


@pytest.mark.parametrize("name", BEFORE)
def test_no_client_gets_in_without_the_password(name: str, guarded_port: int) -> None:
    client = Client(guarded_port)
    with client.socket:
        BEFORE[name](client)
    other = Client(guarded_port)
    with other.socket:
        assert other.log_in(b"repl")[:3] == b"\xff\x15\x04"  # access denied


@pytest.mark.parametrize("name", AFTER)
def test_a_client_that_has_logged_in_does_no_harm(name: str, open_port: int) -> None:
    client = Client(open_port)
    with client.socket:
        assert client.log_in()[:1] == b"\0"
        AFTER[name](client)
    other = Client(open_port)
    with other.socket:
        assert other.log_in()[:1] == b"\0"
        assert other.command(0x0E)[:1] == b"\0"


def test_there_are_a_hundred_behaviours() -> None:
    assert len(BEFORE) + len(AFTER) >= 100


def test_a_client_that_reads_nothing_is_left(open_port: int) -> None:
    client = Client(open_port)
    with client.socket:
        client.log_in()
        client.command(QUERY, NO_CHECKSUMS)
        with pytest.raises(ConnectionError):
            for _ in range(1_000_000):
                client.packet(b"\x12" + by_position(b""), 0)


def test_only_so_many_clients_are_served(open_port: int) -> None:
    clients = [Client(open_port) for _ in range(9)]
    try:
        greetings = [client.read() for client in clients]
        assert [greeting[:3] for greeting in greetings].count(b"\xff\x10\x04") >= 1  # too many connections
    finally:
        for client in clients:
            client.socket.close()
    time.sleep(0.3)


@pytest.mark.parametrize("user", [b"repl", b"another"])
def test_the_answers_do_not_tell_which_name_is_known(user: bytes, guarded_port: int) -> None:
    client = Client(guarded_port)
    with client.socket:
        client.read()
        client.packet(struct.pack("<IIB23x", USUAL | TLS, 1 << 24, 45))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client.socket = context.wrap_socket(client.socket)
        client.packet(login(user, USUAL | TLS, proof=b"\x20" + b"x" * 32), 2)
        assert client.read() == b"\1\4"  # "send the password"
        client.packet(b"sekret\0" if user == b"another" else b"wrong\0")
        assert client.read()[:3] == b"\xff\x15\x04"


def test_a_thread_that_the_system_refuses_costs_one_client(open_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as without:
        without.setattr(threading.Thread, "start", refuse)
        client = Client(open_port)
        with client.socket:
            assert client.read()[:3] == b"\xff\x10\x04"
    for _ in range(20):  # more than may be served at once
        client = Client(open_port)
        with client.socket:
            assert client.log_in()[:1] == b"\0"
            assert client.command(0x0E)[:1] == b"\0"
            client.packet(b"\1", 0)
            client.end()


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_a_server_without_file_descriptors_says_so_and_goes_on(tmp_path: Path) -> None:
    with served(LOG, errors=tmp_path / "said") as server:
        pid = server.process.pid
        most = len(os.listdir(f"/proc/{pid}/fd")) + 3
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))
        clients = [Client(server.port) for _ in range(9)]
        server.wait_for("no more clients can connect now: Too many open files")
        for client in clients:
            client.socket.close()
        client = Client(server.port)
        with client.socket:
            assert client.log_in()[:1] == b"\0"
        assert server.said.count("no more clients") == 1


def test_memory_stays_within_its_bounds(peak_before: int) -> None:
    """Clients of the tests above, at most eight at once, may take 64 MiB and 16 each."""
    assert peak() - peak_before < (64 + 8 * 16) << 10
