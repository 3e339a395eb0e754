"""`--follow` beside a real server that writes, rotates and restarts: the text is that of the closed logs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import PROJECT
from tests.server import running

PROGRAM = [sys.executable, "-m", "pybinlog"]
WORK = """
CREATE DATABASE IF NOT EXISTS w; CREATE TABLE IF NOT EXISTS w.t (a INT AUTO_INCREMENT PRIMARY KEY, b LONGTEXT);
INSERT INTO w.t (b) VALUES ('one'), (REPEAT('x', 100000)); UPDATE w.t SET b = CONCAT(b, '.') LIMIT 7;
BEGIN; INSERT INTO w.t (b) SELECT REPEAT('y', 70000) FROM w.t LIMIT 8; DELETE FROM w.t LIMIT 3; COMMIT;
"""
STATUS = {"mysql": "SHOW BINARY LOG STATUS", "mariadb": "SHOW MASTER STATUS"}
RESET = {"mysql": "RESET BINARY LOGS AND GTIDS", "mariadb": "RESET MASTER"}


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
@pytest.mark.parametrize("arguments", [[], ["-vv"], ["--no-tbm", "--table=w.t", "-v"]], ids=" ".join)
def test_the_text_is_that_of_the_closed_logs(kind: str, arguments: list[str], tmp_path: Path) -> None:
    with running(kind, "follow", "--binlog-format=ROW") as server:
        folder = server.folder()
        server.sql(RESET[kind])
        text = tmp_path / "text.sql"
        with text.open("wb") as output:
            process = subprocess.Popen(
                [*PROGRAM, "--follow", *arguments, str(folder / "binlog.000001")],
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
                stdout=output,
                stderr=subprocess.PIPE,
            )
        try:
            for _ in range(4):
                for _ in range(5):
                    server.sql(WORK)
                server.next_log()
            server.restart()
            server.sql(WORK)
            last = server.next_log()
            server.sql(WORK)
            end = int(server.sql(STATUS[kind]).split("\t")[1])
            while b"end_log_pos %d " % end not in text.read_bytes().rpartition(b"Rotate to " + last.encode())[2]:
                assert process.poll() is None, process.stderr and process.stderr.read()
                server.sql("DO 1")  # takes some time, and tells that the server is there
        finally:
            process.terminate()
            _, said = process.communicate(timeout=60)
        assert process.returncode == 143
        assert [line for line in said.splitlines() if b"A statement matches by" not in line] == []
        server.next_log()  # closes the last one
        names = sorted(path for path in folder.glob("binlog.*[0-9]") if path.name <= last)
        assert len(names) >= 6
        whole = subprocess.run(
            [*PROGRAM, *arguments, *map(str, names)],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            check=True,
        ).stdout
        followed = text.read_bytes()
        assert len(followed) > 1 << 20
        assert whole.startswith(followed)
        assert whole[len(followed) :].count(b"# at ") == 1  # the Rotate event that has come since


def test_reset_logs_are_an_error() -> None:
    with running("mysql", "follow-reset") as server:
        server.next_log()
        server.sql("PURGE BINARY LOGS TO 'binlog.000002'")
        log = server.folder() / sorted(path.name for path in server.folder().glob("binlog.*[0-9]"))[-1]
        process = subprocess.Popen(
            [*PROGRAM, "--follow", str(log)],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline()
        server.sql("RESET BINARY LOGS AND GTIDS")
        _, said = process.communicate(timeout=60)
        assert process.returncode == 1
        assert said.startswith(f"ERROR: {log}, at ".encode())
        assert b"RESET BINARY LOGS" in said
