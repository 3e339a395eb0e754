"""Files that are written at URLs, and the meaning of a file's name."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.export.file import CountedFile, FileName, RemoteFile, make_folder, open_output
from pybinlog.export.sheet import Sheet
from pybinlog.output.replacement import Replacement
from tests.kept import kept


@pytest.fixture
def memory() -> Iterator[Any]:
    """An object store."""
    system = pytest.importorskip("fsspec").filesystem("memory")
    yield system
    for path in system.find("/told"):
        system.rm(path)


def failing(message: str) -> Callable[..., object]:
    def fail(*arguments: object, **named: object) -> object:
        raise OSError(28, message)

    return fail


def test_a_file_at_a_url_has_its_name_after_commit(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    (tmp_path / "x").write_bytes(b"old")
    with open_output(f"file://{tmp_path}/x") as file:
        assert isinstance(file, RemoteFile)
        file.write(memoryview(b"new"))
        assert (tmp_path / "x").read_bytes() == b"old"
        part = next(name for name in os.listdir(tmp_path) if name != "x")
        assert part.startswith("x.")
        assert part.endswith(".part")
        assert len(part) == len("x..part") + 12
        file.commit()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"x": b"new"}


def test_what_is_given_up_at_a_url_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    with open_output(f"file://{tmp_path}/x") as file:
        file.write(b"new")
    assert os.listdir(tmp_path) == []


def test_an_object_is_whole_when_it_is_closed(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[Any] = []
    discarded = []
    opens = memory.open
    monkeypatch.setattr(memory, "open", kept(files, opens))
    for commits in (True, False):
        with open_output("memory://told/a") as file:
            files[-1].discard = lambda: discarded.append(commits)  # noqa: B023
            file.write(b"one")
            if commits:
                file.commit()
    assert discarded == [False]
    assert memory.find("/told") == ["/told/a"]


def test_a_file_that_cannot_be_made_at_a_url_is_an_error(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(memory), "open", failing("No space left on device"))
    with pytest.raises(BinlogError) as caught:
        open_output("memory://told/a")
    assert str(caught.value) == "memory://told/a: cannot be written: no space left on device"


@pytest.mark.parametrize("when", ["write", "close", "rename"])
def test_a_write_that_fails_at_a_url_is_an_error_and_leaves_nothing(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsspec = pytest.importorskip("fsspec")
    kind = type(fsspec.filesystem("file"))
    opens = kind.open
    if when == "rename":
        monkeypatch.setattr(kind, "mv", failing("No space left on device"))
    else:
        monkeypatch.setattr(kind, "open", lambda *a: Failing(opens(*a), when))
    with open_output(f"file://{tmp_path}/x") as file:
        with pytest.raises(BinlogError) as caught:
            file.write(b"new")
            file.commit()
        assert str(caught.value) == f"file://{tmp_path}/x: cannot be written: no space left on device"
        if when == "write":  # what is not whole gets no name
            with pytest.raises(BinlogError) as again:
                file.commit()
            assert again.value is caught.value
    assert os.listdir(tmp_path) == []


class Failing:
    """A file of which one method fails."""

    def __init__(self, file: Any, method: str):
        self._file, self._method = file, method

    def __getattr__(self, name: str) -> Any:
        return failing("No space left on device") if name == self._method else getattr(self._file, name)


def test_a_folder_is_made_where_it_is_not_there(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        make_folder(f"file://{tmp_path}/a/b")
        make_folder(f"{tmp_path}/c/d")
    assert (tmp_path / "a" / "b").is_dir()
    assert (tmp_path / "c" / "d").is_dir()
    (tmp_path / "x").touch()
    for name, reason in ((f"{tmp_path}/x", "File exists"), (f"{tmp_path}/x/y", "Not a directory")):
        with pytest.raises(BinlogError) as caught:
            make_folder(name)
        assert str(caught.value) == f"{name}: the folder cannot be made: {reason}"
    monkeypatch.setattr(type(memory), "makedirs", failing("No space left on device"))
    with pytest.raises(BinlogError) as caught:
        make_folder("memory://told/x")
    assert str(caught.value) == "memory://told/x: the folder cannot be made: no space left on device"


@pytest.mark.parametrize(
    ("name", "format", "compression"),
    [
        ("rows.csv", "csv", ""),
        ("a/b.c.JSONL", "jsonl", ""),
        ("rows.jsonl.zst", "jsonl", "zst"),
        ("rows.CSV.GZ", "csv", "gz"),
        ("rows.parquet.xz", "parquet", "xz"),
        ("s3://bucket/rows.csv.bz2", "csv", "bz2"),
    ],
)
def test_a_file_name_says_format_and_compression(name: str, format: str, compression: str) -> None:
    assert FileName.of(name) == FileName(name, format, compression)


@pytest.mark.parametrize(
    "name", ["rows", "rows.txt", ".csv", ".csv.gz", "rows.gz", "rows.csv/", "a.csv/b", "rows.csv.lz4"]
)
def test_other_names_are_those_of_folders(name: str) -> None:
    assert FileName.of(name) is None


def test_a_folder_that_is_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").mkdir()
    assert FileName.of(str(tmp_path / "rows.csv")) is None
    assert FileName.of(f"file://{tmp_path}/rows.csv") is not None


def test_a_counted_file_tells_what_was_written() -> None:
    class Output:
        data = b""

        def write(self, data: Any) -> None:
            self.data += bytes(data)

    one, other = Output(), Output()
    with CountedFile(one) as file:
        assert file.writable()
        assert (file.write(b"12"), file.tell()) == (2, 2)
        file.lead_to(other)
        assert (file.write(memoryview(b"3456").cast("H")), file.tell()) == (4, 6)
    assert (file.write(b"7"), file.tell()) == (1, 7)
    assert (one.data, other.data) == (b"12", b"3456")


def test_a_sheet_whose_writer_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    def refuse(stream: CountedFile) -> Any:
        stream.write(b"head")
        raise ValueError("no writer")

    with pytest.raises(ValueError, match="no writer"):
        Sheet(str(tmp_path / "rows.csv"), refuse)
    assert os.listdir(tmp_path) == []
    assert isinstance(open_output(str(tmp_path / "x")), Replacement)
