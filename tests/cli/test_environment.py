"""The streams of the program: what is written to them, and what becomes of those that are closed or gone."""

import io
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from pybinlog.cli.environment import DescriptorOutput, Environment
from pybinlog.cli.main import run
from pybinlog.cli.output_file import OutputFile, is_stream, open_whole
from pybinlog.cli.pause import pause_of
from pybinlog.errors import BinlogError
from tests.cli.conftest import Output, real, shown_on
from tests.corpus import scenarios

LOG = str(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0])


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def test_a_pipe_that_does_not_block_is_waited_for(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(writing, False)
    data = os.urandom(1 << 20)
    pieces: list[bytes] = []

    def read() -> None:
        while piece := os.read(reading, 1 << 16):
            pieces.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    assert DescriptorOutput(writing).write(memoryview(data)) == len(data)
    os.close(writing)
    reader.join(60)
    assert b"".join(pieces) == data


@pytest.mark.parametrize(
    ("when", "to_stdout", "terminal", "environ", "wanted"),
    [
        ("always", False, False, {"NO_COLOR": "1"}, True),
        ("never", True, True, {}, False),
        ("auto", True, True, {}, True),
        ("auto", False, True, {}, False),
        ("auto", True, False, {}, False),
        ("auto", True, True, {"NO_COLOR": "0"}, False),
        ("auto", True, True, {"NO_COLOR": ""}, True),
        ("auto", True, True, {"TERM": "dumb"}, False),
        ("auto", True, True, {"TERM": "xterm"}, True),
    ],
)
def test_colours_are_for_a_terminal_that_wants_them(
    when: str, to_stdout: bool, terminal: bool, environ: dict[str, str], wanted: bool
) -> None:
    environment = Environment(stdin=None, stdout=None, stderr=None, is_terminal=terminal, environ=environ)
    assert environment.wants_color(when, to_stdout=to_stdout) is wanted


def test_messages_are_lines_of_bounded_length() -> None:
    said = io.StringIO()
    environment = Environment(stdin=None, stdout=None, stderr=said)
    environment.warn("a\nb.")
    environment.remark("c")
    environment.fail("d.")
    environment.print_line("e\x1b")
    environment.print_line("f\n\x1bg\n", as_is=True)
    environment.warn("x" * 10_002)
    assert said.getvalue() == (
        "WARNING: a\\nb.\nWARNING: c.\nERROR: d.\ne\\x1b\nf\n\x1bg\n"
        f"WARNING: {'x' * 5000}... (2 characters are left out) ...{'x' * 5000}\n"
    )


def test_a_closed_stream_is_written_no_more() -> None:
    environment = Environment(stdin=None, stdout=None, stderr=None)
    environment.show("text")
    environment.warn("text")
    assert (environment.stderr_is_terminal, environment.ended) == (False, None)
    environment.settle()
    said = io.StringIO()
    said.close()
    assert not Environment(stdin=None, stdout=None, stderr=said).stderr_is_terminal


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_standard_error_that_takes_nothing_is_left_alone() -> None:
    full = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115 (it cannot be closed without an error)
    environment = Environment(stdin=None, stdout=None, stderr=full)
    environment.warn("text")
    assert environment.stderr is None
    environment.warn("text")
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_messages_on_a_terminal_are_coloured_unless_colours_are_off(terminal: tuple[int, TextIO]) -> None:
    for color, environ in (("auto", {}), ("never", {}), ("always", {"NO_COLOR": "1"})):
        environment = Environment(stdin=None, stdout=None, stderr=terminal[1], environ=environ)
        environment.color = color
        environment.warn("w")
        environment.fail("e")
    plain = "WARNING: w\nERROR: e\n"
    assert shown_on(terminal) == f"\x1b[33mWARNING:\x1b[0m w\n\x1b[1;31mERROR:\x1b[0m e\n{plain}{plain}"


CLOSED = [
    ("check", 2, "Name a file with --output"),
    ("rows", 1, "Lead it into a file"),
    ("events", 1, "Lead it into a file"),
    ("stats", 1, "Lead it into a file"),
    ("summary", 1, "Lead it into a file"),
    ("xa", 1, "Lead it into a file"),
    ("find --xid=1", 2, "Lead it into a file"),
    ("undo", 1, "Lead it into a file"),
    ("tag --output=-", 1, "Name a file with --output"),
]


@pytest.mark.parametrize(("command", "status", "hint"), CLOSED)
def test_a_closed_standard_output_is_an_error(command: str, status: int, hint: str) -> None:
    said = io.StringIO()
    environment = Environment(stdin=None, stdout=None, stderr=said)
    where = f"{LOG}: " if command.startswith("tag") else ""
    assert run([*command.split(), LOG], environment) == status
    assert said.getvalue() == f"ERROR: {where}standard output is closed. {hint}.\n"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("tag --dry-run", f"{LOG}: standard output is closed."),
        ("simulate --outline -", "standard input is closed."),
        ("-", "-: standard input is closed."),
    ],
)
def test_other_closed_streams_are_errors(command: str, sentence: str) -> None:
    said = io.StringIO()
    stdout = None if command.startswith("tag") else Output()
    arguments = [*command.split(), *([LOG] if command.startswith("tag") else [])]
    assert run(arguments, Environment(stdin=None, stdout=stdout, stderr=said)) == 1
    assert said.getvalue() == f"ERROR: {sentence}\n"


