"""`pybinlog stats`: its counts are those of the text and of the views, and its bytes are the file's."""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pybinlog.cli.commands.stats import is_worth
from pybinlog.digest import digest_text
from pybinlog.event_types import EventFlag, EventType, printed_name
from tests.check.logs import events_of, first, joined
from tests.check.logs import log as corpus_log
from tests.check.payloads import inside, payload
from tests.cli.conftest import real, without_remark
from tests.corpus import PROJECT, TESTDATA
from tests.dump import log_parts
from tests.dump.test_rare import LOAD
from tests.layout.log_builder import INT_AND_TEXT, MARIADB_10_11, MYSQL_9_7, START, LogBuilder
from tests.layout.log_builder import row as row_of

CORPUS = TESTDATA / "corpus"
XA = CORPUS / "mysql-9.7" / "xa" / "binlog.000001"
XA_NO_GTID = [CORPUS / "mysql-9.7" / "xa-nogtid" / f"binlog.00000{number}" for number in (1, 2)]
DAMAGED = CORPUS / "mysql-9.7" / "damaged-body" / "binlog.000001"
WHOLE_LOGS = [
    CORPUS / name
    for name in (
        "mysql-9.7/row-basic/binlog.000001",
        "mysql-9.7/compression/binlog.000001",
        "mysql-9.7/compression-nogtid/binlog.000001",
        "mysql-9.7/xa/binlog.000001",
        "mysql-9.7/mixed-engines-row/binlog.000001",
        "mysql-9.7/mixed-engines-mixed/binlog.000001",
        "mysql-9.7/statement/binlog.000001",
        "mysql-9.7/load-data/binlog.000001",
        "mysql-9.7/rows-query/binlog.000001",
        "mysql-9.7/tagged-gtid/binlog.000001",
        "mysql-9.7/partial-json-minimal/binlog.000001",
        "mariadb-10.11/annotate/mariadb-bin.000001",
        "mariadb-10.11/compressed/mariadb-bin.000001",
        "mariadb-10.11/mixed-engines/mariadb-bin.000001",
        "mariadb-11.8/compressed/mariadb-bin.000001",
        "mariadb-11.8/xa/mariadb-bin.000001",
        "mariadb-11.8/mixed/mariadb-bin.000001",
    )
]
STATEMENT = "statement", "statement,table", "type,statement,thread"
IDS = ["/".join(log.parts[-3:-1]) for log in WHOLE_LOGS]


def counted(*arguments: str | Path) -> list[dict[str, Any]]:
    found = real("stats", "--format=jsonl", "--columns=all", *map(str, arguments))
    assert (found.status, without_remark(found.err)) == (0, "")
    return [json.loads(line) for line in found.out.splitlines()]


def view(name: str, columns: str, *arguments: str | Path) -> list[dict[str, Any]]:
    found = real("export", f"--view={name}", f"--columns={columns}", "-o", "-", *map(str, arguments))
    assert found.status == 0
    return [json.loads(line) for line in found.out.splitlines()]


