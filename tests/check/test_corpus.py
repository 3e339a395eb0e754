"""The rules over whole real logs: silence for intact ones, the right code for damaged ones."""

import pytest

from tests.check.logs import check
from tests.corpus import Scenario, scenarios

INTACT = [s for s in scenarios() if s.intact]
DAMAGED = {
    "damaged-body": ["S001"],
    "damaged-length-huge": ["S002"],
    "damaged-length-zero": ["S002"],
    "damaged-type": ["S001"],
    "damaged-type-ignorable": ["S001"],
    "trailing-zeros": ["S004"],
    "truncated-between": ["B003"],
    "truncated-body": ["S003"],
    "truncated-checksum": ["S003"],
    "truncated-empty": ["S003"],
    "truncated-fde": ["S003"],
    "truncated-header": ["S003"],
    "truncated-magic": ["S003"],
    "truncated-magic-only": ["S008"],
}


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_an_intact_log_has_no_errors_and_no_warnings(scenario: Scenario) -> None:
    assert check(scenario.logs).serious == []


@pytest.mark.parametrize("scenario", [s for s in INTACT if len(s.logs) > 1], ids=repr)
def test_neither_has_each_of_several_logs_by_itself(scenario: Scenario) -> None:
    for log in scenario.logs:
        # a transaction may have been prepared in a log that is not given
        assert [code for code in check([log]).serious if code != "X002"] == []


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.name.removeprefix("mysql-9.7/") in DAMAGED], ids=repr)
def test_a_damaged_log_has_the_finding_of_its_damage(scenario: Scenario) -> None:
    found = check(scenario.logs)
    assert found.serious == DAMAGED[scenario.folder.name]


def test_the_finding_tells_what_is_passed_over() -> None:
    scenario = next(s for s in scenarios() if s.name == "mysql-9.7/damaged-length-huge")
    finding = check(scenario.logs).one("S002")
    assert (finding.position, finding.event_type) == (1681, "Write_rows")
    assert finding.message.endswith("62 bytes are skipped, up to 1743.")
