"""Each step of docs/walk.md quotes words that stand in one line of its file; a recipe of CONTRIBUTING.md is whole."""

import re

import pytest

from tests.corpus import PROJECT

PAGE = (PROJECT / "docs" / "walk.md").read_text()
STEPS = re.findall(r"^\d+\. `(pybinlog/[^`]+)`: `([^`]+)`\.", PAGE, re.MULTILINE)


def test_every_step_quotes_a_line() -> None:
    assert len(STEPS) == len(re.findall(r"^\d+\. ", PAGE, re.MULTILINE)) > 30


@pytest.mark.parametrize(("file", "words"), STEPS)
def test_the_line_stands_in_the_file(file: str, words: str) -> None:
    assert sum(words in line for line in (PROJECT / file).read_text().splitlines()) == 1


def test_the_recipe_for_a_kind_of_values_names_its_files() -> None:
    recipe = (PROJECT / "CONTRIBUTING.md").read_text().partition("A new kind of values")[2].partition("\n## ")[0]
    sources = [*(PROJECT / "pybinlog").rglob("*.py"), *(PROJECT / "pybinlog").rglob("*.pxd")]
    found = {str(path.relative_to(PROJECT / "pybinlog")) for path in sources if "VALUE_SET" in path.read_text()}
    words = {"kernel/rows/table_description.py"}  # it has the word of a SET by KIND_SET
    assert set(re.findall(r"`(kernel/[^`]+)`", recipe)) == found | words
