"""The parts of the repository for others' CI: a GitHub action, a GitLab template, a pre-commit hook, an image."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pybinlog import __version__
from tests.check.logs import log
from tests.corpus import PROJECT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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
    action = read("action.yml")
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
    (install,) = [step for step in read("action.yml")["runs"]["steps"] if "SOURCE" in str(step)]
    path = install["env"]["SOURCE"].replace("${{ github.action_path }}", str(PROJECT))
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


def test_the_image_shows_the_logs_of_a_shop_and_does_not_run_as_root() -> None:
    lines = (PROJECT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    instructions = dict(line.split(" ", 1) for line in lines if re.match("[A-Z]+ ", line))
    assert int(instructions["USER"]) > 0
    assert instructions["COPY"] == "testdata/shop /shop"
    (program,) = yaml.safe_load(instructions["ENTRYPOINT"])
    command, folder = yaml.safe_load(instructions["CMD"])
    done = run(shlex.join([Path(program).name, command, "testdata" + folder]), PROJECT)
    assert done.returncode == 0
    assert "Transactions  13" in done.stdout


def test_the_citation_and_the_packages_have_the_version_and_the_licence_of_the_program() -> None:
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (__version__, "Apache-2.0")
    assert read(".ci/conda/recipe.yaml")["context"]["version"] == __version__
    assert (PROJECT / ".ci/debian/changelog").read_text(encoding="utf-8").startswith(f"pybinlog ({__version__})")
    assert 'license "Apache-2.0"' in (PROJECT / ".ci/homebrew/pybinlog.rb").read_text(encoding="utf-8")


def test_the_packages_need_what_the_project_needs() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {re.split("[>=<]", name)[0] for name in project["project"]["dependencies"]}
    conda = read(".ci/conda/recipe.yaml")["requirements"]["run"]
    assert {name.split()[0] for name in conda} == {"python", *needed}
    cython = next(name for name in project["build-system"]["requires"] if name.startswith("Cython")).lower()
    control = (PROJECT / ".ci/debian/control").read_text(encoding="utf-8")
    assert all(f"python3-{name}," in control for name in needed)
    assert f"cython3 (>= {cython.partition('>=')[2]})" in control


def test_the_workflow_runs_what_every_change_must_pass() -> None:
    steps = read(".github/workflows/test.yml")["jobs"]["test"]["steps"]
    (script,) = [shlex.split(step["run"])[-1] for step in steps if "run" in step]
    assert (PROJECT / script).exists()
    assert [step["with"]["java-version"] for step in steps if "setup-java" in step.get("uses", "")] == ["17"]
