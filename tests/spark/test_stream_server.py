"""The stream beside a server that goes on committing.

MYSQL is the command of a client (as root) on a server that exists for this test alone, with log_bin; MYSQL_LOGS is the
folder of its binary logs as it is seen from here.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

MYSQL = shlex.split(os.environ.get("MYSQL", ""))
LOGS = os.environ.get("MYSQL_LOGS", "")
RESTARTS = 3

SCHEMA = """
RESET BINARY LOGS AND GTIDS;
DROP DATABASE IF EXISTS streamed;
CREATE DATABASE streamed;
CREATE TABLE streamed.t (id INT PRIMARY KEY, batch INT NOT NULL, note VARCHAR(200));
"""


class Writer(threading.Thread):
    """Commits transactions of one to five rows until it is told to stop, and begins a new log now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = threading.Event()
        self.rows = 0
        self.transactions = 0

    def run(self) -> None:
        with subprocess.Popen([*MYSQL, "--unbuffered"], stdin=subprocess.PIPE, text=True) as client:
            assert client.stdin is not None
            while not self.stopped.is_set():
                self.transactions += 1
                ids = range(self.rows, self.rows + 1 + self.transactions % 5)
                rows = ",".join(f"({id}, {self.transactions}, REPEAT('x', {id % 180}))" for id in ids)
                self.rows = ids.stop
                print(f"BEGIN; INSERT INTO streamed.t VALUES {rows}; COMMIT;", file=client.stdin)
                if self.transactions % 150 == 0:
                    print("FLUSH BINARY LOGS;", file=client.stdin)
                client.stdin.flush()
                time.sleep(0.004)


def sql(text: str) -> str:
    done = subprocess.run([*MYSQL, "-N", "-B"], input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(not (MYSQL and LOGS), reason="MYSQL and MYSQL_LOGS do not name a server")
def test_a_query_that_is_restarted_three_times_loses_and_repeats_nothing(spark: Any, tmp_path: Path) -> None:
    sql(SCHEMA)
    before = len(list(Path(LOGS).glob("binlog.0*")))
    out, checkpoint = str(tmp_path / "out"), str(tmp_path / "checkpoint")
    stream = (
        spark.readStream.format("binlog")
        .option("view", "rows")
        .option("databases", "streamed")
        .option("pathGlobFilter", "binlog.*")
        .load(LOGS)
    )

    def start(**trigger: Any) -> Any:
        frame = stream.selectExpr("gtid", "file", "position", "operation", "after['@1'] AS id", "after['@2'] AS batch")
        return (
            frame.writeStream.format("parquet")
            .option("path", out)
            .option("checkpointLocation", checkpoint)
            .trigger(**trigger)
            .start()
        )

    writer = Writer()
    writer.start()
    try:
        for _ in range(RESTARTS + 1):
            query = start(processingTime="200 milliseconds")
            seen = 0
            deadline = time.monotonic() + 60
            while seen < 3 and time.monotonic() < deadline:
                time.sleep(0.3)
                assert query.exception() is None, query.exception()
                seen = sum(progress["numInputRows"] > 0 for progress in query.recentProgress)
            assert seen >= 3
            query.stop()
    finally:
        writer.stopped.set()
        writer.join()
    query = start(availableNow=True)
    query.awaitTermination(120)

    counted = int(sql("SELECT COUNT(*) FROM streamed.t"))
    assert counted == writer.rows
    frame = spark.read.parquet(out)
    assert frame.filter("operation = 'INSERT'").count() == frame.count() == counted
    assert frame.select("id").distinct().count() == counted
    assert frame.select("batch").distinct().count() == writer.transactions
    logs = len(list(Path(LOGS).glob("binlog.0*"))) - before
    assert logs >= 2, "the server should have begun new logs meanwhile"
    assert frame.select("file").distinct().count() >= 2
    print(f"{counted} rows in {writer.transactions} transactions and {logs + 1} logs, {RESTARTS + 1} runs of the query")
