"""docs/check*.md: every rule, with an example that is real, and the snippets for CI."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from pybinlog.check import RULES
from tests.check.examples import EXAMPLES, OPTIONS
from tests.check.logs import log
from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.shell import in_shell

PAGE = (PROJECT / "docs" / "check.md").read_text()
RULE_PAGES = {name: (PROJECT / "docs" / name).read_text() for name in ("check-transactions.md", "check-files.md")}
SECTIONS = {
    code: (name, text)
    for name, page in RULE_PAGES.items()
    for code, text in re.findall(r"^### ([A-Z]\d{3}) \S+\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
}


def write(logs: dict[int, bytes], folder: Path) -> list[str]:
    for number, data in logs.items():
        (folder / f"binlog.{number:06d}").write_bytes(data)
    return [f"binlog.{number:06d}" for number in logs]


def test_every_rule_has_its_section_and_its_row() -> None:
    assert set(SECTIONS) == set(EXAMPLES) == set(RULES)
    for rule in RULES.values():
        page, _ = SECTIONS[rule.code]
        link = f"{page}#{rule.code.lower()}-{rule.name}"
        assert f"| [{rule.code}]({link}) | {rule.name} | {rule.severity.word} | {rule.title} |" in PAGE
        assert f"\n### {rule.code} {rule.name}\n" in RULE_PAGES[page]


@pytest.mark.parametrize("code", RULES)
def test_the_example_of_a_rule_is_what_is_found(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = write(EXAMPLES[code](), tmp_path)
    names = [*OPTIONS.get(code, []), *names]
    shown = real("check", f"--select={code}", *names).out.decode().splitlines()[:2]
    assert f"```text\n{shown[0]}\n{shown[1]}\n```" in SECTIONS[code][1]
    # and the example breaks this rule alone, apart from what follows from it
    serious = {
        line.split()[2].rstrip(":") for line in real("check", *names).out.decode().splitlines() if ": error " in line
    }
    assert serious <= {code, "B001"} or RULES[code].severity.word == "info"


def test_the_first_example_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({1: log("mysql-9.7/damaged-body")}, tmp_path)
    command, shown = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)[0]
    result = real(*shlex.split(command)[1:])
    assert result.out.decode() == shown


def snippets(key: str) -> dict[str, Any]:
    """The YAML snippet that has this key at its top."""
    yaml = pytest.importorskip("yaml")
    documents = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    (found,) = [document for document in documents if key in document]
    assert isinstance(found, dict)
    return found


def commands() -> list[str]:
    steps = snippets("jobs")["jobs"]["check"]["steps"]
    return [step["run"] for step in steps if "run" in step] + snippets("check-binary-logs")["check-binary-logs"][
        "script"
    ]


def test_the_snippets_have_the_parts_that_the_services_want() -> None:
    # YAML 1.1 reads the key `on` as true
    assert set(snippets("jobs")) == {"name", True, "jobs"}
    job = snippets("check-binary-logs")["check-binary-logs"]
    for report in ("junit", "codequality"):
        assert any(f"-o {job['artifacts']['reports'][report]} " in command for command in job["script"])
    upload = snippets("jobs")["jobs"]["check"]["steps"][-1]
    assert any(f"-o {upload['with']['sarif_file']} " in command for command in commands())


@pytest.mark.parametrize("damaged", [False, True])
def test_the_commands_in_the_snippets_run_as_printed(damaged: bool, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write({1: log("mysql-9.7/damaged-body" if damaged else "mysql-9.7/row-basic")}, tmp_path / "logs")
    run = [command for command in commands() if command.startswith("pybinlog ")]
    assert len(run) == 4
    for command in run:
        result = in_shell(command, tmp_path)
        assert result.returncode == (1 if damaged and "--fail-on=never" not in command else 0), result
        assert result.stderr == ""
    assert {path.name for path in tmp_path.iterdir()} == {
        "logs",
        "binlog.sarif",
        "binlog-check.xml",
        "binlog-quality.json",
    }
