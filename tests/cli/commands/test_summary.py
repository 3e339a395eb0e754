"""`pybinlog summary`: what it adds up is what `stats`, the views and the file say."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.cli.commands.summary import Page, as_json, sparkline
from pybinlog.feed.remarks import Remarks
from pybinlog.feed.unlogged import Unlogged
from pybinlog.log.log_head import LogHead
from pybinlog.questions.statistics import Measures
from pybinlog.questions.summary import Group, Summary
from tests.cli.conftest import real, without_remark
from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

CORPUS = TESTDATA / "corpus"
XA = CORPUS / "mysql-9.7" / "xa" / "binlog.000001"
SERIES = [CORPUS / "mysql-9.7" / "multi-file" / f"binlog.00000{number}" for number in (1, 2, 3, 4)]
LOGS = [
    XA,
    CORPUS / "mysql-9.7" / "compression" / "binlog.000001",
    CORPUS / "mysql-9.7" / "ddl" / "binlog.000001",
    CORPUS / "mariadb-10.11" / "annotate" / "mariadb-bin.000001",
    CORPUS / "mariadb-11.8" / "compressed" / "mariadb-bin.000001",
]


def summed(*logs: Path) -> dict[str, Any]:
    found = real("summary", "--format=json", *map(str, logs))
    assert (found.status, without_remark(found.err)) == (0, "")
    summary: dict[str, Any] = json.loads(found.out)
    return summary


def lines(*arguments: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in real(*map(str, arguments)).out.splitlines()]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: "/".join(log.parts[-3:-1]))
def test_it_adds_up_to_stats_the_view_and_the_file(log: Path) -> None:
    found = summed(log)
    (total,) = lines("stats", "--format=jsonl", "--columns=all", log)
    assert {**found["total"]} == total
    assert found["total"]["bytes"] == found["logs"][0]["bytes"] == log.stat().st_size
    tables = [group for group in lines("stats", "--by=table", "--format=jsonl", "--columns=all", log) if group["table"]]
    assert found["tables"] == tables
    view = lines("export", "--view=transactions", "-o", "-", log)
    largest = sorted((one["bytes"] for one in view), reverse=True)[:10]
    assert [one["bytes"] for one in found["largest_transactions"]] == largest


def test_the_command_of_a_transaction_prints_it() -> None:
    for one in summed(XA)["largest_transactions"]:
        program, *arguments = shlex.split(one["command"])
        assert program == "pybinlog"
        assert f"end_log_pos {one['end']} " in real(*arguments).out.decode()


def test_what_is_in_doubt_is_what_xa_lists() -> None:
    in_doubt = [row["xid"] for row in lines("xa", "--in-doubt", "--format=jsonl", XA)]
    assert summed(XA)["xa_in_doubt"] == in_doubt != []


def test_a_log_that_lacks_is_named() -> None:
    found = json.loads(real("summary", "--format=json", "--allow-gaps", str(SERIES[0]), str(SERIES[3])).out)
    assert found["missing_logs"] == ["binlog.000002 to binlog.000003"]
    assert summed(*SERIES)["missing_logs"] == []
    assert f"{'Missing':<14}binlog.000002" in real("summary", "--allow-gaps", *map(str, SERIES[::2])).out.decode()


def test_the_gtids_of_the_logs_are_a_set() -> None:
    gtids = [one["gtid"] for one in lines("export", "--view=transactions", "-o", "-", *SERIES[1:])]
    uuid, _, first = gtids[0].partition(":")
    assert summed(*SERIES[1:])["gtids"] == f"{uuid}:{first}-{gtids[-1].rpartition(':')[2]}"


def test_ddl_is_counted_by_its_kind() -> None:
    ddl = summed(XA)["ddl"]
    assert ddl == {"CREATE TABLE": 2, "CREATE DATABASE": 1}


@pytest.mark.parametrize("width", [80, 200])
def test_the_text_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    plain = real("summary", "--color=never", str(XA)).out.decode()
    colored = real("summary", "--color=always", str(XA)).out.decode()
    assert max(len(line) for line in plain.splitlines() if "pybinlog -vv" not in line) <= width
    assert "█" * 6 in plain
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


def test_the_page_shows_what_the_command_prints(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "summary.md").read_text()
    ((command, shown),) = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", page, re.DOTALL)
    (tmp_path / "xa.000001").write_bytes(XA.read_bytes())
    assert output_of(command, tmp_path) == shown


TABLES = [
    ("shop.orders", Measures(1, 12345, 2, 3, 12350, 0, 0, 0, 9, 1000, 1795224000, 1795224001)),
    ("shop.a_table_with_a_long_name_indeed", Measures(1, 0, 0, 7, 7, 0, 0, 0, 9, 500, None, None)),
    ("shop.small", Measures(1, 1, 0, 0, 1, 0, 0, 0, 9, 1, None, None)),
]
PLACE = Group("logs/a b.000001", 120, 240, 1795224000_000000, 3, 1, 1234567, "g:1", None)
MADE = Summary(
    heads=[LogHead("a b.000001", 4, 1795224000, 7, "9.7.4"), LogHead("b.000003", 4, 0, 8, "9.7.4")],
    sizes=[1000, 234567],
    missing=["b.000002"],
    gtids="g" * 70,
    total=Measures(1234, 10, 20, 30, 60, 40, 5, 0, 4321, 235567, 1795224000, 1795224061),
    tables=TABLES,
    largest=[PLACE, PLACE._replace(position=None, time=None, seconds=None, rows=None), PLACE._replace(bytes=999_999)],
    longest=[PLACE._replace(rows=0), PLACE._replace(seconds=0)],
    statements=[("CREATE TABLE", 1200), ("DROP\tX", 1)],
    in_doubt=["X'41',X'',1"],
    refused=3,
    remarks=Remarks(unlogged=Unlogged(3, 2, 0, 1, frozenset({2}), {"shop.orders": 2})),
    minutes={29920400: 2, 29920401: 7, 29920403: 16},
    lag=1_234_567,
)
FACTS = """\
Logs          2 logs, 235,567 bytes
Server        MySQL 9.7.4 (server id 7)
Server        MySQL 9.7.4 (server id 8)
Time          2026-11-21 01:20:00Z to 2026-11-21 01:21:01Z
GTIDs         GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG...
Transactions  1,234, 4,321 events
Activity      ▁▄ █  at most 16 transactions a minute
Rows          10 inserted, 20 updated, 30 deleted
              40 rolled back, not counted above
