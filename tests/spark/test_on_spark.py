"""Dump and check on a Spark session of two cores, against the plain ones."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from pybinlog.check import Checker, CheckOptions
from pybinlog.check.parallel_checker import ParallelChecker
from pybinlog.dump import Base64Output, DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.spark.dump import MANIFEST, Text, run_apart
from pybinlog.spark.dump_stages import TextPlan
from pybinlog.spark.jobs import SparkJobs
from pybinlog.spark.session import SparkError
from pybinlog.where import Condition
from tests.check.checked import checked
from tests.corpus import scenarios
from tests.inflate import inflate
from tests.spark.dumped import dumped
from tests.where.answers import FOLDER, SESSION

INTACT = [log for s in scenarios() if s.intact and s.folder.name != "large" for log in s.logs]
DAMAGED = [log for s in scenarios() if not s.intact for log in s.logs]
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MIB = 1 << 20


@pytest.fixture(scope="module")
def jobs(spark: Any) -> SparkJobs:
    return SparkJobs(spark.sparkContext)


@pytest.fixture(scope="module")
def inflated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 6 MiB."""
    log = tmp_path_factory.mktemp("inflated") / "binlog.000001"
    with log.open("wb") as file:
        inflate(BASIC.read_bytes(), file, 6 * MIB)
    return log


def test_the_whole_corpus_gives_the_same_text(jobs: SparkJobs, tmp_path: Path) -> None:
    results = []
    for number, where in enumerate((None, jobs)):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = DumpOptions(verbose=2, local_load=str(folder))
        text, warnings, error = dumped(INTACT, options, where)
        warnings = [warning.replace(str(folder), "load") for warning in warnings]
        results.append((text.replace(str(folder).encode(), b"load"), warnings, error, sorted(os.listdir(folder))))
    assert results[0] == results[1]
    assert not results[0][2]


def test_every_damaged_log_gives_the_same_text_and_error(jobs: SparkJobs) -> None:
    for log in DAMAGED:
        assert dumped([BASIC, log, BASIC], DumpOptions(), jobs) == dumped([BASIC, log, BASIC], DumpOptions()), log


def test_many_logs_give_the_same_text_with_and_without_a_manifest(
    jobs: SparkJobs, inflated: Path, tmp_path: Path
) -> None:
    names = [str(inflated), *(str(log) for log in INTACT if "load" not in str(log)), str(inflated)]
    for options in (DumpOptions(allow_gaps=True), DumpOptions(verbose=1, tbm=False, allow_gaps=True)):
        text, warnings, error = dumped(names, options)
        assert dumped(names, options, jobs) == (text, warnings, error)
        folder = tmp_path / str(options.verbose)
        Text(names, TextPlan(options, len(names), str(folder)), print, jobs).to_folder()
        assert b"".join((folder / name).read_bytes() for name in (folder / MANIFEST).read_text().split()) == text


def test_findings_are_the_same(jobs: SparkJobs, inflated: Path) -> None:
    options = CheckOptions(keep=True)
    names = [str(log) for log in [*INTACT, *DAMAGED, inflated, "no-such.000001"]]
    wanted = checked(Checker(names, options))
    assert "no-such.000001: cannot be opened: no such file or directory" in wanted[1][3]
    assert checked(ParallelChecker(names, options, jobs)) == wanted


