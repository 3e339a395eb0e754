"""`python -m tests.serve.kills [--count N]`: the replica is killed N times while it applies served logs, and `serve`.

In the end, the replica has what the source has: the same GTIDs, the same sums of all tables.
"""

import argparse
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.serve.replicas import GTIDS, SCHEMA, Replica, copy_of_logs, replica, sums, workload
from tests.serve.served import Served
from tests.server import Server, running

TRANSACTIONS = 300
"""For each kill."""
KINDS = {
    "mysql": (
        GTIDS,
        "SELECT @@gtid_executed",
        "SELECT @@gtid_executed",
        ", SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT=10000",
    ),
    "mariadb": ([], "SELECT @@gtid_binlog_pos", "SELECT @@gtid_slave_pos", ", MASTER_CONNECT_RETRY=1"),
}
"""By kind of server: more arguments; where the source and the replica are; more of the statement that connects."""
DURABLE = ["--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"]


def apply_with_kills(
    kind: str, source: Server, the_replica: Replica, logs: Path, kill: Callable[[Served], Served], count: int
) -> None:
    """Let a clean replica apply everything, with so many kills on the way."""
    _, there, here, more = KINDS[kind]
    the_replica.clean()
    # A port that no client's end of a connection gets by chance.
    server = Served(logs, port=random.randrange(20000, 30000))
    try:
        the_replica.connect(server, more=more)
        for _ in range(count):
            time.sleep(random.uniform(0.05, 0.5))
            server = kill(server)
        the_replica.wait_until(here, source.sql(there).strip())
        assert sums(the_replica.server) == sums(source)
    finally:
        server.end(signal.SIGKILL)


def run(kind: str, count: int) -> None:
    """Do both for servers of a kind."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(kind, "kills-source", "--server-id=7", *KINDS[kind][0]) as source,
        replica(kind, *KINDS[kind][0], *DURABLE) as the_replica,
    ):
        source.sql(SCHEMA)
        for part in range(count):
            source.sql(workload(TRANSACTIONS, part * TRANSACTIONS))
        copy_of_logs(source, Path(folder))

        def kill_replica(server: Served) -> Served:
            the_replica.server.kill()
            the_replica.server.start()
            return server

        def kill_serve(server: Served) -> Served:
            server.end(signal.SIGKILL)
            return Served(folder, port=server.port)

        for kill in (kill_serve, kill_replica):
            apply_with_kills(kind, source, the_replica, Path(folder), kill, count)
            print(f"{kind}: {kill.__name__} {count} times: everything is there, once", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--kind", choices=[*KINDS], action="append")
    options = parser.parse_args()
    for kind in options.kind or KINDS:
        run(kind, options.count)


if __name__ == "__main__":
    main()
