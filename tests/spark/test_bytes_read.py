"""How often logs are read: once by what looks at rows, twice by what has to know earlier logs; never by the driver."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from pybinlog.check import CheckOptions
from pybinlog.check.parallel_checker import ParallelChecker
from pybinlog.dump import DumpOptions
from pybinlog.spark.dump import Text, run_apart
from pybinlog.spark.dump_stages import TextPlan
from tests.cli.conftest import real
from tests.corpus import scenarios
from tests.inflate import inflate
from tests.jobs.inline import InlineJobs
from tests.spark.series import Series

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

from tests.spark.counted import PREFIX, READ, on_an_executor

BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
ONCE, TWICE = 1.02, 2.05


class CountedJobs(InlineJobs):
    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        with on_an_executor():
            return super().one(function, item)


def run_counted(function: Callable[[Any], list[Any]], tasks: Iterable[Any]) -> Iterator[list[Any]]:
    for task in tasks:
        with on_an_executor():
            yield function(task)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three logs of 1 MiB that are closed."""
    folder = tmp_path_factory.mktemp("logs")
    first = BytesIO()
    inflate(BASIC.read_bytes(), first, 1 << 20)
    series = Series(first.getvalue())
    found = [folder / f"binlog.{number:06}" for number in (1, 2, 3)]
    for number, log in enumerate(found, 1):
        log.write_bytes(series.log(number))
    return found


def names(logs: list[Path]) -> list[str]:
    return [PREFIX + str(log) for log in logs]


@pytest.fixture
def times(logs: list[Path]) -> Iterator[Callable[[], float]]:
    """How often each byte was read by executors, when the driver has read none."""
    READ.clear()

    def measured() -> float:
        assert READ["driver"] == 0
        return READ["executors"] / sum(log.stat().st_size for log in logs)

    yield measured
    READ.clear()


def test_a_check_reads_once(logs: list[Path], times: Callable[[], float]) -> None:
    jobs: Any = CountedJobs()
    list(ParallelChecker(names(logs), CheckOptions(select=("S",)), jobs).results())
    assert 1 <= times() <= ONCE


def test_a_file_for_each_log_is_written_in_one_read(
    logs: list[Path], times: Callable[[], float], tmp_path: Path
) -> None:
    jobs: Any = CountedJobs()
    assert run_apart(names(logs), TextPlan(DumpOptions(), 3, str(tmp_path / "texts")), print, print, jobs)
    assert 1 <= times() <= ONCE


def test_one_text_is_written_in_two(logs: list[Path], times: Callable[[], float], tmp_path: Path) -> None:
    jobs: Any = CountedJobs()
    Text(names(logs), TextPlan(DumpOptions(verbose=1), 3, str(tmp_path / "text")), print, jobs).to_folder()
    assert times() <= TWICE


@pytest.mark.parametrize(
    ("options", "most"),
    [
        (["--view=events"], ONCE),
        (["--view=transactions"], ONCE),
        (["--view=rows", "--columns=position,table"], ONCE),
        (["--view=rows"], TWICE),
        (["--view=rows", "--committed"], TWICE),
    ],
)
def test_an_export(
    options: list[str],
    most: float,
    logs: list[Path],
    times: Callable[[], float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pybinlog.cli.commands.export.spark_jobs", lambda *_: nullcontext(CountedJobs()))
    done = real("export", "--spark", "--format=csv", "-o", str(tmp_path / "out"), *options, *names(logs))
    assert done.status == 0, done.err
    assert 1 <= times() <= most


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({}, ONCE),
        ({"view": "transactions"}, ONCE),
        ({"view": "rows", "columnNames": "logged"}, ONCE),
        ({"view": "rows"}, TWICE),
        ({"view": "table", "table": "shop.customer", "columnNames": "logged"}, TWICE),
    ],
)
def test_the_source_of_a_registered_session(
    options: dict[str, str], most: float, logs: list[Path], times: Callable[[], float]
) -> None:
    pytest.importorskip("pyspark")
    from pybinlog.spark.source import BinlogDataSource

    class Source(BinlogDataSource):
        run = property(lambda self: run_counted)

    source = Source({"path": f"{PREFIX}{logs[0].parent}", **options})
    reader = source.reader(source.schema())
    partitions = reader.partitions()
    with on_an_executor():
        for partition in partitions:
            for _ in reader.read(partition):
                pass
    assert 1 <= times() <= most
