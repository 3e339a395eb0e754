"""The bars of a time axis, and names on a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pybinlog.report.facts import MOST_BARS, STEPS, Bars, Names

UNITS = (1, 60, 3600, 86400)


@given(some.lists(some.integers(0, 2**32 - 1), max_size=50), some.sampled_from(UNITS))
def test_each_time_has_a_bar_and_bars_are_few(times: list[int], unit: int) -> None:
    cut = [time - time % unit for time in times]
    bars = Bars(cut, unit)
    assert bars.count <= MOST_BARS
    assert bars.step >= unit
    for time in cut:
        assert 0 <= bars.of(time) < bars.count
        assert bars.first + bars.of(time) * bars.step <= time < bars.first + (bars.of(time) + 1) * bars.step


@given(some.integers(0, 2**31), some.integers(1, 10**7))
def test_bars_are_as_short_as_their_number_allows(first: int, length: int) -> None:
    step = Bars([first, first + length], 1).step
    shorter = STEPS[STEPS.index(step) - 1] if step > 1 else None
    assert shorter is None or (first + length) // shorter - first // shorter >= MOST_BARS


@pytest.mark.parametrize(
    ("digest", "shown"),
    [
        ("CREATE TABLE `secret` ( `id` INTEGER )", "CREATE TABLE"),
        ("CREATE UNIQUE INDEX `i` ON `secret` ( `id` )", "CREATE INDEX"),
        ("TRUNCATE `secret`", "TRUNCATE"),
        ("TRUNCATE STATUS", "TRUNCATE"),
        ("DROP TEMPORARY TABLE IF EXISTS `secret`", "DROP TABLE"),
        ("ALTER TABLE STATUS ADD COLUMN `x` INTEGER", "ALTER TABLE"),
        ("`secret` TABLE", "(DDL) TABLE"),
        ("STATUS", "(DDL)"),
        ("", "(DDL)"),
    ],
)
def test_masked_definitions_have_their_first_words(digest: str, shown: str) -> None:
    assert Names([], masked=True).definition(digest) == shown
    assert Names([], masked=False).definition(digest) == digest


def test_masked_names_are_numbers_in_the_order_of_the_tables() -> None:
    names = Names(["shop.orders", "shop.customer"], masked=True)
    assert [names[name] for name in ("shop.customer", "shop.orders", "other.t", "shop.customer", None)] == [
        *("table 2", "table 1", "table 3", "table 2", "(no table)")
    ]
    assert names.statement("UPDATE `shop` . `orders` SET STATUS = ?", 4) == "UPDATE (statement 4)"
    for broken in ("`orders` SET", "STATUS = ?", "(other statements)", ""):
        assert names.statement(broken, 5) == "(statement 5)"


def test_controls_in_names_are_shown_as_escapes() -> None:
    assert Names(["a.\x1b[2J"], masked=False)["a.\x1b[2J"] == "a.\\x1b[2J"
