"""The stream over a folder in which logs grow byte by byte, as a server writes them."""

import gzip
import json
import shutil
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyarrow import parquet
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxFiles
from pyspark.sql.types import StructType

from pybinlog.errors import BinlogError
from pybinlog.spark.data_source.source_options import SourceOptions
from pybinlog.spark.data_source.stream import BinlogStreamReader
from pybinlog.spark.source import BinlogDataSource
from pybinlog.where import Condition
from tests.corpus import Scenario, scenarios
from tests.inflate import inflate
from tests.jobs.inline import travelled
from tests.spark.counted import PREFIX, READ
from tests.views.expected import rows_of, view

SCHEMA = StructType(BinlogDataSource({"path": "/"}).schema().fields)


def scenario(name: str) -> Scenario:
    return next(found for found in scenarios() if found.name == name)


SERIES = scenario("mysql-9.7/multi-file")
IN_USE = scenario("mysql-9.7/in-use")
SCENARIOS = [scenario(name) for name in ("mysql-9.7/multi-file", "mysql-9.7/statement")] + [
    scenario("mariadb-10.11/row"),
    scenario("mysql-5.6/statement"),
]


def stream(folder: Path, **options: str) -> BinlogStreamReader:
    source = BinlogDataSource({"path": str(folder), **options})
    reader = source.streamReader(StructType(source.schema().fields))
    assert isinstance(reader, BinlogStreamReader)
    return reader


