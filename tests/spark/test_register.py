"""`pybinlog.spark.register`: settings, planning on executors, the last line of a failed job, other versions."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pybinlog.feed.remarks import Remarks
from pybinlog.feed.unlogged import Unlogged
from pybinlog.spark import SETTINGS, register
from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA, scenarios
from tests.views.expected import named_view

pytest.importorskip("pyspark")

from pybinlog.spark.data_source.task_remarks import MOST_READS, RemarksOfReads, TaskOfRead

BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic")
DAMAGED = next(s for s in scenarios() if s.name == "mysql-9.7/damaged-body")


@pytest.fixture
def registered(spark: Any) -> Iterator[Any]:
    register(spark)
    yield spark
    from pybinlog.spark.source import BinlogDataSource

    spark.dataSource.register(BinlogDataSource)
    for name in SETTINGS:
        spark.conf.unset(name)


def last_line(error: BaseException) -> str:
    return [line for line in str(error).splitlines() if line.strip() and not line.strip().startswith("SQLSTATE")][-1]


def test_rows_have_the_names_that_executors_have_read_before(registered: Any) -> None:
    found = registered.read.format("binlog").option("view", "rows").load(str(BASIC.folder))
    wanted = named_view(BASIC.logs, "rows")
    assert [row.table for row in found.collect()] == [row["table"] for row in wanted]
    assert "@1" not in found.first().after
    table = registered.read.format("binlog").options(view="table", table="shop.customer").load(str(BASIC.folder))
    assert table.columns[0] == "id"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Logs for several tasks, each with two statements whose rows are not in it."""
    for number in range(1, 25):
        shutil.copy(TESTDATA / "statement" / "mariadb-mixed" / "binlog.000001", tmp_path / f"binlog.{number:06d}")
    return tmp_path


UNLOGGED = "WARNING: 48 statements changed rows that the logs do not contain, of b.t and b.x; see the view events with"
CASCADED = (
    "WARNING: 24 statements may have changed rows of b.c by foreign keys, which the logs do not contain; see tables=b.p"
)