def test_local_times_are_those_of_the_driver(jobs: SparkJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    texts = []
    for zone in ("Asia/Tokyo", "UTC"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        texts.append(dumped([BASIC], DumpOptions(), jobs))
        assert texts[-1] == dumped([BASIC], DumpOptions())
    monkeypatch.undo()
    time.tzset()
    assert texts[0] != texts[1]


def test_a_file_for_each_log_holds_what_a_dump_of_it_alone_holds(jobs: SparkJobs, tmp_path: Path) -> None:
    logs = next(s for s in scenarios() if s.folder.name == "multi-file").logs
    good = tmp_path / "good"
    errors: list[BinlogError] = []
    assert run_apart(
        [str(log) for log in logs], TextPlan(DumpOptions(), len(logs), str(good)), print, errors.append, jobs
    )[0]
    assert sorted(path.name for path in good.iterdir()) == [f"{log.name}.sql" for log in logs]
    for log in logs:
        assert (good / f"{log.name}.sql").read_bytes() == dumped([log], DumpOptions())[0]
    assert not errors


def test_a_file_for_each_log_has_the_rows_that_meet_a_condition(jobs: SparkJobs, tmp_path: Path) -> None:
    logs = [BASIC, *(FOLDER / f"{kind}.000001" for kind in SESSION)]
    options = DumpOptions(where=Condition("@1 IN (3, 5)"), verbose=1, base64_output=Base64Output.DECODE_ROWS)
    texts, errors = tmp_path / "texts", list[BinlogError]()
    plan = TextPlan(options, len(logs), str(texts))
    good, remarks = run_apart([str(log) for log in logs], plan, print, errors.append, jobs)
    tally = remarks.tally
    assert good
    assert tally is not None
    assert not errors
    printed = b"".join((texts / f"{log.name}.sql").read_bytes() for log in logs)
    assert printed == b"".join(dumped([log], options)[0] for log in logs)
    assert tally.kept == len(re.findall(rb"^### (?:INSERT|UPDATE|DELETE)", printed, re.MULTILINE)) > len(logs)
    assert tally.dropped > tally.kept


def test_a_damaged_log_among_good_ones_leaves_their_files_whole(jobs: SparkJobs, tmp_path: Path) -> None:
    names = []
    for number in range(1, 31):
        log = tmp_path / f"binlog.{number:06d}"
        log.write_bytes(BASIC.read_bytes() if number != 17 else BASIC.read_bytes()[:1000] + b"\xff" * 200)
        names.append(str(log))
    names.insert(20, str(tmp_path / "missing.000001"))
    errors: list[BinlogError] = []
    folder = (tmp_path / "texts").as_uri()
    assert not run_apart(names, TextPlan(DumpOptions(), len(names), folder), print, errors.append, jobs)[0]
    assert [Path(str(error.file)).name for error in errors] == ["binlog.000017", "missing.000001"]
    wanted = dumped([BASIC], DumpOptions())[0]
    for number in range(1, 31):
        text = (tmp_path / "texts" / f"binlog.{number:06d}.sql").read_bytes()
        assert text == (wanted if number != 17 else dumped([names[16]], DumpOptions())[0])
    assert not list((tmp_path / "texts").glob("*.part"))


def test_logs_on_another_file_system_are_read_through_fsspec(jobs: SparkJobs, inflated: Path) -> None:
    pytest.importorskip("fsspec")
    name = inflated.as_uri()
    found = dumped([name], DumpOptions(), jobs)
    assert found == dumped([inflated], DumpOptions())


def test_what_goes_wrong_on_an_executor_is_one_sentence(jobs: SparkJobs) -> None:
    with pytest.raises(SparkError, match="a Spark task failed: ZeroDivisionError: division by zero"):
        jobs.one(divided, 0)
    with pytest.raises(SparkError, match="a Python process of an executor died"):
        jobs.one(os._exit, 3)


def divided(number: int) -> float:
    return 1 / number


def test_results_come_in_order_and_few_are_under_way(jobs: SparkJobs) -> None:
    taken: list[int] = []

    def items() -> Any:
        for number in range(30):
            taken.append(number)
            yield number

    results = jobs.in_order(squared, items())
    for number, result in enumerate(results):
        assert result == number * number
        assert len(taken) <= number + jobs.cores + 4
    assert len(taken) == 30


def squared(number: int) -> int:
    return number * number


def test_a_result_that_no_job_waits_for_does_no_harm(jobs: SparkJobs) -> None:
    results = jobs.in_order(squared, range(1000))
    assert next(results) == 0
    results.close()
    assert jobs.one(squared, 4) == 16


def test_options_travel(jobs: SparkJobs) -> None:
    options = DumpOptions(rewrite_db=(("test", "other"),), skip_gtids=True, hexdump=True)
    assert dumped([BASIC, BASIC], options, jobs) == dumped([BASIC, BASIC], options)
