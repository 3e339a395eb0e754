"""Plain files, pipes and file objects."""

from __future__ import annotations

import gc
import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from pybinlog.errors import SourceError
from pybinlog.source import open_source
from pybinlog.source.followed import FollowedSource


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """A file of 100,000 bytes in which every place can be told from its neighbours."""
    path = tmp_path / "numbers"
    path.write_bytes(b"".join(b"%09d\n" % line for line in range(10000)))
    return path


def test_a_file_is_read_to_its_end(numbers: Path) -> None:
    with open_source(str(numbers)) as source:
        assert source.name == str(numbers)
        assert source.seekable
        assert source.size == 100_000
        parts = []
        while part := source.read(30_000):
            parts.append(part)
        assert b"".join(parts) == numbers.read_bytes()
        assert source.position == 100_000
        assert source.read(1) == b""


def test_readinto_fills_the_view_and_no_more(numbers: Path) -> None:
    buffer = bytearray(b"." * 32)
    with open_source(str(numbers)) as source:
        assert source.readinto(memoryview(buffer)[4:14]) == 10
    assert buffer == b"...." + b"000000000\n" + b"." * 18


def test_skip_to_goes_both_ways_in_a_file(numbers: Path) -> None:
    with open_source(str(numbers)) as source:
        assert source.skip_to(99_990) == 99_990
        assert source.read(100) == b"000009999\n"
        assert source.skip_to(10) == 10
        assert source.read(10) == b"000000001\n"


def test_skip_to_stops_at_the_end(numbers: Path) -> None:
    with open_source(str(numbers)) as source:
        assert source.skip_to(1 << 40) == 100_000
        assert source.read(1) == b""


def test_a_file_that_grows_is_read_on(numbers: Path) -> None:
    with open_source(str(numbers)) as source, numbers.open("ab") as writer:
        source.skip_to(100_000)
        writer.write(b"more")
        writer.flush()
        assert source.read(10) == b"more"
        assert source.skip_to(100_002) == 100_002
        assert source.read(10) == b"re"


def test_unread_bytes_come_again(numbers: Path) -> None:
    with open_source(str(numbers)) as source:
        source.unread(source.read(4))
        assert source.position == 0
        assert source.read(4) == b"0000"
        source.unread(b"0000")
        source.skip_to(9)
        assert source.read(1) == b"\n"


def test_a_named_pipe_is_read_but_never_sought(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"0123456789",))
    writer.start()
    with open_source(str(path)) as source:
        assert not source.seekable
        assert source.size is None
        assert source.skip_to(4) == 4
        assert source.read(3) == b"456"
        with pytest.raises(ValueError, match="cannot go back from 7 to 0"):
            source.skip_to(0)
        assert source.skip_to(100) == 10
    writer.join()


def test_what_has_arrived_on_a_pipe_is_delivered_at_once() -> None:
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as stdin:
        os.write(write_end, b"\xfe")
        source = open_source("-", stdin)
        assert source.read(1000) == b"\xfe"
        os.write(write_end, b"bin")
        assert source.read(1000) == b"bin"
        os.close(write_end)
        assert source.read(1000) == b""
        source.close()
        assert not stdin.closed


def test_standard_input_does_not_seek_even_where_it_is_a_file(numbers: Path) -> None:
    with numbers.open("rb") as stdin, open_source("-", stdin) as source:
        assert not source.seekable
        assert source.skip_to(20) == 20
        assert source.read(10) == b"000000002\n"
        with pytest.raises(ValueError, match="cannot go back"):
            source.skip_to(4)


def test_a_file_object_without_descriptor_serves_as_standard_input() -> None:
    with open_source("-", io.BytesIO(b"\xfebin and more")) as source:
        assert source.read(4) == b"\xfebin"
        assert source.read(4) + source.read(100) == b" and more"
        assert source.read(100) == b""


def test_a_directory_is_refused(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(SourceError, match="this is a directory") as caught:
        open_source(str(tmp_path))
    assert caught.value.file == str(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_source_that_was_not_opened_is_closed_without_an_error(tmp_path: Path) -> None:
    (tmp_path / "binlog.000001.gz").write_bytes(gzip.compress(b"log"))
    unraisable: list[object] = []
    hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
    try:
        for name in ("missing", ".", "binlog.000001.gz"):
            with pytest.raises(SourceError):
                FollowedSource(str(tmp_path / name), lambda: True, lambda seconds: None)
        gc.collect()
    finally:
        sys.unraisablehook = hook
    assert unraisable == []


def test_a_missing_file_is_named() -> None:
    with pytest.raises(SourceError) as caught:
        open_source("nothere.000001")
    assert str(caught.value) == "nothere.000001: cannot be opened: no such file or directory"


def test_a_closed_standard_input_is_an_error() -> None:
    with pytest.raises(SourceError, match="standard input is closed"):
        open_source("-", None)


def test_a_name_with_a_zero_byte_is_an_error() -> None:
    with pytest.raises(SourceError, match="zero byte"):
        open_source("a\0b")


def test_an_empty_file_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with open_source(str(tmp_path / "empty")) as source:
        assert source.read(10) == b""
        assert source.position == 0
