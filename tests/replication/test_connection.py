"""The parts of PyMySQL that pybinlog uses without a promise: if a test fails, replication/connection.py must change."""

import inspect
import re
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.replication import session, tls
from pybinlog.replication.connection import Connection
from pybinlog.replication.options import ServerOptions, SslMode
from tests.corpus import PROJECT

PINNED = r'"pymysql>=1\.2\.4,<1\.3"'

pymysql = pytest.importorskip("pymysql", reason="needs PyMySQL")


def test_a_connection_keeps_its_socket_where_it_is_looked_for() -> None:
    made = pymysql.Connection(defer_connect=True)
    assert made._sock is None
    assert isinstance(made.password, bytes)
    assert made.unix_socket is None
    ours, theirs = socket.socketpair()
    with ours, theirs:
        made._sock = ours
        made._force_close()
        assert ours.fileno() == -1
        assert made._sock is None


def test_handlers_are_made_with_the_connection_and_asked_to_authenticate() -> None:
    made = session.session_class(pymysql.Connection, ServerOptions())(
        defer_connect=True, auth_plugin_map={"mysql_clear_password": session.ClearPassword}, password=b"secret"
    )
    handler = made._get_auth_plugin_handler(b"mysql_clear_password")
    assert isinstance(handler, session.ClearPassword)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        made._sock = ours
        with pytest.raises(session.LoginRefused):
            handler.authenticate(object())
        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        made._sock = None


def test_a_key_that_is_none_ends_in_a_value_error_and_is_not_asked_for() -> None:
    from pymysql import _auth

    source = inspect.getsource(_auth.caching_sha2_password_auth)
    assert "if not conn.server_public_key" in source
    with pytest.raises(ValueError):
        _auth.sha2_rsa_encrypt(b"password", b"s" * 20, session.NOT_A_KEY)


def test_the_version_is_one_that_was_tried() -> None:
    assert re.search(PINNED, (PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert (1, 2, 4) <= pymysql.VERSION[:3] < (1, 3)


def connected(monkeypatch: pytest.MonkeyPatch, ours: socket.socket) -> Connection:
    """Return a connection over a socket."""
    made = pymysql.Connection(defer_connect=True)
    made._sock, made.server_version = ours, "9.7.4"
    monkeypatch.setattr(Connection, "connect", lambda *_: made)
    return Connection(ServerOptions())


@pytest.fixture
def dumping(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Connection, socket.socket]]:
    """A connection that a command was given on, and the server's end of it."""
    ours, theirs = socket.socketpair()
    opened = connected(monkeypatch, ours)
    with ours, theirs:
        opened.send(0x12, b"body")
        assert theirs.recv(100) == b"\5\0\0\0\x12body"
        yield opened, theirs


def test_all_that_is_there_is_received_at_once(dumping: tuple[Connection, socket.socket]) -> None:
    opened, server = dumping
    assert not opened.ready(0)
    server.sendall(b"abc")
    assert opened.ready(0)
    server.sendall(b"def")
    buffer = bytearray(10)
    assert opened.recv_into(memoryview(buffer)) == 6
    assert buffer == b"abcdef\0\0\0\0"
    server.sendall(b"0123456789")
    assert opened.recv_into(memoryview(buffer)[:4]) == 4
    assert opened.recv_into(memoryview(buffer)) == 6
    server.close()
    assert opened.ready(0)
    assert opened.recv_into(memoryview(buffer)) == 0


def test_bytes_are_waited_for(dumping: tuple[Connection, socket.socket]) -> None:
    opened, server = dumping
    sender = threading.Timer(0.05, server.sendall, [b"late"])
    sender.start()
    buffer = bytearray(10)
    assert opened.recv_into(memoryview(buffer)) == 4
    sender.join()


def test_a_server_is_ready_as_soon_as_something_comes(dumping: tuple[Connection, socket.socket]) -> None:
    opened, server = dumping
    sender = threading.Timer(0.05, server.sendall, [b"late"])
    sender.start()
    assert opened.ready(30)
    sender.join()


def test_a_silent_server_is_waited_for_as_long_as_was_said(dumping: tuple[Connection, socket.socket]) -> None:
    opened, server = dumping
    opened.wait_at_most(0.01)
    opened.send(0x12, b"")
    with pytest.raises(TimeoutError, match=r"0\.01 s"):
        opened.recv_into(memoryview(bytearray(10)))
    server.sendall(b"x")
    assert opened.recv_into(memoryview(bytearray(10))) == 1


def test_what_came_before_a_reset_is_received(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    reset = connected(monkeypatch, client)
    with client:
        reset.send(0x12, b"")
        server.sendall(b"last words")
        assert reset.ready(10)
        buffer = bytearray(4)
        assert reset.recv_into(memoryview(buffer)) == 4
        server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        server.close()
        assert reset.recv_into(memoryview(buffer)) == 4
        assert reset.recv_into(memoryview(buffer)) == 2
        with pytest.raises(ConnectionResetError):
            reset.recv_into(memoryview(buffer))


def test_what_is_to_be_encrypted_goes_nowhere_without_tls() -> None:
    """Older versions logged in without TLS if the server had none."""
    made = pymysql.Connection(defer_connect=True, ssl=tls.tls_context(ServerOptions()))
    assert made._ssl_required
    plain = pymysql.Connection(defer_connect=True, ssl=None, ssl_disabled=True)
    assert not plain.ssl


def test_the_options_of_a_connection_are_those_that_are_given() -> None:
    known = inspect.signature(pymysql.Connection.__init__).parameters
    wanted = """unix_socket host port bind_address user password charset autocommit connect_timeout ssl ssl_disabled
        server_public_key auth_plugin_map program_name"""
    assert set(wanted.split()) <= set(known)


def test_a_password_stands_in_no_representation() -> None:
    assert "secret" not in repr(ServerOptions(password="secret"))


@pytest.mark.parametrize("mode", SslMode)
def test_the_mode_says_what_is_verified(mode: SslMode) -> None:
    options = ServerOptions(ssl_mode=mode, tls_version=("TLSv1.3",))
    context = tls.tls_context(options)
    verifies = mode in (SslMode.VERIFY_CA, SslMode.VERIFY_IDENTITY)
    assert context.verify_mode == (ssl.CERT_REQUIRED if verifies else ssl.CERT_NONE)
    assert context.check_hostname == (mode is SslMode.VERIFY_IDENTITY)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_3


def test_a_unix_socket_goes_without_tls_where_it_is_only_preferred(tmp_path: Path) -> None:
    there = str(tmp_path / "socket")
    assert not tls.wants_tls(ServerOptions(socket=there))
    assert tls.wants_tls(ServerOptions(socket=there, ssl_mode=SslMode.REQUIRED))
    assert tls.wants_tls(ServerOptions())
    assert not tls.wants_tls(ServerOptions(ssl_mode=SslMode.DISABLED))
