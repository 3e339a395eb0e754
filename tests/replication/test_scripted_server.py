"""A scripted server over a real connection: compressed packets, definitions of tables, and faults."""

import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from pybinlog.errors import ServerError, SourceError
from pybinlog.replication import dump_stream
from pybinlog.replication.connection import Connection, check_name, said_by_server
from pybinlog.replication.definitions import ServerTables, server_tables
from pybinlog.replication.options import Compression, ServerOptions, SslMode
from tests.cli.conftest import real
from tests.kept import kept
from tests.mirror.scripted_server import ScriptedServer, Session
from tests.mirror.test_mirror import FOUR, contents, run

pytest.importorskip("pymysql", reason="needs PyMySQL")

LOG = "binlog.000001"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(dict(FOUR)) as made:
        yield made


def options(server: ScriptedServer, **more: Any) -> ServerOptions:
    return replace(ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED), **more)


def address(server: ScriptedServer) -> str:
    return f"mysql://u@127.0.0.1:{server.port}"


def failure(server: ScriptedServer, statement: str = "SELECT @@server_uuid") -> SourceError:
    """The error that a statement ends with."""
    with closing(Connection(options(server))) as connection, pytest.raises(SourceError) as raised:
        connection.query(statement)
    assert raised.value.file == address(server)
    return raised.value


# ---- compression


@pytest.mark.parametrize("algorithm", [Compression.ZLIB, Compression.ZSTD])
def test_a_log_is_the_same_in_compressed_packets(algorithm: Compression, server: ScriptedServer) -> None:
    where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", *FOUR]
    plain = real("dump", *where)
    server.compresses = algorithm
    compressed = real("dump", f"--compression-algorithms={algorithm.value}", *where)
    assert (compressed.status, compressed.err) == (0, "")
    assert compressed.out == plain.out
    assert b"# at 4\n" in plain.out


@pytest.mark.parametrize("level", [1, 19])
def test_a_login_ends_with_the_level_of_zstd(level: int, server: ScriptedServer) -> None:
    server.compresses = Compression.ZSTD
    with closing(Connection(options(server, compression=(Compression.ZSTD,), zstd_level=level))) as connection:
        assert connection.is_compressed
        assert connection.logs() == {name: len(log) for name, log in FOUR.items()}
    (login,) = server.logins
    assert login[-1] == level
    assert int.from_bytes(login[:4], "little") & (1 << 26 | 1 << 5) == 1 << 26


@pytest.mark.parametrize("allowed", [(Compression.UNCOMPRESSED,), (Compression.ZLIB, Compression.UNCOMPRESSED)])
def test_without_a_common_algorithm_nothing_is_compressed(
    allowed: tuple[Compression, ...], server: ScriptedServer
) -> None:
    server.compresses = Compression.ZSTD
    with closing(Connection(options(server, compression=allowed))) as connection:
        assert not connection.is_compressed
        assert connection.variable("server_uuid") == server.uuid
    assert int.from_bytes(server.logins[0][:4], "little") & (1 << 26 | 1 << 5) == 0


def test_a_server_that_does_not_compress_as_is_wanted_is_refused(server: ScriptedServer) -> None:
    with pytest.raises(ServerError) as raised:
        Connection(options(server, compression=(Compression.ZSTD, Compression.ZLIB)))
    assert str(raised.value) == (
        f"{address(server)}: the server does not compress by zstd and zlib. Give "
        "--compression-algorithms=zstd,zlib,uncompressed"
    )


def test_compressed_packets_that_are_damaged_are_an_error_of_the_log(server: ScriptedServer) -> None:
    server.compresses = Compression.ZLIB
    server.on_dump = lambda session: session.raw(b"\3\0\0\1\x09\0\0abc")
    where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", LOG]
    result = real("dump", "--compression-algorithms=zlib", *where)
    assert result.status == 1
    assert result.err == (
        f"ERROR: {address(server)}/{LOG}, at 4: a compressed packet is broken: Error -3 while "
        "decompressing data: incorrect header check. Read the log again; if that ends here, too, look at what is "
        "between you and it.\n"
    )


