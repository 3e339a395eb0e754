"""Transactions of MariaDB's logs chosen by GTID; testdata/more/mariadb-gtids has what mariadb-binlog prints."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT, scenarios
from tests.layout.log_builder import MARIADB_10_11, LogBuilder

from .log_parts import events_of, joined
from .one_log import dumped
from .test_mariadb import DDL, STANDALONE, gtid

LOGS = next(s for s in scenarios() if s.name == "mariadb-10.11/gtid-domains").logs
GTID = re.compile(rb"\tGTID (\d+-\d+-\d+)")
ALL = GTID.findall(b"".join(real("--no-tbm", str(log)).out for log in LOGS))


def gtids(*arguments: str, logs: list[Path] = LOGS, status: int = 0) -> list[bytes]:
    result = real("--no-tbm", *arguments, *map(str, logs))
    assert result.status == status, result.err
    return GTID.findall(result.out)


def test_the_logs_have_several_domains_and_servers() -> None:
    assert ALL[:8] == [b"3-1-1", b"3-1-2", b"3-1-3", b"3-1-4", b"7-1-1", b"7-99-2", b"7-99-1000", b"7-99-1001"]
    assert ALL[8:] == [b"4294967295-99-%d" % number for number in range(1, 7)]


@pytest.mark.parametrize("jobs", [[], ["--jobs=3"]])
@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("3-1-2", [b"3-1-2"]),
        ("3-1-2:3", [b"3-1-2", b"3-1-3"]),
        ("3-2-2", []),
        ("7-99-2:1000", [b"7-99-2", b"7-99-1000"]),
        ("3-1-4:99,7-1-1,4294967295-99-6", [b"3-1-4", b"7-1-1", b"4294967295-99-6"]),
        ("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-9,3-1-1", [b"3-1-1"]),
        ("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-9", []),
        ("", []),
    ],
)
def test_a_set_includes_and_excludes_transactions(text: str, chosen: list[bytes], jobs: list[str]) -> None:
    assert gtids(f"--include-gtids={text}", *jobs) == chosen
    assert gtids(f"--exclude-gtids={text}", *jobs) == [gtid for gtid in ALL if gtid not in chosen]


def test_both_sets_together_and_what_belongs_to_no_transaction() -> None:
    assert gtids("--include-gtids=3-1-1:3", "--exclude-gtids=3-1-2") == [b"3-1-1", b"3-1-3"]
    text = real("--no-tbm", "--include-gtids=3-1-2", str(LOGS[0])).out
    for line in (b"\tStart: binlog", b"\tGtid list [", b"\tBinlog checkpoint", b"\tRotate to"):
        assert line in text
    assert text.count(b"\tQuery\t") == 1
    # the position of what is left out is printed, as that of MySQL's transactions
    assert re.findall(rb"^# at \d+$", text, re.MULTILINE) == re.findall(
        rb"^# at \d+$", real("--no-tbm", str(LOGS[0])).out, re.MULTILINE
    )


def test_a_mysql_log_has_no_gtids_of_mariadb() -> None:
    log = str(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0])
    chosen = real("--include-gtids=0-1-1:99", log).out
    assert b"GTID_NEXT= 'AUTOMATIC'" in chosen
    assert chosen.count(b"GTID_NEXT=") == 1
    assert b"\tQuery\t" not in chosen
    assert real("--exclude-gtids=0-1-1:99", log).out == real(log).out


# ---- positions


@pytest.mark.parametrize("jobs", [[], ["--jobs=3"]])
def test_positions_take_from_and_up_to(jobs: list[str]) -> None:
    assert gtids("--start-position=3-1-2,7-99-2", *jobs) == [
        gtid for gtid in ALL if gtid not in (b"3-1-1", b"3-1-2", b"7-1-1", b"7-99-2")
    ]
    assert gtids("--start-position=3-1-2,7-1-1", "--stop-position=3-1-3,7-1-2", *jobs) == [b"3-1-3", b"7-99-2"]


def test_a_start_and_a_stop_may_be_numbers() -> None:
    assert gtids("--start-position=635", "--stop-position=3-1-4") == [b"3-1-3", b"3-1-4"]
    assert gtids("--start-position=3-1-1", "--stop-position=650", logs=LOGS[:1]) == [b"3-1-2", b"3-1-3"]


def test_standard_input_may_have_a_stop_by_gtid() -> None:
    result = real("--no-tbm", "--stop-position=3-1-2", "-", stdin=LOGS[0].read_bytes())
    assert GTID.findall(result.out) == [b"3-1-1", b"3-1-2"]


def test_a_start_that_the_logs_do_not_reach_is_an_error_after_the_text() -> None:
    result = real("--no-tbm", "--start-position=3-1-99,0-1-5", *map(str, LOGS))
    assert result.status == 1
    assert result.err == (
        "ERROR: the logs never reach 3-1-99, 0-1-5, the position of --start-position. Name a GTID of these logs, or "
        "add the logs that follow; give a date with --start-datetime.\n"
    )
    assert GTID.findall(result.out) == ALL[4:]
    assert result.out.endswith(b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;\n")


def test_a_stop_that_the_logs_do_not_reach_is_a_warning() -> None:
    result = real("--stop-position=3-1-99", *map(str, LOGS))
    assert result.status == 0
    assert result.err == "WARNING: The logs end before the transaction 3-1-99, which --stop-position names.\n"


@pytest.mark.parametrize("options", [[], ["--short-form"], ["--skip-gtids"], ["--recover"]])
def test_logs_that_begin_after_the_position_are_refused(options: list[str]) -> None:
    result = real("--start-position=3-1-2,7-1-1", *options, str(LOGS[1]))
    assert result.status == 1
    assert result.err.splitlines()[-1] == (
        f"ERROR: {LOGS[1]}, at 256: the log does not match the requested position: it begins after 7-99-1001, and so "
        "lacks transactions of domain 7; it begins after 3-1-4, and so lacks transactions of domain 3. Give the logs "
        "from that position on; a start position names a GTID of each domain in the Gtid_list."
    )
    result = real("--stop-position=3-1-4", *options, str(LOGS[1]))
    assert "it begins after 3-1-4, and so after the stop position" in result.err


def test_mariadb_binlogs_fault_of_a_start_that_is_the_newest_of_its_domain_is_not_copied() -> None:
    """There each of these is status 1: only what is printed counts as reached."""
    assert gtids("--start-position=3-1-4", logs=LOGS[:1]) == ALL[4:8]
    assert gtids("--start-position=3-1-3", "--stop-position=3-1-3") == []
    assert gtids("--start-position=3-1-2", "--stop-position=7-1-1") == [b"7-1-1"]


def test_numbers_out_of_order_do_not_open_a_domain_again(tmp_path: Path) -> None:
    """As mariadb-binlog with --skip-gtid-strict-mode: a domain is passed in the order of the log."""
    builder = LogBuilder(MARIADB_10_11)
    for number in (1, 3, 2, 5, 4, 6):
        gtid(builder, number, STANDALONE | DDL)
    log = builder.data
    assert GTID.findall(dumped(log, tmp_path, start_gtids="0-1-2").text) == [b"0-1-%d" % n for n in (3, 2, 5, 4, 6)]
    assert GTID.findall(dumped(log, tmp_path, stop_gtids="0-1-4").text) == [b"0-1-%d" % n for n in (1, 3, 2)]
    assert GTID.findall(dumped(log, tmp_path, start_gtids="0-1-1", stop_gtids="0-1-2").text) == []


def test_a_gtid_event_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    format_description, whole = events_of(gtid(LogBuilder(MARIADB_10_11), 1, STANDALONE).data)
    short = bytearray(whole[:27] + whole[-4:])
    short[9:13] = len(short).to_bytes(4, "little")
    log = joined([format_description, bytes(short)])
    for option in ("start_gtids", "stop_gtids", "include_gtids"):
        options: dict[str, Any] = {option: "0-1-1"}
        error = dumped(log, tmp_path, **options).error
        assert "event is corrupt: a length in it reaches beyond its end" in str(error), option


def test_output_dir_takes_no_position_by_gtid(tmp_path: Path) -> None:
    result = real("--spark=local[1]", f"--output-dir={tmp_path}", "--stop-position=3-1-2", str(LOGS[0]))
    assert result.status == 1
    assert "--stop-position cannot be used with GTIDs and --output-dir" in result.err


def test_the_help_and_the_readme_show_how() -> None:
    text = " ".join(real("help", "filters").out.decode().split())
    assert "0-1-5:9" in text
    assert "--start-position=0-1-3" in real("dump", "--help").out.decode()
    assert "--start-position=0-1-3" in (PROJECT / "README.md").read_text()
