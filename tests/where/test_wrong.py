"""The sentence about a condition that is refused."""

import pytest

from pybinlog.where import Condition, WhereError
from tests.where.wrong import message, wrong

WRONG = wrong()


@pytest.mark.parametrize("each", WRONG, ids=[each["condition"] or "nothing" for each in WRONG])
def test_a_wrong_condition_says_what_is_wrong_with_it(each: dict[str, str]) -> None:
    assert message(each["condition"], each.get("log", "mysql.000001")) == each["says"] != ""


@pytest.mark.parametrize("zone", ["Nowhere/City", "+25:00", "", "../zone"])
def test_a_time_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(WhereError, match="is not a time zone"):
        Condition("id = 5", zone).check()


def test_a_deep_condition_is_refused() -> None:
    Condition("(" * 98 + "id = 5" + ")" * 98).check()
    with pytest.raises(WhereError, match="nested too deeply"):
        Condition("(" * 99 + "id = 5" + ")" * 99).check()
    with pytest.raises(WhereError, match="nested too deeply"):
        Condition("(" * 500 + "id = 5" + ")" * 500).check()
    with pytest.raises(WhereError, match="nested too deeply"):
        Condition("NOT " * 500 + "id = 5").check()
    with pytest.raises(WhereError, match="nested too deeply") as raised:
        Condition(" OR ".join(["id = 5"] * 500)).check()
    assert raised.value.hint == "It has at most 100 levels; IN (...) takes more values"


@pytest.mark.parametrize("count", [1, 2, 5000])
def test_a_list_may_be_long(count: int) -> None:
    values = ", ".join(str(number) for number in range(100 - count, 100))
    assert message(f"id NOT IN ({values})") == ""
    assert message(f"jd IN ({values})").startswith("where: the table w.t has no column `jd`")
