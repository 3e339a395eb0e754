"""Logs on servers: their URLs, and the requests for them."""

import struct
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from pybinlog.errors import SourceError
from pybinlog.replication import server_log as module
from pybinlog.replication.connection import Connection
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.server_log import (
    URL_HINT,
    DumpRequest,
    Interval,
    ServerLog,
    encoded,
    local_socket,
    plain_name,
    server_log,
    server_of,
)
from tests.mirror.scripted_server import ScriptedServer

pytest.importorskip("pymysql", reason="needs PyMySQL")

A, B = bytes(range(16)), bytes(range(16, 32))
REPLICA = "11111111-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("intervals", "data"),
    [
        ([], struct.pack("<Q", 0)),
        ([(A, b"", 1, 8)], struct.pack("<Q", 1) + A + struct.pack("<QQQ", 1, 1, 8)),
        (
            [(B, b"", 5, 6), (A, b"", 9, 10), (A, b"", 1, 3)],
            struct.pack("<Q", 2) + A + struct.pack("<QQQQQ", 2, 1, 3, 9, 10) + B + struct.pack("<QQQ", 1, 5, 6),
        ),
        (
            [(A, b"tag", 1, 2), (A, b"", 3, 4), (B, b"", 5, 6)],
            b"\1\3\0\0\0\0\0\1" + A + b"\0" + struct.pack("<QQQ", 1, 3, 4) + A + b"\6tag" + struct.pack("<QQQ", 1, 1, 2)
            + B + b"\0" + struct.pack("<QQQ", 1, 5, 6),
        ),
    ],
)  # fmt: skip
def test_gtids_as_the_command_has_them(intervals: list[Interval], data: bytes) -> None:
    assert encoded(intervals) == data


def sent(request: DumpRequest, version: str = "9.7.4") -> list[bytes]:
    """The commands that a server receives for a request, after the one for the character set."""
    with ScriptedServer({}, version=version) as server:
        options = ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)
        with closing(Connection(options)) as connection:
            request.send(connection)
            connection.ready(10)
        return server.commands[1:]


CHECKSUM = b"\3SET @master_binlog_checksum = 'NONE', @source_binlog_checksum = 'NONE'"


@pytest.mark.parametrize(
    ("request_", "position", "flags", "server_id"),
    [
        (DumpRequest("b.000007"), 4, 1, 0),
        (DumpRequest("b.000007", 99, stays=True, server_id=7), 99, 0, 7),
        (DumpRequest("b.000007", (1 << 32) + 5), 5, 1, 0),
        (DumpRequest("b.000007", (1 << 32) - 1), (1 << 32) - 1, 1, 0),
    ],
)
def test_a_request_by_position(request_: DumpRequest, position: int, flags: int, server_id: int) -> None:
    assert sent(request_) == [CHECKSUM, b"\x12" + struct.pack("<IHI", position, flags, server_id) + b"b.000007"]


def test_a_replica_says_who_it_is() -> None:
    request = DumpRequest("b.000007", replica_uuid=REPLICA.upper(), heartbeat=10, semi_sync=True)
    assert sent(request)[1:-1] == [
        b"\3SET @source_heartbeat_period = 10000000000, @master_heartbeat_period = 10000000000",
        f"\3SET @replica_uuid = '{UUID(REPLICA)}', @slave_uuid = '{UUID(REPLICA)}'".encode(),
        b"\3SET @rpl_semi_sync_replica = 1, @rpl_semi_sync_slave = 1",
    ]


@pytest.mark.parametrize(("stays", "flags"), [(False, 3), (True, 2)])
def test_a_mariadb_server_is_told_what_is_understood(stays: bool, flags: int) -> None:
    assert sent(DumpRequest("b.000007", stays=stays), "5.5.5-11.8.2-MariaDB") == [
        CHECKSUM,
        b"\3SET @mariadb_slave_capability = 4",
        b"\x12" + struct.pack("<IHI", 4, flags, 0) + b"b.000007",
    ]


@pytest.mark.parametrize("position", [4, (1 << 32) + 5])
def test_a_request_without_some_gtids(position: int) -> None:
    excluded: tuple[Interval, ...] = ((A, b"", 1, 8),)
    gtids = encoded(excluded)
    request = DumpRequest("b.000007", position, excluded, stays=True, server_id=7)
    assert sent(request) == [
        CHECKSUM,
        b"\x1e" + struct.pack("<HII", 0, 7, 8) + b"b.000007" + struct.pack("<QI", position, len(gtids)) + gtids,
    ]


def test_mariadb_has_no_requests_by_gtids() -> None:
    with pytest.raises(SourceError) as raised:
        sent(DumpRequest("b.000007", excluded=()), "5.5.5-11.8.2-MariaDB")
    assert raised.value.message == "MariaDB has no BINLOG-DUMP-GTIDS"
    assert raised.value.hint == "Use --read-from-remote-server (-R) with --exclude-gtids and --include-gtids"


# ---- URLs


@pytest.fixture(autouse=True)
def no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOCKETS", ())
    monkeypatch.delenv("MYSQL_UNIX_PORT", raising=False)


