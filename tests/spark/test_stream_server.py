"""The stream beside a server that keeps committing."""

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server import Server, running

pytest.importorskip("pyspark")

RESTARTS = 3

SCHEMA = """
RESET BINARY LOGS AND GTIDS;
DROP DATABASE IF EXISTS streamed;
CREATE DATABASE streamed;
CREATE TABLE streamed.t (id INT PRIMARY KEY, batch INT NOT NULL, note VARCHAR(200));
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("mysql", "stream", "--gtid-mode=ON", "--enforce-gtid-consistency=ON") as server:
        yield server


class Writer(threading.Thread):
    """Commits transactions of one to five rows until it is told to stop, and begins a new log now and then."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self.stopped = threading.Event()
        self.rows = 0
        self.transactions = 0

    def run(self) -> None:
        with subprocess.Popen(self._server.client("--unbuffered"), stdin=subprocess.PIPE, text=True) as client:
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


def test_a_query_that_is_restarted_three_times_loses_and_repeats_nothing(
    spark: Any, server: Server, tmp_path: Path
) -> None:
    server.sql(SCHEMA)
    logs = server.folder()
    before = len(list(logs.glob("binlog.0*")))
    out, checkpoint = str(tmp_path / "out"), str(tmp_path / "checkpoint")
    stream = (
        spark.readStream.format("binlog")
        .option("view", "rows")
        .option("databases", "streamed")
        .option("pathGlobFilter", "binlog.*")
        .load(str(logs))
    )

    def start(**trigger: Any) -> Any:
        frame = stream.selectExpr(
            "gtid",
            "file",
            "position",
            "operation",
            "get_json_object(after, '$.@1') AS id",
            "get_json_object(after, '$.@2') AS batch",
        )
        return (
            frame.writeStream.format("parquet")
            .option("path", out)
            .option("checkpointLocation", checkpoint)
            .trigger(**trigger)
            .start()
        )

    writer = Writer(server)
    writer.start()
    try:
        for _ in range(RESTARTS + 1):
            query = start(processingTime="200 milliseconds")
            seen = 0
            deadline = time.monotonic() + 300
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

    counted = int(server.sql("SELECT COUNT(*) FROM streamed.t"))
    assert counted == writer.rows
    frame = spark.read.parquet(out)
    assert frame.filter("operation = 'INSERT'").count() == frame.count() == counted
    assert frame.select("id").distinct().count() == counted
    assert frame.select("batch").distinct().count() == writer.transactions
    new = len(list(logs.glob("binlog.0*"))) - before
    assert new >= 2, "the server should have begun new logs meanwhile"
    assert frame.select("file").distinct().count() >= 2
    print(f"{counted} rows in {writer.transactions} transactions and {new + 1} logs, {RESTARTS + 1} runs of the query")


@pytest.mark.parametrize("length", [120, 20], ids=["a transaction ends where the stream was", "none does"])
def test_a_server_that_is_reset_is_data_loss(spark: Any, server: Server, length: int, tmp_path: Path) -> None:
    """The warnings, which come from Spark's own processes, are looked at in test_stream_data_loss."""
    server.sql(SCHEMA)
    checkpoint = tmp_path / "checkpoint"
    resets = (
        "RESET BINARY LOGS AND GTIDS; INSERT INTO streamed.t VALUES ({0}, 1, REPEAT('a', {1}));"
        "INSERT INTO streamed.t VALUES ({0} + 1, 2, 'the second')"
    )

    def run(**options: str) -> list[int]:
        """The query once more, from its checkpoint; all rows that it has delivered by now."""
        query = (
            spark.readStream.format("binlog")
            .options(view="rows", databases="streamed", pathGlobFilter="binlog.*", **options)
            .load(str(server.folder()))
            .selectExpr("int(get_json_object(after, '$.@1')) AS id")
            .writeStream.format("parquet")
            .option("path", str(tmp_path / "out"))
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(240)
        return sorted(row.id for row in spark.read.parquet(str(tmp_path / "out")).collect())

    server.sql("RESET BINARY LOGS AND GTIDS; INSERT INTO streamed.t VALUES (1, 1, REPEAT('a', 120))")
    assert run() == [1]
    server.sql(resets.format(11, length))
    with pytest.raises(
        Exception, match=r"binlog\.000001, at \d+: the log of this name is another one now.*failOnDataLoss"
    ):
        run()
    assert run(failOnDataLoss="false") == [1, 11, 12]
    server.sql("FLUSH BINARY LOGS; INSERT INTO streamed.t VALUES (13, 3, 'in the next log')")
    assert run() == [1, 11, 12, 13]
    assert run() == [1, 11, 12, 13]

    server.sql(resets.format(21, length))
    with pytest.raises(Exception, match=r"binlog\.000002, from which the stream is to continue, is not there any more"):
        run()