def delivered(reader: BinlogStreamReader, start: dict[str, Any], end: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a micro-batch's tasks, in order."""
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


def test_relay_logs_are_refused(tmp_path: Path) -> None:
    shutil.copy(scenario("mysql-9.7/relay").logs[0], tmp_path)
    with pytest.raises(BinlogError, match=r"a stream does not read relay logs\. Follow the source's binary logs"):
        stream(tmp_path).initialOffset()


def test_a_stream_keeps_the_rows_that_meet_a_condition(tmp_path: Path) -> None:
    log = scenario("mysql-9.7/row-basic").logs[0]
    data = log.read_bytes()
    offset = stream(tmp_path).initialOffset()
    got: list[dict[str, Any]] = []
    for end in [*range(0, len(data), 997), len(data)]:
        (tmp_path / log.name).write_bytes(data[:end])
        reader = stream(tmp_path, view="rows", where="@1 IN (1, 3)", whereUnknown="drop")
        following = reader.latestOffset(offset, None)
        got += delivered(reader, offset, following)
        offset = following
    path = [tmp_path / log.name]
    assert got == view(path, "rows", where=Condition("@1 IN (1, 3)", drops_unknown=True))
    assert 0 < len(got) < len(view(path, "rows")) / 2


def copies(folder: Path) -> None:
    for path in SERIES.logs:
        shutil.copy(path, folder)


def places(reader: BinlogStreamReader, limit: Any) -> list[tuple[str, int]]:
    """Return the ends of the micro-batches that a limit makes of all logs."""
    offset, found = reader.initialOffset(), []
    while (following := reader.latestOffset(offset, limit)) != offset:
        found.append(place(following))
        offset = following
    return found


def test_a_micro_batch_ends_where_a_closed_log_does(tmp_path: Path) -> None:
    copies(tmp_path)
    reader = stream(tmp_path)
    names = [path.name for path in SERIES.logs]
    end = (names[-1], SERIES.logs[-1].stat().st_size)
    assert place(reader.initialOffset()) == (names[0], 4)
    assert places(reader, ReadMaxFiles(1)) == [*((name, 4) for name in names[1:]), end]
    assert places(reader, ReadMaxFiles(3)) == [(names[3], 4), end]
    assert places(reader, ReadAllAvailable()) == [end]


def test_a_limit_in_bytes_takes_whole_closed_logs_and_cuts_the_newest(tmp_path: Path) -> None:
    copies(tmp_path)
    names = [path.name for path in SERIES.logs]
    sizes = [path.stat().st_size for path in SERIES.logs]
    reader = stream(tmp_path)
    assert places(reader, ReadMaxBytes(1))[:-1] == [(name, 4) for name in names[1:]]
    assert places(reader, ReadMaxBytes(sizes[0] + 1))[0] == (names[2], 4)
    log = tmp_path / "one" / "binlog.000001"
    log.parent.mkdir()
    with log.open("wb") as file:
        inflate(SERIES.logs[0].read_bytes(), file, 3 << 20)
    ends = {row["end_position"] for row in view([log], "transactions")}
    found = [position for _, position in places(stream(log.parent), ReadMaxBytes(1 << 20))]
    assert len(found) == 3
    assert ends.issuperset(found[:-1])
    assert found[-1] == log.stat().st_size


@pytest.mark.parametrize("limit", [ReadAllAvailable(), ReadMaxFiles(1)], ids=repr)
def test_the_driver_reads_no_closed_log_and_each_byte_of_the_newest_once(limit: Any, tmp_path: Path) -> None:
    """Beside that, it looks at the log that an offset is in: its opening, and 4096 bytes before the position."""
    block = BytesIO()
    inflate(SERIES.logs[0].read_bytes(), block, 2 << 20)
    data = block.getvalue()
    for number in (1, 2, 3):
        (tmp_path / f"binlog.{number:06}").write_bytes(data)
    newest = tmp_path / "binlog.000004"
    newest.write_bytes(data[:200])
    reader = BinlogStreamReader(SourceOptions({"path": f"{PREFIX}{tmp_path}"}), SCHEMA)
    offset = reader.initialOffset()
    looks = 0
    READ.clear()
    for size in [*range(0, len(data), 100_000), len(data)]:
        newest.write_bytes(data[: max(size, 200)])
        following = reader.latestOffset(offset, limit)
        reader.partitions(offset, following)
        offset = following
        looks += 1
    assert place(offset)[0] == newest.name
    # a look is made of both offsets when a micro-batch is planned and again for its tasks, and around the reading
    assert READ["driver"] <= len(data) + looks * 10 * 5000
    READ.clear()


def test_the_progress_tells_the_lag(tmp_path: Path) -> None:
    copies(tmp_path)
    sizes = [path.stat().st_size for path in SERIES.logs]
    reader = stream(tmp_path)
    assert reader.reportLatestOffset() is None
    offset = reader.latestOffset(reader.initialOffset(), ReadMaxFiles(1))
    found = reader.reportLatestOffset()
    assert found is not None
    begun = int.from_bytes(SERIES.logs[1].read_bytes()[4:8], "little")
    assert found.pop("lag_seconds") == pytest.approx(time.time() - begun, abs=60)
    assert found == {
        "file": SERIES.logs[-1].name,
        "position": sizes[-1],
        "lag_logs": len(sizes) - 1,
        "lag_bytes": sum(sizes[1:]),
    }
    reader.latestOffset(offset, ReadAllAvailable())
    current = reader.reportLatestOffset()
    assert current is not None
    assert [current[f"lag_{what}"] for what in ("logs", "bytes", "seconds")] == [0, 0, 0]


def test_closed_logs_that_are_compressed(tmp_path: Path) -> None:
    """The stream is in the middle of a log when that is closed and compressed."""
    whole = SERIES.logs[0].read_bytes()
    middle = view(SERIES.logs[:1], "transactions")[3]["end_position"]
    (tmp_path / "binlog.000001").write_bytes(whole[:middle])
    reader = stream(tmp_path, view="rows")
    start = reader.initialOffset()
    offset = reader.latestOffset(start, None)
    got = delivered(reader, start, offset)
    (tmp_path / "binlog.000001").unlink()
    for path in SERIES.logs[:-1]:
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    shutil.copy(SERIES.logs[-1], tmp_path)
    got += delivered(reader, offset, reader.latestOffset(offset, None))
    wanted = view(SERIES.logs, "rows")
    assert [row["after"] for row in got] == [row["after"] for row in wanted]
    assert [row["gtid"] for row in got] == [row["gtid"] for row in wanted]


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
    """A server that starts again clears the in-use flag, cuts an incomplete transaction, and begins a new log."""
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
        reported = json.loads(query.lastProgress["sources"][0]["latestOffset"])
        assert [reported[f"lag_{what}"] for what in ("logs", "bytes", "seconds")] == [0, 0, 0]
        return int(parquet.read_table(tmp_path / "out").num_rows)

    assert run() == len(view(SERIES.logs[:1], "rows"))
    data = SERIES.logs[1].read_bytes()
    (folder / SERIES.logs[1].name).write_bytes(data[: len(data) // 2])
    run()
    for path in SERIES.logs[1:]:
        shutil.copy(path, folder)
    assert run() == len(view(SERIES.logs, "rows"))
    assert run() == len(view(SERIES.logs, "rows"))