def in_text(log: Path) -> Counter[tuple[str, str]]:
    """The changed rows that `-vv` prints, by operation and table, as awk would count them."""
    text = real("dump", "-vv", "--base64-output=DECODE-ROWS", str(log)).out.decode("utf-8", "replace")
    lines = re.findall(r"^### (INSERT INTO|UPDATE|DELETE FROM) `(\w+)`\.`(\w+)`", text, re.MULTILINE)
    return Counter((operation[:6], f"{database}.{table}") for operation, database, table in lines)


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
@pytest.mark.parametrize(
    "by", ["", "table", "type", "database,minute", "thread,server,second", "table,type,hour", *STATEMENT]
)
def test_all_bytes_of_the_file_and_all_events_are_counted_once(log: Path, by: str) -> None:
    groups = counted(*([f"--by={by}"] if by else []), log)
    assert sum(group["bytes"] for group in groups) == log.stat().st_size
    assert sum(group["events"] for group in groups) == len(view("events", "position", log))
    assert all(group["bytes"] >= 0 for group in groups)


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
def test_rows_of_each_table_are_those_that_the_text_shows(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that hold, were rolled back and are prepared; the text does not tell them apart."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a dump leaves the files of LOAD DATA there
    expected = in_text(log)
    groups = [group for group in counted("--by=table", log) if group["table"]]
    for group in groups:
        apart = group["rolled_back"] + group["prepared"]
        in_all = [expected[operation, group["table"]] for operation in ("INSERT", "UPDATE", "DELETE")]
        if not apart:
            assert [group["inserts"], group["updates"], group["deletes"]] == in_all
        assert group["rows"] + apart == sum(in_all)
    assert {group["table"] for group in groups} >= {table for _, table in expected}


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
def test_statements_have_the_rows_of_their_view(log: Path) -> None:
    """The view `rows` has the statement of each row, and `events` those that change no rows."""
    expected: Counter[tuple[str | None, str]] = Counter()
    for row in view("rows", "operation,query,table", log):
        expected[digest(row["query"]), row["table"]] += 1
    groups = counted("--by=statement,table", log)
    found: Counter[tuple[str | None, str]] = Counter()
    for group in groups:
        rows = group["rows"] + group["rolled_back"] + group["prepared"]
        if rows:
            found[group["statement"], group["table"].partition(".")[2]] += rows
    assert found == expected
    queries = [event["query"] for event in view("events", "query", log) if event["query"] is not None]
    statements = {digest(query) for query in queries if not FRAME.match(query)}
    assert {group["statement"] for group in groups} - {None} == statements


@pytest.mark.parametrize("filter", ["--where=total > 10", "--table=shop.orders", "--operation=update"])
def test_filtered_rows_count_with_their_statement(filter: str) -> None:
    """A filter that drops the Rows_query leaves the rows their statement."""
    logs = sorted((TESTDATA / "shop").glob("binlog.0*"))
    expected = Counter(row["digest"] for row in view("rows", "digest,row", filter, *logs))
    found = real("stats", "--by=statement", "--format=jsonl", filter, *map(str, logs))
    groups = {group["statement"]: group["rows"] for group in map(json.loads, found.out.splitlines())}
    assert {statement: rows for statement, rows in groups.items() if rows} == expected
    assert len(expected) > 1 or "update" in filter


def test_a_statement_ends_with_its_last_row_event(tmp_path: Path) -> None:
    """binlog_rows_query_log_events is a session's variable: the next statement of the transaction may have none."""
    log = LogBuilder(MYSQL_9_7).begin()
    for statement in ("INSERT INTO t VALUES (1, 'a')", None, "REPLACE INTO t VALUES (2, 'b')"):
        if statement is not None:
            log.add(EventType.ROWS_QUERY, {"query": statement.encode()}, EventFlag.IGNORABLE)
        log.table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, row_of(1, "x"), 2, flags=0)
        log.rows(EventType.WRITE_ROWS, row_of(2, "y"), 2)
    path = tmp_path / "binlog.000001"
    path.write_bytes(log.commit(1).data)
    groups = {group["statement"]: group["inserts"] for group in counted("--by=statement", path)}
    assert groups == {"INSERT INTO `t` VALUES (...)": 2, None: 2, "REPLACE INTO `t` VALUES (...)": 2}


BLOCK = {"file_id": 1, "block_data": b"1"}
PRELUDES: dict[EventType, dict[str, Any]] = {
    EventType.ROWS_QUERY: {"query": b"INSERT INTO t VALUES (1)"},
    EventType.MARIA_ANNOTATE_ROWS: {"query": b"INSERT INTO t VALUES (1)"},
    EventType.INTVAR: {"type": 2, "value": 1},
    EventType.RAND: {"seed1": 1, "seed2": 2},
    EventType.USER_VAR: {"name": "a", "is_null": 1},
    EventType.BEGIN_LOAD_QUERY: BLOCK,
    EventType.APPEND_BLOCK: BLOCK,
    EventType.CREATE_FILE: {**LOAD, **BLOCK},
}


