"""The states that statements give to events of the scheduler."""

import pytest

from pybinlog.recover.scheduled_events import ScheduledEvents

BEFORE = {("shop", "e"): "ENABLED", ("shop", "off"): "DISABLED"}


@pytest.mark.parametrize(
    ("verb", "text", "states"),
    [
        ("CREATE EVENT", "CREATE EVENT n ON SCHEDULE EVERY 1 DAY DO SELECT 'DISABLE'", {("shop", "n"): "ENABLED"}),
        (
            "CREATE EVENT",
            "CREATE DEFINER=`a`@`b` EVENT IF NOT EXISTS `x`.`n` ON SCHEDULE AT NOW() ON COMPLETION PRESERVE DISABLE "
            "COMMENT 'ENABLE' DO SELECT 1",
            {("x", "n"): "DISABLED"},
        ),
        (
            "CREATE EVENT",
            "CREATE OR REPLACE EVENT e ON SCHEDULE EVERY 1 DAY DISABLE ON SLAVE DO SELECT 1",
            {("shop", "e"): "REPLICA_SIDE_DISABLED"},
        ),
        ("CREATE EVENT", "CREATE EVENT IF NOT EXISTS off ON SCHEDULE EVERY 1 DAY DO SELECT 1", {}),
        ("ALTER EVENT", "ALTER EVENT off COMMENT 'x'", {}),
        ("ALTER EVENT", "ALTER EVENT e DISABLE ON REPLICA", {("shop", "e"): "REPLICA_SIDE_DISABLED"}),
        ("ALTER EVENT", "ALTER EVENT off ENABLE DO SELECT 'DISABLE'", {("shop", "off"): "ENABLED"}),
        ("ALTER EVENT", "ALTER EVENT e RENAME TO x.f DISABLE", {("shop", "e"): None, ("x", "f"): "DISABLED"}),
        ("DROP EVENT", "DROP EVENT IF EXISTS e", {("shop", "e"): None}),
    ],
)
def test_a_statement_gives_an_event_its_state(verb: str, text: str, states: dict[tuple[str, str], str | None]) -> None:
    events = ScheduledEvents(BEFORE)
    events.follow(verb, text, "shop")
    expected = {key: state for key, state in {**BEFORE, **states}.items() if state is not None}
    assert (events.states, events.unclear) == (expected, "")


def test_a_dropped_database_takes_its_events_along() -> None:
    events = ScheduledEvents({**BEFORE, ("x", "e"): "ENABLED"})
    events.drop_database("shop")
    assert events.states == {("x", "e"): "ENABLED"}


def test_a_statement_that_is_not_understood_is_kept() -> None:
    events = ScheduledEvents(BEFORE)
    events.follow("ALTER EVENT", "ALTER EVENT 'e", "shop")
    assert events.unclear == "ALTER EVENT 'e"
