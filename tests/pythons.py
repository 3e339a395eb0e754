"""Pythons: the project built and tested on every interpreter of this machine.

    python -m tests.pythons                     # as make test-pythons
    python -m tests.pythons tests/dump -k pool  # these tests only
    PYTHONS=/opt/python3.15/bin/python3 python -m tests.pythons
    ONLY='3.10 3.14' python -m tests.pythons

Looked for are CPython 3.10 to 3.14 and the free-threaded 3.13t and 3.14t: as python3.N on the path, then in
~/.pyenv/versions, and whatever PYTHONS names (paths of more). What is not found is named. ONLY picks some. Each has an
environment of its own in build/pythons, with what the package and these tests need.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Python", "find"]

PROJECT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = PROJECT / "build" / "pythons"
WANTED = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t"]
NEEDED = ["pytest>=8", "hypothesis>=6", "tomli>=2; python_version < '3.11'"]
TESTS = ["tests/log", "tests/kernel", "tests/parity", "tests/dump", "tests/check", "tests/test_library.py"]
"""The program's text, the threads that print it, and the library. What needs other packages is skipped by name."""
ASK = (
    "import json, platform, sys, sysconfig; print(json.dumps(["
    "'%d.%d' % sys.version_info[:2] + ('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''), "
    "platform.python_version(), sys.implementation.name]))"
)


@dataclass(frozen=True)
class Python:
    """An interpreter: `name` as in python3.14t, `version` as it tells it itself."""

    path: Path
    name: str
    version: str

    @property
    def environment(self) -> Path:
        return ENVIRONMENTS / f"{self.version}{'t' if self.name.endswith('t') else ''}"


def find(wanted: list[str], more: str, environ: Mapping[str, str]) -> dict[str, Python | None]:
    """The interpreters of these names, and those whose paths `more` lists; None for those that are not there."""
    found: dict[str, Python | None] = dict.fromkeys(wanted)
    versions = Path(environ.get("HOME", "/")) / ".pyenv" / "versions"
    for name in wanted:
        folders = sorted(versions.glob(f"{name.removesuffix('t')}.*"), key=numbers, reverse=True)
        candidates = [shutil.which(f"python{name}", path=environ.get("PATH", ""))]
        candidates += [str(folder / "bin" / "python3") for folder in folders]
        answers = (asked(candidate) for candidate in candidates)
        found[name] = next((python for python in answers if python is not None and python.name == name), None)
    for path in shlex.split(more):
        found[path] = asked(path)
    return found


def numbers(folder: Path) -> list[int]:
    """For an order in which 3.12.10 comes after 3.12.9."""
    return [int(number) for number in re.findall(r"\d+", folder.name)]


def asked(path: str | None) -> Python | None:
    """What an interpreter says of itself; None where none answers, or it is not CPython."""
    if path is None:
        return None
    try:
        run = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
        name, version, implementation = json.loads(run.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Python(Path(path), name, version) if implementation == "cpython" else None


def build(python: Python) -> str | None:
    """Make its environment with the project in it; what went wrong, else None."""
    inside = python.environment / "bin" / "python"
    commands = [[str(inside), "-m", "pip", "install", "--quiet", "--editable", str(PROJECT), *NEEDED]]
    if not inside.exists():
        commands.insert(0, [str(python.path), "-m", "venv", str(python.environment)])
    for command in commands:
        run = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
        if run.returncode:
            return f"{shlex.join(command)}\n{run.stdout}{run.stderr}"
    return None


def test(python: Python, arguments: list[str]) -> tuple[bool, str]:
    """Run tests there; whether all passed, and pytest's last line."""
    command = [str(python.environment / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    lines = run.stdout.strip().splitlines() or [run.stderr.strip()]
    if run.returncode:
        print(run.stdout + run.stderr, flush=True)
    return run.returncode == 0, lines[-1]


def main(arguments: list[str]) -> int:
    tests = arguments or TESTS
    rows, failed = [], False
    wanted = os.environ.get("ONLY", "").split() or WANTED
    for name, python in find(wanted, os.environ.get("PYTHONS", ""), os.environ).items():
        if python is None:
            rows.append((name, "not found here", ""))
            continue
        began = time.monotonic()
        print(f"{python.version} ({python.path})", file=sys.stderr, flush=True)
        error = build(python)
        if error is not None:
            print(error, flush=True)
            good, told = False, "could not be built"
        else:
            good, told = test(python, tests)
        failed |= not good
        rows.append((name, python.version, told if good else f"FAILED: {told}"))
        print(f"  {told} ({time.monotonic() - began:.0f} s in all)", file=sys.stderr, flush=True)
    for row in rows:
        print("{:8} {:16} {}".format(*row))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
