"""The statements in README and the architecture page are true."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pybinlog.cli.program import COMMANDS
from tests.cli.conftest import parsed
from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

README = (PROJECT / "README.md").read_text()
ARCHITECTURE = (PROJECT / "docs" / "architecture.md").read_text()


def test_the_samples_in_the_readme_are_real(tmp_path: Path) -> None:
    for log in (TESTDATA / "shop").glob("binlog.*"):
        shutil.copy(log, tmp_path)
    (samples,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    runs = re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", samples, re.DOTALL | re.MULTILINE)
    assert len(runs) == 2
    for command, shown in runs:
        assert output_of(command, tmp_path) == shown


def test_the_commands_in_the_readme_are_understood() -> None:
    commands = re.findall(
        r"^(?:zstd .* \| )?pybinlog ([^|#\n]*)", README.partition("## Use")[2].partition("## More")[0], re.MULTILINE
    )
    assert len(commands) >= 7
    for command in commands:
        if "--index" not in command and command.split()[0] not in COMMANDS:
            result = parsed(*shlex.split(command))
            assert result.dumped, result.err


def test_ci_runs_the_line_that_the_readme_gives_for_the_tests() -> None:
    install = README.partition("## Install and try")[2].partition("\n## ")[0]
    _, tests = re.findall(r"^```sh\n([^\n]+)\n```$", install, re.MULTILINE)
    commands = (PROJECT / ".ci" / "run").read_text().split('cd "$(dirname "$0")/.."\n')[1].split("\n")
    assert [line for line in commands if line] == [tests, "make lint"]


def test_every_file_that_the_architecture_names_is_there() -> None:
    paths = re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", ARCHITECTURE)
    assert paths
    for path in paths:
        assert (PROJECT / path).is_file() or (PROJECT / "pybinlog" / path).is_file(), path


def test_every_room_of_the_architecture_is_there() -> None:
    rooms = re.findall(r"\*\*`([a-z]+)/`\*\*", ARCHITECTURE)
    assert len(rooms) > 8
    for room in set(rooms):
        assert (PROJECT / room).is_dir() or (PROJECT / "pybinlog" / room).is_dir(), room


def test_every_package_has_its_paragraph_in_the_architecture() -> None:
    for package in (PROJECT / "pybinlog").iterdir():
        if (package / "__init__.py").exists():
            assert f"**`{package.name}/`**" in ARCHITECTURE, package.name


def test_every_room_of_the_kernel_has_its_line_in_the_architecture() -> None:
    rooms = [package.parent.name for package in (PROJECT / "pybinlog" / "kernel").glob("*/__init__.py")]
    assert len(rooms) >= 7
    for room in rooms:
        assert f"\n- *{room}*: " in ARCHITECTURE, room


def test_every_module_says_what_it_is() -> None:
    """The architecture page leaves that to them."""
    for path in (PROJECT / "pybinlog").rglob("*.py"):
        assert re.match(r'(#.*\n|\n)*"""\S', path.read_text()), path
    for path in (PROJECT / "pybinlog").rglob("*.pxd"):
        assert path.with_suffix(".py").exists() or path.read_text().startswith("# "), path


PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_fits_into_a_hundred_columns(page: Path) -> None:
    """Tables and code aside."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    assert [line for line in prose.splitlines() if len(line) > 100 and not line.startswith(("|", "    "))] == []


def test_every_fact_of_the_comparison_names_its_source() -> None:
    """Cells about another tool end with keys of the page's last table, and each key of that table stands in a cell."""
    page, _, sources = (PROJECT / "docs" / "comparison.md").read_text().partition("## Sources")
    listed = re.findall(r"^\| ([A-Z]\d) \|", sources, re.MULTILINE)
    assert len(listed) == len(set(listed))
    facts = page.partition("## Formats they read")[2].partition("## Speed beside them")[0]
    named = set()
    for row in re.findall(r"^\| [^|].* \|$", facts, re.MULTILINE):
        for fact in row.strip("| ").split(" | ")[2:]:
            keys = re.findall(r"\(([A-Z]\d(?:, [A-Z]\d)*)\)$", fact)
            assert keys or fact in ("not stated", "–"), row
            named |= {key for some in keys for key in some.split(", ")}
    assert named == set(listed)
