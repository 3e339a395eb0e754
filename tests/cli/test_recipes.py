"""docs/recipes.md: twenty-one tasks, and each command gives what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "recipes.md").read_text()
CORPUS = TESTDATA / "corpus" / "mysql-9.7"
OTHERS = (
    ("damaged.000001", "damaged-body", "binlog.000001"),
    ("unnamed.000001", "multi-file", "binlog.000002"),
    ("payload.000001", "compression", "binlog.000001"),
)
WHO = (PROJECT / "docs" / "who.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE + WHO, re.DOTALL)
RUN = re.compile(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", re.DOTALL | re.MULTILINE)


def make_folder(folder: Path) -> None:
    """Put the shop's logs there, and in a folder beside them what other tasks are about."""
    for path in (TESTDATA / "shop").glob("binlog.*"):
        shutil.copy(path, folder)
    other = folder / "other"
    other.mkdir()
    for name, scenario, log in OTHERS:
        shutil.copy(CORPUS / scenario / log, other / name)
    (other / "schema.sql").write_text("USE mf;\nCREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20));\n")
    (other / "t.sql").write_text("CREATE TABLE t (a INT PRIMARY KEY);\nINSERT INTO t VALUES (1);\n")


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_commands_give_what_the_page_shows(number: int, tmp_path: Path) -> None:
    make_folder(tmp_path)
    for command, shown in RUN.findall(BLOCKS[number]):
        assert output_of(command, tmp_path) == shown != ""


def test_there_are_twenty_one_tasks() -> None:
    assert PAGE.count("\n## ") == 21
