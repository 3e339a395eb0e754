"""docs/questions.md: fifteen questions, and each command gives what the page shows."""

import re
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "questions.md").read_text()
QUESTIONS = re.findall(r"^## .*\?$", PAGE, re.MULTILINE)
RUNS = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)


def test_there_are_fifteen_questions_and_each_has_its_line() -> None:
    assert len(QUESTIONS) == len(RUNS) == 15


@pytest.mark.parametrize("number", range(len(RUNS)))
def test_the_command_gives_what_the_page_shows(number: int, questions_folder: Path) -> None:
    command, shown = RUNS[number]
    assert output_of(command, questions_folder) == shown != ""
