"""A password among the arguments is not left in the list of processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.cli.server.process_list import hide

SCRIPT = """
import sys
from pybinlog.cli.server.process_list import hide
print(hide(sys.argv[1], sys.argv[2]), flush=True)
with open("/proc/self/cmdline", "rb") as file:
    sys.stdout.buffer.write(b"|".join(file.read().split(b"\\0")[3:-1]))
"""
needs_proc = pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc")


@needs_proc
@pytest.mark.parametrize(
    ("argument", "secret", "others", "shown"),
    [
        ("--password=secret", "secret", ["x"], "--password=xxxxxx|secret|x"),
        ("-psecret", "secret", ["-psecret", "-psecrets"], "-pxxxxxx|secret|-pxxxxxx|-psecrets"),
        ("-pgeheim für", "geheim für", [], "-pxxxxxxxxxxx|geheim für"),
    ],
)
def test_every_argument_with_it_is_overwritten(argument: str, secret: str, others: list[str], shown: str) -> None:
    command = [sys.executable, "-c", SCRIPT, argument, secret, *others]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert done.stdout == f"True\n{shown}"


@needs_proc
def test_a_secret_that_is_not_among_the_arguments_is_not_hidden() -> None:
    assert not hide("--password=that no process has", "that no process has")
