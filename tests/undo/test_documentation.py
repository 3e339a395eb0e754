"""docs/undo.md: each command gives what the page shows, and its SQL does what the page says on a real server."""

import re
import shutil
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.server import REFERENCE, running
from tests.shell import output_of as in_shell
from tests.undo.runs import ARGUMENTS

PAGE = (PROJECT / "docs" / "undo.md").read_text()
LOGS = {
    "binlog.000001": "shop.000001",
    "later/binlog.000001": "shop.000001",
    "later/binlog.000002": "shop.000002",
    "mariadb/binlog.000001": "cascade.000001",
}
COMMANDS = [
    run
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for run in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
]
ALONE = [run for run in COMMANDS if "mysql" not in run[0] and "undo.sql" not in run[0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, log in LOGS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(TESTDATA / "undo" / log, tmp_path / name)
    return tmp_path


def output_of(command: str, folder: Path, client: str = "false") -> str:
    """Return what a command line of the page prints, errors included; `client` is the program mysql."""
    return in_shell(f"{{ {command}\n}} 2>&1", folder, f'mysql() {{ {client} "$@"; }}')


@pytest.mark.parametrize(("command", "shown"), ALONE)
def test_a_command_gives_what_the_page_shows(command: str, shown: str, folder: Path) -> None:
    assert output_of(command, folder) == shown


def test_the_page_holds_on_a_real_server(folder: Path) -> None:
    with running("mysql", "undo-page", *ARGUMENTS["mysql"], "--default-time-zone=+00:00") as server:
        client = f"{REFERENCE / 'mysql97'} sql {server.name}"
        assert output_of("pybinlog binlog.000001 | mysql", folder, client) == ""
        for command, shown in COMMANDS:
            assert output_of(command, folder, client) == shown, command
