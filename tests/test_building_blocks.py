"""The parts of the repository for others' CI: a GitHub action, a GitLab template, a pre-commit hook, an image."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.check.logs import log
from tests.corpus import PROJECT

yaml = pytest.importorskip("yaml")

SOUND, DAMAGED = "mysql-9.7/row-basic", "mysql-9.7/damaged-body"
SOURCES = pytest.mark.skipif(not (PROJECT / ".github").exists(), reason="an sdist has no files for CI")
pytestmark = SOURCES


def read(name: str) -> Any:
    return yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))


def run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the file with the shell, `pybinlog` being the program under test."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env={**os.environ, "PATH": path, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(params=[SOUND, DAMAGED])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int]:
    """A folder with a log, and the status that a check of it has."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "binlog.000001").write_bytes(log(request.param))
    return tmp_path, 0 if request.param == SOUND else 1


def test_the_action_checks_the_logs_that_it_is_given(folder: tuple[Path, int]) -> None:
    action = read(".github/actions/check/action.yml")
    inputs = {"logs": "logs/binlog.0*", "options": "--limit=5", "sarif": "findings.sarif"}
    assert set(inputs) < set(action["inputs"])
    statuses = []
    for step in action["runs"]["steps"]:
        if "PYBINLOG" not in step.get("run", "").upper():
            continue
        given = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], value)
                 for name, value in step["env"].items()}  # fmt: skip
        done = run(step["run"], folder[0], **given)
        assert "Usage" not in done.stderr
        statuses.append(done.returncode)
    assert statuses == [0, folder[1]]
    assert (folder[0] / "findings.sarif").stat().st_size > 0


def test_the_action_installs_the_project_that_it_is_part_of() -> None:
    (install,) = [step for step in read(".github/actions/check/action.yml")["runs"]["steps"] if "SOURCE" in str(step)]
    path = install["env"]["SOURCE"].replace("${{ github.action_path }}", str(PROJECT / ".github/actions/check"))
    assert (Path(path) / "pyproject.toml").samefile(PROJECT / "pyproject.toml")


def test_the_gitlab_template_writes_both_reports(folder: tuple[Path, int]) -> None:
    job = read(".ci/gitlab.yml")[".check-binary-logs"]
    variables = {**job["variables"], "BINARY_LOGS": "logs/binlog.0*"}
    done = [run(command, folder[0], **variables).returncode for command in job["script"]]
    assert done == [0, folder[1]]
    for report in job["artifacts"]["reports"].values():
        assert (folder[0] / report).stat().st_size > 0


def test_the_hook_takes_binary_logs_and_no_other_files(folder: tuple[Path, int]) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    names = [
        "binlog.000001",
        "logs/mysql-bin.000012",
        "a/mariadb-bin.000001",
        "db1-relay-bin.000003",
        "x/relay.1000000",
    ]
    others = ["binlog.index", "notes.000001", "bin/tool.txt", "binlog.000001.gz", "cabin.12"]
    assert [name for name in names + others if re.search(hook["files"], name)] == names
    assert run(f"{hook['entry']} logs/binlog.000001", folder[0]).returncode == folder[1]


def test_the_image_runs_the_program_as_nobody(tmp_path: Path) -> None:
    lines = (PROJECT / ".ci/Dockerfile").read_text(encoding="utf-8").splitlines()
    instructions = dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    assert instructions["USER"] == "nobody"
    (program,) = yaml.safe_load(instructions["ENTRYPOINT"])
    done = run(shlex.join([Path(program).name, *yaml.safe_load(instructions["CMD"])]), tmp_path)
    assert done.returncode == 0
    assert "Usage" in done.stdout or "Commands" in done.stdout


def test_the_workflow_runs_what_every_change_must_pass() -> None:
    steps = read(".github/workflows/test.yml")["jobs"]["test"]["steps"]
    (script,) = [shlex.split(step["run"])[-1] for step in steps if "run" in step]
    assert (PROJECT / script).exists()
    assert [step["with"]["java-version"] for step in steps if "setup-java" in step.get("uses", "")] == ["17"]
