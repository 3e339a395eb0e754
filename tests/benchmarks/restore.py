"""Restores the same log into a durable MySQL 9.7 in six ways, in turn, and prints how long each takes.

python -m tests.benchmarks.restore --mib 64

The ways are `mysqlbinlog | mysql`, `pybinlog | mysql`, a replica of the server that wrote the log, a replica of
`pybinlog serve`, and `pybinlog recover --run`, which also checks the log, makes a plan and proves the result; then the
same with `--client`. Every way must end with the same tables. It needs a real server (see tests/server.py).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.serve.replicas import GTIDS, SCHEMA, Replica, copy_of_logs, sums, workload
from tests.serve.served import Served
from tests.server import REFERENCE, ROOTS, Server, listening, running

DURABLE = ["--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1", "--replica-parallel-workers=16"]
FAST = ["--sync-binlog=0", "--innodb-flush-log-at-trx-commit=0"]
LONGEST = 900.0
"""Seconds that a replica may take."""
PART = 4000
"""Transactions that one client sends."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=float, default=64, help="size of the log (default: 64)")
    parser.add_argument("--runs", type=int, default=1, help="runs of each way; the median is printed (default: 1)")
    parser.add_argument("--way", action="append", help='such as "pybinlog recover"; may be given several times')
    values = parser.parse_args()
    port, listens = listening()
    with (
        running("mysql", "restore-source", "--server-id=7", *GTIDS, *FAST, *listens) as source,
        running("mysql", "restore-target", "--server-id=99", "--relay-log=relay", *GTIDS, *DURABLE) as target,
        tempfile.TemporaryDirectory() as folder,
    ):
        logs = written(source, int(values.mib * (1 << 20)), Path(folder))
        print(f"{sum(log.stat().st_size for log in logs) / (1 << 20):.0f} MiB of small transactions")
        print(compare(source, port, target, logs, values.runs, values.way), end="")


def written(source: Server, size: int, folder: Path) -> list[Path]:
    """Let the source write logs of this size; return copies of them."""
    source.sql(f"SET GLOBAL max_binlog_size={1 << 30}")
    source.sql(SCHEMA)
    done = 0
    while current_size(source) < size:
        source.sql(workload(PART, done))
        done += PART
    source.sql("SET sql_log_bin=0; CREATE USER reader@'%'; GRANT REPLICATION SLAVE ON *.* TO reader@'%'")
    copy_of_logs(source, folder)
    return sorted(folder.iterdir())


def current_size(source: Server) -> int:
    return int(source.sql("SHOW BINARY LOGS").splitlines()[-1].split("\t")[1])


def compare(source: Server, port: int, target: Server, logs: list[Path], runs: int, chosen: list[str] | None) -> str:
    """Return the table of the ways. AssertionError if one of them does not end with the source's tables."""
    replica = Replica("mysql", target)
    inside = [f"/{(source.folder() / log.name).relative_to(ROOTS['mysql'])}" for log in logs]
    wanted, executed = sums(source), source.sql("SELECT @@gtid_executed").strip()

    def piped(*command: str) -> None:
        client = subprocess.Popen(target.client("--binary-mode"), stdin=subprocess.PIPE)
        subprocess.run(command, stdout=client.stdin, check=True)
        assert client.stdin is not None
        client.stdin.close()
        assert client.wait() == 0

    def replicated(host_and_port: str) -> None:
        target.sql(f"CHANGE REPLICATION SOURCE TO {host_and_port}, SOURCE_AUTO_POSITION=1; START REPLICA")
        replica.wait_until("SELECT @@gtid_executed", executed, LONGEST)

    def served() -> None:
        server = Served(*logs)
        try:
            replica.connect(server)
            replica.wait_until("SELECT @@gtid_executed", executed, LONGEST)
        finally:
            server.end()

    def recovered(*more: str) -> None:
        command = ["recover", "--from=server", "--run", *more, "--into=mysql://root@localhost"]
        with tempfile.TemporaryDirectory() as home:
            subprocess.run(
                [sys.executable, "-m", "pybinlog", *command, f"--socket={target.socket()}", *map(str, logs)],
                env={**os.environ, "XDG_STATE_HOME": home},
                stdout=subprocess.DEVNULL,
                check=True,
            )

    ways: dict[str, Callable[[], None]] = {
        "mysqlbinlog | mysql": lambda: piped(str(REFERENCE / "mysql97"), "run", "mysqlbinlog", *inside),
        "pybinlog | mysql": lambda: piped(sys.executable, "-m", "pybinlog", *map(str, logs)),
        "a replica of the source": lambda: replicated(
            f"SOURCE_HOST='127.0.0.1', SOURCE_PORT={port}, SOURCE_USER='reader', SOURCE_SSL=1"
        ),
        "a replica of pybinlog serve": served,
        "pybinlog recover": recovered,
        "pybinlog recover --client": lambda: recovered("--client"),
    }
    ways = {name: restore for name, restore in ways.items() if chosen is None or name in chosen}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, restore in ways.items():
            replica.clean()
            began = time.perf_counter()
            restore()
            times[name].append(time.perf_counter() - began)
            print(f"{name}: {times[name][-1]:.2f} s", file=sys.stderr, flush=True)
            assert sums(target) == wanted, name
    first = median(next(iter(times.values())))
    rows = [f"| {name} | {median(all_of):.2f} s | {first / median(all_of):.2f} |" for name, all_of in times.items()]
    return "\n".join(["| way | time | times the first |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    main()
