"""The results of a first pass over logs, without executors."""

from pathlib import Path

import pytest

from pybinlog.catalog import Catalog
from pybinlog.catalog.coordinates import Coordinates
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import Span
from pybinlog.views.definitions import statements_in
from pybinlog.views.first_pass import Surveyed
from tests.catalog.bare_logs import DUMPS


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("beyond", [0, 1])
def test_a_dump_of_a_place_in_the_last_log(beyond: int, committed: bool) -> None:
    """The place must be in the log, however its statements were read."""
    folder = DUMPS / "mysql-9.7"
    log = folder / "binlog.000002"
    catalog = Catalog()
    catalog.read("shop.sql", (folder / "shop.sql").read_text())
    catalog.coordinates = Coordinates(log.name, log.stat().st_size + beyond)
    told: list[str] = []
    surveyed = Surveyed([str(log)], map)
    if committed:
        assert surveyed.rolled_back(Mode.FAILFAST)[1] == 0
    [[known]] = surveyed.known(catalog, told.append)
    assert known.place.name == str(log)
    assert [Path(sentence.partition("which is not in ")[2].partition(":")[0]) for sentence in told] == [log] * beyond


def test_statements_are_the_same_with_the_outcomes() -> None:
    log = str(DUMPS / "mysql-9.7" / "binlog.000002")
    surveyed = Surveyed([log], map)
    surveyed.rolled_back(Mode.FAILFAST)
    assert surveyed.statements == {Span((log,)): statements_in(Span((log,)))}
