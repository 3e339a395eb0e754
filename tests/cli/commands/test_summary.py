"""`pybinlog summary`: what it adds up is what `stats`, the views and the file say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from pybinlog.questions.summary import ddl_kind
from tests.cli.conftest import real
from tests.cli.test_worklogs import output_of
from tests.corpus import PROJECT, TESTDATA

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
    assert (found.status, found.err) == (0, "")
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
    found = summed(SERIES[0], SERIES[3])
    assert found["missing_logs"] == ["binlog.000002 to binlog.000003"]
    assert summed(*SERIES)["missing_logs"] == []
    assert f"{'Missing':<14}binlog.000002" in real("summary", *map(str, (SERIES[0], SERIES[2]))).out.decode()


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


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("CREATE TABLE`t`(a INT)", "CREATE TABLE"),
        ("create or replace temporary table event (a INT)", "CREATE TEMPORARY TABLE"),
        ("/* a VIEW */ CREATE DEFINER=`USER`@`localhost` PROCEDURE p() BEGIN END", "CREATE PROCEDURE"),
        ("CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW v AS SELECT 1", "CREATE VIEW"),
        ("CREATE UNIQUE INDEX i ON t (a)", "CREATE INDEX"),
        ("/*!50000 CREATE /*!50017 DEFINER=root@localhost*/ TRIGGER x */", "CREATE TRIGGER"),
        ("TRUNCATE m", "TRUNCATE TABLE"),
        ("GRANT SELECT ON TABLE a.t TO u", "GRANT"),
        ("ANALYZE  table t", "ANALYZE TABLE"),
        ("-- only a comment", ""),
    ],
)
def test_the_kind_of_a_statement(query: str, kind: str) -> None:
    assert ddl_kind(query) == kind
