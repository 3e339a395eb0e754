"""The scenarios of docs/simulate.md."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.corpus import PROJECT

__all__ = ["DOCUMENT", "Example", "examples"]

DOCUMENT = PROJECT / "docs" / "simulate.md"
LINES = r"((?:(?!```).*\n)*)"
BLOCK = re.compile(rf"^```sql\n{LINES}```\n(?:\n```text\n{LINES}```\n)?", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A scenario, and the outline of its logs where the document shows it."""

    number: int
    scenario: bytes
    outline: str | None

    def __repr__(self) -> str:
        return f"scenario-{self.number}"


def examples() -> list[Example]:
    """The scenarios in the order of the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return [Example(number, match[1].encode(), match[2]) for number, match in enumerate(BLOCK.finditer(text), start=1)]
