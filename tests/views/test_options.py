"""The options of a view: each is a condition on its columns."""

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pybinlog.filters import event_types
from pybinlog.views.options import ViewOptions, names, tables
from pybinlog.views.reader import ViewReader
from tests.corpus import Scenario, scenarios
from tests.views.expected import view

pytest.importorskip("pyarrow")

Row = dict[str, Any]


def scenario(name: str) -> Scenario:
    return next(found for found in scenarios() if found.name == name)


BASIC = scenario("mysql-9.7/row-basic").logs
LASTING = scenario("mysql-9.7/relay").logs
TAGGED = scenario("mysql-9.7/tagged-gtid").logs
MARIA = scenario("mariadb-10.11/row").logs


def microseconds(time: datetime) -> int:
    return int(time.replace(microsecond=0).timestamp()) * 1_000_000 + time.microsecond


def check(logs: list[Path], name: str, condition: Callable[[Row], Any], **options: Any) -> list[Row]:
    """The view with the options holds exactly the rows of the view that fit the condition, and some do and some not."""
    everything = view(logs, name)
    wanted = [row for row in everything if condition(row)]
    assert view(logs, name, **options) == wanted
    assert 0 < len(wanted) < len(everything)
    return wanted


@pytest.mark.parametrize("name", ["events", "rows"])
def test_databases_and_tables(name: str) -> None:
    check(BASIC, name, lambda row: row["table"] == "orders", tables=tables("orders"))
    check(BASIC, name, lambda row: row["table"] == "orders", tables=tables("shop.orders"))
    assert view(BASIC, name, tables=tables("other.orders")) == []
    assert view(BASIC, name, databases=names("other")) == []
    everything = view(BASIC, name)
    assert view(BASIC, name, databases=names("shop, other")) == [r for r in everything if r["database"] == "shop"]


def test_transactions_that_touch_a_table() -> None:
    check(BASIC, "transactions", lambda row: "shop.orders" in row["tables"], tables=tables("orders"))
    touched = {row["gtid"] for row in view(BASIC, "events", databases=names("shop"))}
    assert {row["gtid"] for row in view(BASIC, "transactions", databases=names("shop"))} == touched


def test_event_types() -> None:
    check(BASIC, "events", lambda row: row["event_type"] in ("Query", "Xid"), types=event_types("query, XID"))
    check(BASIC, "rows", lambda row: row["operation"] == "UPDATE", types=event_types("Update_rows"))
    found = view(BASIC, "transactions", types=event_types("Delete_rows"))
    assert {row["gtid"] for row in found} == {
        row["gtid"] for row in view(BASIC, "events", types=event_types("Delete_rows"))
    }


@pytest.mark.parametrize("name", ["events", "transactions", "rows"])
def test_gtids(name: str) -> None:
    gtids = sorted({row["gtid"] for row in view(BASIC, "rows")})
    check(BASIC, name, lambda row: row["gtid"] in gtids[1:3], include_gtids=",".join(gtids[1:3]))


@pytest.mark.parametrize("name", ["events", "transactions", "rows"])
def test_gtids_of_mariadb(name: str) -> None:
    gtids = sorted({row["gtid"] for row in view(MARIA, "rows")}, key=lambda gtid: int(gtid.split("-")[2]))
    check(MARIA, name, lambda row: row["gtid"] in (gtids[1], gtids[3]), include_gtids=f"{gtids[1]},{gtids[3]}")
    domain, server, number = gtids[1].split("-")
    check(
        MARIA,
        name,
        lambda row: (
            row["gtid"] is not None
            and row["gtid"].startswith(f"{domain}-{server}-")
            and int(row["gtid"].split("-")[2]) <= int(number)
        ),
        include_gtids=f"{domain}-{server}-0:{number}",
    )


def test_tagged_gtids() -> None:
    tagged = sorted({row["gtid"] for row in view(TAGGED, "transactions") if row["gtid"].count(":") == 2})
    check(TAGGED, "events", lambda row: row["gtid"] == tagged[0], include_gtids=tagged[0])


@pytest.mark.parametrize(("name", "column"), [("events", "timestamp"), ("transactions", "commit_time")])
def test_times_are_a_half_open_interval(name: str, column: str) -> None:
    times = sorted({row[column] for row in view(LASTING, name) if row[column] is not None})
    first, last = times[len(times) // 3], times[-1]
    check(
        LASTING,
        name,
        lambda row: row[column] is not None and first <= row[column] < last,
        start_time=microseconds(first),
        stop_time=microseconds(last),
    )


def test_positions() -> None:
    check(BASIC, "events", lambda row: 1000 <= row["position"] < 2000, first_position=1000, stop_position=2000)


def test_columns_come_in_the_order_they_are_asked_for() -> None:
    reader = ViewReader(ViewOptions(view="rows", columns=("after", "TABLE", "gtid")))
    assert reader.schema.names == ["after", "table", "gtid"]
    found = view(BASIC, "rows", columns=("after", "table", "gtid"))
    assert found == [{name: row[name] for name in ("after", "table", "gtid")} for row in view(BASIC, "rows")]
    assert view(BASIC, "events", columns=()) == [{}] * 75


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_batches_are_bounded_by_bytes(size: int) -> None:
    for name in ("events", "transactions", "rows"):
        assert view(MARIA, name, batch_bytes=size) == view(MARIA, name)
        assert view(BASIC, name, batch_rows=size) == view(BASIC, name)
    reader = ViewReader(ViewOptions(view="rows", batch_bytes=size))
    from pybinlog.feed.span import Span

    for log in BASIC:
        for batch in reader.read(Span((str(log),))):
            # what counts are the strings; the row that makes a batch full is the last
            before = batch.slice(0, batch.num_rows - 1)
            strings = [column for column in before.columns if column.type == "string"]
            held = sum(len(text.encode()) for column in strings for text in column.to_pylist() if text is not None)
            assert held < size or batch.num_rows == 1


def test_names_in_backticks() -> None:
    assert tables("a.b, `c.d`, `e,f`.`g``h`") == {("a", "b"), (None, "c.d"), ("e,f", "g`h")}
    assert names("a, `b.c`") == {"a", "b.c"}
    for wrong in ("a.b.c", "`a"):
        with pytest.raises(ValueError):
            tables(wrong)
    with pytest.raises(ValueError):
        names("a.b")
    with pytest.raises(ValueError, match="is not an event type"):
        event_types("Qeury")


def test_times_are_in_utc() -> None:
    for row in view(BASIC, "events"):
        assert row["timestamp"].tzinfo is not None
        assert row["timestamp"].astimezone(timezone.utc).year == 2026
