"""Index files."""

import os
from pathlib import Path

import pytest

from pybinlog.errors import SourceError
from pybinlog.source import read_index


def test_relative_names_are_found_beside_the_index(tmp_path: Path) -> None:
    index = tmp_path / "binlog.index"
    index.write_text("./binlog.000001\nbinlog.000002\n")
    assert read_index(str(index)) == [str(tmp_path / "binlog.000001"), str(tmp_path / "binlog.000002")]


def test_an_index_in_the_current_folder_gives_bare_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binlog.index").write_text("./binlog.000001\n")
    assert read_index("binlog.index") == ["binlog.000001"]


def test_an_absolute_name_is_kept_where_the_log_is_there(tmp_path: Path) -> None:
    log = tmp_path / "elsewhere" / "binlog.000001"
    log.parent.mkdir()
    log.touch()
    index = tmp_path / "binlog.index"
    index.write_text(f"{log}\n")
    assert read_index(str(index)) == [str(log)]


def test_the_logs_of_a_copied_folder_are_found_beside_the_index(tmp_path: Path) -> None:
    (tmp_path / "binlog.000001").touch()
    index = tmp_path / "binlog.index"
    index.write_text("/no/such/folder/binlog.000001\n/no/such/folder/binlog.000002\n")
    assert read_index(str(index)) == [str(tmp_path / "binlog.000001"), "/no/such/folder/binlog.000002"]


def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    index = tmp_path / "binlog.index"
    index.write_bytes(b"./caf\xe9.000001\r\n\n")
    assert read_index(str(index)) == [str(tmp_path / "caf\udce9.000001")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the index file lists no logs"),
        (b"\xfebin\x01", "this is not an index file"),
        (b"a\0b\n", "this is not an index file"),
        (b"[" * 100_000, "this is not an index file"),
    ],
)
def test_what_is_no_index_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    index = tmp_path / "binlog.index"
    index.write_bytes(content)
    with pytest.raises(SourceError, match=sentence) as caught:
        read_index(str(index))
    assert caught.value.file == str(index)


def test_a_missing_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"binlog\.index: the index file cannot be read: no such file"):
        read_index(str(tmp_path / "binlog.index"))


@pytest.mark.parametrize(
    "line", ["-", "./-", "http://127.0.0.1:1/binlog.000001", "s3://bucket/x", "file:///etc/passwd"]
)
@pytest.mark.parametrize("folder", ["", "logs"])
def test_a_line_that_is_no_file_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, folder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    index = Path(folder) / "binlog.index"
    index.parent.mkdir(exist_ok=True)
    index.write_text(f"./binlog.000001\n\n{line}\n")
    with pytest.raises(SourceError, match=f"binlog.index: line 3 of the index names '{line}', which is "):
        read_index(str(index))


def test_a_url_spelled_as_a_relative_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binlog.index").write_text("./http://127.0.0.1:1/x\n")
    with pytest.raises(SourceError, match="which is not a name of a log"):
        read_index("binlog.index")


def test_pipes_devices_and_folders_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "binlog.000001")
    (tmp_path / "binlog.000002").mkdir()
    (tmp_path / "binlog.000003").symlink_to("binlog.000001")
    index = tmp_path / "binlog.index"
    for name, what in (
        ("./binlog.000001", "not a regular file"),
        ("binlog.000002", "a folder"),
        ("binlog.000003", "not a regular file"),
        ("/dev/null", "not a regular file"),
        ("/elsewhere/binlog.000001", "not a regular file"),
        (str(tmp_path), "a folder"),
    ):
        index.write_text(f"{name}\n")
        with pytest.raises(SourceError, match=f"line 1 of the index names '{name}', which is {what}"):
            read_index(str(index))


def test_an_index_that_comes_through_a_pipe_is_read(tmp_path: Path) -> None:
    (tmp_path / "binlog.000001").touch()
    reading, writing = os.pipe()
    os.write(writing, f"{tmp_path}/binlog.000001\n".encode())
    os.close(writing)
    try:
        assert read_index(f"/dev/fd/{reading}") == [f"{tmp_path}/binlog.000001"]
    finally:
        os.close(reading)


def test_an_index_in_a_store_names_objects_of_that_store() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    index = "memory://bucket/db1/binlog.index"

    def write(*lines: str) -> None:
        memory.pipe("/bucket/db1/binlog.index", "\n".join(lines).encode())

    write("./binlog.000001", "/var/lib/mysql/binlog.000002", "memory://bucket/db2/binlog.000003")
    assert read_index(index) == [
        "memory://bucket/db1/binlog.000001",
        "memory://bucket/db1/binlog.000002",
        "memory://bucket/db2/binlog.000003",
    ]
    for line in ("memory://other/binlog.000001", "s3://bucket/db1/binlog.000001", "file:///etc/passwd"):
        write(line)
        with pytest.raises(SourceError, match="which is not of the store memory://bucket"):
            read_index(index)
    with pytest.raises(SourceError, match="the index file: cannot be opened"):
        read_index("memory://bucket/no.index")


def test_an_index_named_by_a_file_url_names_no_devices(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    index = tmp_path / "binlog.index"
    os.mkfifo(tmp_path / "binlog.000001")
    index.write_text("./binlog.000001\n")
    with pytest.raises(SourceError, match="not a regular file"):
        read_index(f"file://{index}")
