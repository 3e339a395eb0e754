"""The pager: what runs, what it is given, and the size of the screen that it is for."""

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.cli.display.pager import Pager, screen_size
from pybinlog.cli.environment import DescriptorOutput, Environment
from tests.cli.display.test_color import Sink


@pytest.fixture
def terminal() -> Iterator[int]:
    """A terminal of 100 columns and 40 lines."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    yield terminal
    os.close(terminal)
    os.close(controller)


@pytest.mark.parametrize(
    ("environ", "size"),
    [
        ({}, (100, 40)),
        ({"COLUMNS": "7", "LINES": "1"}, (7, 1)),
        ({"COLUMNS": "0", "LINES": "-5"}, (100, 40)),
        ({"COLUMNS": "\u0661", "LINES": "9"}, (100, 9)),
        ({"COLUMNS": "", "LINES": "x"}, (100, 40)),
    ],
)
def test_variables_come_before_the_size_of_the_terminal(
    environ: dict[str, str], size: tuple[int, int], terminal: int
) -> None:
    output = DescriptorOutput(terminal)
    assert screen_size(Environment(stdin=None, stdout=output, stderr=None, environ=environ)) == size


def test_a_screen_of_unknown_size_has_80_columns_and_24_lines(terminal: int, tmp_path: Path) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    with (tmp_path / "file").open("wb") as file:
        for output in (DescriptorOutput(terminal), DescriptorOutput(file.fileno()), Sink()):
            assert screen_size(Environment(stdin=None, stdout=output, stderr=None)) == (80, 24)


def paged(folder: Path, environ: dict[str, str]) -> tuple[bytes, str]:
    """Return what comes out of the pager, and what is said."""
    said = io.StringIO()
    with (folder / "screen").open("wb") as screen:
        output = DescriptorOutput(screen.fileno())
        with Pager(Environment(stdin=None, stdout=output, stderr=said, environ=environ), output) as pager:
            pager.write(b"one\n")
            pager.write(memoryview(b"two\n"))
    return (folder / "screen").read_bytes(), said.getvalue()


PATH = {"PATH": os.environ["PATH"]}
SHOWN_HABITS = """sh -c 'cat; echo "$LESS $LV"'"""


@pytest.mark.parametrize(
    ("environ", "text"),
    [
        ({"PAGER": "sed s/^/:/"}, b":one\n:two\n"),
        ({"PAGER": SHOWN_HABITS}, b"one\ntwo\nFRX -c\n"),
        ({"PAGER": SHOWN_HABITS, "LESS": "M"}, b"one\ntwo\nM -c\n"),
        ({"PAGER": " cat "}, b"one\ntwo\n"),
        ({"PAGER": " "}, b"one\ntwo\n"),
    ],
)
def test_the_pager_gets_the_text_and_its_habits(environ: dict[str, str], text: bytes, tmp_path: Path) -> None:
    assert paged(tmp_path, {**PATH, **environ}) == (text, "")


@pytest.mark.parametrize(
    ("command", "reason"),
    [("/nowhere/less -R", "[Errno 2] No such file or directory: '/nowhere/less'"), ("less 'a", "No closing quotation")],
)
def test_a_pager_that_cannot_run_is_named_and_the_text_comes(command: str, reason: str, tmp_path: Path) -> None:
    warning = f"WARNING: PAGER={command} cannot be run ({reason}); the table is written without it.\n"
    assert paged(tmp_path, {**PATH, "PAGER": command}) == (b"one\ntwo\n", warning)


def test_less_is_the_pager_if_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert paged(tmp_path, {"PATH": str(tmp_path)}) == (b"one\ntwo\n", "")
    less = tmp_path / "less"
    less.write_text("#!/bin/sh\necho $LESS\nwhile read line; do echo less: $line; done\n")
    less.chmod(0o755)
    assert paged(tmp_path, {"PATH": str(tmp_path)}) == (b"FRX\nless: one\nless: two\n", "")


def test_an_output_without_descriptor_has_no_pager() -> None:
    sink = Sink()
    with Pager(Environment(stdin=None, stdout=sink, stderr=None, environ={"PAGER": "sed s/^/:/"}), sink) as pager:
        pager.write(b"one\n")
    assert sink.writes == [b"one\n"]