def test_a_mirror_over_compressed_packets_is_the_server(
    server: ScriptedServer, tmp_path: Any, monkeypatch: Any
) -> None:
    server.compresses = Compression.ZSTD
    monkeypatch.setattr(
        "tests.mirror.test_mirror.options", lambda server: options(server, compression=(Compression.ZSTD,))
    )
    assert run(server, tmp_path / "m") == []
    assert contents(tmp_path / "m") == FOUR


# ---- tables


class Tables:
    """Answers about tables; `texts` are those of one table: the first request gets the first, and so on."""

    def __init__(self, *texts: str, old: bool = False, logs: bool = True):
        self.texts, self.old, self.logs = list(texts), old, logs
        self.asked: list[str] = []

    def __call__(self, session: Session, statement: str) -> bool:
        self.asked.append(statement)
        if statement.startswith("SELECT TABLE_SCHEMA"):
            session.rows(["", ""], [["a`b", "t`u"], ["shop", "orders"]])
        elif statement == "SHOW CREATE TABLE `a``b`.`t``u`":
            session.rows(["", ""], [["t`u", "CREATE TABLE `t``u` (x INT)"]])
        elif statement == "SHOW CREATE TABLE `shop`.`orders`":
            session.rows(["", ""], [["orders", self.texts.pop(0)]])
        elif statement == "SHOW BINARY LOG STATUS" and self.old:
            session.send(b"\xff" + struct.pack("<H", 1064) + b"#42000You have an error in your SQL syntax")
        elif statement in ("SHOW BINARY LOG STATUS", "SHOW MASTER STATUS"):
            session.rows(["File", "Position", ""], [["b.000007", "1234", ""]] if self.logs else [])
        else:
            return False
        return True


def text(orders: str) -> str:
    return f"USE `a``b`;\nCREATE TABLE `t``u` (x INT);\nUSE `shop`;\n{orders};\n"


def test_tables_have_the_place_at_which_they_hold(server: ScriptedServer) -> None:
    tables = server.on_query = Tables("v1", "v1")
    assert server_tables(options(server)) == ServerTables(text("v1"), "b.000007", 1234)
    assert tables.asked.count("SHOW BINARY LOG STATUS") == 1
    assert tables.asked[1] == (
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM "
        "VERSIONED') AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema') ORDER BY "
        "TABLE_SCHEMA, TABLE_NAME"
    )


def test_tables_that_change_are_read_again(server: ScriptedServer) -> None:
    server.on_query = Tables("v1", "v2", "v3", "v4", "v5", "v5")
    assert server_tables(options(server)) == ServerTables(text("v5"), "b.000007", 1234)


def test_tables_that_change_all_the_time_are_an_error(server: ScriptedServer) -> None:
    tables = server.on_query = Tables(*"123456789")
    with pytest.raises(SourceError) as raised:
        server_tables(options(server))
    assert str(raised.value) == (
        f"{address(server)}: tables are made or altered while they are read. Try again when it is quiet"
    )
    assert tables.texts == ["7", "8", "9"]


def test_a_server_without_a_binary_log_has_no_place(server: ScriptedServer) -> None:
    server.on_query = Tables("v1", "v1", logs=False)
    with pytest.raises(SourceError) as raised:
        server_tables(options(server))
    assert str(raised.value) == "the server writes no binary log, so the time of its table definitions is unknown"


# ---- faults


def test_a_connection_that_is_lost_under_a_question_is_an_error(server: ScriptedServer) -> None:
    server.on_query = lambda session, statement: statement.startswith("SELECT") and session.close()
    assert str(failure(server)) == (
        f"{address(server)}: the connection to the server was lost: the server has closed the connection"
    )


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([["b.000001"]], True),
        ([["b.000001", "x"]], True),
        ([["b.000001", "-1"]], True),
        ([["b.000001", "1" * 21]], True),
        ([[None, "1"]], True),
        ([["b.000001", "1" * 20]], False),
        ([["b.000001", "600", "Yes"], ["b.000002", "600", "No"], ["b.000003", "511", "Yes"]], False),
    ],
)
def test_logs_that_are_listed_otherwise_are_misunderstood(
    rows: list[list[str | None]], error: bool, server: ScriptedServer
) -> None:
    def on_query(session: Session, statement: str) -> bool:
        if statement == "SHOW BINARY LOGS":
            session.rows([""] * len(rows[0]), rows)
        return statement == "SHOW BINARY LOGS"

    server.on_query = on_query
    with closing(Connection(options(server))) as connection:
        if error:
            with pytest.raises(ServerError) as raised:
                connection.logs()
            assert str(raised.value) == (
                f"{address(server)}: what answers there does not speak as a server of MySQL or MariaDB. Check host and "
                "port"
            )
            return
        sizes = [int("1" * 20)] if len(rows) == 1 else [88, 600, 0]
        assert list(connection.logs().values()) == sizes
        assert connection.encrypts_logs() == (len(rows) > 1)


