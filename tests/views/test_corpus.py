"""The views of every log of the corpus, beside the library's events and the reference's text."""

from __future__ import annotations

from typing import Any

import pytest

import pybinlog
from pybinlog.event_types import ROW_TYPES
from tests.cli.conftest import real
from tests.corpus import Run, Scenario, more_scenarios, scenarios
from tests.views.expected import Expected, rows_of_text, view

pytest.importorskip("pyarrow")

INTACT = [scenario for scenario in scenarios() if scenario.intact]
REFUSED = ("maria_start_encryption", "unknown_not_ignorable")
UNCOUNTED = ("old_types",)
"""Rows with values of whose length the kernel knows nothing."""
UNSEEN = [scenario for scenario in more_scenarios("unseen") if scenario.folder.name not in REFUSED]
USUAL = {"-v", "-vv", "--base64-output=DECODE-ROWS"}


def shows_rows(run: Run) -> bool:
    """Whether the text has all rows of the logs as pseudo-SQL, and nothing was asked for that changes them."""
    given = set(run.arguments)
    return (
        bool({"-v", "-vv"} & given)
        and given <= USUAL | set(run.logs)
        and run.status == 0
        and not run.of_mariadb_binlog
        and "geometry" not in run.scenario.name  # the text ends at the first value
    )


ROW_TEXTS = [run for scenario in INTACT for run in scenario.runs.values() if shows_rows(run)]


def differing(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Compare row by row, for a message that can be read."""
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        assert one == other, f"row {number}"
    assert len(found) == len(wanted)


@pytest.mark.parametrize("scenario", INTACT + UNSEEN, ids=repr)
def test_events_and_transactions_are_those_of_the_library(scenario: Scenario) -> None:
    expected = Expected.of(scenario.logs)
    differing(view(scenario.logs, "events"), expected.events)
    found, wanted = view(scenario.logs, "transactions"), expected.transactions
    if scenario.folder.name in UNCOUNTED:
        assert [row["rows"] for row in found] == [None]
        wanted = [{**row, "rows": None} for row in wanted]
    differing(found, wanted)


@pytest.mark.parametrize("run", ROW_TEXTS, ids=repr)
def test_rows_have_the_values_of_the_references_text(run: Run) -> None:
    output = run.output
    if not isinstance(output, bytes):
        pytest.skip("only a hash of the text is kept")
    logs = [run.scenario.folder / name for name in run.logs]
    found = view(logs, "rows")
    changes = [change_of(row) for row in found]
    wanted: list[Any] = list(rows_of_text(output))
    if any(not str(name).startswith("@") for row in found for name in row["before"] or row["after"]):
        # with binlog_row_metadata=FULL columns have names, which the text does not show
        changes, wanted = [without_names(change) for change in changes], [without_names(change) for change in wanted]
    cut = {change[1:3] for change in wanted if "!! Don't know" in str(change)}  # the text ends at such a value
    differing(
        [change for change in changes if change[1:3] not in cut],
        [change for change in wanted if change[1:3] not in cut],
    )
    assert {change[1:3] for change in changes} >= cut


def change_of(row: dict[str, Any]) -> Any:
    return row["operation"], row["database"], row["table"], row["before"], row["after"]


def without_names(change: Any) -> Any:
    """The values of its images in their order."""
    return (*change[:3], *(None if image is None else list(image.values()) for image in change[3:]))


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_rows_have_the_values_of_the_dump(scenario: Scenario) -> None:
    names = [str(path) for path in scenario.logs]
    text = real("-v", "--force-if-open", "--base64-output=decode-rows", *names).out
    wanted = list(rows_of_text(text))
    cut = {change[1:3] for change in wanted if "!! Don't know" in str(change)}  # the text ends at such a value
    found = [change_of(row) for row in view(names, "rows")]
    differing(
        [without_names(change) for change in found if change[1:3] not in cut],
        [without_names(change) for change in wanted if change[1:3] not in cut],
    )


@pytest.mark.parametrize("scenario", [s for s in INTACT if "geometry" in s.name], ids=repr)
def test_values_that_the_dump_does_not_show_are_there_in_hexadecimal(scenario: Scenario) -> None:
    wanted: list[str] = []
    for path in scenario.logs:
        with pybinlog.open(path) as log:
            for event in log:
                if event.type_code in ROW_TYPES:
                    for image in (image for row in event.rows for image in row if image is not None):
                        wanted += [f"X'{value.hex()}'" for value in image.values() if isinstance(value, bytes)]
    found = view(scenario.logs, "rows")
    values = [value for row in found for image in (row["before"], row["after"]) for value in (image or {}).values()]
    assert wanted
    assert [value for value in values if value and value.startswith("X'")] == wanted


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_rows_are_in_the_transactions(scenario: Scenario) -> None:
    transactions = view(scenario.logs, "transactions")
    rows = view(scenario.logs, "rows")
    assert sum(row["rows"] or 0 for row in transactions) == len(rows)
    assert {row["gtid"] for row in rows} <= {row["gtid"] for row in transactions}