@pytest.mark.parametrize(
    ("url", "user", "host", "port", "log", "text"),
    [
        ("mysql://db1/b.000007", None, "db1", 3306, "b.000007", "mysql://db1/b.000007"),
        ("mysql://u@db1:3307/b.000007", "u", "db1", 3307, "b.000007", "mysql://u@db1:3307/b.000007"),
        ("mysql://r%C3%A9p@db1:3306/b%20c.000007", "rép", "db1", 3306, "b c.000007", "mysql://rép@db1/b c.000007"),
        ("mysql://[::1]/b.000007", None, "::1", 3306, "b.000007", "mysql://[::1]/b.000007"),
        ("mysql://[::1]:3307/b.000007", None, "::1", 3307, "b.000007", "mysql://[::1]:3307/b.000007"),
        ("mysql://localhost/b.000007", None, "localhost", 3306, "b.000007", "mysql://localhost/b.000007"),
    ],
)
def test_a_url_names_a_log(url: str, user: str | None, host: str, port: int, log: str, text: str) -> None:
    found = server_log(url, ServerOptions())
    assert (found.options, found.request) == (ServerOptions(user=user, host=host, port=port), DumpRequest(log))
    assert (found, found.to_last, found.shows_rotates) == (text, False, False)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("mysql://db1", "mysql://db1: this URL names no log of a server. {}"),
        ("mysql://db1/", "mysql://db1/: this URL names no log of a server. {}"),
        ("mysql:///b.000007", "mysql:///b.000007: this URL names no server. {}"),
        ("mysql://db1/b?x=1", "mysql://db1/b?x=1: this URL names no server. {}"),
        ("mysql://db1/b#x", "mysql://db1/b#x: this URL names no server. {}"),
        ("mysql://db1:x/b", "the URL of a server cannot be read. {}"),
        ("mysql://[db1/b", "the URL of a server cannot be read. {}"),
        (
            "mysql://u:secret@db1/b",
            "mysql://db1/b: a password in a URL could be read by everybody who sees the processes of this machine. "
            "Remove it from the URL; give -p, or an option file with --defaults-file",
        ),
        (
            "mysql://db1/a/b",
            "a server knows its logs without a folder, and 'a/b' has one. Name it as SHOW BINARY LOGS does, such as "
            "binlog.000007",
        ),
    ],
)
def test_a_url_that_names_no_log_is_an_error(url: str, error: str) -> None:
    with pytest.raises(SourceError) as raised:
        server_log(url, ServerOptions())
    assert str(raised.value) == error.format(URL_HINT)


def test_the_password_of_the_environment_is_used_without_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "secret")
    assert server_of("mysql://db1/b")[0].password == "secret"
    assert server_of("mysql://db1/b", ServerOptions())[0].password == ""
    monkeypatch.delenv("MYSQL_PWD")
    assert server_of("mysql://db1/b")[0].password == ""


@pytest.mark.parametrize(
    ("url", "given", "socket", "port"),
    [
        ("mysql://localhost/b", None, "this machine's", 3306),
        ("mysql://localhost/b", "given", "given", 3399),
        ("mysql://localhost:3307/b", "given", None, 3307),
        ("mysql://localhost:3306/b", None, None, 3306),
        ("mysql://db1/b", "given", None, 3306),
        ("mysql://db1/b", None, None, 3306),
    ],
)
def test_localhost_without_a_port_is_a_socket(
    url: str, given: str | None, socket: str | None, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "local_socket", lambda: "this machine's")
    options, log = server_of(url, ServerOptions(host="other", port=3399, socket=given))
    assert (options.socket, options.port, log) == (socket, port, "b")


def test_the_socket_of_this_machine_is_the_first_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [tmp_path / name for name in ("one", "two", "three")]
    monkeypatch.setattr(module, "SOCKETS", tuple(map(str, places[1:])))
    monkeypatch.setenv("MYSQL_UNIX_PORT", str(places[0]))
    assert local_socket() is None
    for place in reversed(places):
        place.touch()
        assert local_socket() == str(place)


@pytest.mark.parametrize("name", ["", "/", "a/b.000001"])
def test_a_name_with_a_folder_is_none_of_a_server(name: str) -> None:
    assert plain_name("b.000001") == "b.000001"
    with pytest.raises(SourceError, match=f"without a folder, and {name!r} has one"):
        plain_name(name)


@pytest.mark.parametrize(
    ("options", "address"),
    [
        (ServerOptions(), "mysql://localhost"),
        (ServerOptions(host="db1", port=3307, user="u"), "mysql://u@db1:3307"),
        (ServerOptions(host="fe80::1", port=3306), "mysql://[fe80::1]"),
        (ServerOptions(host="fe80::1", port=1, user="u"), "mysql://u@[fe80::1]:1"),
        (ServerOptions(host="db1", port=3307, user="u", socket="/s"), "mysql://u@localhost"),
    ],
)
def test_the_address_begins_the_urls_of_logs(options: ServerOptions, address: str) -> None:
    assert options.address == address
    assert ServerLog(options, DumpRequest("b.000001"), to_last=True) == f"{address}/b.000001"