@pytest.mark.parametrize("kind", PRELUDES, ids=lambda kind: kind.name)
def test_what_comes_before_a_statement_counts_to_it(kind: EventType, tmp_path: Path) -> None:
    log = LogBuilder(MYSQL_9_7 if kind == EventType.ROWS_QUERY else MARIADB_10_11)
    log.begin().query("INSERT INTO t VALUES (1)", db="first")
    log.add(kind, PRELUDES[kind]).query("INSERT INTO t VALUES (1)", db="second")
    path = tmp_path / "binlog.000001"
    path.write_bytes(log.commit(1).data)
    groups = {group["database"]: group["events"] for group in counted("--by=database", path)}
    assert groups == {None: 1, "first": 3, "second": 2}
    types = [group["type"] for group in counted("--by=database,type", path) if group["database"] == "second"]
    assert sorted(types) == sorted([printed_name(kind), "Query"])


@pytest.mark.parametrize("times", [(5, 7, 9), (7, 5, 9), (9, 7, 5), (7, 9, 5), (0, 7, 5), (5, 7, 0), (0, 7, 0)])
def test_a_group_has_the_first_and_last_time_of_its_events(times: tuple[int, int, int], tmp_path: Path) -> None:
    """The times are those of BEGIN, a statement and Xid; an event of the time 0 has none."""
    log = LogBuilder(MYSQL_9_7)
    log.time, statement, end = (time and START + time for time in times)
    log.begin()
    log.time = statement
    log.query("DO 1")
    log.time = end
    log.commit(1)
    path = tmp_path / "binlog.000001"
    path.write_bytes(log.data)
    (group,) = (group for group in counted("--by=database", path) if group["database"])
    assert (group["first_time"], group["last_time"]) == tuple(
        f"2026-11-21T01:20:{time:02}Z" for time in (min(filter(None, times)), max(times))
    )


@pytest.mark.parametrize(("unit", "seconds"), [("second", 1), ("minute", 60), ("hour", 3600)])
def test_events_of_one_unit_of_time_are_a_group(unit: str, seconds: int, tmp_path: Path) -> None:
    begin = START - START % 3600
    log = LogBuilder(MYSQL_9_7)
    for time in (begin - 1, begin, begin + seconds - 1, begin + seconds):
        log.time = time
        log.query("CREATE TABLE t (a INT)")
    path = tmp_path / "binlog.000001"
    path.write_bytes(log.data)
    found = [group["transactions"] for group in counted(f"--by={unit}", path) if group["transactions"]]
    assert found == [1, 2, 1]


@pytest.mark.parametrize("missing", [0, 1, 1000, 1 << 20])
def test_the_bytes_of_a_payload_that_holds_less_than_it_tells_are_counted(missing: int, tmp_path: Path) -> None:
    events = events_of(corpus_log("mysql-9.7/compression"))
    at = first(events, EventType.TRANSACTION_PAYLOAD)
    held = inside(events[at])
    events[at] = payload(events[at], held, sum(map(len, held)) + missing)
    path = tmp_path / "binlog.000001"
    path.write_bytes(joined(events))
    found = real("stats", "--by=table", "--format=jsonl", str(path))
    assert sum(json.loads(line)["bytes"] for line in found.out.splitlines()) == path.stat().st_size


def test_statements_beyond_the_room_are_counted_as_one_group(tmp_path: Path) -> None:
    """33 MiB of digests: 17,000 with a name of 900 characters."""
    start = LogBuilder(MYSQL_9_7.without_checksum()).data
    event = LogBuilder(MYSQL_9_7.without_checksum()).query(f"DROP TABLE `{'n' * 900}00000`").data[len(start) :]
    log = tmp_path / "binlog.000001"
    log.write_bytes(start + b"".join(event.replace(b"00000`", b"%05d`" % number) for number in range(17_000)))
    found = real("stats", "--by=statement", "--format=jsonl", str(log))
    assert found.status == 0
    assert found.err.count("there are too many different statements") == 1
    groups = [json.loads(line) for line in found.out.splitlines()]
    assert groups[0]["statement"] == "(other statements)"
    assert groups[0]["transactions"] == 17_000 - (len(groups) - 2) > 1
    assert sum(group["bytes"] for group in groups) == log.stat().st_size


