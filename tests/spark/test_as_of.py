"""The rows of a table at a moment as a DataFrame: those of `rows --as-of`, in one share or several."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

SHOP = TESTDATA / "shop"
REPLACED = TESTDATA / "asof" / "mariadb-replace.000001"
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"


def as_of(spark: Any, moment: str, path: Path = SHOP, table: str = "shop.orders", **options: str) -> Any:
    reader = spark.read.format("binlog").options(view="table", table=table, asOf=moment, **options)
    return reader.load(str(path))


def by_command(moment: str, *options: str, path: Path = SHOP, table: str = "shop.orders") -> list[dict[str, Any]]:
    """Return the rows that were there, with the columns of the table alone."""
    shown = real("rows", f"--table={table}", f"--as-of={moment}", "--present", "--format=jsonl", *options, str(path))
    rows = map(json.loads, shown.out.splitlines())
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]


def plain(rows: list[Any]) -> list[dict[str, Any]]:
    return [{name: float(v) if name == "total" else v for name, v in row.asDict().items()} for row in rows]


@pytest.mark.parametrize("shares", ["1", "3"])
@pytest.mark.parametrize("moment", [f"{UUID}:5", f"{UUID}:6", f"{UUID}:9"])
def test_the_rows_are_those_of_the_command(spark: Any, moment: str, shares: str) -> None:
    found = as_of(spark, moment, shares=shares)
    expected = by_command(moment)
    assert expected
    assert sorted(plain(found.collect()), key=str) == sorted(expected, key=str)
    assert found.rdd.getNumPartitions() == int(shares)


def test_a_condition_is_asked_of_the_row_as_it_was(spark: Any) -> None:
    found = as_of(spark, f"{UUID}:6", shares="2", where="status = 'paid'").collect()
    assert plain(found) == by_command(f"{UUID}:6", "--where=status = 'paid'") != []
    assert as_of(spark, f"{UUID}:6").filter("status = 'paid'").count() == len(found)


def test_rows_that_the_logs_do_not_tell_apart_are_read_as_one_share(spark: Any) -> None:
    """REPLACE on MariaDB, with images that lack columns: what they lack is null."""
    found = [row.asDict() for row in as_of(spark, "2037-01-01", REPLACED, "b.t", shares="3").collect()]
    assert {row["id"]: row for row in found}[1] == {"id": 1, "a": 10, "v": None, "x": None}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"asOf": "soon"}, "'soon' is not a moment"),
        ({"asOf": f"{UUID}:6", "view": "rows"}, "option asOf: it is about one table"),
        ({"asOf": f"{UUID}:6", "startTime": "2026-01-01"}, "option startTime: asOf needs all"),
        ({"asOf": f"{UUID}:6", "table": "shop.nothing"}, "shop.nothing had no row at that moment"),
        ({"shares": "3"}, "option shares: it is about asOf, which is not given"),
        ({"asOf": f"{UUID}:6", "shares": "none"}, "'none' is not a number above 0"),
    ],
)
def test_what_cannot_be_read_is_refused(spark: Any, options: dict[str, str], says: str) -> None:
    given = {"view": "table", "table": "shop.orders", **options}
    if given["view"] != "table":
        del given["table"]
    with pytest.raises(Exception, match=says):
        spark.read.format("binlog").options(**given).load(str(SHOP))


def test_a_stream_is_refused(spark: Any) -> None:
    reader = spark.readStream.format("binlog").options(view="table", table="shop.orders", asOf=f"{UUID}:6")
    with pytest.raises(Exception, match="a stream has no end"):
        reader.load(str(SHOP)).writeStream.format("noop").start().awaitTermination()
