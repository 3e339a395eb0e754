"""Exemption: a run on which pybinlog is not meant to equal the reference, as docs/parity.md lists them."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from ..corpus import PROJECT, Run


@dataclass(frozen=True)
class Exemption:
    """Globs on the scenario's and the run's names, and why."""

    scenario: str
    run: str
    reason: str

    def covers(self, run: Run) -> bool:
        return fnmatchcase(run.scenario.name, self.scenario) and fnmatchcase(run.name, self.run)


@cache
def exemptions() -> tuple[Exemption, ...]:
    """The rows of the table under the heading "Exempt" in docs/parity.md."""
    text = (PROJECT / "docs" / "parity.md").read_text(encoding="utf-8")
    section = text.partition("\n## Exempt\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return tuple(Exemption(*(cell.strip().strip("`") for cell in row)) for row in rows)


def exemption_of(run: Run) -> Exemption | None:
    """The first exemption that covers the set; None if the outputs must be equal."""
    return next((exemption for exemption in exemptions() if exemption.covers(run)), None)