FRAME = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|XA)\b")


def digest(query: str | None) -> str | None:
    return None if query is None else digest_text(query.encode())


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
def test_transactions_are_those_of_their_view(log: Path) -> None:
    (group,) = counted(log)
    assert group["transactions"] == len(view("transactions", "gtid", log))


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
def test_types_have_the_bytes_of_their_events(log: Path) -> None:
    sizes: Counter[str] = Counter()
    for event in view("events", "event_type,size,in_payload", log):
        sizes[event["event_type"]] += 0 if event["in_payload"] else event["size"]
    groups = {group["type"]: group["bytes"] for group in counted("--by=type", log)}
    assert groups[None] == 4
    if "Transaction_payload" not in sizes:
        assert {name: size for name, size in groups.items() if name} == sizes
    else:
        payload = sizes.pop("Transaction_payload")
        inside = sum(groups[name] - sizes.get(name, 0) for name in groups if name not in (None, "Transaction_payload"))
        assert inside + groups["Transaction_payload"] == payload


def test_rows_that_do_not_hold_are_counted_apart() -> None:
    outcomes: Counter[str] = Counter()
    for row in view("rows", "table", "--table=xadb.*", XA):
        outcomes["all"] += 1
        assert row["table"]
    for _ in view("rows", "table", "--committed", XA):
        outcomes["not rolled back"] += 1
    (group,) = counted(XA)
    assert group["rows"] + group["prepared"] == outcomes["not rolled back"]
    assert group["rolled_back"] == outcomes["all"] - outcomes["not rolled back"] == 3
    assert group["prepared"] == 2


def test_the_decision_in_a_later_log_counts_where_the_rows_are() -> None:
    first, second = XA_NO_GTID
    prepared = sum(group["prepared"] for group in counted(first))
    assert prepared
    (both,) = counted(first, second)
    apart = [group for log in XA_NO_GTID for group in counted(log)]
    assert both["prepared"] == 0
    assert both["rows"] > sum(group["rows"] for group in apart)
    assert both["rows"] + both["rolled_back"] == prepared + sum(group["rows"] + group["rolled_back"] for group in apart)


def test_filters_choose_the_events_that_are_counted() -> None:
    log = WHOLE_LOGS[0]
    (largest, *_) = (group for group in counted("--by=table", log) if group["table"])
    chosen = f"--table={largest['table']}"
    groups = counted(chosen, "--by=table", log)
    (customers,) = (group for group in groups if group["table"])
    assert customers["rows"] == largest["rows"] > 0
    assert customers["bytes"] < largest["bytes"]
    sizes = [event["size"] for event in view("events", "size", chosen, log)]
    assert sum(group["bytes"] for group in groups) == sum(sizes)
    assert sum(group["events"] for group in groups) == len(sizes)
    (gtids,) = counted("--event-type=Gtid", "--by=type", log)
    assert gtids["type"] == "Gtid"
    assert gtids["transactions"] == gtids["events"]


def test_what_comes_before_damage_is_counted_and_the_rest_with_recover() -> None:
    found = real("stats", "--format=jsonl", str(DAMAGED))
    assert found.status == 1
    assert str(DAMAGED) in found.err
    before = json.loads(found.out)
    recovered = real("stats", "--recover", "--format=jsonl", str(DAMAGED))
    after = json.loads(recovered.out)
    assert recovered.err.startswith("WARNING: ")
    assert after["events"] > before["events"]
    assert after["bytes"] == DAMAGED.stat().st_size


def test_a_table_leaves_out_measures_that_are_0_everywhere() -> None:
    log = CORPUS / "mysql-9.7" / "rows-query" / "binlog.000001"
    header = real("stats", "--by=table", "--format=table", str(log)).out.splitlines()[0].split()
    assert b"rolled_back" not in header
    assert b"rows" in header


def test_the_page_shows_what_the_command_prints() -> None:
    page = (PROJECT / "docs" / "stats.md").read_text()
    logs = {"xa.000001": XA, "binlog.000002": TESTDATA / "shop" / "binlog.000002"}
    shown = re.findall(r"```console\n\$ pybinlog (.*)\n((?s:.*?))```", page)
    assert len(shown) == len(logs)
    for command, expected in shown:
        *arguments, name = command.split()
        assert real(*arguments, str(logs[name])).out.decode() == expected


