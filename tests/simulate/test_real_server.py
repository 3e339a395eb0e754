"""Scenarios on a real MySQL 9.7 leave the events that the model writes. Skipped if there is no such server."""

from collections.abc import Iterator

import pytest

from pybinlog.simulate import Scenario
from tests.server import running
from tests.simulate.interleavings import interleaving
from tests.simulate.real_scenarios import SCENARIOS
from tests.simulate.real_server import DIFFERENT, RealServer, class_of, differences, relaxed

SEEDS = range(20)
"""`python -m tests.simulate.interleavings` runs more."""


@pytest.fixture(scope="module")
def server() -> Iterator[RealServer]:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with running("mysql", "simulate", "--innodb-flush-log-at-trx-commit=1", "--default-time-zone=+00:00") as server:
        yield RealServer(server.socket(), server.folder(), server)


@pytest.mark.parametrize("form", ["STATEMENT", "ROW", "MIXED"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_gives_the_events_of_a_real_server(name: str, form: str, server: RealServer) -> None:
    scenario = relaxed(Scenario.parse(f"-- server: format={form}\n{SCENARIOS[name]}", name))
    assert "\n".join(differences(scenario, server.run(scenario))) == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_interleavings_give_the_events_of_a_real_server(seed: int, server: RealServer) -> None:
    """Equal, or different by a lock alone (the classes of `class_of`)."""
    scenario = interleaving(seed)
    real = server.run(scenario)
    assert class_of(scenario, real) != DIFFERENT, "\n".join(differences(scenario, real))
