"""A server's PURGE and RESET between two runs of a reader of rows, and another server in its place."""

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pymysql", reason="needs PyMySQL")

from tests.live.kills import Reader
from tests.mirror.mirrored import Mirrored, mirrored
from tests.mirror.test_refusals import RESET, purge

ARGUMENTS = {
    "mysql": ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--binlog-format=ROW"],
    "mariadb": ["--binlog-format=ROW"],
}
STATUS = {"mysql": "SHOW BINARY LOG STATUS", "mariadb": "SHOW MASTER STATUS"}


class Run:
    """A server with a table, and a reader of its rows that is ended between the steps of a test."""

    def __init__(self, server: Mirrored, kind: str, work: Path):
        self.server, self._kind = server, kind
        self.reader = Reader(server.port, work)
        self._inserted = 0
        server.server.sql("CREATE DATABASE a; CREATE TABLE a.t (x INT PRIMARY KEY)")

    def insert(self) -> None:
        self._inserted += 1
        self.server.server.sql(f"INSERT INTO a.t VALUES ({self._inserted})")

    def read(self) -> None:
        """Run the reader until its checkpoint is at the server's end."""
        self.reader.start()
        self.server.until(self._has_read)
        self.reader.end(signal.SIGTERM)

    def _has_read(self) -> bool:
        assert self.reader.process.poll() is None, self.reader.said()
        log, position, *_ = self.server.server.sql(STATUS[self._kind]).split("\t")
        found = json.loads(self.reader.checkpoint.read_text()) if self.reader.checkpoint.exists() else {}
        return (found.get("log"), found.get("position")) == (log, int(position))

    def refused(self) -> str:
        """Run the reader, which has to end by itself and to change nothing; its message."""
        before = self.reader.checkpoint.read_bytes(), self.reader.output.read_bytes()
        self.reader.start()
        assert self.reader.process.wait(60) == 1
        assert (self.reader.checkpoint.read_bytes(), self.reader.output.read_bytes()) == before
        return self.reader.said(1)

    def rows(self) -> list[int]:
        lines = self.reader.output.read_text().splitlines()
        return [json.loads(line)["after"]["x"] for line in lines]

    def executed(self) -> str:
        return str(json.loads(self.reader.checkpoint.read_text())["executed"])


@pytest.fixture(params=["mysql", "mariadb"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(kind: str, tmp_path: Path) -> Iterator[Run]:
    with mirrored(kind, *ARGUMENTS[kind]) as server:
        yield Run(server, kind, tmp_path)


def test_purges_resets_and_another_server(run: Run, kind: str) -> None:
    run.insert()
    run.read()
    assert run.rows() == [1]
    if kind == "mysql":
        assert run.executed() == run.server.server.sql("SELECT @@GLOBAL.gtid_executed").strip()
    else:
        assert run.executed() == run.server.server.sql("SELECT @@GLOBAL.gtid_binlog_pos").strip()

    purge(run.server, run.server.server.next_log())  # all that was purged was read
    run.insert()
    run.read()
    assert run.rows() == [1, 2]

    run.insert()
    log = run.server.server.next_log()
    run.insert()
    end = int(re.findall(r"\d+", run.executed())[-1])
    purge(run.server, log)
    said = run.refused()
    if kind == "mysql":
        uuid = run.server.server.sql("SELECT @@server_uuid").strip()
        missing = f"{uuid}:{end + 1}"
    else:
        missing = f"after {run.executed()} up to {run.executed().rpartition('-')[0]}-{end + 1}"
    assert f"was purged, with transactions that were not read ({missing}); the oldest log is {log}" in said

    lost = run.executed() if kind == "mysql" else f"up to {run.executed()}"
    run.server.server.sql(RESET[kind])
    run.insert()
    first = run.server.logs()[0]
    assert json.loads(run.reader.checkpoint.read_text())["log"] != first
    said = run.refused()
    assert f"the oldest one, {first}, begins without transactions that were read ({lost}): the logs were reset" in said

    run.server.server.next_log()
    run.insert()
    assert run.server.logs()[-1] == json.loads(run.reader.checkpoint.read_text())["log"]
    assert "is not the one that the checkpoint has. The logs were reset" in run.refused()


def test_a_replica_in_its_place_is_refused(run: Run, kind: str, tmp_path: Path) -> None:
    run.insert()
    run.read()
    with mirrored(kind, *ARGUMENTS[kind], "--log-bin=other") as replica:
        command = run.reader.command
        command[command.index(f"-P{run.server.port}")] = f"-P{replica.port}"
        said = run.refused()
    assert "the checkpoint is of server_" in said
    assert ", and this is server_" in said
