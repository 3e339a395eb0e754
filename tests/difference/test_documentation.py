"""docs/diff.md: each command gives what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "diff.md").read_text()
COMMANDS = [
    run
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for run in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_a_command_gives_what_the_page_shows(command: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    for log in (TESTDATA / "shop").glob("binlog.0*"):
        shutil.copy(log, tmp_path)
        if not log.name.endswith("3"):
            shutil.copy(log, tmp_path / "copy")
    assert output_of(f"{{ {command}; }} || true", tmp_path) == shown
