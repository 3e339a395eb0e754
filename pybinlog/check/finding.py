"""Finding: one thing that is wrong with a log, or worth knowing of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class ReportFinding(Protocol):
    """The report of a rule: code, position, event type or None, whole sentences, and a severity below the usual."""

    def __call__(
        self, code: str, position: int, event_type: int | None, message: str, severity: Severity | None = None, /
    ) -> None: ...


class Severity(IntEnum):
    """How much a finding matters; the greater, the more."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """As it is printed."""
        return self.name.lower()


@dataclass(frozen=True)
class Finding:
    """`code` is stable (docs/check.md). `position` is the offset in the uncompressed stream, in bytes.

    `event_type` is the printed name of the event, "" if the finding is about no event. `message` says what is
    wrong, `advice` what to do; both are whole sentences.
    """

    code: str
    severity: Severity
    file: str
    position: int
    event_type: str
    message: str
    advice: str

    @property
    def fingerprint(self) -> tuple[str, str, int]:
        """The identity of the finding in another run: code, base name of the file, position."""
        return self.code, self.file.replace("\\", "/").rpartition("/")[2], self.position
