"""docs/questions.md: fifteen questions, and each command gives what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "questions.md").read_text()
CORPUS = TESTDATA / "corpus" / "mysql-9.7"
QUESTIONS = re.findall(r"^## .*\?$", PAGE, re.MULTILINE)
RUNS = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(CORPUS / "xa" / "binlog.000001", tmp_path / "xa.000001")
    shutil.copy(CORPUS / "compression" / "binlog.000001", tmp_path / "payload.000001")
    shutil.copy(TESTDATA / "shop" / "binlog.000002", tmp_path / "shop.000002")
    for log in (CORPUS / "multi-file").glob("binlog.0*"):
        shutil.copy(log, tmp_path)
    return tmp_path


def test_there_are_fifteen_questions_and_each_has_its_line() -> None:
    assert len(QUESTIONS) == len(RUNS) == 15


@pytest.mark.parametrize("number", range(len(RUNS)))
def test_the_command_gives_what_the_page_shows(number: int, folder: Path) -> None:
    command, shown = RUNS[number]
    assert output_of(command, folder) == shown != ""
