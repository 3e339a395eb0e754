"""Logs whose names could repaint a terminal or be options: every command shows escapes, and commands that are safe."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.cli.display.pseudo_terminal import read_terminal
from tests.corpus import PROJECT, TESTDATA

SHOP = TESTDATA / "shop"
LOG = "b\u202e\u2066\u061c\x1b[31m.000001"
FOLDER = "d\u202e"
HARM = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|\x1b\\[31m\\.000001")
COMMANDS = {
    "find --position": ["find", f"--position={LOG}:343", LOG],
    "find --time": ["find", "--time=@1764015005", LOG],
    "find in a folder": ["find", "--time=@1764015007", FOLDER],
    "undo": ["undo", LOG],
    "undo of a folder": ["undo", FOLDER],
    "recover": ["recover", f"--from={LOG}:4", LOG],
    "recover from another log": ["recover", "--from=binlog.000009:4", LOG],
    "redact, its report": ["redact", "--dry-run", LOG],
    "redact, no such place": ["redact", "--only-around=9999", LOG, "-o", "x"],
    "diff": ["diff", LOG, str(SHOP / "binlog.000002")],
    "diff, the same": ["diff", LOG, LOG],
    "rows": ["rows", LOG],
    "rows --as-of": ["rows", "--as-of=2099-01-01", "-Tshop.orders", LOG],
    "rows --history": ["rows", "--history", "-Tshop.orders", "--where=id = 1", LOG],
    "rows of no table": ["rows", f"-Tshop.x{FOLDER}", LOG],
    "check": ["check", LOG],
    "summary": ["summary", LOG],
    "stats": ["stats", "--by=log", LOG],
    "tag": ["tag", "--dry-run", LOG],
    "xa": ["xa", LOG],
    "events": ["events", LOG],
    "transactions": ["transactions", LOG],
    "dump": ["dump", LOG],
    "mirror --print-unit": ["mirror", "--print-unit", "-hdb1", "-ux", FOLDER],
    "mirror --verify": ["mirror", "--verify", FOLDER],
    "a host": ["diff", f"mysql://{FOLDER}:1", LOG],
    "an option": ["rows", f"--{FOLDER}", LOG],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SHOP / "binlog.000001", LOG)
    Path(FOLDER).mkdir()
    for log in SHOP.glob("binlog.0*"):
        shutil.copy(log, FOLDER)
    return tmp_path


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_no_name_repaints_a_terminal(arguments: list[str], place: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PAGER": "cat", "TERM": "xterm", "COLUMNS": "200"}

    def run(terminal: int) -> None:
        command = [sys.executable, "-m", "pybinlog", *arguments]
        subprocess.run(
            command,
            cwd=place,
            env=environment,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            check=False,
            timeout=60,
        )

    shown = read_terminal(run).decode("utf-8", "replace")
    assert shown
    assert "fault in pybinlog" not in shown
    assert HARM.search(shown) is None


def test_no_name_turns_the_text_of_a_page_around(place: Path) -> None:
    assert real("report", "-o", "page.html", LOG).status == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "pybinlog -vv --start-position=343" in page
    assert HARM.search(page) is None


@pytest.mark.parametrize("name", ["-rf.000001", "q'; touch pwned;'.000001", "a b.000001"])
def test_a_printed_command_reads_the_log_whatever_its_name_is(name: str, place: Path) -> None:
    """The commands that `find` prints, and the one in the head of an undo."""
    shutil.copy(SHOP / "binlog.000001", f"./{name}")
    before = set(os.listdir(place))
    found = real("find", "--format=tsv", f"--position={name}:343", f"./{name}").out.decode()
    (head,) = [
        line for line in real("undo", "--look-to=none", f"./{name}").out.decode().splitlines() if "command:" in line
    ]
    for command in (found.splitlines()[1].split("\t")[-1], head.partition("command: ")[2]):
        program, *words = shlex.split(command)
        assert program == "pybinlog"
        done = real(*words)
        assert (done.status, bool(done.out)) == (0, True), command
    assert set(os.listdir(place)) == before