@pytest.mark.parametrize("rows", [[], [["1"], ["2"]], [[None]]])
def test_a_variable_has_one_value(rows: list[list[str | None]], server: ScriptedServer) -> None:
    def on_query(session: Session, statement: str) -> bool:
        if statement.startswith("SELECT"):
            session.rows([""], rows)
        return statement.startswith("SELECT")

    server.on_query = on_query
    with closing(Connection(options(server))) as connection, pytest.raises(ServerError, match="does not speak as"):
        connection.variable("x")


def test_a_request_is_one_packet(server: ScriptedServer) -> None:
    with closing(Connection(options(server))) as connection:
        with pytest.raises(ServerError) as raised:
            connection.send(0x12, bytes(0xFFFFFE))
        assert str(raised.value) == (f"{address(server)}: the request has 16777215 bytes, more than one packet holds")


def test_a_request_to_a_server_that_is_gone_is_an_error(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[socket.socket] = []
    monkeypatch.setattr(socket, "create_connection", kept(opened, socket.create_connection))
    with closing(Connection(options(server))) as connection:
        opened[0].shutdown(socket.SHUT_RDWR)
        with pytest.raises(SourceError) as raised:
            connection.send(0x12, b"x")
        assert str(raised.value) == f"{address(server)}: the server cannot be reached: Broken pipe"
        assert type(raised.value) is SourceError


@pytest.mark.parametrize(("length", "refused"), [(512, False), (513, True)])
def test_a_name_has_at_most_512_characters(length: int, refused: bool) -> None:
    if not refused:
        check_name("b" * length, "db1")
        return
    with pytest.raises(ServerError) as raised:
        check_name("b" * length, "db1")
    assert str(raised.value) == "db1: the server names a log of 513 characters. Check host and port"


TRANSIENT = (1040, 1041, 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1226, 1317, 1927, 3032, 4031)
"""Errors that go away by themselves."""


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (number, SourceError if number in TRANSIENT else ServerError)
        for transient in TRANSIENT
        for number in (transient - 1, transient, transient + 1)
    ],
)
def test_an_error_of_the_server_has_its_words_and_number(number: int, kind: type[SourceError]) -> None:
    error = said_by_server(number, "no " + "x" * 600, file="db1", position=7)
    assert type(error) is kind
    assert error.message == (
        f"the server says: no {'x' * 247}... (103 characters are left out) ...{'x' * 250} (error {number})"
    )


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (600, "the server sent nothing of this log. Look whether SHOW BINARY LOGS lists it"),
        (
            601,
            "the server has sent no event for 10 minutes. The bytes before it have been read; start again from this "
            "position",
        ),
    ],
)
def test_a_server_that_sends_heartbeats_alone_is_given_up_after_a_while(
    seconds: int, error: str, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0
    monkeypatch.setattr(dump_stream, "monotonic", lambda: now)
    heartbeat = struct.pack("<IBIIIH", 0, 27, 1, 19 + 13, 300, 0) + b"binlog.000001"

    def on_dump(session: Session) -> None:
        nonlocal now
        now = seconds
        session.send(b"\0" + heartbeat)
        session.send(b"\xfe\0\0\0\0")

    server.on_dump = on_dump
    where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED", LOG]
    result = real("dump", *where)
    assert (result.status, result.err) == (1, f"ERROR: {address(server)}/{LOG}, at 4: {error}.\n")
