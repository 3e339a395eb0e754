"""The report formats, held against their schemas."""

import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from hashlib import sha256
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


FOUND = [
    Finding("S004", Severity.ERROR, "logs/a.000001", 330, "", "It ends in 3 zero bytes.", "Cut it."),
    Finding("S001", Severity.WARNING, "logs/a.000001", 7, "Query", "It is <wrong>.", "Copy it."),
    Finding("X001", Severity.INFO, "logs/a.000001", 293, "XA_prepare", "It is prepared.", "See XA RECOVER."),
    Finding("X001", Severity.INFO, "logs/a.000001", 295, "XA_prepare", "It is, too.", "See XA RECOVER."),
]
FAILURE = SourceError("it is gone", file="b.000001", hint="Copy it")
X001_LINES = """logs/a.000001:293: info X001 XA_prepare: It is prepared. See XA RECOVER.
logs/a.000001:295: info X001 XA_prepare: It is, too. See XA RECOVER."""


def exact(format: str, options: CheckOptions | None = None, **more: Any) -> str:
    """A report of two logs, the first of which comes again, and the second of which cannot be read."""
    pieces: list[str] = []
    totals = Totals(dict(zip(Severity, (2, 1, 1), strict=True)), 5, 6, [FAILURE], 2, 75, 1000)
    made = make_report(format, pieces.append, options or CheckOptions(select=("S00", "X")), **more)
    made.begin()
    made.log(LogResult("logs/a.000001", FOUND))
    made.log(LogResult("b.000001", failure=FAILURE))
    made.log(LogResult("logs/a.000001", FOUND[2:3]))
    made.end(totals)
    return "".join(pieces)


REST = "6 more are in the baseline; 1 of the logs could not be checked.\n"
SUMMARY = f"1 error, 1 warning, 2 info in 2 logs, 75 events; 5 findings are not shown (--limit); {REST}"


def test_the_text_of_a_report() -> None:
    again = "logs/a.000001:293: info X001 XA_prepare: It is prepared.\n    See XA RECOVER.\n"
    assert exact("text") == (
        "logs/a.000001:330: error S004: It ends in 3 zero bytes.\n    Cut it.\n"
        "logs/a.000001:7: warning S001 Query: It is <wrong>.\n    Copy it.\n"
        f"{again}logs/a.000001:295: info X001 XA_prepare: It is, too.\n    See XA RECOVER.\n{again}{SUMMARY}"
    )
    bold, red, dim, reset = "\x1b[1m", "\x1b[1;31m", "\x1b[2m", "\x1b[0m"
    assert exact("text", color=True).startswith(
        f"{bold}logs/a.000001:330:{reset} {red}error{reset} S004: It ends in 3 zero bytes.\n"
        f"{dim}    Cut it.{reset}\n"
        f"{bold}logs/a.000001:7:{reset} \x1b[1;33mwarning{reset} S001 Query: It is <wrong>.\n{dim}    Copy it.{reset}\n"
        f"{bold}logs/a.000001:293:{reset} \x1b[1;36minfo{reset} X001 XA_prepare: "
    )


def test_the_commands_of_a_report() -> None:
    again = (
        "::notice file=logs/a.000001,title=X001 xa-unfinished::XA_prepare at 293 of logs/a.000001: It is prepared. "
        "See XA RECOVER.\n"
    )
    assert exact("github") == (
        "::error file=logs/a.000001,title=S004 zero-tail::at 330 of logs/a.000001: It ends in 3 zero bytes. Cut it.\n"
        "::warning file=logs/a.000001,title=S001 checksum::Query at 7 of logs/a.000001: It is <wrong>. Copy it.\n"
        f"{again}"
        "::notice file=logs/a.000001,title=X001 xa-unfinished::XA_prepare at 295 of logs/a.000001: It is, too. "
        "See XA RECOVER.\n"
        "::error file=b.000001,title=not checked::b.000001: it is gone. Copy it.\n"
        f"{again}{SUMMARY}"
    )


def test_the_objects_of_a_report_as_json() -> None:
    def fields(number: int, rule: str) -> dict[str, Any]:
        one = FOUND[number]
        return {
            "code": one.code,
            "rule": rule,
            "severity": one.severity.name.lower(),
            "file": "logs/a.000001",
            "position": one.position,
            "event_type": one.event_type or None,
            "message": one.message,
            "advice": one.advice,
        }

    findings = [
        fields(number, rule)
        for number, rule in (
            (0, "zero-tail"),
            (1, "checksum"),
            (2, "xa-unfinished"),
            (3, "xa-unfinished"),
            (2, "xa-unfinished"),
        )
    ]
    failure = {"file": "b.000001", "message": "it is gone", "advice": "Copy it"}
    counts = {"info": 2, "warning": 1, "error": 1, "not_shown": 5, "in_baseline": 6, "files": 2, "events": 75}
    whole = {"version": 1, "findings": findings, "failures": [failure], "summary": {**counts, "bytes": 1000}}
    assert json.loads(exact("json")) == whole
    assert exact("json").count("\n") == 7
    lines = [json.loads(line) for line in exact("jsonl").splitlines()]
    assert lines == [
        *({"type": "finding", **finding} for finding in findings[:4]),
        {"type": "failure", **failure},
        {"type": "finding", **findings[4]},
        {"type": "summary", **whole["summary"]},  # type: ignore[dict-item]
    ]


