"""Simulated logs beside those that real servers wrote for the same statements."""

import re
from ast import literal_eval

import pytest

from pybinlog.simulate import ScenarioError
from tests.simulate.facts import Fact, facts, without_frame
from tests.simulate.replay import folder, replayed

EQUAL = [
    *(f"mysql-{version}/mixed-engines-{form}" for version in ("5.6", "9.7") for form in ("statement", "row", "mixed")),
    "mysql-5.6/rows-query",
    "mysql-5.6/row-gtid",
    "mysql-5.6/row-v2",
    "mysql-5.6/types-decimal-float",
    "mysql-5.6/types-enum-set",
    "mysql-5.6/types-int",
    "mysql-5.6/types-string",
    "mysql-5.6/xa",
    "mysql-9.7/row-image-minimal",
    "mysql-9.7/row-image-noblob",
    "mysql-9.7/row-nogtid",
    "mysql-9.7/rows-query",
    "mysql-9.7/types-decimal-float",
    "mysql-9.7/types-enum-set",
    "mysql-9.7/types-int",
    "mysql-9.7/types-string",
    "mysql-9.7/xa",
    "mysql-9.7/xa-nogtid",
    "mysql-9.7/xa-statement",
    "more/create-select-row",
    "more/create-select-statement",
    "more/gtid-next-groups",
    "more/gtid-next-numbers",
    "more/gtid-next-xa",
    "more/xa-format-ids",
]
OPENED = "the first use of a table reads its definition, which counts as a use of the time zone"
DIFFERENT = {
    "mysql-9.7/row-basic": {7: OPENED},
    "mysql-5.6/types-wide": {6: OPENED},
    "mysql-9.7/types-wide": {10: OPENED},
    "mysql-9.7/types-time": dict.fromkeys((64, 69, 74, 96, 101, 106), OPENED),
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


@pytest.mark.parametrize("name", ["more/gtid-next-groups", "more/gtid-next-numbers", "more/gtid-next-xa"])
def test_the_same_errors_as_the_real_server_gave(name: str) -> None:
    """Number and text of each error that server.txt lists."""
    found = folder(name)
    (listed,) = re.findall(r"^errors seen \(expected\): (.*)$", (found.folder / "server.txt").read_text(), re.MULTILINE)
    errors = [(number, text) for _, number, text in replayed(found).errors]
    assert errors == [literal_eval(error) for error in listed.split(" | ")]
    assert len(errors) > 5


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_same_but_for_some_events(name: str) -> None:
    ((real, simulated),) = logs(name)
    assert len(real) == len(simulated)
    different = [at for at, (one, other) in enumerate(zip(real, simulated, strict=True)) if one != other]
    assert different == list(DIFFERENT[name])
    # Even these are of the same type, and statements have the same text.
    assert [real[at][0] for at in different] == [simulated[at][0] for at in different]
    texts = [at for at in different if real[at][0] == "QUERY"]
    assert [real[at][1:4] for at in texts] == [simulated[at][1:4] for at in texts]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mysql-9.7/load-data", "line 6: .*LOAD DATA"),
        ("mysql-9.7/statement", "line 11: the model has no variable rand_seed1"),
        ("mysql-9.7/types-json", "column type json"),
        ("mysql-9.7/types-geometry-vector", "column type"),
        ("mysql-5.6/types-geometry", "column type"),
    ],
)
def test_what_is_outside_of_the_model_is_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=rf"workload\.sql, .*{said}"):
        replayed(folder(name))
