"""Logs that a crash of MariaDB tore: it sends nothing behind the tear, and the next log's GTIDs tell what is lost."""

import json
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.errors import DataLossError
from pybinlog.event_types import EventType
from pybinlog.gtid_intervals import GtidSet
from pybinlog.live.live_run import Place
from pybinlog.log.log_head import LogHead
from pybinlog.log.previous_gtids import set_of, up_to
from pybinlog.log.reader import Reader
from pybinlog.mirror.continuation import check_behind_torn
from pybinlog.source import open_source
from tests.corpus import PROJECT
from tests.mirror.mirrored import Mirrored, mirrored

KNOWN = set_of(up_to([(0, 1, 112), (0, 2, 7)]))


@pytest.mark.parametrize(
    ("known", "listed", "said"),
    [
        (KNOWN, [(0, 2, 7), (0, 1, 112)], None),
        (KNOWN, [(0, 2, 7), (0, 1, 113)], "begins with transactions that the mirror does not have (0-1-113)"),
        (KNOWN, [(0, 2, 7), (0, 1, 112), (5, 1, 1)], "does not have (5-1-1)"),
        (KNOWN, [(0, 2, 7), (0, 1, 111)], "begins without transactions that the mirror has (0-1-112)"),
        (KNOWN, [], "has no GTIDs that tell"),
        (None, [(0, 1, 112)], "has no GTIDs that tell"),
        (GtidSet(), [(0, 1, 112)], "has no GTIDs that tell"),
    ],
)
def test_only_equal_gtids_lead_behind_a_torn_log(
    known: GtidSet | None, listed: list[tuple[int, int, int]], said: str | None
) -> None:
    head, place = LogHead("binlog.000004"), Place("binlog.000003", 815)
    head.intervals = up_to(listed)
    if said is None:
        sentence = check_behind_torn("mysql://db1", place, known, head)
        assert sentence.startswith("mysql://db1/binlog.000003: a crash of the server tore the transaction at 815")
        return
    with pytest.raises(DataLossError) as raised:
        check_behind_torn("mysql://db1", place, known, head)
    assert said in str(raised.value)
    assert "to mirror what this server has now, name another folder" in str(raised.value)


@pytest.fixture
def server() -> Iterator[Mirrored]:
    with mirrored("mariadb", "--binlog-format=ROW", "--binlog-row-metadata=FULL") as made:
        made.server.sql("CREATE DATABASE a; CREATE TABLE a.t (x INT, y TEXT) ENGINE=InnoDB")
        yield made


def tear(server: Mirrored, number: int) -> int:
    """Kill the server, end its last log inside another group, and start it; return the position of that group."""
    server.server.sql(f"INSERT INTO a.t VALUES ({number}, 'whole')")
    server.server.kill()
    log = max(server.server.folder().glob("binlog.0*[0-9]"))
    gtid = bytearray()
    with open_source(str(log)) as source:
        for batch in Reader(source):
            for index in range(batch.count):
                if batch.type(index) == EventType.MARIA_GTID:
                    gtid[:] = batch.data(index)
    end = log.stat().st_size
    gtid[13:17] = (end + len(gtid)).to_bytes(4, "little")
    gtid[-4:] = zlib.crc32(gtid[:-4]).to_bytes(4, "little")
    with log.open("ab") as out:
        out.write(gtid + gtid[:25])  # of the second one not enough
    server.server.start()
    server.server.sql(f"INSERT INTO a.t VALUES ({number}, 'after the crash')")
    return end


def test_a_mirror_continues_behind_a_torn_log(server: Mirrored, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    assert server.once(folder).returncode == 0
    ends = {}
    for number in range(2):
        log = server.logs()[-1]
        ends[log] = tear(server, number)
        done = server.once(folder)
        assert done.returncode == 0, done.stderr
        assert f"{log}: a crash of the server tore the transaction at {ends[log]}, which was" in done.stderr
    for log in server.logs():
        theirs, ours = (server.server.folder() / log).read_bytes(), (folder / log).read_bytes()
        assert len(ours) == ends.get(log, len(theirs))
        assert theirs[22 : len(ours)] == ours[22:]
    check = [sys.executable, "-m", "pybinlog", "rows", "--format=csv", "--columns=after", str(folder)]
    rows = subprocess.run(check, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert [rows.count("whole"), rows.count("after the crash")] == [2, 2]


def test_rows_of_a_server_continue_behind_a_torn_log(server: Mirrored, tmp_path: Path) -> None:
    output, checkpoint = tmp_path / "rows.jsonl", tmp_path / "checkpoint.json"
    where = ["--no-defaults", "-h", "127.0.0.1", f"-P{server.port}", "-uroot", server.logs()[0]]
    command = ["rows", "-R", "--stop-never", f"--output={output}", f"--checkpoint={checkpoint}", *where]
    running = subprocess.Popen(
        [sys.executable, "-m", "pybinlog", *command], cwd=PROJECT, stderr=subprocess.PIPE, text=True
    )
    try:
        server.server.sql("INSERT INTO a.t VALUES (0, 'before')")
        server.until(lambda: output.exists() and "before" in output.read_text())
        tear(server, 1)
        server.until(lambda: "after the crash" in output.read_text())
        server.until(lambda: str(json.loads(checkpoint.read_text())["log"]) == server.logs()[-1])
    finally:
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=30)
    assert "a crash of the server tore the transaction" in errors
    texts = [json.loads(line)["after"]["y"] for line in output.read_text().splitlines()]
    assert texts == ["before", "whole", "after the crash"]
