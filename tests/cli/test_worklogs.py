"""docs/worklogs.md: each command gives what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA

PAGE = (PROJECT / "docs" / "worklogs.md").read_text()
LOGS = {
    "rows-query.000001": "corpus/mysql-9.7/rows-query/binlog.000001",
    "unknown.000001": "unseen/unknown_ignorable/binlog.000001",
    "xa.000001": "corpus/mysql-9.7/xa/binlog.000001",
    "payload.000001": "corpus/mysql-9.7/compression/binlog.000001",
}
TABLES = "con1: CREATE TABLE i (a INT) ENGINE=InnoDB;\ncon1: CREATE TABLE m (a INT) ENGINE=MyISAM;\n"
CHANGES = "con1: BEGIN;\ncon1: INSERT INTO i VALUES (1);\ncon1: INSERT INTO m VALUES (2);\ncon1: COMMIT;\n"
SCENARIOS = {
    "rows_query.sql": "-- server: version=9.7 format=ROW\n"
    "con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB;\n"
    "con1: SET SESSION binlog_rows_query_log_events=ON;\n"
    "con1: INSERT INTO t VALUES (1);\n"
    "con1: SET SESSION binlog_rows_query_log_events=OFF;\n"
    "con1: INSERT INTO t VALUES (2);\n",
    "row.sql": f"-- server: version=5.6 format=ROW\n{TABLES}{CHANGES}",
    "statement.sql": f"-- server: version=5.6 format=STATEMENT\n{TABLES}{CHANGES}",
}
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, log in LOGS.items():
        shutil.copy(TESTDATA / log, tmp_path / name)
    for name, text in SCENARIOS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def output_of(command: str, folder: Path) -> str:
    """What a command line of the page prints."""
    shell = f'pybinlog() {{ {sys.executable} -m pybinlog "$@"; }}\n{command}'
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(PROJECT)}
    return subprocess.run(
        ["bash", "-c", shell], cwd=folder, capture_output=True, text=True, env=environment, check=False
    ).stdout


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_commands_give_what_the_page_shows(number: int, folder: Path) -> None:
    for command, shown in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", BLOCKS[number], re.DOTALL | re.MULTILINE):
        found = output_of(command, folder)
        assert found == shown
        assert found


def test_each_worklog_has_its_section() -> None:
    assert re.findall(r"^## (WL#\d+)", PAGE, re.MULTILINE) == ["WL#4033", "WL#4162", "WL#4162", "WL#6860", "WL#2687"]