@pytest.mark.parametrize(
    ("name", "width", "worth"),
    [
        ("events", 500, False),
        ("bytes", 20, True),
        ("first_time", 139, False),
        ("first_time", 140, True),
        ("last_time", 139, False),
        ("last_time", 140, True),
    ],
)
def test_times_are_for_terminals_of_140_characters(name: str, width: int, worth: bool) -> None:
    assert is_worth(name, width) is worth


def test_a_wide_table_has_times_and_all_measures_are_there_if_asked_for() -> None:
    log = str(CORPUS / "mysql-9.7" / "row-basic" / "binlog.000001")
    counts = [b"transactions", b"inserts", b"updates", b"deletes", b"rows"]
    times = [b"first_time", b"last_time"]
    for columns, width, names in (
        ([], "139", [*counts, b"bytes"]),
        ([], "140", [*counts, b"bytes", *times]),
        (["--columns=all"], "200", [*counts, b"rolled_back", b"prepared", b"statements", b"events", b"bytes", *times]),
    ):
        shown = real("stats", "--format=table", *columns, log, environ={"COLUMNS": width}).out
        assert shown.splitlines()[0].split() == names


def test_rows_of_unknown_tables_are_not_counted(tmp_path: Path) -> None:
    head, *rest = log_parts.events_of(log_parts.corpus_log("mysql-9.7/row-basic"))
    begin = next(n for n, event in enumerate(rest) if event[4] == EventType.TABLE_MAP) - 2
    gtid, query, _, rows, xid = rest[begin : begin + 5]
    log = tmp_path / "binlog.000001"
    log.write_bytes(log_parts.joined([head, gtid, query, rows, rows, xid]))
    found = real("stats", "--format=jsonl", "--columns=transactions,rows,events", str(log))
    assert json.loads(found.out) == {"transactions": 1, "rows": 0, "events": 6}
    assert found.err == (
        "WARNING: the rows of 2 row events are not counted: no Table_map of theirs is in what was read.\n"
    )


SHOP = sorted(str(path) for path in (TESTDATA / "shop").glob("binlog.0*"))


@pytest.mark.parametrize("log", WHOLE_LOGS, ids=IDS)
@pytest.mark.parametrize("by", ["minute", "second,type", "table,hour"])
def test_the_bytes_that_a_log_begins_with_count_in_its_first_time(log: Path, by: str) -> None:
    groups = counted(f"--by={by}", log)
    times = [next(group[name] for name in ("second", "minute", "hour") if name in group) for group in groups]
    assert None not in times
    assert sum(group["bytes"] for group in groups) == log.stat().st_size


def test_skipped_bytes_are_of_no_minute() -> None:
    shown = real("stats", "--by=minute", "--recover", "--format=jsonl", str(DAMAGED))
    first, *dated = map(json.loads, shown.out.splitlines())
    assert (first["minute"], first["bytes"], first["events"]) == (None, 50, 0)
    assert sum(group["bytes"] for group in dated) == DAMAGED.stat().st_size - 50


def bars(*arguments: str, width: str = "100") -> list[tuple[str, int]]:
    shown = real("stats", *arguments, *SHOP, is_terminal=True, environ={"COLUMNS": width, "LINES": "50"})
    lines = shown.out.decode().splitlines()
    assert max(map(len, lines)) <= int(width) + len("\x1b[1m\x1b[0m")
    return [(line.partition("Z")[0], line.count("\N{FULL BLOCK}")) for line in lines[1:]]


@pytest.mark.parametrize("width", ["80", "100", "200"])
def test_a_terminal_has_a_bar_for_each_time(width: str) -> None:
    groups = counted("--by=second", *SHOP)
    found = bars("--by=second", width=width)
    assert len(found) == len(groups)
    most = max(group["transactions"] for group in groups)
    longest = max(length for _, length in found)
    assert longest >= 6
    for (_, length), group in zip(found, groups, strict=True):
        assert length == (max(1, round(longest * group["transactions"] / most)) if group["transactions"] else 0)


