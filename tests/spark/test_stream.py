"""The stream over a folder in which logs grow byte by byte, as a server writes them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyspark.sql.types import StructType

from pybinlog.errors import BinlogError
from pybinlog.spark.data_source.stream import BinlogStreamReader
from pybinlog.spark.source import BinlogDataSource
from tests.corpus import Scenario, scenarios
from tests.spark.inline import travelled
from tests.views.expected import rows_of, view


def scenario(name: str) -> Scenario:
    return next(found for found in scenarios() if found.name == name)


SERIES = scenario("mysql-9.7/multi-file")
IN_USE = scenario("mysql-9.7/in-use")
SCENARIOS = [
    scenario(name)
    for name in ("mysql-9.7/multi-file", "mysql-9.7/relay", "mysql-9.7/relay-nogtid", "mysql-9.7/statement")
] + [scenario("mariadb-10.11/row"), scenario("mysql-5.6/statement")]


def stream(folder: Path, **options: str) -> BinlogStreamReader:
    source = BinlogDataSource({"path": str(folder), **options})
    reader = source.streamReader(StructType(source.schema().fields))
    assert isinstance(reader, BinlogStreamReader)
    return reader


def delivered(reader: BinlogStreamReader, start: dict[str, Any], end: dict[str, Any]) -> list[dict[str, Any]]:
    """What the tasks of a micro-batch give, in order."""
    return [row for partition in reader.partitions(start, end) for row in rows_of(reader.read(travelled(partition)))]


def place(offset: dict[str, Any]) -> tuple[str, int]:
    return offset["file"], offset["position"]


@pytest.mark.parametrize("name", ["events", "rows", "transactions"])
@pytest.mark.parametrize("found", SCENARIOS, ids=repr)
def test_whatever_has_been_written_whole_transactions_come_out_once(found: Scenario, name: str, tmp_path: Path) -> None:
    """The reader is made anew for each batch, as after a restart."""
    offset = stream(tmp_path).initialOffset()
    got: list[dict[str, Any]] = []
    step = 997
    for path in found.logs:
        data = path.read_bytes()
        for end in [*range(0, len(data), step), len(data)]:
            (tmp_path / path.name).write_bytes(data[:end])
            reader = stream(tmp_path, view=name)
            following = reader.latestOffset(offset, None)
            got += delivered(reader, offset, following)
            offset = following
    whole = view([tmp_path / path.name for path in found.logs], name)
    # what stands after the last transaction is not delivered: nothing but events that belong to none
    assert got == whole[: len(got)]
    assert all(row.get("gtid") is None and row.get("transaction_position") is None for row in whole[len(got) :])
    assert name == "events" or got == whole


def test_batches_end_between_transactions(tmp_path: Path) -> None:
    for path in SERIES.logs:
        shutil.copy(path, tmp_path)
    ends = {(row["file"].rpartition("/")[2], row["end_position"]) for row in view(SERIES.logs, "transactions")}
    reader = stream(tmp_path)
    offset = reader.initialOffset()
    assert place(offset) == ("binlog.000001", 4)
    seen = []
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxFiles

    while (following := reader.latestOffset(offset, ReadMaxFiles(1))) != offset:
        seen.append(following["file"])
        offset = following
    assert seen == [path.name for path in SERIES.logs]
    assert reader.latestOffset(reader.initialOffset(), ReadAllAvailable()) == offset
    first = reader.latestOffset(reader.initialOffset(), ReadMaxBytes(1))
    assert first["file"] == "binlog.000001"
    assert min(end for _, end in ends) >= 4


def test_a_transaction_that_is_not_all_there_waits(tmp_path: Path) -> None:
    data = IN_USE.logs[0].read_bytes()
    last = view(IN_USE.logs, "transactions")[-1]
    log = tmp_path / "binlog.000001"
    for cut in (last["end_position"] - 1, last["start_position"] + 100, last["start_position"] + 1):
        log.write_bytes(data[:cut])
        end = stream(tmp_path).latestOffset({"file": "", "position": 0}, None)
        assert place(end) == ("binlog.000001", last["start_position"])
    log.write_bytes(data)
    end = stream(tmp_path).latestOffset({"file": "", "position": 0}, None)
    assert end["position"] >= last["end_position"]


def test_a_crash_and_the_restart_behind_it_change_nothing(tmp_path: Path) -> None:
    """A server that comes up again clears the in-use flag, cuts what is no whole transaction, and begins a new log."""
    killed, recovered = (scenario(f"mysql-9.7/{name}").logs[0] for name in ("killed", "recovered"))
    log = tmp_path / "binlog.000001"
    log.write_bytes(killed.read_bytes())
    start = stream(tmp_path).initialOffset()
    middle = stream(tmp_path).latestOffset(start, None)
    got = delivered(stream(tmp_path, view="rows"), start, middle)
    log.write_bytes(recovered.read_bytes())
    shutil.copy(SERIES.logs[1], tmp_path / "binlog.000002")
    reader = stream(tmp_path, view="rows")
    got += delivered(reader, middle, reader.latestOffset(middle, None))
    assert got == view([log, tmp_path / "binlog.000002"], "rows")


def test_where_a_stream_starts(tmp_path: Path) -> None:
    assert stream(tmp_path).initialOffset() == {"file": "", "position": 0}
    for path in SERIES.logs:
        shutil.copy(path, tmp_path)
    last = stream(tmp_path, startingOffsets="latest").initialOffset()
    assert last == stream(tmp_path).latestOffset({"file": "", "position": 0}, None)
    assert place(stream(tmp_path, startingOffsets="binlog.000002:4").initialOffset()) == ("binlog.000002", 4)
    with pytest.raises(BinlogError, match="startingOffsets: 'somewhere'"):
        stream(tmp_path, startingOffsets="somewhere").initialOffset()


def test_logs_that_were_purged_are_missed(tmp_path: Path) -> None:
    for path in SERIES.logs:
        shutil.copy(path, tmp_path)
    start = stream(tmp_path, startingOffsets="binlog.000002:4").initialOffset()
    (tmp_path / "binlog.000003").unlink()
    with pytest.raises(BinlogError, match=r"the logs between this one and binlog\.000004 are missing"):
        stream(tmp_path).latestOffset(start, None)
    (tmp_path / "binlog.000002").unlink()
    with pytest.raises(
        BinlogError, match=r"the log binlog\.000002, from which the stream is to continue, is not there"
    ):
        stream(tmp_path).latestOffset(start, None)
    reader = stream(tmp_path, view="rows", failOnDataLoss="false")
    end = reader.latestOffset(start, None)
    assert end["file"] == "binlog.000004"
    assert delivered(reader, start, end) == view([tmp_path / "binlog.000004"], "rows")


def test_two_series_are_refused(tmp_path: Path) -> None:
    shutil.copy(SERIES.logs[0], tmp_path / "binlog.000001")
    shutil.copy(SERIES.logs[0], tmp_path / "other.000001")
    with pytest.raises(BinlogError, match=r"logs of 2 series.*pathGlobFilter"):
        stream(tmp_path).latestOffset({"file": "", "position": 0}, None)
    assert place(stream(tmp_path, pathGlobFilter="other.*").initialOffset()) == ("other.000001", 4)


def test_damage_ends_the_stream_and_permissive_continues(tmp_path: Path) -> None:
    damaged = scenario("mysql-9.7/damaged-length-zero").logs[0]
    shutil.copy(damaged, tmp_path / "binlog.000001")
    start = {"file": "", "position": 0}
    with pytest.raises(BinlogError, match=r"binlog\.000001, at \d+: the event .* says it has 0 bytes"):
        stream(tmp_path).latestOffset(start, None)
    end = stream(tmp_path, mode="PERMISSIVE").latestOffset(start, None)
    assert end["position"] > 1000


def test_a_query_over_a_growing_folder(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(SERIES.logs[0], folder)

    def run() -> int:
        query = (
            spark.readStream.format("binlog")
            .option("view", "rows")
            .load(str(folder))
            .drop("before", "after")
            .writeStream.format("parquet")
            .option("path", str(tmp_path / "out"))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        assert query.exception() is None
        return int(spark.read.parquet(str(tmp_path / "out")).count())

    assert run() == len(view(SERIES.logs[:1], "rows"))
    data = SERIES.logs[1].read_bytes()
    (folder / SERIES.logs[1].name).write_bytes(data[: len(data) // 2])
    run()
    for path in SERIES.logs[1:]:
        shutil.copy(path, folder)
    assert run() == len(view(SERIES.logs, "rows"))
    assert run() == len(view(SERIES.logs, "rows"))
