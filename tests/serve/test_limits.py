"""The end of the stream, and transactions that are left out of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA
from tests.serve.served import Served, served
from tests.serve.test_copies import CLIENT

pytest.importorskip("pymysql", reason="needs PyMySQL")

MULTI = TESTDATA / "corpus/mysql-9.7/multi-file"
UUID = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
MARIADB = TESTDATA / "corpus/mariadb-11.8/mixed"


def gtids_of(server: Served, first: str = "binlog.000001") -> list[str]:
    """Return the GTIDs that a client gets."""
    columns = ["--view=transactions", "--columns=gtid", "--format=csv", "-o", "-"]
    result = real("export", *columns, *CLIENT, f"-P{server.port}", "-t", first)
    assert result.status == 0, result.err
    return [line.decode().strip('"') for line in result.out.splitlines()[1:] if line]


def mysql(*numbers: int) -> list[str]:
    return [f"{UUID}:{number}" for number in numbers]


@pytest.mark.parametrize(
    ("option", "numbers"),
    [
        (f"--stop-gtids={UUID}:1-5", range(1, 6)),
        (f"--stop-gtids={UUID}:7", range(1, 8)),
        (f"--stop-gtids={UUID}:1-12", range(1, 13)),
        ("--stop-datetime=2026-11-21T01:23:47Z", range(1, 1)),
        ("--stop-datetime=2030-01-01T00:00:00Z", range(1, 13)),
        ("--stop-position=binlog.000004:731", range(1, 11)),
        ("--stop-position=binlog.000004:1060", range(1, 11)),
        ("--stop-position=binlog.000004:1061", range(1, 12)),
    ],
)
def test_a_client_gets_exactly_the_transactions_before_the_end(option: str, numbers: list[int]) -> None:
    with served(MULTI, option) as server:
        assert gtids_of(server) == mysql(*numbers)


@pytest.mark.parametrize(
    ("option", "numbers"),
    [
        (f"--exclude-gtids={UUID}:2-4:9", [1, *range(5, 9), 10, 11, 12]),
        ("--exclude-positions=binlog.000004:800", [*range(1, 11), 12]),
        ("--exclude-positions=binlog.000004:731", [*range(1, 11), 12]),
    ],
)
def test_excluded_transactions_are_not_sent(option: str, numbers: list[int]) -> None:
    with served(MULTI, option) as server:
        assert gtids_by_gtids(server) == mysql(*numbers)


def gtids_by_gtids(server: Served) -> list[str]:
    """Return the GTIDs that a client gets that knows of none, and takes gaps between positions."""
    how = "--read-from-remote-source=BINLOG-DUMP-GTIDS"
    result = real(how, *CLIENT[1:], f"-P{server.port}", "--allow-gaps", "-t", "binlog.000001")
    assert result.status == 0, result.err
    return re.findall(r"GTID_NEXT= '([^'A]+)'", result.out.decode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (f"--stop-gtids={UUID}:1-99", "the logs do not have all of"),
        ("--stop-position=binlog.000009:4", "binlog.000009 is not one of the logs"),
        ("--stop-position=binlog.000004:99999", "binlog.000004 ends at"),
        ("--exclude-positions=binlog.000004:130", "no transaction of binlog.000004 is at 130"),
    ],
)
def test_a_place_that_is_not_there_is_an_error(option: str, words: str) -> None:
    command = [sys.executable, "-m", "pybinlog", "serve", str(MULTI), option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False, cwd=PROJECT)
    assert done.returncode == 1
    assert words in done.stderr


def test_a_gtid_to_exclude_that_no_log_has_is_a_warning(tmp_path: Path) -> None:
    with served(MULTI, f"--exclude-gtids={UUID}:12-20", errors=tmp_path / "said") as server:
        assert f"the logs do not have {UUID}:13-20" in server.said
        assert gtids_by_gtids(server) == mysql(*range(1, 12))


def test_the_stream_of_mariadbs_logs_ends_after_a_gtid() -> None:
    with served(MARIADB) as server:
        everything = gtids_of(server, "mariadb-bin.000001")
    with served(MARIADB, f"--stop-gtids={everything[4]}") as server:
        assert gtids_of(server, "mariadb-bin.000001") == everything[:5]


def test_a_log_that_is_missing_is_an_error_before_a_client_is_served() -> None:
    command = [sys.executable, "-m", "pybinlog", "serve", *(str(MULTI / f"binlog.00000{n}") for n in (1, 3))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False, cwd=PROJECT)
    assert done.returncode == 1
    assert "binlog.000002 is missing between binlog.000001 and this log" in done.stderr


def test_transactions_that_are_missing_between_two_logs_end_the_stream(tmp_path: Path) -> None:
    for number, name in (1, "binlog.000001"), (3, "binlog.000002"):
        (tmp_path / name).write_bytes((MULTI / f"binlog.00000{number}").read_bytes())
    with served(tmp_path) as server:
        result = real(*CLIENT, f"-P{server.port}", "-t", "--no-tbm", "binlog.000001")
    assert result.status == 1
    assert "are missing between binlog.000001 and this log" in result.err
    assert f"the transactions {UUID}:" in result.err
