"""The model of MariaDB 11.8, and beside it a real server. Those tests are skipped if there is no such server."""

import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

import pybinlog
from pybinlog.simulate import Scenario, ScenarioError, simulate
from tests.cli.conftest import real
from tests.server import running
from tests.simulate.interleavings import interleaving
from tests.simulate.mariadb_scenarios import SCENARIOS
from tests.simulate.mariadb_server import RealMariadb, mariadb_differences, mariadb_events
from tests.simulate.real_server import DIFFERENT, class_of, relaxed
from tests.simulate.test_worklog_table import CASES
from tests.simulate.test_worklog_table import scenario as of_table

FORMATS = "STATEMENT", "ROW", "MIXED"
SEEDS = range(12)


@pytest.fixture(scope="module")
def server() -> Iterator[RealMariadb]:
    pytest.importorskip("pymysql", reason="needs PyMySQL")
    with running("mariadb", "simulate", "--default-time-zone=+00:00") as server:
        yield RealMariadb(server.socket(), server.folder(), server)


def scenario(name: str, form: str) -> Scenario:
    return relaxed(Scenario.parse(f"-- server: version=11.8 format={form}\n{SCENARIOS[name]}", name))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_the_worklogs_table_is_that_of_a_real_mariadb(case: str, form: str, server: RealMariadb) -> None:
    chosen = relaxed(of_table(case, form, "11.8"))
    assert mariadb_differences(chosen, server.run(chosen)) == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_gives_the_events_of_a_real_mariadb(name: str, form: str, server: RealMariadb) -> None:
    chosen = scenario(name, form)
    assert mariadb_differences(chosen, server.run(chosen)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_interleavings_give_the_events_of_a_real_mariadb(seed: int, server: RealMariadb) -> None:
    """Equal, or different by a lock alone."""
    chosen = interleaving(seed, mariadb=True)
    run = server.run(chosen)
    assert class_of(chosen, run, mariadb_differences) != DIFFERENT, mariadb_differences(chosen, run)


STORED = Path(__file__).with_name("mariadb_events.xz")
"""The events that a real MariaDB 11.8 wrote. `python -m tests.simulate.test_mariadb` stores those of the model."""


def lines(name: str, form: str) -> list[str]:
    return [f"{name} {form}", *mariadb_events(simulate(scenario(name, form)).files)]


def all_lines() -> str:
    return "".join(f"{line}\n" for name in SCENARIOS for form in FORMATS for line in lines(name, form))


def test_the_events_are_those_that_a_real_mariadb_wrote() -> None:
    assert all_lines() == lzma.decompress(STORED.read_bytes()).decode()


@pytest.mark.parametrize("form", FORMATS)
def test_its_logs_are_read_without_a_warning(form: str, tmp_path: Path) -> None:
    log, _ = simulate(scenario("groups", form)).write(tmp_path)
    checked = real("check", str(log))
    assert (checked.status, b"warning" in checked.out) == (0, False)
    assert {event.boundary.name for event in pybinlog.open(log)} >= {"START_TRANSACTION", "END_TRANSACTION"}


def test_marks_are_those_that_are_inferred(tmp_path: Path) -> None:
    chosen = scenario("groups", "MIXED")
    plain, _ = simulate(chosen).write(tmp_path / "plain")
    for markers in ("on", "bits"):
        chosen.options = chosen.options.with_settings(f"markers={markers}")
        marked, _ = simulate(chosen).write(tmp_path / markers)
        found = [[(one.boundary, one.starts, one.ends) for one in pybinlog.open(log)] for log in (plain, marked)]
        assert found[0] == found[1]


def test_the_outline_has_its_gtids() -> None:
    outline = [
        " ".join(line.split())
        for line in simulate("-- server: version=11.8\ncon1: CREATE TABLE t (a INT);\n").outline()
    ]
    assert outline[2:7] == [
        "Gtid_list",
        "Binlog_checkpoint binlog.000001",
        "Gtid 0-1-1",
        "Query CREATE DATABASE test",
        "con1: Gtid 0-1-2",
    ]


@pytest.mark.parametrize(
    ("settings", "statement", "said"),
    [
        ("", "XA START 'x'", "XA transactions of MariaDB"),
        ("", "SET GTID_NEXT = 'AUTOMATIC'", "of MariaDB is not in the model"),
        ("", "SET GLOBAL binlog_row_image = MINIMAL", "of MariaDB is not in the model"),
        ("", "CREATE TEMPORARY TABLE x (a INT)", "'CREATE TEMPORARY TABLE' of MariaDB"),
        ("", "CREATE TABLE x SELECT 1", "'CREATE TABLE x' of MariaDB"),
        ("", "CREATE PROCEDURE p () DELETE FROM t", "'CREATE PROCEDURE p' of MariaDB"),
        ("", "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW DELETE FROM t", "'CREATE TRIGGER x' of MariaDB"),
        ("format=STATEMENT", "UPDATE t AS x, t AS y SET x.a = 1 WHERE x.a = y.a", "changes no row"),
        ("gtid=off", "SELECT 1", "GTIDs always"),
        ("enforce_gtid_consistency=on", "SELECT 1", "no enforce_gtid_consistency"),
        ("row_image=MINIMAL", "SELECT 1", "row_image and row_metadata of MariaDB"),
    ],
)
def test_what_the_model_has_for_mysql_only(settings: str, statement: str, said: str) -> None:
    text = f"-- server: version=11.8 {settings}\ncon1: CREATE TABLE t (a INT);\ncon1: {statement};\n"
    with pytest.raises(ScenarioError, match=said):
        simulate(text)


@pytest.mark.parametrize("how", ["restart", "crash"])
def test_a_mariadb_does_not_restart_in_the_model(how: str) -> None:
    with pytest.raises(ScenarioError, match="a restart of MariaDB is not in the model"):
        simulate(f"-- server: version=11.8\ncon1: SELECT 1;\n-- !{how}\n")


if __name__ == "__main__":
    STORED.write_bytes(lzma.compress(all_lines().encode()))
