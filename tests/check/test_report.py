"""The report formats, held against their schemas."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pybinlog.check import RULES, Checker, CheckOptions, Finding, LogResult, Severity, Totals
from pybinlog.check.report import make_report
from pybinlog.check.report.sarif import uri
from pybinlog.cli.options.check_options import FORMATS
from pybinlog.errors import SourceError
from tests.corpus import TESTDATA, scenarios

jsonschema = pytest.importorskip("jsonschema")
xmlschema = pytest.importorskip("xmlschema")

SARIF = json.loads((TESTDATA / "schema" / "sarif-2.1.0.json").read_text())
JUNIT = xmlschema.XMLSchema10(str(TESTDATA / "schema" / "junit-10.xsd"))
STRANGE = 'odd\x01 %&<>"\n:,\udcff.000001'


def report(format: str, names: list[str], options: CheckOptions | None = None, **more: Any) -> str:
    """The report on these logs."""
    options = options or CheckOptions()
    pieces: list[str] = []
    checker = Checker(names, options)
    made = make_report(format, pieces.append, options, **more)
    made.begin()
    for result in checker.results():
        made.log(result)
    made.end(checker.totals)
    return "".join(pieces)


def strange(format: str) -> str:
    """A report with every rule, every severity and a name that needs quoting everywhere."""
    pieces: list[str] = []
    made = make_report(format, pieces.append, CheckOptions())
    result = LogResult(STRANGE)
    for number, rule in enumerate(RULES.values()):
        severity = list(Severity)[number % 3]
        result.findings.append(
            Finding(rule.code, severity, STRANGE, number << 31, "Query", "What, is: 100%?\n", "Do <it>.")
        )
    result.failure = SourceError("cannot be\nread", file=STRANGE)
    totals = Totals(failures=[result.failure])
    made.begin()
    made.log(result)
    made.log(LogResult(STRANGE, result.findings[:1]))
    made.end(totals)
    return "".join(pieces)


def everything() -> list[str]:
    """All logs of the corpus that have findings, and one that cannot be checked."""
    folders = ("mixed-engines-statement", "xa", "damaged-body", "truncated-body", "damaged-magic", "row-basic")
    chosen = [s for s in scenarios() if s.folder.name in folders and s.server == "mysql-9.7"]
    return [str(log) for scenario in chosen for log in scenario.logs]


def test_sarif_passes_its_schema() -> None:
    for text in (report("sarif", everything()), report("sarif", everything()[-1:]), strange("sarif")):
        document = json.loads(text)
        jsonschema.Draft4Validator(SARIF).validate(document)
    results = json.loads(report("sarif", everything()))["runs"][0]["results"]
    assert {result["level"] for result in results} == {"error", "note"}
    rules = json.loads(strange("sarif"))["runs"][0]["tool"]["driver"]["rules"]
    for result in json.loads(strange("sarif"))["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_results_have_what_code_scanning_asks_for() -> None:
    """A line, though a log has none (GitHub, "SARIF support for code scanning"), and the place in words."""
    for result in json.loads(report("sarif", everything()))["runs"][0]["results"]:
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] == 1
        assert f"t {region['byteOffset']}: " in result["message"]["text"]
        assert result["partialFingerprints"]


def test_sarif_says_where_a_check_could_not_be_done() -> None:
    invocation = json.loads(report("sarif", everything()))["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert "not a binary log" in invocation["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("binlog.000001", "binlog.000001"),
        ("a b/bin#log.000001", "a%20b/bin%23log.000001"),
        ("/var/lib/mysql/binlog.000001", "file:///var/lib/mysql/binlog.000001"),
        ("a:b.000001", "./a%3Ab.000001"),
        ("-", "stdin:"),
    ],
)
def test_names_as_uris(path: str, expected: str) -> None:
    assert uri(path) == expected


def test_junit_passes_its_schema() -> None:
    for text in (report("junit", everything()), report("junit", everything()[-1:]), strange("junit")):
        JUNIT.validate(text)


def test_junit_fails_what_makes_the_check_fail() -> None:
    names = [name for name in everything() if "damaged-body" in name]
    root = ElementTree.fromstring(report("junit", names))
    failures = root.findall(".//testcase[failure]")
    assert [case.get("name") for case in failures] == ["S001 checksum"]
    (failure,) = root.findall(".//failure")
    assert failure.get("message") == next(f.message for f in checked(names) if f.code == "S001")
    assert len(root.findall(".//testcase")) == len(RULES)
    root = ElementTree.fromstring(report("junit", names, CheckOptions(fail_on=None)))
    assert root.findall(".//failure") == []
    assert len(root.findall(".//system-out")) == 2


def test_junit_counts_the_findings_of_a_rule() -> None:
    names = [name for name in everything() if "mixed-engines-statement" in name]
    found = [finding for finding in checked(names) if finding.severity >= Severity.INFO]
    root = ElementTree.fromstring(report("junit", names, CheckOptions(fail_on=Severity.INFO)))
    counts = Counter(finding.code for finding in found)
    assert max(counts.values()) > 1
    for case in root.findall(".//testcase[failure]"):
        code = (case.get("name") or "").split(" ")[0]
        message = next(finding.message for finding in found if finding.code == code)
        more = f" ({counts[code]} findings)" if counts[code] > 1 else ""
        assert case.findall("failure")[0].get("message") == message + more


def checked(names: list[str]) -> list[Finding]:
    return [finding for result in Checker(names, CheckOptions()).results() for finding in result.findings]


def test_json_has_all_that_the_findings_have() -> None:
    document = json.loads(report("json", everything()))
    lines = [json.loads(line) for line in report("jsonl", everything()).splitlines()]
    found = [{"type": "finding", **finding} for finding in document["findings"]]
    assert found == [line for line in lines if line["type"] == "finding"]
    assert lines[-1] == {"type": "summary", **document["summary"]}
    assert document["summary"]["files"] == len(everything())
    damaged = next(finding for finding in document["findings"] if finding["code"] == "S001")
    assert (damaged["rule"], damaged["position"], damaged["event_type"]) == ("checksum", 1985, "Write_rows")
    assert json.loads(strange("json"))["failures"][0]["file"] == STRANGE


def test_github_commands_are_one_line_each() -> None:
    text = strange("github")
    commands = [line for line in text.splitlines() if line.startswith("::")]
    assert len(commands) == len(RULES) + 2
    assert commands[0].startswith('::notice file=odd\\x01 %25&<>"%0A%3A%2C\udcff.000001,title=B001 boundary-refused::')
    assert "What, is: 100%25?%0A Do <it>." in commands[0]
    assert {command.partition(" ")[0] for command in commands} == {"::error", "::warning", "::notice"}


def test_text_is_plain_without_color_and_the_same_with_it() -> None:
    import re

    plain = report("text", everything())
    colored = report("text", everything(), color=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert colored != plain


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_quiet_about_an_intact_log(format: str) -> None:
    name = next(name for name in everything() if "row-basic" in name)
    text = report(format, [name])
    assert "failure m" not in text
    assert "::" not in text
    if format == "text":
        assert text == "No findings in 1 log, 75 events.\n"


def test_the_schemas_say_where_they_are_from() -> None:
    about = (TESTDATA / "schema" / "README.md").read_text()
    for path in (TESTDATA / "schema").iterdir():
        assert path == Path(path.parent / "README.md") or f"`{path.name}`" in about


CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""The form of a Code Quality report in GitLab's manual."""


def test_gitlab_gets_what_its_manual_asks_for() -> None:
    for text in (report("gitlab", everything()), report("gitlab", everything()[-1:]), strange("gitlab")):
        entries = json.loads(text)
        jsonschema.Draft4Validator(CODE_QUALITY).validate(entries)
        prints = [entry["fingerprint"] for entry in entries]
        assert len(set(prints)) == len(prints)
    entries = json.loads(report("gitlab", everything()))
    assert {entry["severity"] for entry in entries} == {"critical", "info", "blocker"}
    assert "not a binary log" in next(entry for entry in entries if entry["severity"] == "blocker")["description"]


def test_gitlab_paths_are_those_in_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pybinlog.check.report.gitlab import path_of

    monkeypatch.chdir(tmp_path)
    assert path_of(str(tmp_path / "logs" / "binlog.000001")) == "logs/binlog.000001"
    assert path_of("./logs/binlog.000001") == "logs/binlog.000001"
    assert path_of("/elsewhere/binlog.000001") == "/elsewhere/binlog.000001"
    assert path_of("-") == "stdin"
