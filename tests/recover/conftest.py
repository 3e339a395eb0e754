"""Targets for tests: a server for one file of tests, with the backup loaded for each test."""

from collections.abc import Iterator

import pytest

from tests.recover.targets import FOLDERS, GTIDS
from tests.server import Server, running


@pytest.fixture(scope="module", params=["mysql", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    """A server with the server id of the logs."""
    kind: str = request.param
    more = [*GTIDS, "--event-scheduler=OFF"] if kind == "mysql" else ["--log-slave-updates=ON"]
    with running(kind, "recovered", "--server-id=7", "--relay-log=relay", *more) as found:
        yield kind, found


@pytest.fixture
def target(server: tuple[str, Server]) -> tuple[str, Server]:
    """The server with the backup loaded, and nothing else."""
    kind, found = server
    found.sql("DROP DATABASE IF EXISTS shop")
    found.sql("RESET BINARY LOGS AND GTIDS" if kind == "mysql" else "RESET MASTER; SET GLOBAL gtid_slave_pos = ''")
    found.sql((FOLDERS[kind] / "backup.sql").read_text())
    if kind == "mariadb":
        found.sql("RESET MASTER; SET GLOBAL gtid_slave_pos = '0-7-3'")
    return kind, found
