"""A server must continue the logs that are there: their order, and the server's own words."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError, DataLossError, ServerError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.live.live_run import Place
from pybinlog.log.reader import Reader
from pybinlog.mirror.continuation import MirroredServer, ServerLogs, check_follows, first_difference, next_after
from pybinlog.mirror.growing_log import GrowingLog
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.source import open_source
from tests.corpus import TESTDATA
from tests.mirror.scripted_server import UUID, ScriptedServer, Session
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")

MYSQL = TESTDATA / "corpus" / "mysql-9.7"


@pytest.mark.parametrize(
    ("some", "others", "offset"),
    [(b"", b"", 0), (b"ab", b"ab", 2), (b"ab", b"a", 1), (b"a", b"ab", 1), (b"abc", b"axc", 1), (b"x", b"a", 0)],
)
def test_the_first_difference(some: bytes, others: bytes, offset: int) -> None:
    assert first_difference(some, others) == offset


@pytest.mark.parametrize(
    ("log", "following"),
    [("multi-file/binlog.000001", "binlog.000002"), ("stopped/binlog.000001", "binlog.000002"), ("killed", None)],
)
def test_the_next_log_is_known_if_this_one_was_closed(log: str, following: str | None) -> None:
    path = MYSQL / (log if "/" in log else f"{log}/binlog.000001")
    with closing(GrowingLog(str(path))) as growing:
        assert next_after(growing) == following


@pytest.mark.parametrize(("name", "following"), [("b.000009", "b.000010"), ("b.999999", "b.1000000")])
def test_the_next_log_has_the_next_number(name: str, following: str, tmp_path: Path) -> None:
    """A Stop event names none."""
    shutil.copy(MYSQL / "stopped" / "binlog.000001", tmp_path / name)
    with closing(GrowingLog(str(tmp_path / name))) as growing:
        assert growing.closed_by == ""
        assert next_after(growing) == following


def first_batch(log: str) -> EventBatch:
    """The first events of a log, which begins after a rotation or with its server's start."""
    with open_source(str(MYSQL / log)) as source:
        return next(iter(Reader(source)))


BEGUN, ROTATED = "multi-file/binlog.000001", "multi-file/binlog.000002"
"""Logs whose Format_description has the time of the server's start, and has none."""
GONE = "db1/{}: the server continues with it after b.000008: the logs between are gone. Look"
RESET = (
    "db1/b.000009: the server continues with it after b.000008, which ends at 77 without a Rotate event: its logs were "
    "reset, and the beginning of the new ones was not sent. Look"
)


@pytest.mark.parametrize(
    ("closed_by", "following", "log", "error"),
    [
        ("b.000009", "b.000009", ROTATED, None),
        ("b.000009", "b.000009", BEGUN, None),
        ("", "b.000009", BEGUN, None),
        ("", "b.000009", ROTATED, None),
        (None, "b.000009", BEGUN, None),
        (None, "b.000009", ROTATED, RESET),
        ("b.000010", "b.000009", ROTATED, GONE.format("b.000009")),
        ("b.000010", "b.000010", ROTATED, GONE.format("b.000010")),
        ("", "b.000010", BEGUN, GONE.format("b.000010")),
        (None, "b.000008", BEGUN, GONE.format("b.000008")),
        (None, "b.000007", BEGUN, GONE.format("b.000007")),
    ],
)
def test_a_log_follows_another_one(closed_by: str | None, following: str, log: str, error: str | None) -> None:
    place = Place("b.000008", 77, closed_by=closed_by)
    if error is None:
        check_follows("db1", place, following, first_batch(log), hint="Look")
        return
    with pytest.raises(DataLossError) as raised:
        check_follows("db1", place, following, first_batch(log), hint="Look")
    assert str(raised.value) == error


def test_a_server_has_its_logs_in_an_order() -> None:
    logs = ServerLogs("server_id 1", {"b.000009": 1, "b.000010": 2, "b.000011": 3}, False)
    assert (logs.first, logs.last) == ("b.000009", "b.000011")
    logs.check("b.000010", "db1", "Look")
    with pytest.raises(BinlogError) as raised:
        logs.check("b.000012", "db1", "Look")
    assert str(raised.value) == "db1/b.000012: the server has no such log; it has b.000009 to b.000011. Look"


def logs_of(server: ScriptedServer) -> ServerLogs:
    options = ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)
    asked = MirroredServer(options, stays=False)
    with closing(asked.connect()) as connection:
        return asked.logs(connection)


def test_a_mysql_server_is_known_by_its_uuid() -> None:
    sizes = {name: len(log) for name, log in FOUR.items()}
    with ScriptedServer(FOUR) as server:
        assert logs_of(server) == ServerLogs(f"server_uuid {UUID}", sizes, False)
        server.encrypts = True
        assert logs_of(server) == ServerLogs(f"server_uuid {UUID}", sizes, True)


@pytest.mark.parametrize(("value", "encrypted"), [("ON", True), ("OFF", False)])
def test_a_mariadb_server_is_known_by_its_id_and_asked_whether_it_encrypts(value: str, encrypted: bool) -> None:
    def on_query(session: Session, statement: str) -> bool:
        answers = {
            "SELECT @@server_id": [["7"]],
            "SHOW GLOBAL VARIABLES LIKE 'encrypt_binlog'": [["encrypt_binlog", value]],
        }
        if statement in answers:
            session.rows([""] * len(answers[statement][0]), answers[statement])
        return statement in answers

    with ScriptedServer(FOUR, version="5.5.5-11.8.2-MariaDB", on_query=on_query) as server:
        found = logs_of(server)
    assert (found.server, found.encrypted) == ("server_id 7", encrypted)


@pytest.mark.parametrize(
    ("uuid", "logs", "error"),
    [
        ("no uuid", FOUR, "the server gives no server_uuid. Mirror the server itself, not a proxy"),
        ("a" * 65, FOUR, "the server gives no server_uuid. Mirror the server itself, not a proxy"),
        (UUID, {}, "the server has no binary logs"),
    ],
)
def test_a_server_without_a_name_or_logs_is_an_error(uuid: str, logs: dict[str, bytes], error: str) -> None:
    with ScriptedServer(logs, uuid=uuid) as server, pytest.raises(ServerError) as raised:
        logs_of(server)
    assert str(raised.value) == f"mysql://u@127.0.0.1:{server.port}: {error}"


@pytest.mark.parametrize("size", [0, 1, 4, 5, 300, 1175, 2000])
def test_the_beginning_of_a_log_is_read_on_a_connection_of_its_own(size: int) -> None:
    with ScriptedServer(FOUR) as server:
        options = ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)
        found = MirroredServer(options, stays=True).beginning_of("binlog.000001", size)
        assert server.dumps == []
    assert found == FOUR["binlog.000001"][:size]
