"""Twenty random workloads undone on each server; `python -m tests.undo.runs` does as many as you ask for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import Server, running
from tests.undo.runs import ARGUMENTS, one_run, scenario_of
from tests.undo.scenarios import SCENARIOS
from tests.undo.session import Session
from tests.undo.state import definitions
from tests.undo.trial import Trial
from tests.undo.workloads import DATABASE

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


@pytest.fixture
def trial(server: tuple[str, Server], tmp_path: Path) -> Iterator[Trial]:
    """A trial whose database has a table `root`, with a foreign key to itself, and `leaf`, which refers to that."""
    kind, running_server = server
    session = Session(kind, running_server.socket())
    made = Trial(running_server, session, 0, tmp_path / "run", cascades=kind == "mysql")
    session.run("CREATE TABLE root (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES root (id))")
    session.run("CREATE TABLE leaf (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES root (id))")
    made.tables = definitions(session, DATABASE)
    yield made
    session.close()


def test_rows_that_refer_to_themselves_are_deleted_and_change_their_keys(trial: Trial) -> None:
    first = trial.change("INSERT INTO root VALUES (1, 1), (2, 1), (3, NULL)")
    last = trial.change("UPDATE root SET id = 6, up = 6 WHERE id = 3")  # MariaDB allows it
    asked = [trial.gtids([first, last]), str(trial.logs())]
    trial.must_apply(trial.pybinlog("undo", *asked, keep="undo"), first.before, "undo")
    trial.must_apply(trial.pybinlog("redo", *asked, keep="redo"), last.after, "redo")


@pytest.mark.parametrize("newer", ["INSERT INTO leaf VALUES (1, 1)", "INSERT INTO root VALUES (2, 1)"])
def test_a_row_that_refers_to_itself_is_not_deleted_if_others_refer_to_it(trial: Trial, newer: str) -> None:
    step = trial.change("INSERT INTO root VALUES (1, 1)")
    done = trial.pybinlog("undo", trial.gtids([step]), str(trial.logs()), keep="undo")
    trial.change(newer)
    now = trial.state
    assert "ERROR 1231" in trial.apply(done.out).err
    trial.must_be(now, "after a text that ended early")


def test_a_deleted_row_that_referred_to_itself_with_set_null_is_there_again(trial: Trial) -> None:
    if trial.kind == "mariadb":
        pytest.skip("it logs nothing of SET NULL")
    trial.session.run(
        "CREATE TABLE loose (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES loose (id) ON DELETE SET NULL)"
    )
    trial.tables = definitions(trial.session, DATABASE)
    trial.change("INSERT INTO loose VALUES (1, 1), (2, 1)")
    step = trial.change("DELETE FROM loose WHERE id = 1")
    asked = [trial.gtids([step]), str(trial.logs())]
    trial.must_apply(trial.pybinlog("undo", *asked, keep="undo"), step.before, "undo")
    trial.must_apply(trial.pybinlog("redo", *asked, keep="redo"), step.after, "redo")
