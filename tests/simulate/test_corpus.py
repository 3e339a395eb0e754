"""Simulated logs beside those that real servers wrote for the same statements."""

from __future__ import annotations

import pytest

from pybinlog.simulate import ScenarioError
from tests.simulate.facts import Fact, facts, without_frame
from tests.simulate.replay import folder, replayed

EQUAL = [
    *(f"mysql-{version}/mixed-engines-{form}" for version in ("5.6", "9.7") for form in ("statement", "row", "mixed")),
    "mysql-5.6/rows-query",
    "mysql-5.6/row-gtid",
    "mysql-5.6/row-v2",
    "mysql-5.6/types-int",
    "mysql-5.6/types-string",
    "mysql-5.6/xa",
    "mysql-9.7/row-image-minimal",
    "mysql-9.7/row-nogtid",
    "mysql-9.7/rows-query",
    "mysql-9.7/types-int",
    "mysql-9.7/types-string",
    "mysql-9.7/xa",
    "mysql-9.7/xa-nogtid",
    "mysql-9.7/xa-statement",
]
CLOCK = "NOW(6) has the microseconds of the server's clock"
ROUTINE = "the statements inside a stored function take numbers, too, which Xid events count"
NO_GRANTS = "the server of the corpus ran without grant tables, so it knew no definer"
OPENED = "the first use of a table reads its definition, which counts as a use of the time zone"
DIFFERENT = {
    "mysql-9.7/row-basic": {7: OPENED},
    "mysql-9.7/statement": {124: CLOCK, 126: CLOCK, 298: ROUTINE, 300: ROUTINE, 302: ROUTINE},
    "mysql-5.6/statement": {87: CLOCK, 89: CLOCK, 205: NO_GRANTS, 206: NO_GRANTS, 214: ROUTINE},
}
"""Which events of a log (without those that frame it) are not equal, and why."""


def logs(name: str) -> list[tuple[list[Fact], list[Fact]]]:
    """The events of each log of a folder: those of the real server, and those of the simulated one."""
    real = folder(name)
    simulated = replayed(real)
    assert list(simulated.files) == [log.name for log in real.logs]
    return [
        (without_frame(facts(log.read_bytes())), without_frame(facts(simulated.files[log.name]))) for log in real.logs
    ]


@pytest.mark.parametrize("name", EQUAL)
def test_the_same_events_as_the_real_server_wrote(name: str) -> None:
    for real, simulated in logs(name):
        assert simulated == real
        assert len(real) > 5


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_same_but_for_some_events(name: str) -> None:
    ((real, simulated),) = logs(name)
    assert len(real) == len(simulated)
    different = [at for at, (one, other) in enumerate(zip(real, simulated, strict=True)) if one != other]
    assert different == list(DIFFERENT[name])
    # Even these are of the same type, and statements have the same text.
    assert [real[at][0] for at in different] == [simulated[at][0] for at in different]
    texts = [at for at in different if real[at][0] == "QUERY" and DIFFERENT[name][at] != NO_GRANTS]
    assert [real[at][1:4] for at in texts] == [simulated[at][1:4] for at in texts]


def test_load_data_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"workload\.sql, line 6: .*LOAD DATA"):
        replayed(folder("mysql-9.7/load-data"))
