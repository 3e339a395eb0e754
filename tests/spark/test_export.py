"""`pybinlog export --spark`: the files that executors write."""

import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.bare_logs import DUMPS, bare_log
from tests.cli.conftest import real
from tests.corpus import Scenario, scenarios
from tests.jobs.inline import InlineJobs

pytest.importorskip("pyarrow")


def scenario(name: str) -> Scenario:
    return next(found for found in scenarios() if found.name == name)


LOG = str(scenario("mysql-9.7/row-basic").logs[0])


def test_on_spark_the_same_files_come_out(spark: Any, tmp_path: Path) -> None:
    real("export", "-o", str(tmp_path / "here"), "--view=rows", "--format=csv", LOG)
    result = real("export", "--spark=local[2]", "-o", str(tmp_path / "there"), "--view=rows", "--format=csv", LOG)
    assert (result.status, result.err) == (0, "23 rows in 1 file.\n")
    name = "binlog.000001.csv"
    assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--view=events", "--csv-safe"),
        ("--view=rows", "--ddl"),
        ("--view=transactions",),
        ("--view=rows", "--committed"),
        ("--view=table", "--table=meta.signed_t"),
        ("--view=table", "--table=meta.signed_t", "--columns=b,a"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_executors_write_the_files_that_one_process_writes(
    arguments: tuple[str, ...], size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.jobs.packs.OPENING", size)  # a log a task, or many
    monkeypatch.setattr("pybinlog.jobs.packs.STARTING", 0)
    jobs = InlineJobs()
    monkeypatch.setattr("pybinlog.cli.commands.export.spark_jobs", lambda *_: nullcontext(jobs))
    logs = [
        str(log) for name in ("multi-file", "row-metadata-full", "xa") for log in scenario(f"mysql-9.7/{name}").logs
    ]
    names = []
    for number, log in enumerate(logs, 1):
        names.append(str(shutil.copy(log, tmp_path / f"binlog.{number:06}")))
    done = []
    for where, spark in (("here", []), ("there", ["--spark"])):
        done.append(real("export", "-o", str(tmp_path / where), "--format=csv", *arguments, *spark, *names))
    assert done[0].status == done[1].status == 0
    assert done[0].err == done[1].err
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert len(files(tmp_path / "here")) == len(logs)
    assert jobs.functions


def test_names_that_an_earlier_log_defines_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.jobs.packs.OPENING", 1)
    monkeypatch.setattr("pybinlog.jobs.packs.STARTING", 0)
    monkeypatch.setattr("pybinlog.cli.commands.export.spark_jobs", lambda *_: nullcontext(InlineJobs()))
    names = []
    for name in ("binlog.000001", "binlog.000002"):
        (tmp_path / name).write_bytes(bare_log(DUMPS / "mysql-9.7" / name))
        names.append(str(tmp_path / name))
    for view in (["rows"], ["table", "--table=shop.customer"]):
        for where, spark in (("here", []), ("there", ["--spark"])):
            folder = tmp_path / f"{where}-{view[0]}"
            done = real("export", "-o", str(folder), "--format=jsonl", f"--view={view[0]}", *view[1:], *spark, *names)
            assert done.status == 0, done.err
        assert files(tmp_path / f"here-{view[0]}") == files(tmp_path / f"there-{view[0]}")
    assert b"@1" not in files(tmp_path / "there-rows")["binlog.000002.jsonl"]


def test_a_file_of_the_user_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.cli.commands.export.spark_jobs", lambda *_: nullcontext(InlineJobs()))
    (tmp_path / "binlog.000001.csv").write_bytes(Path(LOG).read_bytes())
    log = str(shutil.copy(LOG, tmp_path / "binlog.000001"))
    done = real("export", "-o", str(tmp_path), "--format=csv", "--spark", log, str(tmp_path / "binlog.000001.csv"))
    assert done.status == 2
    assert (tmp_path / "binlog.000001.csv").read_bytes() == Path(LOG).read_bytes()
