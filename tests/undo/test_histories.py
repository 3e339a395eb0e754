"""Histories of definitions and rows on real servers: names, undo and redo are what the server shows, or refused."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.undo.change import event_findings
from tests.server import Server, running
from tests.undo.histories import ARGUMENTS, expected_of, one_run, reason_of
from tests.undo.histories import Step as HistoryStep
from tests.undo.parts import change_of, request_of, table_of
from tests.undo.witness import REASONS

ANY_CASE = {"mysql": False, "mariadb": False, "mariadb-any-case": True}


@pytest.fixture(scope="module", params=list(ANY_CASE))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[Server, bool]]:
    any_case = ANY_CASE[request.param]
    kind = request.param.partition("-")[0]
    arguments = [*ARGUMENTS[kind], *["--lower-case-table-names=1"] * any_case]
    with running(kind, "histories", *arguments) as running_server:
        yield running_server, any_case


@pytest.mark.parametrize("seed", range(6))
def test_a_history_is_understood(server: tuple[Server, bool], seed: int, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    one_run(server[0], seed, tmp_path, outcomes, any_case=server[1])
    assert outcomes.total() > 0


def test_the_expected_state_lacks_what_the_steps_changed() -> None:
    def state(*rows: tuple[str, str]) -> dict[tuple[str, str], tuple[tuple[str, ...], Counter[tuple[str | None, ...]]]]:
        return {("b", "t"): (("id", "a"), Counter(rows))}

    step = HistoryStep("UPDATE", state(("1", "2"), ("3", "4")), state(("1", "9"), ("3", "4")), 5, 5)
    now = state(("1", "9"), ("7", "7"))
    assert expected_of(now, [step], None) == state(("1", "2"), ("7", "7"))
    assert expected_of(now, [step], ("b", "u")) == now


def test_a_reason_has_no_names_and_numbers() -> None:
    error = "ERROR: b.000001, at 5: a statement changes the definition of b.t, whose rows are to be taken back: DROP x."
    assert reason_of(error) == "a statement changes the definition of T, whose rows are to be taken back"
    assert reason_of("ERROR: x, at 5: 3 of 4 rows of c.u was changed again, here first by 0-1-7.") == (
        "N of N rows of T was changed again"
    )


@pytest.mark.parametrize("operation", ["INSERT", "UPDATE", "DELETE"])
def test_the_witness_knows_why_an_image_that_lacks_a_value_is_refused(operation: str) -> None:
    change = change_of(table_of(is_known=False, names=False), operation, before=1, after=1)
    (finding,) = event_findings(change, request_of(as_events=True))
    assert [kind for pattern, kind in REASONS if re.search(pattern, f"{finding.what}. {finding.way_out}")] == ["images"]
