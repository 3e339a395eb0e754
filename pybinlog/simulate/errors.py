"""The errors of scenarios."""

from __future__ import annotations

from pybinlog.errors import BinlogError


class ScenarioError(BinlogError):
    """A scenario cannot be run: it names the file and the line (`line`, from 1; None for the whole file)."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None, hint: str | None = None):
        super().__init__(message, file=file, hint=hint)
        self.line = line

    def in_line(self, file: str, line: int) -> ScenarioError:
        """Return the same error, with file and line filled in if they were not known."""
        self.file = self.file or file
        self.line = self.line or line
        return self

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.file, f"line {self.line}" if self.line else None) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text
