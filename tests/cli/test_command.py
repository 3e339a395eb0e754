"""All commands show their command line again in the same way, and make sentences of errors."""

from pathlib import Path

import click
import pytest

from pybinlog.cli.command import Command, command_line
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.main import command_of, ended, failure, misuse, sentence
from pybinlog.cli.program import command_named, near
from pybinlog.cli.signals import Ended
from tests.cli.conftest import parsed


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["a.000001"], "pybinlog undo a.000001"),
        (["-psecret", "--where", "a = 1", "x y"], "pybinlog undo '--where=a = 1' 'x y'"),
        (["-j", "4", "--no-check-state", "--", "a"], "pybinlog undo --start-position=4 --no-check-state a"),
        (["a", "--", "-b"], "pybinlog undo -- a -b"),
        (["--password", "a"], "pybinlog undo a"),
    ],
)
def test_a_command_line_is_shown_without_passwords(arguments: list[str], shown: str) -> None:
    command = command_named("undo")
    assert isinstance(command, Command)
    quiet = Environment(stdin=None, stdout=None, stderr=None)
    with click.Context(command, info_name="undo", obj=quiet) as ctx:
        command.parse_args(ctx, arguments)
        assert command_line(ctx) == shown


@pytest.mark.parametrize(("text", "whole"), [("a", "a."), ("a.", "a."), ("a!", "a!"), ("a?", "a?"), ("a:", "a:.")])
def test_a_sentence_has_an_end(text: str, whole: str) -> None:
    assert ended(text) == whole
    assert sentence(click.UsageError(text)) == whole
    assert sentence(click.BadParameter(text, param=click.Option(["--name", "-n"]))) == f"--name: {whole}"


@pytest.mark.parametrize(
    ("arguments", "command", "wrong", "failed"),
    [
        (["a.000001"], "dump", 1, 1),
        (["dump", "x"], "dump", 1, 1),
        (["check", "x"], "check", 2, 2),
        (["diff", "x"], "diff", 2, 2),
        (["find", "x"], "find", 2, 2),
        (["rows", "check"], "rows", 2, 1),
    ],
)
def test_the_status_is_that_of_the_command(arguments: list[str], command: str, wrong: int, failed: int) -> None:
    quiet = Environment(stdin=None, stdout=None, stderr=None)
    assert command_of(arguments) == command
    assert (misuse(arguments), failure(arguments, quiet)) == (wrong, failed)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (KeyboardInterrupt(), 130),
        (Ended(ExitStatus.TERMINATED), 143),
        (Ended(ExitStatus.HUNG_UP), 129),
        (BrokenPipeError(), 0),
        (MemoryError(), 1),
    ],
)
def test_an_end_has_its_status(error: BaseException, status: int) -> None:
    def action(**_: object) -> None:
        raise error

    assert parsed("x", action=action).status == status


@pytest.mark.parametrize(
    ("word", "commands"),
    [("chek", ["check"]), ("c", []), ("Ro", ["rows", "redo"]), ("stat", ["stats"]), ("check1", []), ("zzzz", [])],
)
def test_a_word_near_a_command_may_have_been_meant(
    word: str, commands: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert near(word) == commands
    (tmp_path / word).symlink_to("nowhere")
    assert near(word) == []
