"""The errors and events of the scenarios of a real server, stored so that they are compared without one.

`python -m tests.simulate.stored_events` stores what the model gives: do so when `test_real_server` passes, which finds
the same on a real server.
"""

import json
import lzma
from pathlib import Path
from typing import Any

from pybinlog.simulate import Scenario, simulate
from tests.simulate.real_scenarios import SCENARIOS
from tests.simulate.real_server import events_of, relaxed, shown

FILE = Path(__file__).with_name("stored_events.xz")
FORMATS = "STATEMENT", "ROW", "MIXED"


def found(name: str, form: str) -> list[str]:
    """The errors of a scenario with a format, and the events of its logs."""
    result = simulate(relaxed(Scenario.parse(f"-- server: format={form}\n{SCENARIOS[name]}", name)))
    errors = [f"line {line}: error {number}" for line, number, _ in result.errors]
    return errors + [shown(fact) for fact in events_of(result.files)]


def names() -> list[tuple[str, str]]:
    return [(name, form) for name in SCENARIOS for form in FORMATS]


def stored() -> Any:
    """Return by "scenario format" the lines."""
    return json.loads(lzma.decompress(FILE.read_bytes()))


def main() -> None:
    lines = {f"{name} {form}": found(name, form) for name, form in names()}
    FILE.write_bytes(lzma.compress(json.dumps(lines, indent=0, ensure_ascii=False).encode("utf-8", "surrogateescape")))


if __name__ == "__main__":
    main()
