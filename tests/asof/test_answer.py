"""`log.rows_as_of`: rows at a moment, for the library's users."""

from datetime import datetime, timezone
from pathlib import Path

import pytest

import pybinlog
from tests.cli.conftest import real
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


def test_a_base_gives_all_rows_from_its_moment_on(tmp_path: Path) -> None:
    """The later log alone, with the rows of before, tells what both logs tell."""
    base = tmp_path / "orders.sql"
    asked = ["rows", "--table=shop.orders", f"--as-of={UUID}:6", "--format=sql"]
    base.write_bytes(real(*asked, str(TESTDATA / "shop")).out)
    for moment in (f"{UUID}:6", f"{UUID}:9"):
        with pybinlog.open(LOGS) as log:
            expected = {
                row["id"]: row["total"] for row in log.rows_as_of("shop.orders", moment) if row["_state"] == "present"
            }
            found = list(log.rows_as_of("shop.orders", moment, base=base))
        assert {row["id"]: row["total"] for row in found if row["_state"] == "present"} == expected
        assert expected


def test_a_base_without_a_moment_needs_base_at(tmp_path: Path) -> None:
    base = tmp_path / "orders.sql"
    asked = ["rows", "--table=shop.orders", f"--as-of={UUID}:6", "--format=sql"]
    lines = real(*asked, str(TESTDATA / "shop")).out.splitlines(keepends=True)
    base.write_bytes(b"".join(line for line in lines if b"CHANGE REPLICATION" not in line))
    with pybinlog.open(LOGS) as log:
        with pytest.raises(pybinlog.BinlogError, match="does not say of which moment") as refused:
            list(log.rows_as_of("shop.orders", f"{UUID}:9", base=base))
        assert "base_at=GTIDS" in str(refused.value)
        known = {row["id"] for row in log.rows_as_of("shop.orders", f"{UUID}:9")}
        found = list(log.rows_as_of("shop.orders", f"{UUID}:9", base=base, base_at=f"{UUID}:6"))
        assert {row["id"] for row in found} == known
        with pytest.raises(ValueError, match="give base, too"):
            list(log.rows_as_of("shop.orders", f"{UUID}:9", base_at=f"{UUID}:6"))


@pytest.mark.parametrize(("table", "moment"), [("orders", f"{UUID}:6"), ("shop.orders", "never"), ("a.b,c.d", "x:4")])
def test_what_is_not_one_table_or_moment_is_refused(table: str, moment: str) -> None:
    with pybinlog.open(LOGS) as log, pytest.raises(ValueError, match="is not"):
        list(log.rows_as_of(table, moment))
