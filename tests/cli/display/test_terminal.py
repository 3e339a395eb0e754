"""On a terminal nothing in a log or in a file's name moves the cursor; elsewhere the bytes are what they are."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.cli.display.color import TerminalOutput
from pybinlog.visible import visible_lines
from tests.cli.conftest import parsed, real
from tests.cli.display.pseudo_terminal import read_terminal
from tests.cli.display.test_color import Sink
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

ESCAPES = b"\x1b]0;title\x07\x9b31m\xc2\x9b32m\x00"
STATEMENT = b"INSERT INTO t VALUES ('" + ESCAPES + "naïve'".encode() + b")"
SHOWN = rb"INSERT INTO t VALUES ('\x1b]0;title\x07\x9b31m\x9b32m\x00" + "naïve'".encode() + b")"


def hostile_log() -> bytes:
    body = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": "test", "query": STATEMENT}
    return LogBuilder(MYSQL_9_7).add(2, body).rotate().data


def on_a_terminal(folder: Path, *arguments: str, stream: str = "stdout") -> bytes:
    """Return the output on a terminal, with the program's other stream closed."""
    command = [sys.executable, "-m", "pybinlog", *arguments]

    def run(terminal: int) -> None:
        out, err = (terminal, subprocess.DEVNULL) if stream == "stdout" else (subprocess.DEVNULL, terminal)
        subprocess.run(command, cwd=folder, timeout=120, check=False, stdout=out, stderr=err)

    return read_terminal(run)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "binlog.000001").write_bytes(hostile_log())
    return tmp_path


def test_a_terminal_is_shown_escapes(folder: Path) -> None:
    text = on_a_terminal(folder, "--color=never", "binlog.000001")
    assert b"\n" + SHOWN + b"\n/*!*/;\n" in text
    assert not set(text) & {*range(9), *range(11, 32), 127}


def test_the_programs_own_colors_stay(folder: Path) -> None:
    text = on_a_terminal(folder, "--color=always", "binlog.000001")
    assert b"\n" + SHOWN + b"\n" in text
    assert b"\x1b[36m# at 4\x1b[0m\n" in text
    assert b"\x1b]0" not in text


def test_a_pipe_and_a_file_get_the_bytes(folder: Path) -> None:
    name = str(folder / "binlog.000001")
    assert STATEMENT in real(name).out
    assert STATEMENT in real("--color=always", name).out
    result = folder / "text.sql"
    assert real(f"--result-file={result}", name, is_terminal=True).out == b""
    assert STATEMENT in result.read_bytes()


def test_a_file_name_forges_no_line_of_a_message(tmp_path: Path) -> None:
    name = "a\nERROR: \x1b[31mall is well\u009b"
    (tmp_path / name).write_bytes(hostile_log()[:-3])
    shown = r"a\nERROR: \x1b[31mall is well\x9b"
    failed = real(str(tmp_path / "none" / name)).err
    assert failed.count("\n") == 1
    assert failed.startswith("ERROR: ")
    assert shown in failed
    for options in ([], ["--progress"]):
        told = real(*options, str(tmp_path / name)).err
        assert told.count(shown) == 2  # a warning and an error, each in one line
        assert len([line for line in told.splitlines() if line.startswith(("WARNING: ", "ERROR: "))]) == 2


def test_a_message_on_a_terminal_is_one_line(tmp_path: Path) -> None:
    text = on_a_terminal(tmp_path, "none\nERROR: \x1b[31mforged", stream="stderr")
    assert text.count(b"\n") == 1
    assert rb"none\nERROR: \x1b[31mforged" in text


@pytest.mark.parametrize("format", ["text", "github"])
def test_a_file_name_forges_no_line_of_a_report(format: str, tmp_path: Path) -> None:
    name = tmp_path / "a.000001\n::error::forged\x1b[31m"
    name.write_bytes(hostile_log()[:-30])
    result = real("check", f"--format={format}", str(name))
    text = result.out.decode("utf-8", "surrogateescape")
    assert "a.000001" in text
    assert "\x1b" not in text
    assert not any(line.startswith("::error::forged") for line in text.splitlines())


@given(text=st.lists(st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))))
def test_the_text_is_the_same_however_it_arrives(text: list[str]) -> None:
    data = "".join(text).encode("utf-8", "surrogateescape")
    for size in (1, 2, 5, len(data) + 1):
        sink = Sink()
        with TerminalOutput(sink) as output:
            for start in range(0, len(data), size):
                assert output.write(memoryview(data)[start : start + size]) == len(data[start : start + size])
        assert sink.text == visible_lines(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def test_whole_characters_are_passed_on_at_once() -> None:
    sink = Sink()
    output = TerminalOutput(sink)
    output.write("naïve\n日".encode()[:-1])
    assert sink.text == "naïve\n".encode()


def test_the_filter_is_for_terminals_only() -> None:
    assert parsed("binlog.000001", text=ESCAPES).out == ESCAPES
    assert b"\x1b" not in parsed("--color=never", "binlog.000001", text=ESCAPES, is_terminal=True).out