def test_a_scenario_from_standard_input_has_a_largest_size() -> None:
    result = real("simulate", "--outline", "-", stdin=bytes((64 << 20) + 1))
    assert (result.status, result.err) == (1, "ERROR: -: a scenario has no more than 64 MiB.\n")


# ---- outputs of options


def test_a_file_is_emptied_and_a_descriptor_is_not(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"before, and more")
    with OutputFile(str(path)) as output:
        assert output.write(b"after") == 5
        output.commit()
    assert path.read_bytes() == b"after"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(output.descriptor)
    with path.open("ab") as file:
        with OutputFile(f"/dev/fd/{file.fileno()}") as output:
            output.write(b"wards")
        assert stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    assert path.read_bytes() == b"afterwards"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("none/text", "it cannot be written: No such file or directory. Create its folder first, or name another"),
        (".", "it cannot be written: Is a directory"),
        ("a\0b", "it cannot be written: embedded null byte"),
    ],
)
def test_an_output_that_cannot_be_opened_says_why(
    path: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BinlogError) as caught:
        OutputFile(path)
    assert str(caught.value) == f"{path}: {sentence}"
    with pytest.raises(BinlogError, match=r"^.*: the copy cannot be made: "):
        OutputFile(path, "the copy cannot be made")


def test_what_is_no_file_is_a_stream(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    with (tmp_path / "file").open() as file:
        found = {
            name: is_stream(name.replace("FOLDER", str(tmp_path)))
            for name in ("FOLDER/pipe", "FOLDER/file", "FOLDER", "FOLDER/none", "/dev/null", "a\0b")
        }
        assert is_stream(f"/dev/fd/{file.fileno()}")
    assert [name for name, streams in found.items() if streams] == ["FOLDER/pipe", "/dev/null"]


def test_a_whole_file_appears_with_its_end(tmp_path: Path) -> None:
    path = tmp_path / "report"
    with open_whole(str(path)) as output:
        output.write(b"text")
        assert not path.exists()
        output.commit()
    assert path.read_bytes() == b"text"
    with open_whole("/dev/null") as output:
        assert isinstance(output, OutputFile)


# ---- pauses


def waited(pause: Callable[[float], None], seconds: float) -> float:
    begin = time.monotonic()
    pause(seconds)
    return time.monotonic() - begin


def test_a_pause_lasts_as_long_as_it_is_to(pipe: tuple[int, int], tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        for output in (Output(), DescriptorOutput(pipe[1]), DescriptorOutput(file.fileno())):
            assert waited(pause_of(output), 0.03) >= 0.03


def test_a_pause_ends_at_once_when_the_reader_is_gone(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    pause = pause_of(DescriptorOutput(writing))
    pause(0.001)
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        pause(60)


def test_a_descriptor_that_the_system_cannot_watch_is_waited_for(pipe: tuple[int, int]) -> None:
    pause = pause_of(DescriptorOutput(pipe[1]))
    os.close(pipe[1])
    assert waited(pause, 0.03) >= 0.03
