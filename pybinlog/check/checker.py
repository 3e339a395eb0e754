"""Checker: all logs of a command through the rules, and what they find."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from pybinlog.check.finding import Finding, Severity
from pybinlog.check.history import History
from pybinlog.check.log import LogCheck
from pybinlog.check.options import CheckOptions
from pybinlog.check.rules import RULES
from pybinlog.errors import SourceError
from pybinlog.event_types import EventType, printed_name
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName
from pybinlog.visible import MOST, shortened

MOST_TOLD = 10_000
"""Findings that are remembered so that none is reported twice; after so many, each is reported."""


@dataclass
class Totals:
    """Counts: findings by severity, including those not shown; logs, events, bytes."""

    findings: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    not_shown: int = 0
    known: int = 0
    """Findings that the baseline has."""
    failures: list[SourceError] = field(default_factory=list)
    """Files that could not be read."""
    files: int = 0
    events: int = 0
    bytes: int = 0

    def worst(self) -> Severity | None:
        """Return the highest severity found."""
        return max((severity for severity, count in self.findings.items() if count), default=None)


@dataclass
class LogResult:
    """One log's findings, in the order of their positions; `failure` if it could not be read to its end."""

    file: str
    findings: list[Finding] = field(default_factory=list)
    events: int = 0
    bytes: int = 0
    failure: SourceError | None = None


class Checker:
    """Goes over the logs of these names in order; iterate `results()` once, then look at `totals`."""

    def __init__(
        self,
        names: Sequence[str],
        options: CheckOptions,
        stdin: BinaryIO | None = None,
        progress: Callable[[int], None] | None = None,
    ):
        """`progress` is told of the bytes that were looked at since it was called last."""
        self._names = names
        self._options = options
        self._stdin = stdin
        self._progress = progress
        self._histories: dict[str, History] = {}
        self._shown: dict[str, int] = {}
        self._told: set[tuple[str, str]] = set()
        """File and message of findings of rules that report one thing once."""
        self.totals = Totals()
        self.found: list[Finding] = []
        """With `options.keep`: every finding, also those of the baseline and those above the limit."""

    def results(self) -> Iterator[LogResult]:
        """Yield the result of each log, as soon as it is complete."""
        waiting: LogResult | None = None
        for number, name in enumerate(self._names):
            following = self._names[number + 1] if number + 1 < len(self._names) else None
            result = self._log(name, following)
            if following is None:
                waiting = result
            else:
                yield self._counted(result)
        if waiting is not None:
            yield from self._with_unfinished(waiting)

    def _log(self, name: str, following: str | None) -> LogResult:
        result = LogResult(name)
        series = LogName.of(name).series
        history = self._histories.setdefault(series, History())
        before = history.scan.events
        report = partial(self._add, result)
        try:
            with open_source(name, self._stdin) as source:
                try:
                    LogCheck(source, history, report, following, self._progress, self._options.replicas).run()
                finally:
                    result.bytes = source.position
        except SourceError as error:
            history.note(pieces_missing=True, complete=False)
            history.rotates_to = None
            result.failure = error
        result.events = history.scan.events - before
        return result

    def _add(
        self,
        result: LogResult,
        code: str,
        position: int,
        event_type: int | None,
        message: str,
        severity: Severity | None = None,
    ) -> None:
        """Take a finding, as a ReportFinding does."""
        rule = RULES[code]
        options = self._options
        if not options.wants(code):
            return
        if rule.once and len(self._told) < MOST_TOLD:
            if (result.file, message) in self._told:
                return
            self._told.add((result.file, message))
        name = "" if event_type is None else printed_name(event_type)
        text = shortened(message, MOST)
        finding = Finding(code, severity or rule.severity, result.file, position, name, text, rule.advice)
        if options.keep:
            self.found.append(finding)
        if finding.fingerprint in options.baseline:
            self.totals.known += 1
            return
        self.totals.findings[finding.severity] += 1
        shown = self._shown.get(code, 0)
        if options.limit and shown >= options.limit:
            self.totals.not_shown += 1
            return
        self._shown[code] = shown + 1
        result.findings.append(finding)

    def _with_unfinished(self, last: LogResult) -> Iterator[LogResult]:
        """Yield the last log, and what only the end of all logs shows: XA transactions that were not finished."""
        results = {last.file: last}
        for history in self._histories.values():
            for xid, place in history.xa.items():
                result = results.setdefault(place.file, LogResult(place.file))
                message = f"The XA transaction {xid} is prepared and not finished."
                self._add(result, "X001", place.position, EventType.XA_PREPARE, message)
        for file, result in results.items():
            if file != last.file:
                result.findings.sort(key=lambda finding: finding.position)
                yield result
        yield self._counted(last)

    def _counted(self, result: LogResult) -> LogResult:
        result.findings.sort(key=lambda finding: finding.position)
        totals = self.totals
        totals.files += 1
        totals.events += result.events
        totals.bytes += result.bytes
        if result.failure is not None:
            totals.failures.append(result.failure)
        return result
