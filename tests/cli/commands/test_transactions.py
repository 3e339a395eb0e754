"""`pybinlog transactions`: which it lists, in which order, and that its formats are export's."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real, without_remark
from tests.corpus import TESTDATA

FOLDER = TESTDATA / "corpus" / "mysql-9.7"
BASIC = str(FOLDER / "row-basic" / "binlog.000001")
XA = str(FOLDER / "xa" / "binlog.000001")
COMPRESSED = str(FOLDER / "compression" / "binlog.000001")


def listed(*options: str) -> list[dict[str, Any]]:
    found = real("transactions", "--format=jsonl", *options)
    assert (found.status, without_remark(found.err) == "") == (0, found.out != b"")
    return [json.loads(line) for line in found.out.splitlines()]


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("log", [BASIC, XA, COMPRESSED])
def test_for_programs_it_is_what_export_writes(format: str, log: str) -> None:
    shown = real("transactions", f"--format={format}", log)
    assert shown.out == real("export", "--view=transactions", f"--format={format}", "-o", "-", log).out
    lines = real("transactions", "--format=jsonl", log).out.splitlines()
    assert json.loads(real("transactions", "--format=json", log).out) == list(map(json.loads, lines))


@pytest.mark.parametrize("log", [BASIC, XA, COMPRESSED])
def test_the_rows_of_the_tables_add_up(log: str) -> None:
    for one in listed(log):
        assert [name for name in one["tables"] if name in one["table_rows"]] == list(one["table_rows"])
        assert sum(one["table_rows"].values()) == one["rows"]


@pytest.mark.parametrize("log", [BASIC, COMPRESSED])
def test_transactions_and_what_is_none_add_up_to_the_file(log: str) -> None:
    outside = [row["size"] for row in events(log) if row["transaction_position"] is None]
    assert 4 + sum(one["bytes"] for one in listed(log)) + sum(outside) == Path(log).stat().st_size


def events(log: str) -> list[dict[str, Any]]:
    return list(map(json.loads, real("events", "--format=jsonl", log).out.splitlines()))


@pytest.mark.parametrize(
    ("option", "column", "least"), [("rows", "rows", 2), ("bytes", "bytes", 300), ("duration", "duration", 0.4)]
)
def test_the_smallest_that_are_wanted(option: str, column: str, least: float) -> None:
    everything = listed(COMPRESSED)
    limit = least * 1_000_000 if option == "duration" else least
    wanted = [one for one in everything if one[column] >= limit]
    assert 0 < len(wanted) < len(everything) or option == "duration"
    assert listed(f"--min-{option}={least}", COMPRESSED) == wanted
    assert listed(f"--min-{option}={10**9}", COMPRESSED) == []


def test_the_longest_come_first_and_the_larger_of_those_that_took_as_long() -> None:
    everything = listed(COMPRESSED)
    wanted = sorted(everything, key=lambda one: (one["seconds"], one["bytes"]), reverse=True)
    assert listed("--top=5", COMPRESSED) == wanted[:5]
    assert listed("--top=2", "--sort=rows", COMPRESSED)[0]["rows"] == max(one["rows"] for one in everything)


def test_committed_leaves_out_what_was_rolled_back() -> None:
    everything = listed(XA)
    found = real("transactions", "--format=jsonl", "--committed", XA)
    assert found.status == 0
    kept = list(map(json.loads, found.out.splitlines()))
    decided = {one["xa_xid"] for one in everything if one["ended"] == "xa rollback"}
    assert decided
    gone = [one for one in everything if one not in kept]
    assert {one["xa_xid"] for one in gone if one["ended"] == "xa prepare"} <= decided
    assert len(gone) >= len(decided)


def test_people_are_shown_the_most_important_columns() -> None:
    header, *lines = real("transactions", BASIC).out.decode().splitlines()
    assert header.split("\t")[:6] == ["gtid", "file", "start_position", "commit_time", "seconds", "rows"]
    assert len(lines) == len(listed(BASIC))


WHERE = TESTDATA / "where"
CONDITIONS = ["id = 3", "status = 'paid'", "changed(status)", "before.id IS NULL", "id > 100000", "id IS NOT NULL"]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("filter", [[], ["--table=shop.orders"], ["--operation=update,delete"]], ids=str)
def test_where_lists_the_transactions_with_a_row_that_meets_it(condition: str, filter: list[str]) -> None:
    shop = str(TESTDATA / "shop")
    rows = real("rows", f"--where={condition}", *filter, "--format=jsonl", shop).out.splitlines()
    wanted = {(row["file"], row["transaction_position"]) for row in map(json.loads, rows)}
    everything = listed(*filter, shop)
    found = real("transactions", "--format=jsonl", f"--where={condition}", *filter, shop)
    assert found.status == 0
    transactions = list(map(json.loads, found.out.splitlines()))
    assert transactions == [one for one in everything if (one["file"], one["start_position"]) in wanted]


@pytest.mark.parametrize("log", ["mysql-9.7/compression", "mysql-9.7/row-basic", "mariadb-11.8/compressed"])
@pytest.mark.parametrize("condition", ["@1 = 2", "@1 > 1", "@1 IS NULL"])
def test_where_reads_rows_in_payloads_and_compressed_events(log: str, condition: str) -> None:
    folder = TESTDATA / "corpus" / log
    name = str(next(path for path in sorted(folder.iterdir()) if path.name.endswith(".000001")))
    rows = real("rows", f"--where={condition}", "--format=jsonl", name).out.splitlines()
    wanted = {row["transaction_position"] for row in map(json.loads, rows)}
    lines = real("transactions", "--format=jsonl", f"--where={condition}", name).out.splitlines()
    assert {one["start_position"] for one in map(json.loads, lines)} == wanted


def test_a_condition_that_no_row_meets_is_named() -> None:
    result = real("transactions", "--where=id = -1", str(TESTDATA / "shop"))
    assert result.status == 0
    assert "--where" in result.err
