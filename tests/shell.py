"""Command lines of the documentation, run by bash, whose `pybinlog` is the program in this process."""

import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.conftest import real

ASK = """pybinlog() {
    local status
    printf '%s\\0' pybinlog "$@" >"$SERVED/asked"
    read -r status <"$SERVED/answered"
    cat "$SERVED/stdout"
    cat "$SERVED/stderr" >&2
    return "$status"
}
"""
"""Two pipes, and what the program has printed. It reads no standard input."""


def output_of(command: str, folder: Path, more: str = "") -> str:
    """Return the standard output of a command line in a folder, with more functions of the shell."""
    return in_shell(command, folder, more).stdout


def in_shell(command: str, folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command line in a folder, with more functions of the shell."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        served = Path(name)
        for pipe in ("asked", "answered"):
            os.mkfifo(served / pipe)
        patch.chdir(folder)
        patch.setenv("TZ", "UTC")
        time.tzset()
        script = f"trap ': >{served}/asked' EXIT\n{ASK}{more}\n{command}"
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "SERVED": name}
        with (
            (served / "out").open("wb") as out,
            (served / "err").open("wb") as err,
            subprocess.Popen(
                ["bash", "-c", script], env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err
            ) as bash,
        ):
            try:
                while words := (served / "asked").read_bytes():
                    result = real(*os.fsdecode(words).split("\0")[1:-1])
                    (served / "stdout").write_bytes(result.out)
                    (served / "stderr").write_text(result.err)
                    (served / "answered").write_text(f"{result.status}\n")
            except BaseException:
                bash.kill()
                raise
        patch.undo()
        time.tzset()
        printed, said = ((served / name).read_text() for name in ("out", "err"))
        return subprocess.CompletedProcess(command, bash.returncode, printed, said)
