"""Exported files hold the rows of the views, in each format."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet

from pybinlog.errors import BinlogError, CorruptEventError, SourceError
from pybinlog.export.job import ExportJob, Target, targets
from pybinlog.export.text_format import SAFE_CSV
from pybinlog.export.writers import TextWriter
from pybinlog.feed.span import Span, spans
from pybinlog.output import replacement, replacement_batch
from pybinlog.views.batch import ViewBatch
from pybinlog.views.options import ViewOptions
from pybinlog.views.view import Kind
from tests.corpus import Scenario, scenarios
from tests.views.batches import batch_of
from tests.views.expected import view, with_objects

INSTANT = "%Y-%m-%dT%H:%M:%S.%fZ"
NAMES = ["mysql-9.7/row-basic", "mysql-9.7/xa", "mysql-9.7/types-string", "mysql-9.7/types-json", "mariadb-10.11/row"]
FOUND = [found for found in scenarios() if found.name in NAMES]
VIEWS = ["events", "transactions", "rows"]


def export(found: Scenario, folder: Path, format: str, **options: Any) -> list[Path]:
    job = ExportJob(ViewOptions(**options), format, str(folder))
    job.prepare()
    written = []
    for target in targets(spans([str(path) for path in found.logs]), format):
        result = job.write(target)
        assert result.error is None
        written.append(folder / target.name)
    return written


def plain(value: Any) -> Any:
    return value.strftime(INSTANT) if hasattr(value, "strftime") else value


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("found", FOUND, ids=repr)
def test_parquet(found: Scenario, name: str, tmp_path: Path) -> None:
    rows = [
        with_objects(row)
        for path in export(found, tmp_path, "parquet", view=name)
        for row in pyarrow.parquet.read_table(path).to_pylist()
    ]
    assert rows == view(found.logs, name)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("found", FOUND, ids=repr)
def test_json_lines(found: Scenario, name: str, tmp_path: Path) -> None:
    rows = [
        json.loads(line)
        for path in export(found, tmp_path, "jsonl", view=name)
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]
    ]
    assert rows == [{column: plain(value) for column, value in row.items()} for row in view(found.logs, name)]


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("found", FOUND, ids=repr)
def test_csv(found: Scenario, name: str, tmp_path: Path) -> None:
    rows = []
    for path in export(found, tmp_path, "csv", view=name):
        with path.open(newline="", encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    wanted = view(found.logs, name)
    assert len(rows) == len(wanted)
    for row, other in zip(rows, wanted, strict=True):
        for column, value in other.items():
            text = row[column]
            if value is None:
                assert text == ""
            elif isinstance(value, dict | list):
                assert json.loads(text) == value
            elif isinstance(value, bool):
                assert text == str(value).lower()
            else:
                assert text == str(plain(value))


UNSAFE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff201",
    "=\n=2",
    "=",
]
SAFE = ["", "'=1", "a=1", " =1", "1-1", "SELECT\n=1", "\ud55c"]


def test_safe_csv_has_no_text_that_is_a_formula() -> None:
    texts = [*UNSAFE, *SAFE, None]
    numbers = [-index for index in range(len(texts))]
    objects = ['{"=a":"=1"}'] * len(texts)
    batch = batch_of({"text": (Kind.STRING, texts), "number": (Kind.LONG, numbers), "after": (Kind.JSON, objects)})
    rows = list(csv.DictReader(io.StringIO(written(batch), newline="")))
    assert [row["text"] for row in rows] == [*(f"'{text}" for text in UNSAFE), *SAFE, ""]
    assert [int(row["number"]) for row in rows] == numbers
    assert {row["after"] for row in rows} == {'{"=a":"=1"}'}


def written(batch: ViewBatch) -> str:
    """Return one batch as CSV for a spreadsheet."""
    file = io.BytesIO()
    writer = TextWriter(file, batch.view, batch.names, SAFE_CSV)  # type: ignore[arg-type]
    writer.write(batch)
    writer.close()
    return file.getvalue().decode()


def test_logs_of_the_same_name_do_not_meet() -> None:
    found = targets([Span(("a/binlog.000001.gz",)), Span(("b/binlog.000001",)), Span(("s3://c/binlog.000002",))], "csv")
    assert [target.name for target in found] == [
        "binlog.000001.part-00000.csv",
        "binlog.000001.part-00001.csv",
        "binlog.000002.csv",
    ]


def test_what_comes_before_damage_is_written(tmp_path: Path) -> None:
    damaged = next(found for found in scenarios() if found.name == "mysql-9.7/damaged-body")
    job = ExportJob(ViewOptions(view="rows"), "jsonl", str(tmp_path))
    result = job.write(Target(Span((str(damaged.logs[0]),)), "out.jsonl"))
    assert result.error is not None
    assert result.rows == len((tmp_path / "out.jsonl").read_text().splitlines()) > 0


def test_many_small_files_need_one_sync_of_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[str] = []
    monkeypatch.setattr(replacement, "sync_folder", folders.append)
    monkeypatch.setattr(replacement_batch, "MOST_SECONDS", float("inf"))
    found = next(found for found in scenarios() if found.name == "mysql-9.7/damaged-body")
    logs = [str(FOUND[0].logs[0])] * 9 + ["/nowhere/binlog.000001", str(found.logs[0])]
    job = ExportJob(ViewOptions(columns=("file",)), "csv", f"{tmp_path}/out")
    job.prepare()
    results = list(job.write_all(targets([Span((log,)) for log in logs], "csv")))
    assert [result.error is None for result in results] == [True] * 9 + [False, True]
    assert folders == [f"{tmp_path}/out"]
    assert len(os.listdir(tmp_path / "out")) == 10


def test_what_was_done_before_a_file_that_cannot_be_made_is_reported_and_in_place(tmp_path: Path) -> None:
    job = ExportJob(ViewOptions(columns=("file",)), "csv", str(tmp_path))
    (tmp_path / "b.csv").mkdir()
    span = Span((str(FOUND[0].logs[0]),))
    results = job.write_all([Target(span, "a.csv"), Target(span, "b.csv"), Target(span, "c.csv")])
    assert next(results).target.name == "a.csv"
    with pytest.raises(BinlogError, match="only a regular file can be replaced"):
        next(results)
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "b.csv"]


def test_no_file_is_made_for_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    job = ExportJob(ViewOptions(), "parquet", str(tmp_path))
    result = job.write(Target(Span(("/nowhere/binlog.000001",)), "out.parquet"))
    assert isinstance(result.error, SourceError)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_made_and_its_files_are_not_for_everybody(tmp_path: Path) -> None:
    (path,) = export(FOUND[0], tmp_path / "a" / "b", "parquet")
    assert path.stat().st_mode & 0o007 == 0
    (tmp_path / "file").write_text("")
    with pytest.raises(BinlogError, match="the folder cannot be made"):
        ExportJob(ViewOptions(), "csv", str(tmp_path / "file" / "c")).prepare()


def test_a_folder_at_a_url(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    job = ExportJob(ViewOptions(view="rows"), "parquet", f"file://{tmp_path}/out")
    job.prepare()
    result = job.write(Target(Span((str(FOUND[0].logs[0]),)), "a.parquet"))
    assert os.listdir(tmp_path / "out") == ["a.parquet"]
    assert pyarrow.parquet.read_table(tmp_path / "out" / "a.parquet").num_rows == result.rows


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (["-"], ["stdin.csv"]),
        (["a/binlog.000001.gz", "b/binlog.000002/"], ["binlog.000001.csv", "binlog.000002.csv"]),
        (["/"], ["log.csv"]),
        (["x", "y/x", "x.zst"], ["x.part-00000.csv", "x.part-00001.csv", "x.part-00002.csv"]),
    ],
)
def test_a_file_is_named_after_the_first_log_of_its_span(names: list[str], files: list[str]) -> None:
    assert [target.name for target in targets([Span((name, "other")) for name in names], "csv")] == files


def test_a_stream_tells_of_each_log_and_goes_on_after_an_error() -> None:
    damaged = next(found for found in scenarios() if found.name == "mysql-9.7/damaged-length-huge").logs[0]
    intact = FOUND[0].logs[0]
    job = ExportJob(ViewOptions(columns=("position",)), "csv", "")
    output, progress = io.BytesIO(), list[int]()
    spans_of = [Span((name,)) for name in ("/nowhere/binlog.000001", str(damaged), str(intact))]
    results = list(job.write_stream(spans_of, output, progress=progress.append))
    assert [type(result.error) for result in results] == [SourceError, CorruptEventError, type(None)]
    assert isinstance(results[1].error, CorruptEventError)
    whole = [str(row["position"]) for row in view([intact], "events")]
    head, *lines = output.getvalue().decode().splitlines()
    rows = results[1].rows
    assert (head, results[0].rows, results[2].rows) == ('"position"', 0, len(whole))
    assert lines[rows:] == whole
    assert lines[:2] == ["4", "127"]
    assert int(lines[rows - 1]) < (results[1].error.position or 0)
    assert [result.target.name for result in results] == ["-"] * 3
    assert progress[-1] > 0
