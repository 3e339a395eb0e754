"""Checks binary logs as a linter checks source: rules, findings, reports. docs/check.md lists the rules.

checker = Checker(["binlog.000001", "binlog.000002"], CheckOptions())
for result in checker.results():
    for finding in result.findings:
        print(finding.file, finding.position, finding.code, finding.message)
"""

from pybinlog.check.checker import Checker, LogResult, Totals
from pybinlog.check.finding import Finding, Severity
from pybinlog.check.options import CheckOptions
from pybinlog.check.rules import RULES, Rule

__all__ = ["RULES", "CheckOptions", "Checker", "Finding", "LogResult", "Rule", "Severity", "Totals"]
