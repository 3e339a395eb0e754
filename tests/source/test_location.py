"""Folders, patterns, index files and URLs as lists of logs."""

import gzip
import io
import os
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import SourceError
from pybinlog.source import KeyedLog, location, open_source
from pybinlog.source.location import changed_at, folders_below, is_pattern, local_files, read_once, size_of
from pybinlog.source.log_object import LogObject
from pybinlog.source.remote import PACKAGES, RemoteSource, also, file_system, is_url, message_of, open_remote


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
    assert locate(["x"], indexes=[str(folder / "b.index")]) == [str(folder / "b.999999"), str(folder / "b.000010"), "x"]


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
    [
        *(("s3://a/b", True), ("file:///a", True), ("a://b", False), ("://b", False), ("/a/b://c", False)),
        *(
            ("-", False),
            ("ab://", True),
            ("git+ssh://a", True),
            ("a-b+c://d", True),
            ("a.b://c", False),
            ("ab:/c", False),
        ),
    ],
)
def test_what_is_a_url(name: str, answer: bool) -> None:
    assert is_url(name) is answer


# ---- file systems


@pytest.fixture
def memory() -> Any:
    """A file system in memory, with one log."""
    system = pytest.importorskip("fsspec").filesystem("memory")
    system.store.clear()
    system.pipe("/logs/b.000001", b"\xfebin0123456789")
    return system


URL = "memory:///logs/b.000001"


class Broken(Exception):
    """An error of a file system's own kind."""


def test_an_object_is_read_seeks_and_can_be_read_again(memory: Any) -> None:
    with open_source(URL) as source:
        assert (source.seekable, source.size) == (True, 14)
        source.skip_to(4)
        assert source.read(3) == b"012"
        source.unread(b"2")
        assert source.skip_to(13) == 13
        assert source.read(9) == b"9"
        assert source.skip_to(15) == 14
        again = source.again()
    assert again is not None
    with again:
        assert again.read(6) == b"\xfebin01"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Broken("no such account\nand more"), "Broken: no such account"),
        (PermissionError(13, "Permission denied"), "permission denied"),
        (OSError("only words"), "OSError: only words"),
        (FileNotFoundError("/x"), "no such file or directory"),
    ],
)
def test_an_error_of_a_file_system_is_a_part_of_a_sentence(error: Exception, text: str) -> None:
    assert message_of(error) == text


def raising(*_: object, **__: object) -> None:
    raise Broken("down")


@pytest.mark.parametrize(
    ("method", "function", "place", "error"),
    [
        ("open", open_remote, URL, "cannot be opened"),
        ("size", size_of, URL, "cannot be opened"),
        ("modified", changed_at, URL, "its time is not known"),
        ("isdir", lambda name: locate([name]), URL, "cannot be listed"),
        ("glob", lambda name: locate([name]), "memory:///logs/*", "cannot be listed"),
        ("ls", lambda name: locate([name]), "memory:///logs", "cannot be listed"),
    ],
)
def test_a_file_system_that_fails_is_an_error_of_the_place(
    method: str, function: Callable[[str], object], place: str, error: str, memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(memory), method, raising)
    with pytest.raises(SourceError) as raised:
        function(place)
    assert str(raised.value) == f"{place}: {error}: Broken: down"


def test_an_object_that_fails_is_an_error_at_its_position() -> None:
    stream = io.BytesIO(b"\xfebin")
    source = RemoteSource(URL, stream)
    assert source.read(4) == b"\xfebin"
    stream.close()
    for act in (lambda: source.read(1), lambda: source.skip_to(9)):
        with pytest.raises(SourceError) as raised:
            act()
        assert str(raised.value) == f"{URL}, at 4: cannot be read: ValueError: I/O operation on closed file."


def test_a_url_that_no_file_system_takes_is_an_error() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(SourceError) as raised:
        file_system("nope://a/b")
    assert str(raised.value) == "nope://a/b: cannot be opened: ValueError: Protocol not known: nope"


def test_a_package_without_a_known_name_is_what_fsspec_says(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")

    def missing(url: str) -> None:
        raise ImportError("needs tapes")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(SourceError) as raised:
        file_system("tape://a")
    assert str(raised.value) == (
        "tape://a: tape:// needs the package that fsspec has for it, which is not installed. fsspec says: needs tapes"
    )
    assert (also("tape"), also("gs"), PACKAGES["gs"]) == ("", " gcsfs", "gcsfs")


def test_sizes_and_times_are_those_of_the_files(folder: Path, memory: Any) -> None:
    path = folder / "b.000010"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert changed_at(str(path)) == datetime(2001, 9, 9, 1, 46, 40, tzinfo=timezone.utc)
    assert changed_at(path.as_uri()) == changed_at(str(path))
    assert size_of(URL) == 14
    assert changed_at(URL).tzinfo is not None
    for function in (size_of, changed_at):
        with pytest.raises(SourceError) as raised:
            function(str(folder / "none"))
        assert str(raised.value) == f"{folder / 'none'}: cannot be opened: no such file or directory"


def test_a_time_without_a_zone_is_utc(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(memory), "modified", lambda *_: datetime(2020, 1, 2))
    assert changed_at(URL) == datetime(2020, 1, 2, tzinfo=timezone.utc)


def test_a_folder_that_is_gone_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        local_files(str(tmp_path / "none"))
    assert str(raised.value) == f"{tmp_path / 'none'}: the folder cannot be read: no such file or directory"


def test_what_can_be_read_only_once(folder: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = folder / "b.000010"
    read_end, write_end = os.pipe()
    os.close(write_end)
    with open(read_end, "rb") as piped, path.open("rb") as file:
        logs = {
            "-": True,
            str(path): False,
            str(tmp_path / "none"): False,
            str(pipe): True,
            LogObject(piped, "p"): True,
            LogObject(file, "f"): False,
        }
        assert {log: read_once(log) for log in logs} == logs
        assert {log: read_once(KeyedLog(log, None)) for log in logs} == logs  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ("b.*", True),
        ("b.00000?", True),
        ("b.[0-9]", True),
        ("{a,b}", True),
        ("{a}", False),
        ("b]", False),
        ("b", False),
    ],
)
def test_what_may_stand_for_several_logs(place: str, answer: bool) -> None:
    assert is_pattern(place) is answer


def test_folders_of_a_url_are_listed_in_order(memory: Any) -> None:
    memory.pipe("/logs/z/b.000001", b"")
    memory.pipe("/logs/c/d/b.000001", b"")
    assert folders_below("memory:///logs") == [f"memory:///logs{name}" for name in ("", "/c", "/c/d", "/z")]
