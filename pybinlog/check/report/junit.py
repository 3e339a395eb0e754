"""Findings as JUnit XML: a test suite for each log, a test case for each rule."""

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from pybinlog.check.checker import LogResult, Totals
from pybinlog.check.finding import Finding
from pybinlog.check.report import Report
from pybinlog.check.rules import RULES

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitReport(Report):
    """A rule fails if it has findings at or above the level at which the check fails; others are its output."""

    def __init__(self, *values: Any, **named: Any):
        super().__init__(*values, **named)
        self._seen: set[str] = set()

    def begin(self) -> None:
        self._write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pybinlog check">\n')

    def log(self, result: LogResult) -> None:
        # A log that comes again brings only what the end of all logs gave.
        again = result.file in self._seen
        self._seen.add(result.file)
        told_apart = again or result.failure is not None
        by_code: dict[str, list[Finding]] = (
            {} if told_apart else {code: [] for code in RULES if self._options.wants(code)}
        )
        for finding in result.findings:
            by_code.setdefault(finding.code, []).append(finding)
        cases = []
        failures = 0
        for code, findings in by_code.items():
            failing = [finding for finding in findings if self._options.fails(finding.severity)]
            failures += bool(failing)
            cases.append(self._case(code, result.file, findings, failing))
        errors = 0
        if result.failure is not None:
            errors = 1
            text = str(result.failure)
            cases.append(
                f"    <testcase name={attribute('the log can be read')} classname={attribute(result.file)}>\n"
                f"      <error message={attribute(text)}/>\n    </testcase>\n"
            )
        self._write(
            f"  <testsuite name={attribute(result.file)}"
            f' tests="{len(cases)}" failures="{failures}" errors="{errors}">\n'
            f"{''.join(cases)}  </testsuite>\n"
        )

    def _case(self, code: str, file: str, findings: list[Finding], failing: list[Finding]) -> str:
        rule = RULES[code]
        start = f"    <testcase name={attribute(f'{code} {rule.name}')} classname={attribute(file)}"
        if not findings:
            return f"{start}/>\n"
        body = ""
        if failing:
            more = f" ({len(failing)} findings)" if len(failing) > 1 else ""
            body += (
                f"      <failure message={attribute(failing[0].message + more)}"
                f" type={attribute(failing[0].severity.word)}>"
                f"{content(lines(failing))}</failure>\n"
            )
        rest = [finding for finding in findings if finding not in failing]
        if rest:
            body += f"      <system-out>{content(lines(rest))}</system-out>\n"
        return f"{start}>\n{body}    </testcase>\n"

    def end(self, totals: Totals) -> None:
        self._write("</testsuites>\n")


def lines(findings: list[Finding]) -> str:
    return "\n".join(
        f"{finding.file}:{finding.position}: {finding.severity.word} {finding.code} {finding.event_type}: "
        f"{finding.message} {finding.advice}"
        for finding in findings
    )


def attribute(text: str) -> str:
    return quoteattr(NOT_XML.sub("\ufffd", text))


def content(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))
