import re

import pytest

from pybinlog.simulate import Scenario, Simulation, simulate
from pybinlog.simulate.options import ServerOptions
from pybinlog.simulate.variables import SETTERS
from tests.simulate.documentation import DOCUMENTS, Example, examples

TEXT = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)


def run(example: Example) -> Simulation:
    scenario = Scenario.parse(example.scenario)
    scenario.options = scenario.options.with_settings(example.settings)
    return simulate(scenario)


@pytest.mark.parametrize("example", examples(), ids=repr)
def test_a_scenario_of_the_document_leaves_what_it_shows(example: Example) -> None:
    lines = list(run(example).outline())
    if example.outline is not None:
        tables = [at for at, line in enumerate(lines) if " CREATE TABLE " in line]
        first = 0 if example.outline.startswith("binlog.") else tables[-1] + 1
        assert "\n".join(lines[first:]) + "\n" == example.outline


def test_an_example_of_each_worklog_is_shown() -> None:
    assert len([example for example in examples() if example.outline is not None]) >= 11
    assert all(f"WL#{number}" in TEXT for number in (2687, 6860, 4033, 4162))


def test_every_setting_and_variable_is_explained() -> None:
    settings = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`\w+`.*?) \|", TEXT, re.MULTILINE))))
    assert settings >= set(ServerOptions.__dataclass_fields__)
    words = set(re.findall(r"\w+", TEXT))
    assert [name for name in SETTERS if name not in words] == []


def test_the_lines_of_the_documents_are_short() -> None:
    assert max(len(line) for line in TEXT.splitlines() if not line.startswith(("|", "con", " "))) <= 100
