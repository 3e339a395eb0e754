"""docs/asof.md: each command gives what the page shows."""

import re

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "asof.md").read_text()
COMMANDS = [
    run
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for run in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_a_command_gives_what_the_page_shows(command: str, shown: str) -> None:
    assert output_of(command, TESTDATA / "shop") == shown
