"""Targets: real servers that have loaded the backup of testdata/recover, and `pybinlog recover` for them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.corpus import PROJECT
from tests.recover.logs import MARIADB, MYSQL
from tests.server import Server

ROWS = "SELECT * FROM shop.orders ORDER BY id"
BEFORE_DROP = "--before=DROP TABLE shop.orders"
AT_DROP = {"mysql": "1\ta\t2\n3\te\tNULL\n4\tc\t3\n5\td\t4\n", "mariadb": "1\ta\t2\n3\tc\t3\n4\tx\t4\n"}
FOLDERS = {"mysql": MYSQL, "mariadb": MARIADB}
GTIDS = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
NO_GTIDS = ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]
RECOVERY = ["--relay-log-recovery=ON"]
EVENTS = "SELECT event_name, status, definer FROM information_schema.events ORDER BY 1"


def recover(
    target: tuple[str, Server], home: Path, *arguments: str, origin: str = "", logs: Path | None = None
) -> tuple[int, dict[str, Any], str]:
    """Run pybinlog recover; return its status, its JSON and its errors."""
    kind, server = target
    folder = FOLDERS[kind]
    command = ["recover", f"--from={origin or folder / 'backup.sql'}", "--format=json"]
    where = ["--into=mysql://root@localhost", f"--socket={server.socket()}", str(logs or folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pybinlog", *command, *arguments, *where],
        cwd=PROJECT,
        env={**os.environ, "XDG_STATE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr
