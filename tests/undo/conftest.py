"""Fixtures of the tests that undo on real servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import Server, running
from tests.undo.runs import ARGUMENTS
from tests.undo.session import Session
from tests.undo.trial import Trial


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    name = request.module.__name__.rpartition("_")[2]
    with running(request.param, f"{name}-{request.param}", *ARGUMENTS[request.param]) as server:
        yield request.param, server


@pytest.fixture
def trial(server: tuple[str, Server], tmp_path: Path) -> Iterator[Trial]:
    kind, running_server = server
    session = Session(kind, running_server.socket())
    made = Trial(running_server, session, 0, tmp_path / "run", cascades=kind == "mysql")
    made.rows_per_statement = 1000
    session.run("SET sql_mode = ''")
    yield made
    session.close()
