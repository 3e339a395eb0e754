"""`log.rows_as_of`: rows at a moment, for the library's users."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

import pybinlog
from tests.corpus import TESTDATA

LOGS = str(TESTDATA / "shop" / "binlog.0*")
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"


def test_rows_as_of_a_gtid_are_dictionaries() -> None:
    with pybinlog.open(LOGS) as log:
        (row,) = log.rows_as_of("shop.orders", f"{UUID}:6", where="id = 5")
    assert {name: row[name] for name in ("id", "status", "_state", "_missing", "_gtid")} == {
        "id": 5,
        "status": "paid",
        "_state": "present",
        "_missing": None,
        "_gtid": f"{UUID}:6",
    }


def test_a_time_is_before_the_transactions_from_then_on() -> None:
    moment = datetime(2026, 11, 24, 20, 10, 7, tzinfo=timezone.utc)
    with pybinlog.open(LOGS) as log:
        found = {row["id"]: row["status"] for row in log.rows_as_of("shop.orders", moment)}
    assert (found[5], 7 in found) == ("paid", False)


def test_what_is_uncertain_is_a_warning() -> None:
    moment = datetime(2037, 1, 1, tzinfo=timezone.utc)
    with pybinlog.open(LOGS) as log, pytest.warns(pybinlog.BinlogWarning, match="the rows are those at their end"):
        assert list(log.rows_as_of("shop.orders", moment))


@pytest.mark.parametrize(("table", "moment"), [("orders", f"{UUID}:6"), ("shop.orders", "never"), ("a.b,c.d", "x:4")])
def test_what_is_not_one_table_or_moment_is_refused(table: str, moment: str) -> None:
    with pybinlog.open(LOGS) as log, pytest.raises(ValueError, match="is not"):
        list(log.rows_as_of(table, moment))
