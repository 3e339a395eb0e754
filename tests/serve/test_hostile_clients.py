"""A client that does not keep to what clients do does no harm: no fault, and the next client is served."""

import resource
import threading
import time
from collections.abc import Iterator

import pytest

from pybinlog.replication import client_channel, login
from pybinlog.replication.login import Account
from pybinlog.replication.own_certificate import server_context
from tests.corpus import TESTDATA
from tests.serve.hostile import AFTER, BEFORE, NO_CHECKSUMS, QUERY, Client, by_position
from tests.serve.served import port_of

pytest.importorskip("cryptography", reason="needs cryptography")

LOG = TESTDATA / "corpus/mysql-9.7/row-basic/binlog.000001"


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is raised in a thread, and no client waits for long."""
    found: list[object] = []
    monkeypatch.setattr(threading, "excepthook", found.append)
    monkeypatch.setattr(login, "LOGIN_SECONDS", 0.4)
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


def test_memory_stays_within_its_bounds(peak_before: int) -> None:
    """Clients of the tests above, at most eight at once, may take 64 MiB and 16 each."""
    assert peak() - peak_before < (64 + 8 * 16) << 10
