"""The reference tool, if it is installed."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path


@cache
def reference() -> list[str] | None:
    """The command of mysqlbinlog 9.7: the one that MYSQLBINLOG names, or the one on the path; None without either."""
    named = os.environ.get("MYSQLBINLOG")
    command = shlex.split(named) if named else ["mysqlbinlog"]
    if shutil.which(command[0]) is None:
        return None
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    return command if " Ver 9.7" in version else None


def run_reference(
    command: Sequence[str], folder: Path, zone: str = "UTC", stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with its arguments in a folder, as every stored text was made: in a zone, without a home folder."""
    return subprocess.run(
        command,
        cwd=folder,
        env={"TZ": zone, "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )


def print_with_reference(arguments: Sequence[str], folder: Path, zone: str = "UTC") -> tuple[int, bytes]:
    """Its exit status and its text."""
    command = reference()
    assert command is not None
    done = run_reference([*command, *arguments], folder, zone)
    return done.returncode, done.stdout
