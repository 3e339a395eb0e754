"""Completion, as the real shells do it: each is run on a terminal of its own, and keys are pressed."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pybinlog.cli.program import COMMANDS, COMPLETE, command_named
from tests.cli.conftest import real

PATIENCE = 60.0
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
READY = "ready to type:"
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='{ready} '; source {script}; bind 'set bell-style none'"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "PS1='{ready} '; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source {script}",
    ),
}


class Shell:
    """A shell on a pseudo-terminal, that knows the completion script."""

    def __init__(self, name: str, folder: Path):
        arguments, setup = START[name]
        path = folder / f"completion.{name}"
        path.write_bytes(real("completion", name).out)
        self._pid, self._descriptor = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.environ |= {"PATH": PATH, "TERM": "dumb", "COLUMNS": "200", "LINES": "50", "HOME": str(folder)}
            os.execvp(arguments[0], arguments)
        self._seen = ""
        self.press(setup.format(ready=READY[:5] + "''" + READY[5:], script=path) + "\n")
        self.wait_for(READY)

    def press(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def wait_for(self, pattern: str) -> str:
        """Everything shown up to where the pattern is."""
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, self._seen):
            if not select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{pattern!r} never came: {self._seen!r}")
            self._seen += os.read(self._descriptor, 1 << 16).decode("utf-8", "replace").replace("\x07", "")
        shown, self._seen = self._seen, ""
        return shown

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._descriptor)


def needs(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")


@pytest.mark.parametrize("shell", START)
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("pybinlog chec", r"pybinlog check"),
        ("pybinlog simu", r"pybinlog simulate"),
        ("pybinlog check --form", r"pybinlog check --format "),
        ("pybinlog check --format=sar", r"--format=sarif"),
        ("pybinlog check --fail-on=war", r"--fail-on=warning"),
        ("pybinlog --verify-b", r"pybinlog --verify-binlog-checksum"),
        ("pybinlog dump --base64-output=dec", r"--base64-output=decode-rows"),
        ("pybinlog --operation=del", r"--operation=delete"),
        ("pybinlog help expo", r"pybinlog help export"),
        ("pybinlog -v binl", r"pybinlog -v binlog\.000001"),
        ("pybinlog tag --output=mar", r"--output=marked\.000001"),
        ("pybinlog --no-t", r"pybinlog --no-tbm"),
    ],
)
def test_a_tab_completes(shell: str, typed: str, completed: str, tmp_path: Path) -> None:
    needs(shell)
    (tmp_path / "binlog.000001").write_bytes(b"")
    (tmp_path / "marked.000001").write_bytes(b"")
    terminal = Shell(shell, tmp_path)
    try:
        terminal.press(typed + "\t")
        terminal.wait_for(completed)
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("pybinlog che", ["check"]),
        ("pybinlog check --format=", ["--format=text", "--format=sarif"]),
        ("pybinlog --operation=", ["--operation=insert", "--operation=delete"]),
        ("pybinlog --verify", ["--verify-binlog-checksum"]),
        ("pybinlog help ex", ["export"]),
        ("pybinlog completion ", ["bash", "zsh", "fish"]),
        ("pybinlog -v binl", ["binlog.000001"]),
    ],
)
def test_fish_completes(typed: str, completed: list[str], tmp_path: Path) -> None:
    needs("fish")
    (tmp_path / "binlog.000001").write_bytes(b"")
    (tmp_path / "pybinlog.fish").write_bytes(real("completion", "fish").out)
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source pybinlog.fish; complete -C '{typed}'"],
        cwd=tmp_path,
        env=os.environ | {"PATH": PATH, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    assert set(completed) <= {line.split("\t")[0] for line in done.stdout.splitlines()}


def completions(words: str, word: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return what fish receives for a word after others: each completion with its explanation."""
    monkeypatch.setenv("COMP_WORDS", f"pybinlog {words}")
    monkeypatch.setenv("COMP_CWORD", word)
    result = real(environ={COMPLETE: "fish_complete"})
    assert (result.status, result.err) == (0, "")
    pairs = [line.partition("\t") for line in result.out.decode().splitlines()]
    return {item: explained for item, _, explained in pairs}


@pytest.mark.parametrize("command", COMMANDS)
def test_all_options_of_a_command_are_offered(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = completions(command, "--", monkeypatch)
    for option in command_named(command).options:
        assert found[f"plain,--{option.name}"] == option.help.partition(". ")[0].removesuffix(".")


@pytest.mark.parametrize(
    ("words", "word", "offered"),
    [
        ("", "tag", {"plain,tag"}),
        ("", "binl", {"plain,binlog.000001", "plain,binlogs/"}),
        ("", "--result-file=binlog.", {"plain,--result-file=binlog.000001"}),
        ("check", "", {"file,"}),
        ("check --verbose", "--no-such", set()),
        ("check --no-such-option", "binl", {"file,binl"}),
        ("check -o", "mar", {"file,mar"}),
        ("check --jobs", "1", set()),
        ("check --jobs=2", "1", {"file,1"}),
        ("check", "--progress", {"plain,--progress"}),
        ("check", "--skip-pro", {"plain,--skip-progress"}),
        ("dump", "--no-tbm", {"plain,--no-tbm"}),
        ("dump", "--skip-hex", set()),
        ("dump", "--operation=insert,de", {"plain,--operation=insert,delete"}),
        ("--event-type", "XA", {"plain,XA_prepare"}),
        ("completion", "", {"plain,bash", "plain,zsh", "plain,fish"}),
        ("help", "exp", {"plain,export"}),
    ],
)
def test_a_word_is_completed_for_what_stands_before_it(
    words: str, word: str, offered: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "binlog.000001").touch()
    (tmp_path / "binlogs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert completions(words, word, monkeypatch).keys() == offered


def test_an_unknown_shell_receives_nothing() -> None:
    assert real(environ={COMPLETE: "ksh_complete"}).out == b""


@pytest.mark.parametrize("arguments", [[], ["ksh"], ["bash", "zsh"]])
def test_another_shell_is_refused(arguments: list[str]) -> None:
    result = real("completion", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert result.err == "ERROR: name one shell: bash, zsh, fish. See pybinlog completion --help.\n"
