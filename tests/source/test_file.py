"""Plain files, pipes and file objects."""

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
from pybinlog.source.file import DescriptorSource, ObjectSource, open_file, reason, unsure_names, widen_pipe
from pybinlog.source.followed import FollowedSource, clear_in_use
from pybinlog.source.log_object import LogObject


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


def test_names_that_cannot_be_opened_are_found(numbers: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(numbers)
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    good = [str(numbers), f"{tmp_path}/pipe", f"{tmp_path}/link", os.devnull]
    unsure = ["-", f"{tmp_path}/broken", str(tmp_path), f"{tmp_path}/none", "a\0b", "s3://a/b"]
    assert list(unsure_names([])) == []
    assert list(unsure_names(good)) == []
    assert list(unsure_names([name for pair in zip(unsure, good + good, strict=False) for name in pair])) == unsure


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


def test_a_descriptor_that_cannot_be_read_is_an_error_at_its_position(numbers: Path) -> None:
    descriptor = os.open(numbers, os.O_WRONLY)
    with DescriptorSource("log", descriptor) as source:
        source.skip_to(7)
        with pytest.raises(SourceError) as raised:
            source.read(1)
    assert str(raised.value) == "log, at 7: cannot be read: bad file descriptor"


def test_a_pipe_that_cannot_be_read_is_an_error() -> None:
    read_end, write_end = os.pipe()
    try:
        with DescriptorSource("pipe", write_end) as source, pytest.raises(SourceError) as raised:
            source.read(1)
    finally:
        os.close(read_end)
    assert str(raised.value) == "pipe, at 0: cannot be read: bad file descriptor"


@pytest.mark.parametrize(
    ("error", "text"), [(OSError(5, "Input/output error"), "input/output error"), (EOFError("cut"), "cut")]
)
def test_an_object_that_cannot_be_read_is_an_error_at_its_position(error: Exception, text: str) -> None:
    class Broken(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise error
            return super().read1(3)

    source = ObjectSource("object", Broken(b"abcdef"))
    assert source.read(9) == b"abc"
    with pytest.raises(SourceError) as raised:
        source.read(9)
    assert str(raised.value) == f"object, at 3: cannot be read: {text}"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(2, "No such file"), "no such file"),
        (OSError(5, "I/O error"), "I/O error"),
        (OSError("Something else"), "something else"),
        (OSError(1, "X"), "X"),
    ],
)
def test_the_systems_message_is_a_part_of_a_sentence(error: OSError, text: str) -> None:
    assert reason(error) == text


def test_a_hole_ends_where_the_system_has_bytes(tmp_path: Path) -> None:
    path = tmp_path / "holes"
    with path.open("wb") as file:
        file.write(b"x" * 4096)
        file.seek(1 << 20)
        file.write(b"y" * 4096)
        file.truncate(2 << 20)
    with open_file(str(path)) as source, path.open("rb") as file:
        for position in (0, 4095, 4096, 1 << 20):
            source.skip_to(position)
            assert source.hole_end() == os.lseek(file.fileno(), position, os.SEEK_DATA)
        source.skip_to(4096)
        source.unread(b"x")
        assert source.hole_end() == 4095
        source.skip_to(2 << 20)
        assert source.hole_end() == 2 << 20


def test_a_file_can_be_read_again_and_a_pipe_cannot(numbers: Path) -> None:
    with open_file(str(numbers)) as source:
        source.skip_to(10)
        again = source.again()
        assert again is not None
        with again:
            assert again.read(10) == b"000000000\n"
        assert source.read(10) == b"000000001\n"
    read_end, write_end = os.pipe()
    os.close(write_end)
    with DescriptorSource("pipe", read_end) as pipe:
        assert pipe.again() is None
        assert pipe.hole_end() == 0


def test_a_pipe_is_ready_when_something_has_come(numbers: Path) -> None:
    read_end, write_end = os.pipe()
    with DescriptorSource("pipe", read_end) as source:
        assert not source.ready(0)
        os.write(write_end, b"ab")
        assert source.ready(0)
        assert source.read(2) == b"ab"
        assert not source.ready(0)
        source.unread(b"b")
        assert source.ready(0)
        assert source.read(1) == b"b"
        os.close(write_end)
        assert source.ready(0)
        assert source.read(1) == b""
    with open_file(str(numbers)) as file:
        assert file.ready(0)


def test_a_pipe_is_waited_for() -> None:
    read_end, write_end = os.pipe()
    with DescriptorSource("pipe", read_end) as source:
        writer = threading.Timer(0.05, os.write, [write_end, b"late"])
        writer.start()
        assert source.ready(30)
        writer.join()
    os.close(write_end)