def test_bars_show_what_rows_are_sorted_by() -> None:
    lengths = [length for _, length in bars("--by=second", "--sort=-bytes")]
    assert lengths == sorted(lengths, reverse=True)
    assert 0 not in lengths


@pytest.mark.parametrize("arguments", [["--by=table"], ["--by=second", "--columns=second,bytes"], []], ids=str)
def test_other_tables_have_no_bars(arguments: list[str]) -> None:
    assert {length for _, length in bars(*arguments)} == {0}
    assert "\N{FULL BLOCK}" not in real("stats", "--by=second", "--format=table", *SHOP).out.decode()


def drawn(*arguments: str) -> tuple[set[str], list[str]]:
    """Return the texts of a picture, and the descriptions of its bars."""
    pytest.importorskip("vl_convert")
    found = real("stats", "--format=svg", *arguments, *SHOP)
    assert found.status == 0, found.err
    root = ElementTree.fromstring(found.out)
    texts = {element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")}
    paths = root.iter("{http://www.w3.org/2000/svg}path")
    return texts, [path.get("aria-label", "") for path in paths if path.get("aria-roledescription") == "bar"]


def test_a_picture_has_a_bar_for_each_operation_of_each_time() -> None:
    texts, bars = drawn("--by=second")
    groups = counted("--by=second", *SHOP)
    values = [group[name] for group in groups for name in ("inserts", "updates", "deletes")]
    assert len(bars) == sum(value > 0 for value in values)
    assert {"inserts", "updates", "deletes", "inserts, updates, deletes"} <= texts
    assert "2026-11-24 20:10:05Z to 2026-11-24 20:10:16Z" in texts


def test_a_picture_has_other_dimensions_as_colours() -> None:
    texts, bars = drawn("--by=second,table")
    groups = counted("--by=second,table", *SHOP)
    assert len(bars) == sum(group["rows"] > 0 for group in groups)
    assert {"shop.orders", "shop.customer", "rows"} <= texts


@pytest.mark.parametrize(
    ("arguments", "there", "absent"),
    [
        (["--by=table", "--columns=table,bytes"], {"NULL", "shop.orders", "bytes"}, {"inserts"}),
        (["--by=table", "--top=1"], {"shop.orders"}, {"shop.customer", "NULL"}),
        (["--by=table", "--sort=rows", "--limit=1,1"], {"shop.customer"}, {"shop.orders"}),
        (["--by=table", "--table=shop.customer"], {"shop.customer"}, {"shop.orders"}),
    ],
)
def test_a_picture_shows_what_its_options_choose(arguments: list[str], there: set[str], absent: set[str]) -> None:
    texts, _ = drawn(*arguments)
    assert there <= texts
    assert not absent & texts


def test_many_series_share_a_colour() -> None:
    texts, bars = drawn("--by=second,type", "--columns=events")
    types = {group["type"] for group in counted("--by=second,type", *SHOP) if group["events"]}
    assert len(types) > 8
    assert len(texts & types) == 7
    assert "(others)" in texts
    assert len(bars) == sum(group["events"] > 0 for group in counted("--by=second,type", *SHOP))


def test_png_is_for_files() -> None:
    pytest.importorskip("vl_convert")
    found = real("stats", "--by=minute", "--format=png", *SHOP)
    assert found.out.startswith(b"\x89PNG\r\n")
    refused = real("stats", "--by=minute", "--format=png", *SHOP, is_terminal=True)
    assert (refused.status, refused.out) == (2, b"")
    assert "lead it into a file" in refused.err


def test_a_picture_needs_groups_and_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    without = real("stats", "--format=svg", *SHOP)
    assert (without.status, without.out) == (2, b"")
    assert "requires --by, such as --by=minute" in without.err
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    missing = real("stats", "--by=minute", "--format=svg", *SHOP)
    assert (missing.status, missing.out) == (2, b"")
    assert re.search(r"pip install .*'vl-convert-python|with its extra 'report'", missing.err)
