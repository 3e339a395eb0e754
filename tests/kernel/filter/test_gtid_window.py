"""Which transactions lie between two positions by GTID, one less, equal and one more, and what such positions lack."""

import pytest

from pybinlog.kernel.filter.gtid_window import GtidWindow
from tests.cli.conftest import real
from tests.dump.test_maria_gtids import ALL, GTID, LOGS

LATER = ALL[8:]
"""The GTIDs of the later logs; the first of these logs begins with a Gtid_list of 3-1-4 and 7-99-1001."""
ENDS = "WARNING: The logs end before the transaction {}, which --stop-position names.\n"
NEVER = (
    "ERROR: the logs never reach {}, the position of --start-position. Name a GTID of these logs, or add the logs that "
    "follow; give a date with --start-datetime.\n"
)
LACKS = (
    f"ERROR: {LOGS[1]}, at 256: the log does not match the requested position: it begins after {{}}. Give the logs "
    "from that position on; a start position names a GTID of each domain in the Gtid_list.\n"
)


def printed(arguments: str, *logs: object) -> tuple[list[bytes], str]:
    result = real("--no-tbm", *arguments.split(), *map(str, logs))
    return GTID.findall(result.out), result.err


@pytest.mark.parametrize(
    ("arguments", "chosen", "error"),
    [
        ("--start-position=3-1-4,7-99-1001", LATER, ""),
        ("--start-position=3-1-5,7-99-1001", LATER, NEVER.format("3-1-5")),
        ("--start-position=3-1-3,7-99-1001", [], LACKS.format("3-1-4, and so lacks transactions of domain 3")),
        ("--start-position=3-1-4", [], LACKS.format("7-99-1001, and the start position names no GTID of domain 7")),
        ("--stop-position=3-1-3", [], ENDS.format("3-1-3") + LACKS.format("3-1-4, and so after the stop position")),
        ("--stop-position=3-1-4", [], ENDS.format("3-1-4") + LACKS.format("3-1-4, and so after the stop position")),
        ("--stop-position=3-1-5", [], ENDS.format("3-1-5")),
        ("--stop-position=7-99-1002,4294967295-99-2", LATER[:2], ENDS.format("7-99-1002")),
        ("--stop-position=4294967295-99-2", LATER[:2], ""),
    ],
)
def test_a_log_that_begins_with_a_list_fits_the_positions_or_not(
    arguments: str, chosen: list[bytes], error: str
) -> None:
    assert printed(arguments, *LOGS[1:]) == (chosen, error)


@pytest.mark.parametrize(
    ("arguments", "chosen", "error"),
    [
        ("--start-position=7-1-1 --stop-position=3-1-1", ALL[:1], ""),
        ("--start-position=3-1-2 --stop-position=3-1-4,7-99-2", ALL[2:6], ""),
        ("--start-position=3-1-1 --stop-position=7-99-1000", ALL[4:7], ""),
        ("--start-position=7-99-1001", ALL[:4] + LATER, ""),
        ("--start-position=7-99-1002", ALL[:4] + LATER, NEVER.format("7-99-1002")),
        ("--stop-position=3-1-2,7-1-1,4294967295-99-7", [*ALL[:2], ALL[4], *LATER], ENDS.format("4294967295-99-7")),
        ("--start-position=7-99-5 --stop-position=7-99-999,3-1-1", ALL[:1], ENDS.format("7-99-999")),
    ],
)
def test_each_domain_is_passed_by_itself(arguments: str, chosen: list[bytes], error: str) -> None:
    assert printed(arguments, *LOGS) == (chosen, error)


def test_a_window_has_each_domain_once() -> None:
    window = GtidWindow([(3, 1, 2), (7, 1, 1)], [(7, 1, 5), (4, 1, 1)])
    assert window.packed() == (((0, False),) * 3, False, False)
    assert window.never_reached() == ["7-1-1"]
    assert window.not_stopped() == ["7-1-5", "4-1-1"]
