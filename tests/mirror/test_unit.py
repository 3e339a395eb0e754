"""The unit for systemd in docs/."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.cli.commands.mirror import SECTIONS
from tests.corpus import PROJECT

UNIT = PROJECT / "docs" / "pybinlog-mirror.service"


def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/pybinlog", sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_its_command_line_is_understood() -> None:
    """Every option is one of the command, with the value that it takes."""
    (line,) = re.findall(r"^ExecStart=/usr/local/bin/pybinlog mirror (.*)$", UNIT.read_text(), re.MULTILINE)
    options = {option.name: option for section in SECTIONS.values() for option in section}
    for word in shlex.split(line):
        name, has_value, value = word.removeprefix("--").partition("=")
        assert options[name].takes_value == bool(has_value), word
        if options[name].type is not None and not value.startswith("$"):
            options[name].parameter().type.convert(value, None, None)
