"""What the README and the architecture page say is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import parsed, real
from tests.corpus import PROJECT, scenarios

README = (PROJECT / "README.md").read_text()
ARCHITECTURE = (PROJECT / "docs" / "architecture.md").read_text()
LOG = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]


@pytest.mark.usefixtures("utc")
def test_the_sample_in_the_readme_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(LOG.parent)
    samples = re.findall(r"```console\n\$ pybinlog ([^\n>]*)[^\n]*\n(.*?)```", README, re.DOTALL)
    assert len(samples) == 2
    for command, shown in samples:
        result = real(*shlex.split(command))
        assert shown.replace("...\n", "") in (result.out.decode() or result.err) + result.err


def test_the_commands_in_the_readme_are_understood() -> None:
    commands = re.findall(r"^(?:zstd .* \| )?pybinlog ([^|#\n]*)", README.partition("## Use")[2], re.MULTILINE)
    assert len(commands) >= 7
    for command in commands:
        if "--index" not in command and command.split()[0] not in ("check", "tag", "simulate", "export"):
            assert parsed(*shlex.split(command)).err == ""


def test_every_room_of_the_architecture_is_there() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", ARCHITECTURE, re.MULTILINE)
    assert len(rows) > 8
    for room in rows:
        assert (PROJECT / room).exists() or (PROJECT / "pybinlog" / room).exists(), room
    for path in re.findall(
        r"`((?:cli|dump|source|boundary|kernel|log|output|layout|spark)/[a-z_/]+\.py)`", ARCHITECTURE
    ):
        assert (PROJECT / "pybinlog" / path).is_file(), path


def test_every_package_has_its_row_in_the_architecture() -> None:
    for package in (PROJECT / "pybinlog").iterdir():
        if (package / "__init__.py").exists():
            assert f"| `{package.name}/` |" in ARCHITECTURE, package.name


def test_every_module_of_the_kernel_is_named_in_the_architecture() -> None:
    kernel = PROJECT / "pybinlog" / "kernel"
    modules = [path for suffix in ("py", "pxd") for path in kernel.glob(f"*/*.{suffix}") if path.stem != "__init__"]
    assert len(modules) > 100
    for path in modules:
        assert f"`{path.stem}`" in ARCHITECTURE or f"`kernel/{path.parent.name}/{path.stem}.py`" in ARCHITECTURE, path


@pytest.mark.parametrize(
    "page", [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