@pytest.mark.parametrize("view", ["rows", "transactions"])
def test_statements_whose_rows_the_logs_lack_are_said_once_by_the_driver(
    registered: Any, mixed: Path, view: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = registered.read.format("binlog").options(view=view, allowGaps="true").load(str(mixed))
    assert found.rdd.getNumPartitions() > 1
    capsys.readouterr()
    for _ in range(2):
        assert found.select("file").distinct().count() == 24
        assert capsys.readouterr().err == f"{UNLOGGED} eventTypes=Query\n{CASCADED}\n"
    command = real(view, "--allow-gaps", str(mixed))
    assert command.err.splitlines()[-2:] == [
        f"{UNLOGGED.partition(';')[0]}; see pybinlog --event-type=Query.",
        f"{CASCADED.partition(';')[0]}; see pybinlog rows --table=b.p.",
    ]


def test_a_stream_says_it_once_a_micro_batch(
    registered: Any, mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = registered.readStream.format("binlog").options(view="rows", startingOffsets="earliest").load(str(mixed))
    writer = stream.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    capsys.readouterr()
    writer.trigger(availableNow=True).start().awaitTermination()
    assert capsys.readouterr().err == f"{UNLOGGED} eventTypes=Query\n{CASCADED}\n"


def test_remarks_wait_for_the_last_task_of_their_read() -> None:
    said: list[int] = []
    on_driver = RemarksOfReads(lambda remarks: said.append(remarks.unlogged.count if remarks.unlogged else 0))
    on_executor = pickle.loads(pickle.dumps(on_driver))

    def ends(read: str, number: int, tasks: int = 2) -> list[int]:
        found = on_executor.addInPlace(
            on_executor.zero([]), [(TaskOfRead(read, number, tasks), Remarks(unlogged=Unlogged(changed=number + 1)))]
        )
        assert on_driver.addInPlace([], found) == []
        return said

    assert ends("a", 0) == ends("b", 1) == ends("a", 0) == []
    assert ends("a", 1) == [3]
    assert ends("c", 4, tasks=1) == [3, 5]
    on_driver.finish()
    on_driver.finish()
    assert said == [3, 5, 2], "a query with LIMIT may leave out tasks"
    for number in range(MOST_READS + 1):
        ends(f"left {number}", 9)
    assert said == [3, 5, 2, 10]


def test_the_last_line_of_what_fails_is_the_sentence(registered: Any) -> None:
    source = registered.read.format("binlog").option("view", "rows")
    with pytest.raises(Exception, match="checksum") as raised:
        source.load(str(DAMAGED.folder)).collect()
    assert last_line(raised.value).startswith(f"pybinlog.errors.ChecksumError: {DAMAGED.logs[0]}, at 1985: ")
    with pytest.raises(Exception, match="pattern") as raised:
        source.load("/nowhere/binlog.*").collect()
    assert last_line(raised.value).startswith("pybinlog.errors.SourceError: /nowhere/binlog.*: no file matches")


def test_a_table_of_a_catalog_is_refused_with_the_way_out(registered: Any) -> None:
    with pytest.raises(Exception, match="CREATE TEMPORARY VIEW name USING binlog OPTIONS"):
        registered.sql(f"CREATE TABLE changes USING binlog OPTIONS (path '{BASIC.folder}')")


def test_files_are_chosen_as_other_sources_choose_them(registered: Any, tmp_path: Path) -> None:
    for folder in ("a", "a/b", "c"):
        (tmp_path / folder).mkdir()
        shutil.copy(BASIC.logs[0], tmp_path / folder / "binlog.000001")
    os.utime(tmp_path / "c" / "binlog.000001", (1_700_000_000, 1_700_000_000))

    def files(path: str, **options: str) -> set[str]:
        found = registered.read.format("binlog").options(**options).load(path)
        return {row.file.removeprefix(f"{tmp_path}/") for row in found.select("file").distinct().collect()}

    assert files(f"{tmp_path}/{{a,c}}") == {"a/binlog.000001", "c/binlog.000001"}
    assert files(f"{tmp_path}/a", recursiveFileLookup="true") == {"a/binlog.000001", "a/b/binlog.000001"}
    assert files(f"{tmp_path}/{{a,c}}", modifiedBefore="2024-01-01") == {"c/binlog.000001"}
    os.utime(tmp_path / "c" / "binlog.000001", (0, 0))
    assert files(f"{tmp_path}/{{a,c}}", modifiedBefore="2024-01-01") == {"c/binlog.000001"}
    assert files(f"{tmp_path}/{{a,c}}", modifiedAfter="2024-01-01T00:00:00Z") == {"a/binlog.000001"}


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("sys.modules['pybinlog'] = None", "lacks pybinlog"),
        ("import pybinlog; pybinlog.__version__ = '0.0.1'", "has pybinlog 0.0.1, and the driver's has "),
    ],
)
def test_an_executor_without_this_version_says_how_to_ship_it(before: str, sentence: str, tmp_path: Path) -> None:
    from pyspark import cloudpickle

    from pybinlog.spark.source import BinlogDataSource

    source = BinlogDataSource({"path": str(BASIC.folder)})
    reader = source.reader(source.schema())
    shipped: bytes = cloudpickle.dumps(reader)  # type: ignore[no-untyped-call]
    (tmp_path / "shipped").write_bytes(shipped)
    code = f"import sys, pickle; {before}; pickle.load(open({str(tmp_path / 'shipped')!r}, 'rb'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert sentence in done.stderr
    assert done.stderr.rstrip().endswith("send it along with --archives, as docs/spark.md shows")
    assert type(pickle.loads(shipped)) is type(reader)


def test_a_local_session_runs_the_python_that_registers(tmp_path: Path) -> None:
    """The venv's Python is called by its path: `python3` is another one, or none."""
    script = f"""
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
import pybinlog.spark
pybinlog.spark.register(session)
print(session.read.format("binlog").option("view", "transactions").load({str(BASIC.folder)!r}).count())
"""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYSPARK")}
    environment["PATH"] = os.pathsep.join(["/usr/bin", "/bin", os.path.dirname(shutil.which("java") or "")])
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    wanted = len(named_view(BASIC.logs, "transactions"))
    assert (done.returncode, done.stdout.split()[-1:]) == (0, [str(wanted)]), done.stderr
