"""The scenarios of docs/simulate.md and simulate-model.md, and those of the worklogs."""

import re
from dataclasses import dataclass

from tests.corpus import PROJECT

DOCUMENTS = PROJECT / "docs" / "simulate.md", PROJECT / "docs" / "simulate-model.md"
WORKLOGS = PROJECT / "tests" / "simulate" / "worklog_examples.md"
LINES = r"(?:(?!```).*\n)*"
BLOCK = re.compile(rf"^```sql\n({LINES})```\n((?:\n```text\n{LINES}```\n)*)", re.MULTILINE)
OUTLINE = re.compile(rf"```text\n(?:# with (.*)\n)?({LINES})```")


@dataclass(frozen=True)
class Example:
    """A scenario, settings that are to hold in place of its own, and the outline that the document shows of its logs.

    The outline is of whole logs where it begins with the name of one, else of what follows the tables' definitions;
    None where the document shows none.
    """

    document: str
    number: int
    scenario: bytes
    settings: str
    outline: str | None

    def __repr__(self) -> str:
        return f"{self.document}-{self.number}{'-' + self.settings.replace(' ', '-') if self.settings else ''}"


def examples() -> list[Example]:
    """The scenarios in the order of the documents, once for each outline."""
    found = []
    for document in (*DOCUMENTS, WORKLOGS):
        text = document.read_text(encoding="utf-8")
        for number, match in enumerate(BLOCK.finditer(text), start=1):
            for settings, outline in OUTLINE.findall(match[2]) or [("", None)]:
                found.append(Example(document.stem, number, match[1].encode(), settings, outline))
    return found