"""
TEXT = """\
              5 of prepared XA transactions, not counted above
Lag           1.235 s at most, from a commit at its source to the commit here
Statements    5 changed rows that the logs do not contain (2 of them may have, such as CALL), of shop.orders and \
unknown tables
Missing       b.000002
In doubt      XA transaction X'41',X'',1
              prepared, neither committed nor rolled back; see pybinlog xa
Warnings      3 events break the rules of transactions; see pybinlog check

Tables
                              inserts  updates  deletes  bytes
  shop.orders                  12,345        2        3  1,000  ████████████████
  shop.a_table_with_a_lon...        0        0        7    500  ████████
  shop.small                        1        0        0      1  █

Largest transactions
  2026-11-21 01:20:00Z  1,234,567 bytes, 1 row, 3 s  a b.000001:120
  no time  1,234,567 bytes, rows not known, 0 s

Longest transactions
  2026-11-21 01:20:00Z  1,234,567 bytes, 0 rows, 3 s  a b.000001:120
  (--commands prints the command that shows each)

DDL
    1,200  CREATE TABLE
        1  DROP\\tX
"""


def page(found: Summary, width: int = 80) -> list[str]:
    return list(Page(width, color=False).lines(found))


def test_a_page_has_every_fact() -> None:
    assert page(MADE) == (FACTS + TEXT).replace("G", "g").replace("gTIDs", "GTIDs").splitlines()


def test_a_page_leaves_out_what_there_is_not() -> None:
    total = Measures(1, 0, 0, 0, 0, 0, 0, 0, 2, 3, None, None)
    bare = Summary(MADE.heads[:1], [5], [], "", total, [], [], [], [], [], 0, Remarks(), {1: 1}, 0)
    assert page(bare) == [
        "Logs          1 log, 5 bytes",
        "Server        MySQL 9.7.4 (server id 7)",
        "Transactions  1, 2 events",
        "Rows          0 inserted, 0 updated, 0 deleted",
    ]


def test_tables_count_statements_if_one_has_any() -> None:
    name, measures = TABLES[0]
    shown = page(MADE._replace(tables=[(name, measures._replace(statements=26900)), TABLES[2]]))
    at = shown.index("Tables")
    assert [line.split()[:5] for line in shown[at + 1 : at + 4]] == [
        ["inserts", "updates", "deletes", "statements", "bytes"],
        ["shop.orders", "12,345", "2", "3", "26,900"],
        ["shop.small", "1", "0", "0", "0"],
    ]


def test_twenty_of_each_are_shown() -> None:
    statements = [(f"S{number}", 1) for number in range(21)]
    shown = page(
        MADE._replace(
            tables=[(f"t{number}", TABLES[0][1]) for number in range(21)], statements=statements, in_doubt=["x"] * 21
        )
    )
    assert shown.count("In doubt      XA transaction x") == 20
    assert (shown.count("Tables, 20 of the largest"), sum(line.startswith("  t") for line in shown)) == (1, 20)
    assert shown[-1] == "        1  S19"
    exactly = page(MADE._replace(tables=[(f"t{number}", TABLES[0][1]) for number in range(20)]))
    assert (exactly.count("Tables"), sum(line.startswith("  t") for line in exactly)) == (1, 20)


def test_commands_come_if_they_are_wanted() -> None:
    shown = list(Page(80, color=False, commands=True).lines(MADE))
    assert [line for line in shown if "pybinlog -vv" in line] == [
        "    pybinlog -vv --start-position=120 --stop-position=240 'logs/a b.000001'",
        "    pybinlog -vv --stop-position=240 'logs/a b.000001'",
        "    pybinlog -vv --start-position=120 --stop-position=240 'logs/a b.000001'",
    ]
    assert not [line for line in shown if "--commands" in line]


def test_five_that_stand_out_are_shown_and_none_that_is_ordinary() -> None:
    many = MADE._replace(largest=[PLACE] * 10, longest=[PLACE._replace(bytes=1)] * 10)
    assert sum("1,234,567 bytes" in line for line in page(many)) == 5
    ordinary = MADE._replace(largest=[PLACE._replace(bytes=999_999)], longest=[PLACE._replace(seconds=0)])
    assert {"Largest transactions", "Longest transactions"}.isdisjoint(page(ordinary))


@pytest.mark.parametrize(
    ("minutes", "width", "line"),
    [
        ({}, 80, None),
        ({5: 9}, 80, None),
        ({5: 8, 6: 1, 8: 5}, 80, "█▁ ▅  at most 8 transactions a minute"),
        ({0: 1000, 9: 1}, 80, "█        ▁  at most 1,000 transactions a minute"),
        ({at: at + 1 for at in range(60)}, 66, "▁▂▂▃▄▄▅▆▆▇██  at most 60 transactions a minute, 5 minutes a bar"),
    ],
)
def test_the_transactions_of_each_minute_are_bars(minutes: dict[int, int], width: int, line: str | None) -> None:
    assert sparkline(minutes, width) == line


@given(st.dictionaries(st.integers(0, 100_000), st.integers(1, 10**9), min_size=2, max_size=50), st.integers(70, 200))
def test_a_line_of_bars_fits_and_its_highest_is_the_most(minutes: dict[int, int], width: int) -> None:
    line = sparkline(minutes, width)
    assert line is not None
    assert len(line) <= width
    assert "█" in line


@pytest.mark.parametrize(("width", "bars"), [(63, 0), (64, 0), (65, 6), (66, 6), (80, 16), (140, 60), (200, 60)])
def test_a_bar_has_six_to_sixty_characters(width: int, bars: int) -> None:
    first = next(line for line in page(MADE, width) if line.startswith("  shop.orders"))
    assert first.count("█") == bars


def test_gtids_are_cut_at_the_width() -> None:
    for length, shown in ((66, "g" * 66), (67, "g" * 63 + "...")):
        assert f"GTIDs         {shown}" in page(MADE._replace(gtids="g" * length))


def test_programs_are_given_times_and_commands() -> None:
    found = as_json(MADE)
    assert (found["version"], found["boundary_warnings"], found["xa_in_doubt"]) == (1, 3, ["X'41',X'',1"])
    assert found["logs"] == [
        {
            "name": "a b.000001",
            "bytes": 1000,
            "server_id": 7,
            "server_version": "9.7.4",
            "begun": "2026-11-21T01:20:00Z",
        },
        {"name": "b.000003", "bytes": 234567, "server_id": 8, "server_version": "9.7.4", "begun": None},
    ]
    assert found["largest_transactions"][0] == {
        "log": "logs/a b.000001",
        "position": 120,
        "end": 240,
        "time": "2026-11-21T01:20:00Z",
        "seconds": 3,
        "rows": 1,
        "bytes": 1234567,
        "gtid": "g:1",
        "command": "pybinlog -vv --start-position=120 --stop-position=240 'logs/a b.000001'",
    }
    assert found["largest_transactions"][1]["time"] is None


FILTERS: list[list[str]] = [
    ["--table=shop.orders"],
    ["--operation=update"],
    ["--start-datetime=2026-11-24T20:10:07Z", "--stop-datetime=2026-11-24T20:10:14Z"],
    ["--thread-id=11"],
    ["--include-gtids=02f81e89-e843-11f1-acc8-02fc00000001:5-9", "--ignore-table=shop.customer"],
    ["--where=id = 3", "--table=shop.orders"],
]


@pytest.mark.parametrize("filters", FILTERS, ids=" ".join)
def test_filters_choose_what_counts(filters: list[str]) -> None:
    shop = str(TESTDATA / "shop")
    result = real("summary", "--format=json", *filters, shop)
    assert (result.status, result.err) == (0, "")
    found = json.loads(result.out)
    (total,) = lines("stats", "--format=jsonl", "--columns=all", *filters, shop)
    view = lines("transactions", "--format=jsonl", *filters, shop)
    kinds = ("inserts", "updates", "deletes", "bytes", "prepared", "first_time", "last_time")
    assert {kind: found["total"][kind] for kind in kinds} == {kind: total[kind] for kind in kinds}
    assert found["total"]["transactions"] == len(view)
    assert sum(found["transactions_per_minute"].values()) == len(view)
    assert sorted(one["bytes"] for one in found["largest_transactions"]) == sorted(one["bytes"] for one in view)[-10:]
    assert len(found["logs"]) == 3
    assert found["xa_in_doubt"] == [one["xa_xid"] for one in view if one["ended"] == "xa prepare"]


def test_a_filter_that_matches_nothing_is_named() -> None:
    result = real("summary", "--thread-id=99999", str(TESTDATA / "shop"))
    assert result.status == 0
    assert "--thread-id=99999: " in result.err
