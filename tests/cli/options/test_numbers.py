"""Numbers outside an option's limits."""

from __future__ import annotations

import pytest

from tests.cli.conftest import parsed


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
