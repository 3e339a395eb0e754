"""--column-names while a server writes: of a followed log and of one that the server sends, as of the closed logs."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.mirror.mirrored import mirrored
from tests.mirror.test_refusals import RESET

STEPS = [
    "CREATE DATABASE n; CREATE TABLE n.t (id INT PRIMARY KEY, word TEXT); INSERT INTO n.t VALUES (1, 'first')",
    "FLUSH BINARY LOGS",
    "UPDATE n.t SET word = 'second'; ALTER TABLE n.t CHANGE word `wo``rd` TEXT, ADD more JSON",
    "FLUSH BINARY LOGS",
    "INSERT INTO n.t VALUES (2, 'third', '{}'); RENAME TABLE n.t TO n.u; DELETE FROM n.u WHERE id = 1",
    "INSERT INTO n.u VALUES (9, 'the last', NULL)",
]
PROGRAM = [sys.executable, "-m", "pybinlog", "dump", "--no-defaults", "-v", "--column-names"]
PATIENCE = 60


def rows(text: bytes) -> list[bytes]:
    return [line for line in text.splitlines() if line.startswith(b"###")]


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_the_names_are_those_of_the_closed_logs(kind: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with mirrored(kind, "--binlog-format=ROW") as server:
        server.server.sql(RESET[kind])
        folder = server.server.folder()
        from_server = ["-R", "-h127.0.0.1", f"-P{server.port}", "-uroot"]
        ways = {
            "followed": ["--follow", str(folder / "binlog.000001")],
            "received": [*from_server, "--stop-never", "binlog.000001"],
        }
        running = []
        for name, arguments in ways.items():
            with (tmp_path / name).open("wb") as output:
                running.append(subprocess.Popen([*PROGRAM, *arguments], env=environment, stdout=output))
        try:
            for step in STEPS:
                server.server.sql(step)
                time.sleep(0.5)
            for name in ways:
                server.until(lambda name=name: b"'the last'" in (tmp_path / name).read_bytes())  # type: ignore[misc]
        finally:
            for process in running:
                process.terminate()
                process.wait(PATIENCE)
        server.server.next_log()
        closed = [str(folder / name) for name in server.logs()[:-1]]
        whole = subprocess.run([*PROGRAM, *closed], env=environment, capture_output=True, check=True).stdout
    assert rows(whole) == rows((tmp_path / "followed").read_bytes()) == rows((tmp_path / "received").read_bytes())
    found = [line for line in rows(whole) if b"@" in line or b"`wo``rd`" in line or b"`word`" in line]
    assert [line.partition(b"=")[0].split()[1] for line in found] == [b"`word`"] * 3 + [b"`wo``rd`"] * 3
