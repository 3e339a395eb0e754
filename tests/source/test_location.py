"""Folders, patterns, index files and URLs as lists of logs."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import SourceError
from pybinlog.source import location, open_source
from pybinlog.source.location import folders_below, size_of
from pybinlog.source.remote import is_url


def locate(places: list[str], **options: Any) -> list[str]:
    """The logs, whatever is said of them."""
    return location.locate(places, warn=lambda sentence: None, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Logs of two series, and what lies beside them."""
    for name in (
        "b.000010",
        "b.000009.gz",
        "b.1000000",
        "b.999999",
        "a-relay.000002",
        "b.index",
        "notes.txt",
        "b.00001",
        "b.000010.sql",
    ):
        content = b"\xfebin" + name.encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (tmp_path / "b.000011").mkdir()
    return tmp_path


IN_ORDER = ["a-relay.000002", "b.000009.gz", "b.000010", "b.999999", "b.1000000"]


def test_a_folder_is_its_logs_by_series_and_number(folder: Path) -> None:
    assert locate([str(folder)]) == [str(folder / name) for name in IN_ORDER]


def test_a_pattern_is_what_it_matches_but_no_index(folder: Path) -> None:
    found = locate([str(folder / "b.*")])
    assert sorted(found) == sorted(str(folder / name) for name in [*IN_ORDER[1:], "b.00001", "b.000010.sql"])
    assert [name for name in found if name.endswith(("0", "9", "gz"))] == [str(folder / name) for name in IN_ORDER[1:]]
    assert locate([str(folder / "b.00001[0-9]")]) == [str(folder / "b.000010")]


def test_braces_stand_for_each_of_their_alternatives(folder: Path) -> None:
    assert locate([str(folder / "{b.999999,b.00001*}")]) == [
        str(folder / name) for name in ("b.999999", "b.000010", "b.00001", "b.000010.sql")
    ]
    assert locate([str(folder / "{b,c}.{1,2}")]) == [str(folder / name) for name in ("b.1", "b.2", "c.1", "c.2")]
    for name in ("b{1}", "b{1", "b1,2}"):
        assert locate([str(folder / name)]) == [str(folder / name)]
    (folder / "b.{1,2}").write_bytes(b"\xfebin")
    assert locate([str(folder / "b.{1,2}")]) == [str(folder / "b.{1,2}")]


def test_a_folder_has_all_below_it_and_a_file_itself(folder: Path) -> None:
    (folder / "c" / "d").mkdir(parents=True)
    below = [folder, folder / "b.000011", folder / "c", folder / "c" / "d"]
    assert folders_below(str(folder)) == list(map(str, below))
    assert folders_below(str(folder / "b.000010")) == [str(folder / "b.000010")]


def test_files_stay_in_the_order_given_and_need_not_exist(folder: Path) -> None:
    names = [str(folder / "z"), str(folder / "b.000010"), "no such"]
    assert locate(names) == names


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    odd = folder / "b[1].000001"
    odd.write_bytes(b"")
    assert locate([str(odd)]) == [str(odd)]


def test_index_files_come_first(folder: Path) -> None:
    (folder / "b.index").write_text("./b.999999\n./b.000010\n")
    assert locate(["x"], indexes=[str(folder / "b.index")]) == [
        str(folder / "b.999999"),
        str(folder / "b.000010"),
        "x",
    ]


def test_a_filter_looks_at_base_names(folder: Path) -> None:
    assert locate([str(folder)], glob_filter="b.0*") == [str(folder / "b.000009.gz"), str(folder / "b.000010")]


@pytest.mark.parametrize("place", ["empty", "empty/*", "none.[0-9]"])
def test_a_place_without_logs_is_an_error_that_names_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError) as raised:
        locate([str(tmp_path / place)])
    assert raised.value.file == str(tmp_path / place)


def test_urls_are_looked_up_on_their_file_system(folder: Path) -> None:
    pytest.importorskip("fsspec")
    base = folder.as_uri()
    wanted = [f"{base}/{name}" for name in IN_ORDER]
    assert locate([base]) == wanted
    assert locate([f"{base}/b.00001?"]) == [f"{base}/b.000010"]
    assert locate([f"{base}/b.000010"]) == [f"{base}/b.000010"]
    with pytest.raises(SourceError, match="no file matches the pattern"):
        locate([f"{base}/c.*"])


def test_a_url_is_read_like_a_file(folder: Path) -> None:
    pytest.importorskip("fsspec")
    name = (folder / "b.000010").as_uri()
    with open_source(name) as source:
        assert (source.name, source.seekable, source.size) == (name, True, 12)
        assert source.read(4) == b"\xfebin"
        assert source.skip_to(2) == 2
        assert source.read(100) == b"in" + b"b.000010"
        assert source.read(100) == b""
        assert source.skip_to(1000) == 12
    assert size_of(name) == 12
    assert size_of(str(folder / "b.000010")) == 12
    missing = (folder / "none").as_uri()
    for function in (open_source, size_of):
        with pytest.raises(SourceError, match="cannot be opened: no such file or directory"):
            function(missing)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(SourceError) as raised:
        open_source("s3://bucket/binlog.000001")
    assert str(raised.value) == (
        "s3://bucket/binlog.000001: s3:// needs the package s3fs, which is not installed. "
        "Install it with: pip install s3fs"
    )
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(SourceError, match="pip install fsspec gcsfs"):
        open_source("gs://bucket/binlog.000001")


@pytest.mark.parametrize(
    ("name", "answer"),
    [("s3://a/b", True), ("file:///a", True), ("a://b", False), ("://b", False), ("/a/b://c", False), ("-", False)],
)
def test_what_is_a_url(name: str, answer: bool) -> None:
    assert is_url(name) is answer
