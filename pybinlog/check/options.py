"""CheckOptions: what a check looks for."""

from dataclasses import dataclass, field

from pybinlog.check.finding import Severity
from pybinlog.check.replicas import Replica


@dataclass(frozen=True)
class CheckOptions:
    """`select` and `ignore` are beginnings of codes; the longer one that fits decides, `ignore` where both are as long.

    `limit` bounds the findings of one code that are shown (0: all); all are counted. `fail_on` is the severity from
    which on the check fails, None for never. `replicas` are the servers that rules V001 and V002 are about.
    `keep` keeps every finding, for a baseline to be written.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limit: int = 1000
    fail_on: Severity | None = Severity.ERROR
    baseline: frozenset[tuple[str, str, int]] = field(default_factory=frozenset)
    keep: bool = False
    replicas: tuple[Replica, ...] = ()

    def wants(self, code: str) -> bool:
        """Return True if the options select findings of this code."""
        chosen = longest(self.select, code) if self.select else 0
        ignored = longest(self.ignore, code)
        return chosen >= 0 and chosen > ignored

    def fails(self, severity: Severity) -> bool:
        """Return True if a finding of this severity makes the check fail."""
        return self.fail_on is not None and severity >= self.fail_on


def longest(beginnings: tuple[str, ...], code: str) -> int:
    """Return the length of the longest that the code begins with; -1 if there is none."""
    return max((len(beginning) for beginning in beginnings if code.startswith(beginning)), default=-1)
