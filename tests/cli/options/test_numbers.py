"""Numbers outside an option's limits."""

from __future__ import annotations

import pytest

from tests.cli.conftest import parsed, real
from tests.corpus import TESTDATA

LOG = TESTDATA / "corpus" / "mysql-9.7" / "row-basic" / "binlog.000001"


@pytest.mark.parametrize(
    ("option", "lowest", "highest"),
    [("read-timeout", 1, 86400), ("start-position", 4, None), ("stop-position", 4, None)],
)
def test_a_limit_is_taken_as_it_is_and_what_is_beyond_it_becomes_the_limit(
    option: str, lowest: int, highest: int | None
) -> None:
    for limit, beyond in ((lowest, lowest - 1), *([] if highest is None else [(highest, highest + 1)])):
        assert parsed(f"--{option}={limit}", "a.000001").err == ""
        assert f"--{option}={beyond} is out of range; using {limit}." in parsed(f"--{option}={beyond}", "a.000001").err


@pytest.mark.parametrize("command", ["events", "export", "rows", "stats", "transactions", "undo"])
@pytest.mark.parametrize("option", ["start-position", "stop-position"])
def test_no_event_is_before_position_4(command: str, option: str) -> None:
    words = (command, *(["-o", "-"] if command == "export" else []), "--table=none", str(LOG))
    assert "out of range" not in real(*words, f"--{option}=4").err
    assert f"--{option}=3 is out of range; using 4." in real(*words, f"--{option}=3").err
