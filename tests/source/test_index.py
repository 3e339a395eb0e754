"""Index files."""

from __future__ import annotations

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
