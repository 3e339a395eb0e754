"""docs/mirror.md says what the command can do."""

import re

import pytest

from pybinlog.cli.commands.mirror import SECTIONS
from pybinlog.cli.options.option import THE_PROGRAM
from pybinlog.cli.options.server_options import CONNECTION
from tests.corpus import PROJECT

PAGE = (PROJECT / "docs" / "mirror.md").read_text()
OWN = sorted(
    {option.name for section in SECTIONS.values() for option in section}
    - {option.name for option in [*CONNECTION, *THE_PROGRAM] if option.name != "compress"}
)


@pytest.mark.parametrize("name", OWN)
def test_every_option_is_explained(name: str) -> None:
    assert re.search(rf"--{name}\b", PAGE)


def test_every_option_of_the_page_is_one() -> None:
    known = {option.name for section in SECTIONS.values() for option in section}
    for line in re.findall(r"pybinlog mirror [^\n`]*", PAGE):
        for name in re.findall(r"--([a-z-]+)", line):
            assert name in known, line


def test_every_file_of_the_page_is_there() -> None:
    for name in re.findall(r"\]\(([\w.-]+)[)#]", PAGE):
        assert (PROJECT / "docs" / name).is_file(), name
    for name in re.findall(r"`(tests/\S+)`", PAGE):
        assert (PROJECT / name).is_file(), name
