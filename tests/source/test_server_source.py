"""A server's log as a source: the error for a log that the server does not have names those that it has."""

import pytest

pytest.importorskip("pymysql", reason="needs PyMySQL")

from pybinlog.source.server import SHOWN, logs_in_words
from tests.cli.conftest import real
from tests.mirror.scripted_server import ScriptedServer, Session
from tests.replication.hostile import LOGS


def missing(server: ScriptedServer, *arguments: str) -> str:
    """Return the error of a command that asks for a log that is not there."""
    where = ["-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
    done = real(*arguments, *where, "binlog.000009")
    assert done.status != 0
    return done.err


@pytest.mark.parametrize("command", [["dump"], ["dump", "-t"], ["rows"], ["stats"], ["stats", "-t"], ["check"]])
def test_a_log_that_is_not_there_is_answered_with_those_that_are(command: list[str]) -> None:
    with ScriptedServer(dict(LOGS)) as server:
        said = missing(server, *command)
    assert f"The server has {', '.join(LOGS)}." in said, said


def test_without_the_right_to_list_logs_the_error_is_the_servers() -> None:
    def on_query(session: Session, statement: str) -> bool:
        if statement == "SHOW BINARY LOGS":
            session.send(b"\xff\xcb\x04#42000Access denied; you need REPLICATION CLIENT")
        return statement == "SHOW BINARY LOGS"

    with ScriptedServer(dict(LOGS), on_query=on_query) as server:
        said = missing(server, "dump")
    assert said.startswith("ERROR: ")
    assert said.endswith("the server says: Could not find first log file name (error 1236).\n")


def test_of_many_logs_the_first_and_the_last_are_named() -> None:
    names = [f"binlog.{number:06d}" for number in range(1, SHOWN + 2)]
    assert logs_in_words(names) == "The server has 6 logs, binlog.000001 to binlog.000006"
    assert logs_in_words(names[1:]) == f"The server has {', '.join(names[1:])}"
    assert logs_in_words([]) == "The server has no log"
