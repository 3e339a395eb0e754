"""Scenarios that a real server was given: the model still fails and writes as both did then."""

import pytest

from .stored_events import found, names, stored

STORED = stored()


@pytest.mark.parametrize(("name", "form"), names())
def test_a_scenario_gives_the_stored_events(name: str, form: str) -> None:
    assert found(name, form) == STORED[f"{name} {form}"]


def test_every_stored_scenario_is_there() -> None:
    assert [f"{name} {form}" for name, form in names()] == list(STORED)
