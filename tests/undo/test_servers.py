"""Twenty random workloads undone on each server; `python -m tests.undo.runs` does as many as you ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import Server, running
from tests.undo.runs import ARGUMENTS, one_run, scenario_of
from tests.undo.scenarios import SCENARIOS
from tests.undo.session import Session

pytest.importorskip("pymysql", reason="needs PyMySQL")

SEEDS = range(20)


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    with running(request.param, f"undo-{request.param}", *ARGUMENTS[request.param]) as server:
        yield request.param, server


def test_the_seeds_do_everything_once() -> None:
    assert {scenario_of(seed) for seed in SEEDS} == set(SCENARIOS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_workload_is_undone(server: tuple[str, Server], seed: int, tmp_path: Path) -> None:
    kind, running_server = server
    session = Session(kind, running_server.socket())
    try:
        assert one_run(running_server, session, seed, tmp_path / "run") is None
    finally:
        session.close()
