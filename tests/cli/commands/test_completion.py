"""Completion, as the real shells do it: each is run on a terminal of its own, and keys are pressed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pybinlog.cli.commands.completion import SHELLS, script
from pybinlog.cli.program import COMMANDS
from tests.cli.conftest import real

PATIENCE = 60.0
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
        path.write_text(script(name))
        self._pid, self._descriptor = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.environ |= {"TERM": "dumb", "COLUMNS": "200", "LINES": "50", "HOME": str(folder)}
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
        ("pybinlog check --form", r"pybinlog check --format="),
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
    (tmp_path / "pybinlog.fish").write_text(script("fish"))
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source pybinlog.fish; complete -C '{typed}'"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    assert set(completed) <= {line.split("\t")[0] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell: str) -> None:
    from pybinlog.cli.program import command_named

    result = real("completion", shell)
    assert (result.status, result.err) == (0, "")
    text = result.out.decode()
    for command in COMMANDS:
        assert command in text
        for option in command_named(command).options:
            assert option.name in text


@pytest.mark.parametrize("arguments", [[], ["ksh"], ["bash", "zsh"]])
def test_another_shell_is_refused(arguments: list[str]) -> None:
    result = real("completion", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert result.err == "ERROR: name one shell: bash, zsh, fish. See pybinlog completion --help.\n"


BEGINNINGS = {
    "fish": r"""

complete -c pybinlog -n __pybinlog_first -a tag -d 'Write boundary markers into logs, or remove them.'

complete -c pybinlog -n '__pybinlog_in check' -l jobs -x -d 'Check this many logs at once

complete -c pybinlog -n '__pybinlog_in check' -l output -s o -r -F -d 'Write the report

complete -c pybinlog -n '__pybinlog_in check' -l fail-on -x -a 'error warning info never' -d 'Exit

complete -c pybinlog -n '__pybinlog_in check' -l password -s p -d 'Without a value,

complete -c pybinlog -n '__pybinlog_in check' -l progress -d 'Show the progress on standard error'

complete -c pybinlog -n '__pybinlog_in check' -l skip-progress -d 'The opposite of --progress'

complete -c pybinlog -n '__pybinlog_in dump' -l hexdump -s H -d 'Print each event\'s bytes, in comments'

complete -c pybinlog -n '__pybinlog_in dump' -l no-tbm -d 'The opposite of --tbm'

complete -c pybinlog -n '__pybinlog_in completion' -f -a 'bash zsh fish'
""",
    "bash": r"""
        "check --output"|"check -o") compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;
        "check --fail-on") COMPREPLY=($(compgen -W "error warning info never" -- "$current")); return ;;
        "check --jobs") return ;;
        help) options="--help --version" ;;
        completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$current")) ;;
""",
    "zsh": r"""
            '*--in-doubt[Only transactions that are prepared and not decided, in the form of XA RECOVER]' \
            '*--limit=[Show at most N rows, after the first OFFSET; 0 shows all]:value: ' \
            '*--color=[Colour the text\: auto (the default\: on a terminal), always, never]:value:(auto always never)' \
            '*--password=-[Without a value, pybinlog asks for it on the terminal]::value: ' \
            '*-V[Show the version and exit]' \
            '*-o+[Write the report to this file, which appears
            '*--password=-[Without a value, pybinlog asks for it on the terminal]::value: ' \
            '*--keyring-password-file=[The file whose first line is the password of MariaDB'\''s encrypted key
            '*:log:_files' ;;
            '*:word:(bash zsh fish)' ;;
""",
}
"""Of lines of the scripts."""


@pytest.mark.parametrize("shell", SHELLS)
def test_options_are_spelled_for_each_shell(shell: str) -> None:
    lines = script(shell).splitlines()
    for line in filter(None, BEGINNINGS[shell].splitlines()):
        assert [found for found in lines if found.startswith(line)], line
    assert not any("skip-hexdump" in line for line in lines)
