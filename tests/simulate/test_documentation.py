from __future__ import annotations

import re

import pytest

from pybinlog.simulate import simulate
from pybinlog.simulate.options import ServerOptions
from pybinlog.simulate.variables import SETTERS
from tests.simulate.documentation import DOCUMENT, Example, examples


@pytest.mark.parametrize("example", examples(), ids=repr)
def test_a_scenario_of_the_document_leaves_what_it_shows(example: Example) -> None:
    result = simulate(example.scenario)
    if example.outline is not None:
        assert "\n".join(result.outline()) + "\n" == example.outline


def test_every_example_of_the_worklogs_is_shown() -> None:
    shown = [example for example in examples() if example.outline is not None]
    assert len(shown) >= 8


def test_every_setting_and_variable_is_explained() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    settings = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`\w+`.*?) \|", text, re.MULTILINE))))
    assert settings >= set(ServerOptions.__dataclass_fields__)
    assert "binlog_format" in SETTERS
