"""Simulated logs beside those that real servers wrote for the same statements."""

from __future__ import annotations

import pytest

from tests.simulate.facts import Fact, facts, without_frame
from tests.simulate.replay import folder, replayed

EQUAL = [
    *(f"mysql-{version}/mixed-engines-{form}" for version in ("5.6", "9.7") for form in ("statement", "row", "mixed")),
    "mysql-5.6/xa",
    "mysql-5.6/rows-query",
    "mysql-9.7/row-basic",
    "mysql-9.7/rows-query",
    "mysql-9.7/xa",
    "mysql-9.7/xa-nogtid",
    "mysql-9.7/xa-statement",
]


@pytest.mark.parametrize("name", EQUAL)
def test_the_same_events_as_the_real_server_wrote(name: str) -> None:
    real = folder(name)
    simulated = replayed(real)
    assert list(simulated.files) == [log.name for log in real.logs]
    for log in real.logs:
        assert comparable(simulated.files[log.name]) == comparable(log.read_bytes())


def comparable(data: bytes) -> list[Fact]:
    return without_frame(facts(data))
