"""An export into one file, whose name says its format and its compression."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from pybinlog.export.file import FileName
from tests.cli.conftest import real
from tests.corpus import scenarios

LOGS = [str(log) for log in next(s for s in scenarios() if s.name == "mysql-9.7/multi-file").logs]


def inflated(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(data)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.JSONL.gz", "rows.csv", "rows.csv.zst", "r.jsonl.bz2", "r.csv.xz"])
def test_one_file_holds_what_a_stream_would(name: str, tmp_path: Path) -> None:
    form = "csv" if "csv" in name else "jsonl"
    stream = real("export", "--view=rows", f"--format={form}", "-o", "-", *LOGS)
    done = real("export", "--view=rows", "-o", str(tmp_path / name), *LOGS)
    assert (done.status, done.out) == (0, b"")
    assert inflated(tmp_path / name) == stream.out != b""
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_one_parquet_file_holds_the_rows_of_all_logs(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert real("export", "--view=events", "-o", str(tmp_path / "events.parquet"), *LOGS).status == 0
    files = parquet.read_table(tmp_path / "events.parquet").column("file").to_pylist()
    assert sorted(set(files)) == sorted(LOGS)


@pytest.mark.parametrize("name", ["rows.csv/", "there.csv", "rows", "rows.gz", ".csv", "rows.d"])
def test_what_ends_with_a_slash_or_is_there_is_a_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").mkdir()
    assert FileName.of(name) is None
    done = real("export", "--view=rows", "--format=csv", "-o", name, *LOGS)
    assert (done.status, (tmp_path / name).is_dir()) == (0, True)


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    broken = tmp_path / "binlog.000001"
    broken.write_bytes(b"no log")
    done = real("export", "--view=rows", "-o", str(tmp_path / "x" / "rows.csv"), LOGS[0])
    assert (done.status, "cannot be made" in done.err) == (1, True)
    assert real("export", "--view=rows", "-o", str(tmp_path / "rows.csv"), str(broken)).status == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--format=csv", "-o", "rows.jsonl"], "--format=csv cannot be used with --output-dir=rows.jsonl."),
        (["-o", "rows.parquet.zst"], "Parquet is compressed inside"),
        (["--partition-by=table", "--view=rows", "-o", "rows.csv"], "for a folder of that name, end it with /"),
        (["--spark=local[1]", "-o", "rows.csv"], "for a folder of that name, end it with /"),
    ],
)
def test_what_one_file_cannot_be_is_said(options: list[str], sentence: str) -> None:
    done = real("export", *options, LOGS[0])
    assert (done.status, sentence in " ".join(done.err.split())) == (2, True)
