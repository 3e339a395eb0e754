"""A log that has the name of the one that a stream had read, and is another: testdata/resets, from a real server."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pybinlog.errors import BinlogError, DataLossError
from tests.corpus import TESTDATA
from tests.spark.test_stream import delivered, place, scenario, stream
from tests.views.expected import rows_of

RESETS = TESTDATA / "resets"
LOG = "binlog.000001"
END = 561
"""The end of the first log, with one row; the second transaction begins there."""
NEW = {
    "reset-equal": [11],
    "reset-equal-longer": [11, 12],
    "reset-shorter": [21],
    "reset-longer": [21, 22],
    "reset-inside": [31, 32],
    "second-after": [42, 43],
}
"""The rows of each log that took the first one's place."""
ANOTHER = rf"{LOG}, at {END}: [a-z ]* another one now.*RESET BINARY LOGS AND GTIDS.* failOnDataLoss=false"


def put(folder: Path, case: str, name: str = LOG) -> Path:
    shutil.copy(RESETS / case / LOG, folder / name)
    return folder / name


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [int(row["after"]["@1"]) for row in rows]


class Query:
    """The micro-batches of a query, each by a reader of its own as after a restart, through the checkpoint's JSON."""

    def __init__(self, folder: Path, **options: str):
        self._folder = folder
        self._options = {"view": "rows", **options}
        self.offset = self.reader().initialOffset()
        self.rows: list[int] = []

    def reader(self) -> Any:
        return stream(self._folder, **self._options)

    def trigger(self) -> list[int]:
        """The rows of a micro-batch."""
        following = json.loads(json.dumps(self.reader().latestOffset(self.offset, None)))
        got = ids(delivered(self.reader(), self.offset, following))
        self.offset = following
        self.rows += got
        return got

    def tolerant(self) -> None:
        self._options["failOnDataLoss"] = "false"


@pytest.fixture
def query(tmp_path: Path) -> Query:
    """It has read the one row of the first log."""
    put(tmp_path, "before")
    query = Query(tmp_path)
    assert query.trigger() == [1]
    assert place(query.offset) == (LOG, END)
    return query


@pytest.mark.parametrize("case", NEW)
def test_a_reset_is_an_error_that_names_the_log(query: Query, case: str, tmp_path: Path) -> None:
    if case == "second-after":
        query = Query(put(tmp_path, "second-before").parent)
        query.trigger()
    put(tmp_path, case)
    for _ in range(2):
        with pytest.raises(DataLossError, match=ANOTHER):
            query.trigger()


@pytest.mark.parametrize("case", NEW)
def test_or_a_warning_and_a_start_at_the_logs_beginning(
    query: Query, case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, case)
    query.tolerant()
    assert query.trigger() == NEW[case]
    warning = capsys.readouterr().err
    assert f"WARNING: {tmp_path}/{LOG}, at {END}: the log of this name is another one now" in warning
    assert f"the stream continues with the beginning of {tmp_path}/{LOG}" in warning
    assert query.trigger() == []
    assert "WARNING" not in capsys.readouterr().err


def test_a_log_that_grows_and_is_closed_is_the_same(query: Query, tmp_path: Path) -> None:
    put(tmp_path, "before-longer")
    assert query.trigger() == [2]
    put(tmp_path, "before-closed")
    assert query.trigger() == []
    shutil.copy(RESETS / "before-closed" / "binlog.000002", tmp_path)
    assert query.trigger() == []
    assert place(query.offset)[0] == "binlog.000002"
    (tmp_path / LOG).unlink()  # PURGE BINARY LOGS: nothing of it was left to be read
    assert query.trigger() == []
    assert query.rows == [1, 2]


def test_a_log_is_the_same_when_it_is_compressed(query: Query, tmp_path: Path) -> None:
    (tmp_path / LOG).unlink()
    packed = tmp_path / f"{LOG}.gz"
    packed.write_bytes(gzip.compress((RESETS / "before-closed" / LOG).read_bytes()))
    assert query.trigger() == [2]
    packed.write_bytes(gzip.compress((RESETS / "reset-equal-longer" / LOG).read_bytes()))
    with pytest.raises(DataLossError, match=r"binlog\.000001\.gz, at 898: [a-z ]* another one now"):
        query.trigger()


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": -1},
        {"position": "561"},
        {"position": True},
        {"file": None},
        {"opening": "?"},
        {"opening_bytes": 1 << 40},
        dict.fromkeys(("begun", "opening", "opening_bytes", "ending")),
    ],
    ids=repr,
)
def test_an_offset_that_is_none(query: Query, wrong: dict[str, Any]) -> None:
    query.offset |= wrong
    with pytest.raises(BinlogError, match=r"not an offset of the data source binlog.*new checkpoint folder"):
        query.trigger()


