"""The views of every log of the corpus, beside the library's events and the reference's text."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import CorruptEventError
from tests.corpus import Scenario, more_scenarios, scenarios
from tests.views.conftest import ShortLogs
from tests.views.expected import Expected, view
from tests.views.row_places import PLACES, RowPlaces, in_order

pytest.importorskip("pyarrow")

INTACT = [scenario for scenario in scenarios() if scenario.intact]
REFUSED = ("maria_start_encryption", "unknown_not_ignorable")
OLD_TYPES = "old_types"
"""The lengths of their values are unknown."""
UNSEEN = [scenario for scenario in more_scenarios("unseen") if scenario.folder.name not in REFUSED]


def differing(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Compare row by row, for a message that can be read."""
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        assert one == other, f"row {number}"
    assert len(found) == len(wanted)


@cache
def worked_out(logs: tuple[Path, ...]) -> RowPlaces:
    """Slowly."""
    return RowPlaces.of(logs)


@pytest.mark.parametrize("scenario", INTACT + UNSEEN, ids=repr)
def test_events_and_transactions_are_those_of_the_library(scenario: Scenario, short_logs: ShortLogs) -> None:
    logs = short_logs(scenario)
    is_old = scenario.folder.name == OLD_TYPES
    expected = Expected.of(logs) if is_old else worked_out(tuple(logs))
    # tests/cli/commands/test_events.py compares `info` with what the servers said
    events = [{name: value for name, value in row.items() if name != "info"} for row in view(logs, "events")]
    differing(events, expected.events)
    if is_old:
        with pytest.raises(CorruptEventError, match="a row of the Write_rows event cannot be read"):
            view(logs, "transactions")
    else:
        differing(view(logs, "transactions"), expected.transactions)


@pytest.mark.parametrize("scenario", [s for s in INTACT + UNSEEN if s.folder.name != OLD_TYPES], ids=repr)
def test_rows_say_what_the_librarys_events_say(scenario: Scenario, short_logs: ShortLogs) -> None:
    logs = short_logs(scenario)
    wanted = worked_out(tuple(logs)).rows
    found = view(logs, "rows", ddl=True)
    for one, other in zip(found, wanted, strict=False):
        assert {name: one[name] for name in PLACES} == other
    assert len(found) == len(wanted)
    assert [row for row in found if row["operation"] == "DDL" and (row["before"], row["after"]) != (None, None)] == []
    in_order(found)
    # DDL has its number whether it is shown or not
    assert view(logs, "rows") == [row for row in found if row["operation"] != "DDL"]


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_rows_are_in_the_transactions(scenario: Scenario) -> None:
    transactions = view(scenario.logs, "transactions", columns=("rows", "gtid"))
    rows = view(scenario.logs, "rows", columns=("gtid",))
    assert sum(row["rows"] or 0 for row in transactions) == len(rows)
    assert {row["gtid"] for row in rows} <= {row["gtid"] for row in transactions}