def test_the_entries_of_a_report_for_gitlab() -> None:
    def entry(description: str, name: str, severity: str, path: str, place: str) -> dict[str, Any]:
        fingerprint = sha256(place.encode()).hexdigest()
        location = {"path": path, "lines": {"begin": 1}}
        return {
            "description": description,
            "check_name": name,
            "fingerprint": fingerprint,
            "severity": severity,
            "location": location,
        }

    path = "logs/a.000001"
    prepared = "XA_prepare at 293: It is prepared. See XA RECOVER.", "X001 xa-unfinished", "info", path
    assert json.loads(exact("gitlab")) == [
        entry("At 330: It ends in 3 zero bytes. Cut it.", "S004 zero-tail", "critical", path, "S004:a.000001:330:1"),
        entry("Query at 7: It is <wrong>. Copy it.", "S001 checksum", "minor", path, "S001:a.000001:7:1"),
        entry(*prepared, "X001:a.000001:293:1"),
        entry(
            "XA_prepare at 295: It is, too. See XA RECOVER.", "X001 xa-unfinished", "info", path, "X001:a.000001:295:1"
        ),
        entry("b.000001: it is gone. Copy it.", "not checked", "blocker", "b.000001", "failure:b.000001:1"),
        entry(*prepared, "X001:a.000001:293:2"),
    ]


def test_the_run_of_a_report_as_sarif() -> None:
    (run,) = json.loads(exact("sarif"))["runs"]
    codes = [code for code in RULES if code.startswith(("S00", "X"))]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == codes
    assert len(run["results"]) == 5
    assert run["results"][0] == {
        "ruleId": "S004",
        "ruleIndex": codes.index("S004"),
        "level": "error",
        "message": {"text": "At 330: It ends in 3 zero bytes. Cut it."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "logs/a.000001"},
                    "region": {"startLine": 1, "byteOffset": 330},
                }
            }
        ],
        "partialFingerprints": {"place/v1": "S004:a.000001:330"},
        "properties": {"eventType": "", "position": 330},
    }
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "note", "note"]
    assert run["results"][1]["message"] == {"text": "Query at 7: It is <wrong>. Copy it."}
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": "b.000001: it is gone. Copy it"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": "b.000001"}}}],
                }
            ],
        }
    ]


@pytest.mark.parametrize(("path", "expected"), [("a/b:c", "a/b%3Ac"), ("a:b/c", "./a%3Ab/c"), ("b:", "./b%3A")])
def test_a_colon_in_the_first_part_of_a_name_is_no_scheme(path: str, expected: str) -> None:
    assert uri(path) == expected


def test_the_suites_of_a_report_as_junit() -> None:
    cases: dict[int, Any] = {}
    text = exact("junit", CheckOptions(select=("S00", "X"), fail_on=Severity.WARNING))
    for suite in ElementTree.fromstring(text):
        name = suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")
        cases[len(cases)] = name, {case.get("name"): list(case) for case in suite if len(case)}
    names, found = zip(*cases.values(), strict=True)
    assert names == (
        ("logs/a.000001", str(len([code for code in RULES if code.startswith(("S00", "X"))])), "2", "0"),
        ("b.000001", "1", "0", "1"),
        ("logs/a.000001", "1", "0", "0"),
    )
    assert list(found[0]) == ["S001 checksum", "S004 zero-tail", "X001 xa-unfinished"]
    (failure,) = found[0]["S001 checksum"]
    assert (failure.tag, failure.attrib) == ("failure", {"message": "It is <wrong>.", "type": "warning"})
    assert failure.text == "logs/a.000001:7: warning S001 Query: It is <wrong>. Copy it."
    (output,) = found[0]["X001 xa-unfinished"]
    assert (output.tag, output.text) == ("system-out", X001_LINES)
    (error,) = found[1]["the log can be read"]
    assert (error.tag, error.attrib) == ("error", {"message": "b.000001: it is gone. Copy it"})
    assert [output.text for output in found[2]["X001 xa-unfinished"]] == [X001_LINES.splitlines()[0]]
    failing = exact("junit", CheckOptions(select=("S00", "X"), fail_on=Severity.INFO))
    (failure,) = ElementTree.fromstring(failing).findall(".//testcase[@name='X001 xa-unfinished']/failure")[:1]
    assert failure.attrib == {"message": "It is prepared. (2 findings)", "type": "info"}
    assert failure.text == X001_LINES
