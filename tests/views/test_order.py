"""The order of rows, and what each says of its transaction: numbers that no filter, batch or part of a log changes."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import EventType
from pybinlog.feed.intake import Intake
from pybinlog.feed.policy import Mode
from pybinlog.feed.span import spans
from pybinlog.filters import event_types
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.views.batch import arrow_schema, view_batch
from pybinlog.views.kernel_views import kernel_view
from pybinlog.views.options import ViewOptions, tables
from pybinlog.views.reader import ViewReader
from tests.corpus import Scenario, scenarios
from tests.views.conftest import ShortLogs
from tests.views.expected import read, rows_of, view
from tests.views.relay_logs import rotate
from tests.views.row_places import in_order

pytest.importorskip("pyarrow")

INTACT = [s for s in scenarios() if s.intact]
SERIAL = [s for s in INTACT if not s.folder.name.startswith("relay")]
DAMAGED = [s for s in scenarios() if s.folder.name.startswith(("damaged-body", "damaged-length", "truncated-b"))]
RELAY = [s for s in INTACT if s.folder.name.startswith("relay")]
LOGS = {s.name: [str(path) for path in s.logs] for s in INTACT}


def named(name: str) -> list[str]:
    if name not in LOGS:
        pytest.skip(f"needs {name} of the corpus")
    return LOGS[name]


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_a_row_that_a_filter_leaves_out_counts(scenario: Scenario, short_logs: ShortLogs) -> None:
    logs = short_logs(scenario)
    whole = view(logs, "rows", ddl=True)
    for table in {row["table"] for row in whole} - {None}:
        quoted = "`" + table.replace("`", "``") + "`"
        assert view(logs, "rows", ddl=True, tables=tables(quoted)) == [r for r in whole if r["table"] == table]
    for operation in ("insert", "update", "delete"):
        found = view(logs, "rows", ddl=True, operations=frozenset({operation}))
        assert found == [row for row in whole if row["operation"] in (operation.upper(), "DDL")]
    assert view(logs, "rows", operations=frozenset({"ddl"})) == [r for r in whole if r["operation"] == "DDL"]
    middle = whole[len(whole) // 2]["position"] if whole else 4
    assert view(logs, "rows", ddl=True, first_position=middle) == [r for r in whole if r["position"] >= middle]
    kinds = event_types("Query")
    assert view(logs, "rows", ddl=True, types=kinds | {EventType.MARIA_QUERY_COMPRESSED}) == [
        row for row in whole if row["operation"] == "DDL"
    ]


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
def test_batches_and_columns_change_no_number(scenario: Scenario, short_logs: ShortLogs) -> None:
    # one log has more than a batch
    logs = scenario.logs if scenario.name == "mysql-9.7/large" else short_logs(scenario)
    whole = view(logs, "rows", ddl=True)
    if len(whole) < 2000:
        few = 1 if len(whole) < 200 else 13
        assert view(logs, "rows", ddl=True, batch_rows=few) == whole
        assert view(logs, "rows", ddl=True, batch_bytes=100 * few) == whole
    for names in (("row",), ("event", "query"), ("thread_id",), ("transaction_position",)):
        found = view(logs, "rows", ddl=True, columns=names)
        assert found == [{name: row[name] for name in names} for row in whole]


@pytest.mark.parametrize("name", ["mysql-9.7/row-basic", "mariadb-10.11/row", "mariadb-10.11/compressed"])
def test_events_before_a_spans_start_count_in_a_transaction_that_continues(name: str) -> None:
    (log, *_) = named(name)
    whole = view([log], "rows", ddl=True)
    for start in sorted({row["position"] for row in whole}):
        # the head of the log is read, too, as it is for a relay log
        found = rows_of(_from(log, start))
        assert found == [row for row in whole if row["position"] >= start]


def _from(log: str, start: int) -> Any:
    """The rows from a position on, with the events before it hidden."""
    options = ViewOptions(view="rows", ddl=True)
    view = kernel_view(options)
    view.events.hide_before = start
    intake = Intake(view)
    intake.begin_log(log)
    with open_source(log) as source:
        for batch in Reader(source, Scanner()):
            for _ in chain(intake.add(batch), intake.rest()):
                rows = view_batch(view, options.definition, options.column_names)
                yield rows.to_arrow(arrow_schema(options.definition, options.column_names))


@pytest.mark.parametrize("scenario", DAMAGED, ids=repr)
@pytest.mark.parametrize("options", [{}, {"operations": frozenset({"insert"})}])
def test_the_order_holds_after_damage(scenario: Scenario, options: dict[str, Any]) -> None:
    reader = ViewReader(
        ViewOptions(view="rows", ddl=True, mode=Mode.DROPMALFORMED, **options), warn=lambda sentence: None
    )
    in_order([row for span in spans([str(path) for path in scenario.logs]) for row in read(reader, span)])


@pytest.mark.parametrize(
    "scenario", [s for s in INTACT if s.folder.name in ("row-basic", "row", "rows-query")], ids=repr
)
def test_a_log_read_from_the_middle_of_a_transaction(scenario: Scenario, tmp_path: Path) -> None:
    """Numbers count the existing events; the transaction is at the first of them."""
    path = scenario.logs[0]
    whole = view([path], "rows")
    events = view([path], "events")
    data = path.read_bytes()
    size = int.from_bytes(data[4 + 9 : 4 + 13], "little")
    for first in whole[:20]:
        at = next(i for i, event in enumerate(events) if event["position"] == first["position"])
        while events[at]["starts"] == "No_start":
            at -= 1
        start = events[at]["position"]
        log = tmp_path / path.name
        log.write_bytes(data[: 4 + size] + data[start:])
        rest = view([log], "rows")
        in_order(rest)
        # without its beginning, a SAVEPOINT looks like a statement that ends the transaction
        stop = next(e["position"] for e in events[at:] if e["event_type"] in ("Query", "Xid"))
        kept = [row for row in whole if start <= row["position"] < stop]
        gone = sum(first["transaction_position"] <= event["position"] < start for event in events)
        assert len(rest) == sum(row["position"] >= start for row in whole)
        assert {(row["gtid"], row["transaction_position"]) for row in rest[: len(kept)]} == {(None, 4 + size)}
        assert [(row["event"], row["row"]) for row in rest[: len(kept)]] == [
            (row["event"] - gone, number) for number, row in enumerate(kept, 1)
        ]


@pytest.mark.parametrize("scenario", [s for s in RELAY if s.folder.name == "relay"], ids=repr)
def test_a_transaction_that_continues_in_the_next_relay_log(scenario: Scenario, tmp_path: Path) -> None:
    path = max(scenario.logs, key=lambda log: log.stat().st_size)
    data = path.read_bytes()
    size = int.from_bytes(data[4 + 9 : 4 + 13], "little")
    whole = view([path], "rows")
    split = next(row for row in reversed(whole) if row["row"] > 1 and row["event"] > 4)
    events = view([path], "events")
    middle = next(i for i, event in enumerate(events) if event["position"] == split["position"])
    while events[middle]["starts"] == "No_start":
        middle -= 1
    at = events[middle]["position"]
    first, second = tmp_path / "relay.000001", tmp_path / "relay.000002"
    first.write_bytes(data[:at] + rotate(data[4 : 4 + size], second.name))
    second.write_bytes(data[: 4 + size] + data[at:])

    found = view([first, second], "rows")
    in_order(found)
    same = ("gtid", "event", "row", "commit_time", "thread_id", "xa_xid", "query", "before", "after")
    assert [[row[name] for name in same] for row in found] == [[row[name] for name in same] for row in whole]
    later = [row for row in found if row["file"] == str(second)]
    assert later[0]["transaction_position"] == 4 + size


def test_rows_of_a_payload_are_those_of_the_transaction_without_one() -> None:
    """The corpus has the same statements with and without compression."""
    rows = view(named("mysql-9.7/compression"), "rows", ddl=True)
    payloads = {
        event["position"]: event["transaction_position"]
        for event in view(named("mysql-9.7/compression"), "events")
        if event["event_type"] == "Transaction_payload"
    }
    inside = [row for row in rows if row["position"] in payloads]
    assert inside
    assert {row["transaction_position"] for row in inside} == set(payloads.values())
    counted = {row["start_position"]: row for row in view(named("mysql-9.7/compression"), "transactions")}
    for row in inside:
        transaction = counted[row["transaction_position"]]
        assert transaction["end_position"] == row["end_position"]
        # its Gtid and the payload come first, BEGIN and a Table_map before rows
        assert 4 < row["event"] < transaction["events"] or row["operation"] == "DDL"
    numbers = [row["row"] for row in inside if row["transaction_position"] == inside[-1]["transaction_position"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_row_before_mysql_8_and_of_mariadb_has_the_time_of_its_commit() -> None:
    """Both write the GTID event at the commit, so its timestamp is that of the last event."""
    for name in ("mysql-5.6/row-gtid", "mariadb-10.11/row", "mariadb-11.8/xa", "mariadb-11.8/compressed"):
        for scenario in (found for found in INTACT if found.name == name):
            times = {t["gtid"]: t["commit_time"] for t in view(scenario.logs, "transactions")}
            rows = view(scenario.logs, "rows")
            assert rows
            assert all(row["commit_time"] == times[row["gtid"]] for row in rows)
