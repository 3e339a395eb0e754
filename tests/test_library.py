"""pybinlog.open, Log and Event on real logs, and the examples of docs/library.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import ROW_TYPES
from tests.corpus import PROJECT, Scenario, scenarios

INTACT = [scenario for scenario in scenarios() if scenario.intact and scenario.folder.name != "large"]


def test_the_examples_in_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    results = doctest.testfile(str(PROJECT / "docs" / "library.md"), module_relative=False, encoding="utf-8")
    assert results.attempted > 20
    assert results.failed == 0


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_every_event_of_an_intact_log_has_a_body_and_its_rows(scenario: Scenario) -> None:
    for path in scenario.logs:
        end = 4
        with pybinlog.open(path) as log:
            for event in log:
                assert event.position == end
                end += event.size
                assert event.refused is None
                assert event.body is not None
                if event.type_code in ROW_TYPES:
                    assert event.table_map is not None
                    assert all(row.before is not None or row.after is not None for row in event.rows)
                for inner in event.events():
                    assert inner.body is not None
                    if inner.type_code in ROW_TYPES:
                        assert isinstance(inner.rows, list)
        assert end == path.stat().st_size


def test_rows_without_their_table_map_are_an_error_that_says_so() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    with pybinlog.open(path, start_position=1230) as log:
        rows = next(event for event in log if event.type_code in ROW_TYPES)
    with pytest.raises(pybinlog.CorruptEventError, match="no Table_map came") as caught:
        rows.rows  # noqa: B018
    assert caught.value.position == 1230


def test_only_row_events_have_rows() -> None:
    path = next(scenario for scenario in scenarios() if scenario.name == "mysql-9.7/row-basic").logs[0]
    event = next(iter(pybinlog.open(path)))
    with pytest.raises(TypeError, match="Format_desc"):
        event.rows  # noqa: B018


def test_a_file_that_is_missing_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(pybinlog.SourceError, match="nosuch"):
        pybinlog.open(tmp_path / "nosuch.000001")


@pytest.mark.parametrize("position", [-1, 1 << 64])
def test_a_position_that_no_log_has_is_a_value_error(tmp_path: Path, position: int) -> None:
    with pytest.raises(ValueError, match="a log has no position"):
        pybinlog.open(tmp_path / "nosuch.000001", start_position=position)


def test_every_public_name_can_be_imported() -> None:
    for name in pybinlog.__all__:
        assert getattr(pybinlog, name) is not None
