"""`pybinlog find`: places in logs, and the commands that print them."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from pybinlog.questions.search import Search
from tests.cli.conftest import Result, real
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
SERIES = [CORPUS / "mysql-9.7" / "multi-file" / f"binlog.00000{number}" for number in (1, 2, 3, 4)]
MARIADB = [CORPUS / "mariadb-10.11" / "gtid-domains" / f"mariadb-bin.00000{number}" for number in (1, 2, 3, 4)]
SHOP = [TESTDATA / "shop" / f"binlog.00000{number}" for number in (1, 2, 3)]
XA = CORPUS / "mysql-9.7" / "xa" / "binlog.000001"
TAGGED = CORPUS / "mysql-9.7" / "tagged-gtid" / "binlog.000001"
PREPARED_AND_COMMITTED = [801, 1219]


def find(*arguments: str | Path) -> tuple[list[dict[str, Any]], Result]:
    found = real("find", "--format=jsonl", *map(str, arguments))
    return [json.loads(line) for line in found.out.splitlines()], found


def test_transactions_that_a_folder_lacks_have_the_statements_that_heal_them(tmp_path: Path) -> None:
    for log in SERIES[:-1]:
        shutil.copy(log, tmp_path)
    rows, result = find(f"--not-in={tmp_path}", *SERIES)
    there = {one["gtid"] for one in transactions(*SERIES[:-1])}
    errant = [one["gtid"] for one in transactions(*SERIES) if one["gtid"] not in there]
    assert ([row["gtid"] for row in rows], result.status) == (errant, 0)
    assert rows[0]["heal"] == f"SET gtid_next = '{errant[0]}'; BEGIN; COMMIT; SET gtid_next = 'AUTOMATIC';"
    assert find(f"--not-in={tmp_path}", *SERIES[:-1])[1].status == 1
    assert find(f"--not-in={tmp_path / 'nothing'}", *SERIES)[1].status == 2


def transactions(*logs: Path) -> list[dict[str, Any]]:
    found = real("export", "--view=transactions", "-o", "-", *map(str, logs))
    return [json.loads(line) for line in found.out.splitlines()]


@pytest.mark.parametrize("logs", [SERIES, MARIADB, [TAGGED]], ids=["mysql", "mariadb", "tagged"])
def test_each_gtid_is_found_and_its_command_prints_it(logs: list[Path]) -> None:
    for one in transactions(*logs):
        if one["gtid"] is None:
            continue
        (found,), result = find(f"--gtid={one['gtid']}", *logs)
        assert result.status == 0
        assert (found["log"], found["position"], found["end"]) == (
            one["file"],
            one["start_position"],
            one["end_position"],
        )
        program, *arguments = shlex.split(found["command"])
        text = real(*arguments).out.decode()
        assert program == "pybinlog"
        assert f"# at {found['position']}\n" in text
        assert f"end_log_pos {found['end']} " in text


def test_only_the_log_that_can_hold_it_is_read_whole() -> None:
    last = {one["file"]: one["gtid"] for one in transactions(*SERIES)}
    assert len(last) > 2
    for log, gtid in last.items():
        search = Search(list(map(str, SERIES)), pytest.fail)
        assert [found.log for found in search.gtids(gtid)] == [log]
        assert search.read_whole == [log]
    said: list[str] = []
    search = Search(list(map(str, SERIES[2:])), said.append)
    assert list(search.gtids(last[str(SERIES[0])])) == []  # it was executed before both
    assert search.read_whole == []
    assert said == [
        f"{last[str(SERIES[0])]}: executed before {SERIES[2]} begins, and in none of these logs: the log that holds "
        "it is missing, or was purged"
    ]


@pytest.mark.parametrize("names", [("binlog.000001", "binlog.000003"), ("prod.1", "prod.3")])
def test_transactions_of_a_missing_log_are_named(names: tuple[str, str], tmp_path: Path) -> None:
    """By their GTIDs, whatever the names of the files are; also if the set has some of them."""
    for name, log in zip(names, (SHOP[0], SHOP[2]), strict=True):
        shutil.copy(log, tmp_path / name)
    logs = [tmp_path / name for name in names]
    source = gtid_of(SHOP[1]).rpartition(":")[0]
    for option, said in ((f"--gtid={source}:7", ":7: "), (f"--not-in={source}:1-7", ":8-9: ")):
        rows, result = find(option, *logs)
        assert f"WARNING: {source}{said}executed before {logs[1]} begins, and in none of these logs" in result.err
        assert len(rows) == (0 if said == ":7: " else 4)
    _, result = find(f"--not-in={source}:1-9", *logs)
    assert result.err == ""


def gtid_of(log: Path) -> str:
    """The GTID of its first transaction."""
    return str(transactions(log)[0]["gtid"])


def test_a_gtid_that_is_not_there_is_status_1() -> None:
    rows, result = find("--gtid=3e11fa47-71ca-11e1-9e33-c80aa9429562:1", *SERIES)
    assert (rows, result.status) == ([], 1)
    assert result.err.endswith("-c80aa9429562:1: these logs have none of these GTIDs.\n")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--time=2035-01-01", " 00:00:00Z: no transaction of these logs was committed then or later."),
        ("--xid=77777777", ": no transaction of these logs has this id."),
        (
            "--set=3e11fa47-71ca-11e1-9e33-c80aa9429562:1",
            ": these logs have no place after which all of this set was executed.",
        ),
    ],
)
def test_nothing_found_is_said(option: str, says: str) -> None:
    rows, result = find(option, *SERIES)
    assert (rows, result.status, result.err) == ([], 1, f"WARNING: {option}{says}\n")


def test_errant_transactions_are_those_that_the_set_lacks() -> None:
    gtids = [one["gtid"] for one in transactions(*SERIES)]
    rows, result = find(f"--not-in={','.join(gtids[1:-1])}", *SERIES)
    assert [row["gtid"] for row in rows] == [gtids[0], gtids[-1]]
    assert result.status == 0
    assert find(f"--not-in={','.join(gtids)}", *SERIES)[1].status == 1


@pytest.mark.parametrize("logs", [SERIES, MARIADB], ids=["mysql", "mariadb"])
def test_a_position_and_its_set_lead_to_each_other(logs: list[Path]) -> None:
    for one in transactions(*logs):
        place = f"{Path(one['file']).name}:{one['end_position']}"
        ((row,), result) = find(f"--position={place}", *logs)
        assert (result.status, result.err) == (0, "")
        ((back,), _) = find(f"--set={row['gtid']}", *logs)
        assert (back["log"], back["end"]) == (one["file"], one["end_position"])
        assert f"--start-position={one['end_position']} " in back["command"]


def test_a_set_that_is_not_executed_there_is_status_1() -> None:
    assert find("--set=3e11fa47-71ca-11e1-9e33-c80aa9429562:1", *SERIES)[1].status == 1


def test_the_first_transaction_since_a_time() -> None:
    logs = transactions(*SERIES)
    for one in logs:
        time = one["commit_time"]
        (found,), result = find(f"--time={time[:19]}Z", *SERIES)
        first = next(other for other in logs if other["commit_time"] >= time[:19])
        assert (found["log"], found["position"]) == (first["file"], first["start_position"])
        assert f"--start-position={first['start_position']} " in found["command"]
        assert result.status == 0
    assert find("--time=2036-01-01", *SERIES)[1].status == 1


def test_a_clock_that_went_back_is_told(tmp_path: Path) -> None:
    """The logs of another time follow."""
    first, second = tmp_path / "binlog.000001", tmp_path / "binlog.000002"
    shutil.copy(CORPUS / "mysql-5.6" / "row-gtid" / "mysql-bin.000001", first)
    shutil.copy(SERIES[1], second)
    times = [one["commit_time"] for one in transactions(first, second)]
    assert times[0] > times[-1]
    _, result = find(f"--time={times[0][:19]}Z", first, second)
    assert result.status == 0
    assert "the clock went back" in result.err


def test_an_xa_transaction_and_an_xid() -> None:
    rows, _ = find("--xid=X'706c61696e',X'',1", XA)
    assert [row["position"] for row in rows] == PREPARED_AND_COMMITTED
    (event, *_) = (
        json.loads(line)
        for line in real(
            "export", "--columns=xid,end_position", "--event-type=Xid", "-o", "-", str(SERIES[0])
        ).out.splitlines()
    )
    ((row,), _) = find(f"--xid={event['xid']}", SERIES[0])
    assert row["end"] == event["end_position"]


def test_an_error_is_status_2() -> None:
    rows, result = find("--position=binlog.000009:4", *SERIES)
    assert (rows, result.status) == ([], 2)
    assert "binlog.000009 is not one of the logs" in result.err
    damaged = CORPUS / "mysql-9.7" / "damaged-body" / "binlog.000001"
    assert find("--xid=X'00',X'',1", damaged)[1].status == 2
    assert find("--position=binlog.000001:99999999", *SERIES)[1].status == 2


@pytest.mark.parametrize("command", [["find", "--time=now"], ["stats"], ["summary"]], ids=lambda command: command[0])
def test_logs_of_a_server_that_is_not_there(command: list[str]) -> None:
    result = real(*command, "-R", "--host=127.0.0.1", "--port=1", "--user=nobody", "binlog.000001")
    assert result.status != 0
    assert "127.0.0.1" in result.err
    assert "fault" not in result.err


@pytest.mark.parametrize(
    ("option", "row"),
    [
        ("--position=binlog.000001:1500", "1500\t1500\tNULL\t{UUID}:1-4\tpybinlog --start-position=1500 {LOG}"),
        (
            "--time=1970-01-02T00:00:00Z",
            "158\t343\t2026-11-21T01:22:50.554753Z\t{UUID}:1\tpybinlog --start-position=158 {LOG}",
        ),
        (
            "--gtid={UUID}:1",
            "158\t343\t2026-11-21T01:22:50.554753Z\t{UUID}:1\tpybinlog -vv --start-position=158 --stop-position=343 "
            "{LOG}",
        ),
        ("--set={UUID}:1", "158\t343\t2026-11-21T01:22:50.554753Z\t{UUID}:1\tpybinlog --start-position=343 {LOG}"),
    ],
)
def test_a_place_has_its_log_and_the_command_that_goes_on(option: str, row: str, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    shutil.copy(CORPUS / "mysql-9.7" / "row-basic" / "binlog.000001", log)
    texts = [text.format(UUID="1bcbbf4c-e549-11f1-88f4-02fc00000001", LOG=log) for text in (option, row)]
    found = real("find", "--format=tsv", texts[0], str(log))
    assert found.out.decode().splitlines() == ["log\tposition\tend\ttime\tgtid\tcommand", f"{log}\t{texts[1]}"]
    assert (found.status, found.err) == (0, "")