def test_a_pipe_holds_more_after_the_first_mebibyte() -> None:
    fcntl = pytest.importorskip("fcntl")
    if not hasattr(fcntl, "F_GETPIPE_SZ"):
        pytest.skip("needs pipes that can be widened")
    read_end, write_end = os.pipe()
    sizes = []
    with DescriptorSource("pipe", read_end) as source:
        for position in (0, (1 << 20) - 1, 1 << 20):
            source.position = position
            os.write(write_end, b"x")
            assert source.read(1) == b"x"
            sizes.append(fcntl.fcntl(write_end, fcntl.F_GETPIPE_SZ))
    os.close(write_end)
    assert sizes == [1 << 16, 1 << 16, 1 << 20]


def test_a_file_is_not_widened(numbers: Path) -> None:
    with numbers.open("rb") as file:
        widen_pipe(file.fileno(), 1 << 20)
        assert file.read(1) == b"0"


# ---- objects


def test_an_object_that_seeks_is_read_from_its_position_again_and_again() -> None:
    stream = io.BytesIO(b"..0123456789")
    stream.seek(2)
    log = LogObject(stream)
    assert (log, log.read_once) == ("<BytesIO>", False)
    first, second = log.open(), log.open()
    assert (first.read(3), second.read(4), first.read(3)) == (b"012", b"0123", b"345")
    assert second.ready(0)
    assert (first.skip_to(9), first.read(9), first.read(9)) == (9, b"9", b"")


def test_an_object_that_cannot_seek_is_read_once() -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)
    with open(read_end, "rb") as stream:
        log = LogObject(stream, "pipe")
        assert log.read_once
        assert log.open().read(1) == b""
        with pytest.raises(SourceError) as raised:
            log.open()
    assert str(raised.value) == "pipe: the log was read already, and a pipe can be read only once"


def test_an_object_has_the_name_of_its_file(numbers: Path) -> None:
    with numbers.open("rb") as stream:
        assert LogObject(stream) == str(numbers)
        assert LogObject(stream, "mine") == "mine"
    read_end, write_end = os.pipe()
    os.close(write_end)
    with open(read_end, "rb") as unnamed:
        assert LogObject(unnamed) == "<BufferedReader>"


# ---- a log that is followed


@pytest.mark.parametrize(
    ("position", "size", "at"), [(0, 22, 21), (21, 1, 0), (0, 21, None), (22, 5, None), (20, 3, 1)]
)
def test_the_flag_of_a_log_in_use_is_cleared_where_it_stands(position: int, size: int, at: int | None) -> None:
    data = bytearray(b"\xff" * size)
    clear_in_use(memoryview(data), position)
    assert [place for place, byte in enumerate(data) if byte != 0xFF] == ([] if at is None else [at])
    assert at is None or data[at] == 0xFE


def test_a_followed_log_waits_ever_longer_for_what_comes(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(b"\xfebin")
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) in (8, 10):
            with path.open("ab") as file:
                file.write(b"more")

    source = FollowedSource(str(path), lambda: len(waits) >= 11, pause)
    with source:
        assert source.read(9) == b"\xfebin"
        assert not source.ready(0)
        assert source.read(9) == b"more"
        assert source.skip_to(11) == 11
        assert source.ready(0)
        assert source.read(9) == b"e"
        assert source.read(9) == b""
        assert source.ready(0)
        assert source.read(0) == b""
    assert waits == [0.01, 0.02, 0.04, 0.08, 0.16, 0.25, 0.25, 0.25, 0.01, 0.02, 0.01]


@pytest.mark.parametrize(
    ("head", "form"), [(b"\x1f\x8b\x08", "gzip"), (b"BZh9", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd")]
)
def test_a_compressed_log_cannot_be_followed(head: bytes, form: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(head)
    with pytest.raises(SourceError) as raised:
        FollowedSource(str(path), lambda: True, lambda seconds: None)
    assert str(raised.value) == (
        f"{path}: a log compressed by {form} cannot be followed. No server appends to it: leave out --follow, or "
        "follow the log that the server writes"
    )


def test_what_is_no_file_cannot_be_followed(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        FollowedSource(str(tmp_path), lambda: True, lambda seconds: None)
    assert str(raised.value) == (
        f"{tmp_path}: only a file can be followed. A pipe is read to its end without --follow, too"
    )


@pytest.mark.parametrize(("head", "waits"), [(b"\xfe", 1), (b"\xfdbi", 1), (b"", 1), (b"x", 0), (b"\xfebix", 0)])
def test_only_a_log_is_waited_for(head: bytes, waits: int, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(head)
    paused: list[float] = []
    with FollowedSource(str(path), lambda: bool(paused), paused.append) as source:
        assert source.read_up_to(9) == head
    assert len(paused) == waits


def test_a_followed_log_knows_whether_its_name_leads_to_it(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xfebin")
    with FollowedSource(str(path), lambda: True, lambda seconds: None) as source:
        assert (source.path_names_it(), source.stored) == (True, 4)
        path.rename(tmp_path / "old")
        assert source.path_names_it() is None
        path.write_bytes(b"\xfebin")
        assert source.path_names_it() is False
        path.unlink()
        path.symlink_to(path)
        with pytest.raises(SourceError) as raised:
            source.path_names_it()
    assert str(raised.value) == f"{path}: cannot be inspected: Too many levels of symbolic links"
