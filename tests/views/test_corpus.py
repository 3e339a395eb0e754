"""The views of every log of the corpus, beside the library's events and the reference's text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.corpus import Scenario, more_scenarios, scenarios
from tests.views.conftest import ShortLogs
from tests.views.expected import Expected, view

pytest.importorskip("pyarrow")

INTACT = [scenario for scenario in scenarios() if scenario.intact]
REFUSED = ("maria_start_encryption", "unknown_not_ignorable")
UNSEEN = [scenario for scenario in more_scenarios("unseen") if scenario.folder.name not in REFUSED]


def differing(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Compare row by row, for a message that can be read."""
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        assert one == other, f"row {number}"
    assert len(found) == len(wanted)


@pytest.mark.parametrize("scenario", INTACT + UNSEEN, ids=repr)
def test_events_and_transactions_are_those_of_the_library(scenario: Scenario, short_logs: ShortLogs) -> None:
    logs = short_logs(scenario)
    expected = Expected.of(logs)
    # tests/cli/commands/test_events.py compares `info` with what the servers said
    events = [{name: value for name, value in row.items() if name != "info"} for row in view(logs, "events")]
    differing(events, expected.events)
    differing(view(logs, "transactions"), expected.transactions)


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_rows_are_in_the_transactions(scenario: Scenario) -> None:
    transactions = view(scenario.logs, "transactions", columns=("rows", "gtid"))
    rows = view(scenario.logs, "rows", columns=("gtid",))
    assert sum(row["rows"] or 0 for row in transactions) == len(rows)
    assert {row["gtid"] for row in rows} <= {row["gtid"] for row in transactions}