# ---- logs that lost their end


def test_a_log_whose_end_was_lost_is_no_silence(
    query: Query, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The remains after a crash with sync_binlog=0; the server that starts again begins a new log."""
    put(tmp_path, "before-longer")
    assert query.trigger() == [2]
    whole = (tmp_path / LOG).read_bytes()
    for end in (853, 600, 561, 500, 300):
        (tmp_path / LOG).write_bytes(whole[:end])
        with pytest.raises(DataLossError, match=rf"{LOG}, at 854: the log ends before this place now.*sync_binlog=0"):
            query.trigger()
    query.tolerant()
    assert query.trigger() == []
    assert "the stream continues when there is another log" in capsys.readouterr().err
    put(tmp_path, "second-after", "binlog.000002")
    assert query.trigger() == [42, 43], "and no row of the first log once more"
    assert query.trigger() == []


@pytest.mark.parametrize("written", [b"", b"\xfe", b"\xfebin", (RESETS / "before" / LOG).read_bytes()[:100]])
def test_a_log_that_is_just_begun(query: Query, written: bytes, tmp_path: Path) -> None:
    put(tmp_path, "before-closed")
    (tmp_path / "binlog.000002").write_bytes(written)
    assert query.trigger() == [2]
    assert query.trigger() == []
    assert place(query.offset) == (LOG, 898)
    put(tmp_path, "second-after", "binlog.000002")
    assert query.trigger() == [42, 43]


@pytest.mark.parametrize("written", [b"", b"\xfebin", (RESETS / "before" / LOG).read_bytes()[:100]])
def test_a_stream_that_begins_with_a_log_that_is_just_begun(written: bytes, tmp_path: Path) -> None:
    (tmp_path / LOG).write_bytes(written)
    query = Query(tmp_path)
    assert query.trigger() == []
    put(tmp_path, "before")
    assert query.trigger() == [1]
    put(tmp_path, "reset-equal")
    with pytest.raises(DataLossError):
        query.trigger()


# ---- series of logs


def test_after_a_reset_the_oldest_new_log_comes_first(query: Query, tmp_path: Path) -> None:
    """The stream was in the third log, and the server has written three new ones since."""
    for number, case in ((2, "before"), (3, "before-longer")):
        put(tmp_path, case, f"binlog.00000{number}")
    query.trigger()
    assert place(query.offset) == ("binlog.000003", 854)
    put(tmp_path, "reset-equal")
    put(tmp_path, "reset-longer", "binlog.000002")
    put(tmp_path, "second-after", "binlog.000003")
    with pytest.raises(DataLossError, match=r"binlog\.000003, at 854: [a-z ]* another one now"):
        query.trigger()
    query.tolerant()
    assert query.trigger() == [11, 21, 22, 42, 43]
    assert query.trigger() == []


def test_only_one_log_was_replaced(query: Query, tmp_path: Path) -> None:
    """The logs begun before it have been read."""
    put(tmp_path, "reset-equal", "binlog.000002")
    put(tmp_path, "reset-longer", "binlog.000003")
    query.trigger()
    put(tmp_path, "second-after", "binlog.000003")
    query.tolerant()
    assert query.trigger() == [42, 43]


def test_fewer_logs_than_before_a_reset(query: Query, tmp_path: Path) -> None:
    put(tmp_path, "before-longer", "binlog.000002")
    query.trigger()
    (tmp_path / "binlog.000002").unlink()
    put(tmp_path, "reset-longer")
    with pytest.raises(DataLossError, match=r"binlog\.000002, .* is not there any more.*RESET BINARY LOGS"):
        query.trigger()
    query.tolerant()
    assert query.trigger() == [21, 22]
    assert query.trigger() == []


def test_a_folder_from_which_all_logs_are_gone(query: Query, tmp_path: Path) -> None:
    (tmp_path / LOG).unlink()
    with pytest.raises(DataLossError, match="is not there any more"):
        query.trigger()
    query.tolerant()
    assert query.trigger() == []
    put(tmp_path, "reset-longer")
    assert query.trigger() == [21, 22]


def test_a_log_that_was_removed_while_older_ones_stay(query: Query, tmp_path: Path) -> None:
    """The delivered rows of these do not come again."""
    put(tmp_path, "before-closed")
    put(tmp_path, "reset-longer", "binlog.000002")
    end = query.reader().latestOffset(query.offset, None)
    (tmp_path / "binlog.000002").unlink()
    query.tolerant()
    assert ids(delivered(query.reader(), query.offset, end)) == [2], "what is left of a micro-batch"
    query.offset = end
    assert query.trigger() == []
    put(tmp_path, "second-after", "binlog.000003")
    assert query.trigger() == [42, 43]


def test_a_trigger_that_takes_what_is_there_now(query: Query, tmp_path: Path) -> None:
    put(tmp_path, "reset-shorter")
    query.tolerant()
    reader = query.reader()
    reader.prepareForTriggerAvailableNow()
    put(tmp_path, "reset-longer")
    first = reader.latestOffset(query.offset, None)
    assert place(first) == (LOG, 446)
    assert ids(delivered(reader, query.offset, first)) == [21]
    assert reader.latestOffset(first, None) == first


# ---- between the plan of a micro-batch and its tasks


@pytest.mark.parametrize("options", [{}, {"ignoreCorruptFiles": "true"}, {"mode": "PERMISSIVE"}], ids=repr)
@pytest.mark.parametrize("case", NEW)
def test_a_log_that_is_replaced_before_a_task_reads_it(
    query: Query, case: str, options: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "before-longer")
    reader = stream(tmp_path, view="rows", **options)
    end = reader.latestOffset(query.offset, None)
    (partition,) = reader.partitions(query.offset, end)
    put(tmp_path, case)
    with pytest.raises(DataLossError, match=f"{LOG}, at {END}: [a-z ]* another one now"):
        list(reader.read(partition))
    # the query is started again, and plans the micro-batch that it has written down once more
    with pytest.raises(DataLossError, match=ANOTHER):
        reader.partitions(query.offset, end)
    tolerant = stream(tmp_path, view="rows", failOnDataLoss="false", **options)
    assert list(tolerant.read(partition)) == []
    assert "what was to be read of it is left out" in capsys.readouterr().err
    assert tolerant.partitions(query.offset, end) == []
    query.tolerant()
    query.offset = end
    assert query.trigger() == NEW[case]


def test_a_log_that_loses_its_end_or_is_purged_before_a_task_reads_it(query: Query, tmp_path: Path) -> None:
    put(tmp_path, "before-longer")
    reader = query.reader()
    (partition,) = reader.partitions(query.offset, reader.latestOffset(query.offset, None))
    whole = (tmp_path / LOG).read_bytes()
    (tmp_path / LOG).write_bytes(whole[:END])
    with pytest.raises(DataLossError, match=f"{LOG}, at 854: the log ends before"):
        list(reader.read(partition))
    (tmp_path / LOG).unlink()
    with pytest.raises(BinlogError, match="no such file"):
        list(reader.read(partition))
    assert list(stream(tmp_path, view="rows", failOnDataLoss="false").read(partition)) == []


def test_a_reset_takes_the_logs_between_two_offsets_too(
    query: Query, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.jobs.packs.STARTING", 0)  # a log a task
    put(tmp_path, "before-longer")
    put(tmp_path, "before-closed", "binlog.000002")
    put(tmp_path, "before", "binlog.000003")
    reader = query.reader()
    end = reader.latestOffset(query.offset, None)
    partitions = reader.partitions(query.offset, end)
    assert [ids(rows_of(reader.read(partition))) for partition in partitions] == [[2], [1, 2], [1]]
    partition = partitions[1]
    put(tmp_path, "second-after", "binlog.000002")
    put(tmp_path, "reset-longer", "binlog.000003")
    with pytest.raises(DataLossError, match=r"binlog\.000003, at 561: [a-z ]* another one now.*failOnDataLoss=false"):
        list(reader.read(partition))
    tolerant = stream(tmp_path, view="rows", failOnDataLoss="false")
    assert list(tolerant.read(partition)) == []
    assert "what was to be read of the logs before it is left out" in capsys.readouterr().err


def test_what_is_left_of_a_micro_batch_whose_last_log_lost_its_end(query: Query, tmp_path: Path) -> None:
    put(tmp_path, "before-closed")
    path = put(tmp_path, "before-longer", "binlog.000002")
    reader = query.reader()
    end = reader.latestOffset(query.offset, None)
    path.write_bytes(path.read_bytes()[:END])
    with pytest.raises(DataLossError, match="ends before"):
        reader.partitions(query.offset, end)
    tolerant = stream(tmp_path, view="rows", failOnDataLoss="false")
    assert ids(delivered(tolerant, query.offset, end)) == [2, 1]


# ---- where the user lets a stream start


def test_a_start_that_is_no_place_between_two_transactions(tmp_path: Path) -> None:
    name = put(tmp_path, "reset-longer", "Binlog.000001").name

    def start(position: int) -> dict[str, Any]:
        offset: dict[str, Any] = stream(tmp_path, startingOffsets=f"{name}:{position}").initialOffset()
        return offset

    for position in range(740):
        if position in {0, 1, 2, 3, 4, 127, 158, 446, 735}:
            assert place(start(position)) == (name, max(position, 4))
        else:
            with pytest.raises(BinlogError, match=rf"{name}, at {position}: .* is not between two transactions"):
                start(position)
    with pytest.raises(BinlogError, match=r"there is no log Binlog\.000009.*Binlog\.000001 to Binlog\.000001"):
        stream(tmp_path, startingOffsets="Binlog.000009:4").initialOffset()
    reader = stream(tmp_path, view="rows")
    assert ids(delivered(reader, start(446), reader.latestOffset(start(446), None))) == [22]


def test_a_start_after_damage(tmp_path: Path) -> None:
    """The test cannot decide if it is between two transactions, so the user's word counts."""
    damaged = scenario("mysql-9.7/damaged-length-zero").logs[0]
    shutil.copy(damaged, tmp_path / LOG)
    end = damaged.stat().st_size
    assert place(stream(tmp_path, startingOffsets=f"{LOG}:{end}").initialOffset()) == (LOG, end)


# ---- through Spark


def test_a_query_that_is_started_again_after_a_reset(spark: Any, tmp_path: Path) -> None:
    folder, checkpoint, out = (tmp_path / name for name in ("logs", "checkpoint", "out"))
    folder.mkdir()

    def run(**options: str) -> list[int]:
        query = (
            spark.readStream.format("binlog")
            .options(view="rows", **options)
            .load(str(folder))
            .selectExpr("int(get_json_object(after, '$.@1')) AS id")
            .writeStream.format("parquet")
            .option("path", str(out))
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        return sorted(row.id for row in spark.read.parquet(str(out)).collect())

    put(folder, "before")
    assert run() == [1]
    put(folder, "before-longer")
    assert run() == [1, 2]
    put(folder, "reset-equal-longer")
    with pytest.raises(Exception, match=r"binlog\.000001, at 854: [a-z ]* another one now.*failOnDataLoss=false"):
        run()
    assert run(failOnDataLoss="false") == [1, 2, 11, 12]
    assert run() == [1, 2, 11, 12]


def test_a_log_that_is_replaced_in_the_middle_of_a_micro_batch(spark: Any, tmp_path: Path) -> None:
    """Spark plans a batch of `foreachBatch` before it reads; here the server is reset between the two."""
    folder = tmp_path / "logs"
    folder.mkdir()
    got: list[int] = []

    def run(case: str | None = None, **options: str) -> list[int]:
        def take(batch: Any, number: int) -> None:
            if case is not None:
                put(folder, case)
            got.extend(row.id for row in batch.collect())

        query = (
            spark.readStream.format("binlog")
            .options(view="rows", **options)
            .load(str(folder))
            .selectExpr("int(get_json_object(after, '$.@1')) AS id")
            .writeStream.foreachBatch(take)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        return got

    put(folder, "before")
    assert run() == [1]
    put(folder, "before-longer")
    with pytest.raises(Exception, match=r"binlog\.000001, at \d+: [a-z ]* another one now.*failOnDataLoss=false"):
        run("reset-equal-longer")
    assert got == [1]
    assert run(failOnDataLoss="false") == [1, 11, 12]
