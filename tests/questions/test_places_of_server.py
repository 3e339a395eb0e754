"""A place's GTID set is what a real server says of it, and the set leads back to the place."""

import random

import pytest

from pybinlog.questions.search import Search
from tests.server import Server, running

PLACES = 60
SOURCE = "aaaaaaaa-0000-1111-2222-00000000000"
CHANGE = "BEGIN; INSERT INTO f.t (b) VALUES (1), (2); UPDATE f.t SET b = b + 1 LIMIT 3; COMMIT;"
XA = "XA START 'x'; INSERT INTO f.t (b) VALUES (1); XA END 'x'; XA PREPARE 'x'; XA {} 'x';"


def mysql_step(choice: float, number: int) -> str:
    if choice < 0.15:
        source = f"{SOURCE}{number % 3}:{2 * number + 1}"
        return f"SET GTID_NEXT = '{source}'; INSERT INTO f.t (b) VALUES (1); SET GTID_NEXT = 'AUTOMATIC';"
    if choice < 0.3:
        return f"SET GTID_NEXT = 'AUTOMATIC:tag{number % 2}'; {CHANGE} SET GTID_NEXT = 'AUTOMATIC';"
    return "FLUSH BINARY LOGS;" if choice < 0.4 else XA.format("ROLLBACK") if choice < 0.5 else CHANGE


def mariadb_step(choice: float, number: int) -> str:
    ids = f"SET SESSION gtid_domain_id = {number % 3}; SET SESSION server_id = {7 + number % 2};"
    return ids + ("FLUSH BINARY LOGS;" if choice < 0.1 else XA.format("COMMIT") if choice < 0.3 else CHANGE)


def place(server: Server, kind: str) -> tuple[str, int, str]:
    """Return the log, the position, and the set that the server has executed there."""
    if kind == "mysql":
        log, position, *_ = server.sql("SHOW BINARY LOG STATUS").split("\t")
        executed = server.sql("SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '')").strip()
        return log, int(position), executed
    log, position, *_ = server.sql("SHOW MASTER STATUS").split("\t")
    return log, int(position), server.sql(f"SELECT BINLOG_GTID_POS('{log}', {position})").strip()


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_a_position_and_its_set_lead_to_each_other(kind: str) -> None:
    arguments = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"] if kind == "mysql" else []
    chance = random.Random(7)
    with running(kind, "places", "--binlog-format=ROW", *arguments) as server:
        server.sql("CREATE DATABASE f; CREATE TABLE f.t (a INT AUTO_INCREMENT PRIMARY KEY, b INT)")
        truth = []
        for number in range(PLACES):
            server.sql((mysql_step if kind == "mysql" else mariadb_step)(chance.random(), number))
            truth.append(place(server, kind))
        logs = [line.split("\t")[0] for line in server.sql("SHOW BINARY LOGS").splitlines()]
        search = Search([str(server.folder() / log) for log in logs], pytest.fail)
        assert len(logs) > 2
        for log, position, executed in truth:
            found = str(search.executed_at(search.name_of(log), position))
            assert sorted(found.split(",")) == sorted(executed.split(","))
            back = search.place_of(executed)
            assert back is not None
            assert str(search.executed_at(back.log, back.end)) == found
